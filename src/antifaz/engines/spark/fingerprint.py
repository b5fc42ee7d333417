"""A fingerprint of rows on Spark, whatever their order: do the written parts hold exactly what was handed to them?

Every cell counts, as text, and missing is not the empty text. It is a sum of 64-bit hashes, made to find a cell that
changed on the way to the store, not to withstand somebody who looks for two tables with the same sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column

#: The hash is summed in three parts of 22, 22 and 20 bits, so that no sum of up to 2^41 rows leaves a long.
_BITS = 22
SUMS = ("sum0", "sum1", "sum2")


def row_hash(cells: Sequence[Column]) -> Column:
    """Return the hash of a row, given its cells as text."""
    from pyspark.sql import functions as fn

    # The hash passes over missing values, so whether each is missing goes in too.
    return fn.xxhash64(*[part for cell in cells for part in (fn.coalesce(cell, fn.lit("")), cell.isNull())])


def sums(column: str) -> list[Column]:
    """Return what must be summed of the column that holds the hashes, under the names `SUMS`."""
    from pyspark.sql import functions as fn

    low = (1 << _BITS) - 1
    parts = [fn.shiftrightunsigned(fn.col(column), i * _BITS).bitwiseAND(fn.lit(low)) for i in range(len(SUMS))]
    return [fn.coalesce(fn.sum(part), fn.lit(0)).alias(name) for part, name in zip(parts, SUMS, strict=True)]


def fingerprint(found: Any) -> int:
    """Return the fingerprint from anything that has the sums by their names."""
    return sum(int(found[name]) << (i * _BITS) for i, name in enumerate(SUMS))
