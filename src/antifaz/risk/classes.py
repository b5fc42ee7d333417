"""Risks that follow from the sizes of classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def records_below(sizes: NDArray[np.int64], k: int) -> int:
    """Return how many records can be singled out: those in classes of fewer than k."""
    return int(sizes[sizes < k].sum())


def prosecutor(sizes: NDArray[np.int64]) -> float:
    """Return the highest risk that a person known to be in the table is re-identified: 1 over the smallest class."""
    return float(1 / sizes.min()) if sizes.size else 0.0


def marketer(sizes: NDArray[np.int64]) -> float:
    """Return the expected share of records re-identified by linking all: classes over records."""
    return float(sizes.size / sizes.sum()) if sizes.size else 0.0
