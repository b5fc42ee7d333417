"""Measures of the classes' sizes: discernibility and average class size."""

from __future__ import annotations

import numpy as np

from antifaz.counting.generalization import Generalization


def discernibility(table: Generalization) -> int:
    """Return the sum over records of the number of records each can't be told from; suppressed ones, from any."""
    kept = int(np.sum(table.sizes.astype(object) ** 2)) if table.sizes.size else 0
    return kept + table.rows * table.suppressed


def average_class_size(table: Generalization) -> float:
    """Return the mean number of records per class of the released table."""
    return float(table.sizes.mean()) if table.sizes.size else 0.0
