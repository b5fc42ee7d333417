"""The classes of rows that are to be released, told by what they will look like."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Ints, number_combinations


def class_of_rows(rows: pa.Table, quasi_identifiers: Sequence[str]) -> Ints:
    """Number the classes of rows; without quasi-identifiers all are one."""
    return number_combinations((_codes(rows.column(name)) for name in quasi_identifiers), rows.num_rows)


def _codes(column: pa.ChunkedArray) -> Ints:
    codes = pc.dictionary_encode(column.combine_chunks(), null_encoding="encode").indices
    return np.asarray(codes.to_numpy(zero_copy_only=False), np.int64)
