"""How many people of a population look like each class of a release: whoever its labels cover."""

from __future__ import annotations

import numpy as np

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.roles import Role
from antifaz.counting.frequencies import group_codes
from antifaz.utility.pair import PairColumn, TablePair

#: Where labels overlap, every class is compared with every distinct person; beyond so many comparisons it is refused.
MOST = 2_000_000_000
_AT_ONCE = 20_000_000


def people_alike(pair: TablePair) -> Ints:
    """Return per class of the release how many people its labels cover; the pair's original is the population.

    Where a value lies under one label only, people are grouped as the records are, in linear time. Where labels overlap
    each class is compared with each distinct person.
    """
    columns = pair.of(Role.QUASI_IDENTIFIER)
    first = _first_of_each(pair)
    if all(_one_label_each(column) for column in columns):
        return _grouped(pair, columns, first)
    if first.size * pair.original.counts.size > MOST:
        raise ParameterError("utility.too-many-overlapping-classes")
    return _compared(pair, columns, first)


def _first_of_each(pair: TablePair) -> Ints:
    """A tuple of each class."""
    of = pair.classes.of
    first = np.empty(pair.classes.sizes.size, np.int64)
    some = np.flatnonzero(of >= 0)[::-1]
    first[of[some]] = some
    return first


def _one_label_each(column: PairColumn) -> bool:
    """Whether no value lies under two of the labels that are used, those that say nothing included."""
    used = column.kept > 0
    silent = (column.covers.anything | column.covers.unknown) & used
    return not column.covers.overlapping and (not silent.any() or int(used.sum()) == 1)


def _grouped(pair: TablePair, columns: tuple[PairColumn, ...], first: Ints) -> Ints:
    released, people, sizes = [], [], []
    for column in columns:
        covers = column.covers
        label_of = np.full(column.domain.size, covers.labels, np.int32)  # under none: a label of its own
        used = np.flatnonzero(column.kept[covers.owner] > 0)
        for run in used.tolist():
            label_of[covers.start[run] : covers.stop[run]] = covers.owner[run]
        released.append(column.after[first])
        people.append(label_of[column.before])
        sizes.append(covers.labels + 1)
    both = [np.concatenate([one, other]).astype(np.int32) for one, other in zip(released, people, strict=True)]
    counts = np.concatenate([np.zeros(first.size, np.int64), pair.original.counts])
    _, into, summed = group_codes(both, sizes, counts)
    return summed[into[: first.size]]


def _compared(pair: TablePair, columns: tuple[PairColumn, ...], first: Ints) -> Ints:
    found = np.empty(first.size, np.int64)
    step = max(1, _AT_ONCE // max(pair.original.counts.size, 1))
    tables = [_under(column) for column in columns]
    for begin in range(0, first.size, step):
        part = first[begin : begin + step]
        alike = np.ones((part.size, pair.original.counts.size), np.bool_)
        for column, under in zip(columns, tables, strict=True):
            labels, which = np.unique(column.after[part], return_inverse=True)
            rows = np.stack([_inside(under, int(label), column) for label in labels])
            alike &= rows[which.reshape(-1)]
        found[begin : begin + step] = alike @ pair.original.counts
    return found


def _under(column: PairColumn) -> Ints:
    """Where the runs of each label begin; they are sorted by label."""
    return np.searchsorted(column.covers.owner, np.arange(column.covers.labels + 1))


def _inside(under: Ints, label: int, column: PairColumn) -> Flags:
    values = np.zeros(column.domain.size, np.bool_)
    for run in range(int(under[label]), int(under[label + 1])):
        values[column.covers.start[run] : column.covers.stop[run]] = True
    return values[column.before]
