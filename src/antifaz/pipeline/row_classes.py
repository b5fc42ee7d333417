"""The classes of rows that are to be released, told by what they will look like."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Ints


def class_of_rows(rows: pa.Table, quasi_identifiers: Sequence[str]) -> Ints:
    """Number the classes of rows; without quasi-identifiers all are one."""
    classes = np.zeros(rows.num_rows, np.int64)
    for name in quasi_identifiers:
        codes = pc.dictionary_encode(rows.column(name).combine_chunks(), null_encoding="encode").indices
        each = codes.to_numpy(zero_copy_only=False).astype(np.int64)
        _, classes = np.unique(classes * (int(each.max(initial=0)) + 1) + each, return_inverse=True)
    return classes
