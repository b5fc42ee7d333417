"""Groups of equal rows out of a sorted stream: what they take does not grow with how many groups there are.

DuckDB's hash tables spill too, but with a hundred million groups they ask for more at once than a small share has; a
sort asks for less, and is faster when most groups are of one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = list[NDArray[Any]]


def starts(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return where in sorted columns each run of equal rows begins."""
    changed = np.ones(columns[0].size, np.bool_)
    changed[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        changed[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changed)


def whole_groups(batches: Iterable[Columns], by: int) -> Iterator[tuple[NDArray[np.int64], Columns]]:
    """Cut batches that are sorted by their first columns where groups end; yield where these begin, and the columns."""
    rest: Columns | None = None
    for batch in batches:
        columns = batch if rest is None else [np.concatenate(two) for two in zip(rest, batch, strict=True)]
        begin = starts(columns[:by])
        # The last group may go on in the next batch.
        end = int(begin[-1])
        if end:
            yield begin[:-1], [column[:end] for column in columns]
        rest = [column[end:] for column in columns]
    if rest is not None:
        yield np.zeros(1, np.int64), rest


def lengths(begin: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """Return how many rows each group has."""
    return np.diff(begin, append=rows)


def tally(groups: Iterable[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which sizes there are, in order, and how many groups are so large."""
    found: dict[int, int] = {}
    for sizes in groups:
        for size, times in zip(*(part.tolist() for part in np.unique(sizes, return_counts=True)), strict=True):
            found[size] = found.get(size, 0) + times
    ordered = sorted(found)
    return np.array(ordered, np.int64), np.array([found[size] for size in ordered], np.int64)
