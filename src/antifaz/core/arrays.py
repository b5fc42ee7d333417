"""The kinds of arrays that rooms hand to each other, each under one name, and the numbering of combinations."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
#: Positions in a list of values, one per row or tuple.
Codes = NDArray[np.int32]


def number_pairs(one: Ints, other: Ints) -> Ints:
    """Number the pairs of two columns from 0, in their order; rows that agree in both get the same number."""
    low, high = (int(other.min()), int(other.max())) if other.size else (0, 0)
    return np.asarray(np.unique(one * (high - low + 1) + (other - low), return_inverse=True)[1], np.int64)


def number_combinations(columns: Iterable[Ints], rows: int) -> Ints:
    """Number the combinations of several columns of so many rows likewise; without columns all rows agree."""
    numbers = np.zeros(rows, np.int64)
    for column in columns:
        # Numbers are below that of rows, and so are codes, so that the product fits.
        numbers = number_pairs(numbers, column)
    return numbers
