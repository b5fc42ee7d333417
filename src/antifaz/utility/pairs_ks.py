"""Kolmogorov–Smirnov for two tables: does each number keep its distribution?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.utility.ks import ks_counts


class KolmogorovSmirnov(NamedTuple):
    """The greatest distance between two distribution functions, and the chance of it in two samples of one."""

    statistic: float
    p: float


def ks_columns(
    original: Any, released: Any, columns: Sequence[str] | str | None = None
) -> dict[str, KolmogorovSmirnov]:
    """Return, by numeric column, the two-sample statistic and its p-value (asymptotic).

    Rows need not correspond, nor be as many. Missing values are left out. A column with values in one table only is as
    far as can be: statistic 1, p 0. The p-value supposes two independent samples; rows that were made from each other
    are nearer than such, so it is a yardstick and no test.

    Args:
        original: A pandas, polars or pyarrow table.
        released: Another.
        columns: Numeric columns; by default all that are numbers in both tables.
    """
    from antifaz.sources.paired_frames import read_numbers  # here: it brings pyarrow and DuckDB

    found = {}
    for column in read_numbers(original, released, columns, what="ks", aligned=False):
        before, after = (_counted(side, column.missing) for side in (column.original, column.released))
        found[column.name] = KolmogorovSmirnov(*ks_counts(*before, *after))
    return found


def _counted(values: NDArray[np.float64], missing: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    known = values[~np.isnan(values)] if missing else values
    return np.unique(known, return_counts=True)
