"""Finds all arrays in something, to tell whether it was changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def arrays_in(thing: Any) -> list[NDArray[Any]]:
    """Return copies of all arrays in dataclasses, mappings, tuples and lists, in their order."""
    if isinstance(thing, np.ndarray):
        return [thing.copy()]
    if is_dataclass(thing) and not isinstance(thing, type):
        # Private fields are what a thing remembers by itself.
        parts = [getattr(thing, field.name) for field in fields(thing) if not field.name.startswith("_")]
    elif isinstance(thing, Mapping):
        parts = list(thing.values())
    elif isinstance(thing, (tuple, list)):
        parts = list(thing)
    else:
        return []
    return [array for part in parts for array in arrays_in(part)]


def same_arrays(before: list[NDArray[Any]], after: list[NDArray[Any]]) -> bool:
    """Whether two lists hold the same arrays."""
    return len(before) == len(after) and all(map(_same, before, after))


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    # Not a number is what missing values are in arrays of numbers, and must stay so.
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
