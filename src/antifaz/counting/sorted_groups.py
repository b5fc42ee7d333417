"""Groups of equal rows in columns that come sorted, batch by batch: so many that a table of them would not fit."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Flags, Ints

Columns = list[NDArray[Any]]


def known_ends(places: Ints, known: int, begin: Ints) -> tuple[Ints, Ints, Flags]:
    """Return the least and the greatest known place of each group, and whether a missing value is in it."""
    missing = places >= known
    low = np.minimum.reduceat(np.where(missing, known, places), begin)
    high = np.maximum.reduceat(np.where(missing, -1, places), begin)
    return low, high, np.logical_or.reduceat(missing, begin)


def starts(columns: Sequence[NDArray[Any]]) -> Ints:
    """Return where in sorted columns each run of equal rows begins."""
    changed = np.ones(columns[0].size, np.bool_)
    changed[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        changed[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changed)


def whole_groups(batches: Iterable[Columns], by: int) -> Iterator[tuple[Ints, Columns]]:
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


def lengths(begin: Ints, rows: int) -> Ints:
    """Return how many rows each group has."""
    return np.diff(begin, append=rows)
