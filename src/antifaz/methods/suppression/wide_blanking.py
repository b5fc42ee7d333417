"""Local suppression of wide tables, whose sets of columns are too many to be tried."""

from collections.abc import Callable, Sequence

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.counting.classes import ClassTable
from antifaz.methods.suppression.blanking import BlankedClasses, distinct, gather_rare

#: What columns are to blame for: per column and class, in how many combinations of too few records the value is.
Blame = Callable[[ClassTable], Codes]


#: With so few columns all their sets are tried; with more than that also from blank cells up, then only so.
NARROW, WIDE = 6, 20


def ways_to_blank(
    codes: Codes, counts: Ints, k: int, first: Ints, named: int, *, lend: bool = True, allowed: int = 0
) -> list[BlankedClasses]:
    """Return classes of k records that are blanked alike, made in the ways that fit so many columns."""
    ways = []
    if first.size <= WIDE:
        ways.append(gather_rare(codes, counts, k, first, lend=lend, allowed=allowed))
    if first.size > NARROW:
        ways.append(show_shared(codes, counts, k, first, named, lend=lend))
    return ways


def cells_lost(made: BlankedClasses) -> int:
    """Count the cells that are blank, or left out."""
    blank = np.append((made.labels < 0).sum(axis=1), made.labels.shape[1])
    return int((blank[made.classes] * made.many).sum())


def show_shared(codes: Codes, counts: Ints, k: int, first: Ints, named: int, *, lend: bool) -> BlankedClasses:
    """Begin with every cell blank, and show columns as long as k records share what is shown.

    `first` lists the columns, those to be blanked first first; the last `named` of them are shown before all others,
    the last one first. With `lend`, equal records may be blanked differently.
    """
    from antifaz.kernels.top_down_blanking import show_columns

    # The order of rows must not matter, so that of values decides.
    order = np.lexsort(codes.T)
    owners = np.repeat(order, counts[order])
    rank, shown = np.zeros(first.size, np.int64), np.full((owners.size, first.size), -1, np.int32)
    if named:
        rank[first[-named:]] = np.arange(1, named + 1)
    show_columns(np.ascontiguousarray(codes[owners]), int(codes.max(initial=-1)) + 1, k, rank, lend, shown)
    return as_classes(owners, shown)


def as_classes(owners: Ints, shown: Codes) -> BlankedClasses:
    """Return records, each of a tuple, as classes of those that are released alike."""
    labels, group, _ = distinct(shown, np.ones(owners.size, np.int64))
    pairs, many = np.unique(owners * max(labels.shape[0], 1) + group, return_counts=True)
    tuples, classes = np.divmod(pairs, max(labels.shape[0], 1))
    return BlankedClasses(tuples=tuples, many=many, classes=classes, labels=labels)


def blank_blamed(codes: Codes, counts: Ints, k: int, first: Ints, blames: Sequence[Blame]) -> Codes:
    """Blank in every tuple, again and again, the cell that is most to blame for a combination of too few records.

    Of equals the one to be blanked first. Where only blanks are to blame, because too few records have them, the tuples
    with fewest cells to lose are blanked alike. Every round blanks more, so it ends.
    """
    blanked, last = codes.copy(), np.empty(first.size, np.int64)
    last[first] = np.arange(first.size)
    while True:
        labels, group, sizes = distinct(blanked, counts)
        values = tuple(np.ascontiguousarray(column) + np.int32(1) for column in labels.T)
        classes = ClassTable(sizes=sizes, values=values)
        blame = np.sum([of(classes) for of in blames], axis=0).T
        failing = np.flatnonzero(blame.any(axis=1))
        if not failing.size:
            return blanked
        # A cell more to blame comes first, then one that is to be blanked first.
        weight = np.where(labels[failing] >= 0, blame[failing] * np.int64(first.size + 1) - last, np.int64(-1 << 40))
        column = np.argmax(weight, axis=1)
        there = (blame[failing, column] > 0) & (labels[failing, column] >= 0)
        made = labels.copy()
        made[failing[there], column[there]] = -1
        for pattern in np.unique((blame[failing[~there]] > 0), axis=0):
            _blank_alike(made, sizes, pattern, k)
        blanked = made[group]


def _blank_alike(labels: Codes, sizes: Ints, columns: Flags, k: int) -> None:
    """Blank columns in further classes, those that lose fewest cells, until k records are blank in all of them."""
    cells = (labels[:, columns] >= 0).sum(axis=1)
    order = np.lexsort([*labels.T, sizes * cells])
    before = np.cumsum(sizes[order]) - sizes[order]
    chosen = order[before < k]
    labels[np.ix_(chosen, np.flatnonzero(columns))] = -1
