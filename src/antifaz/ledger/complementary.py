"""The complementary attack: an outsider joins two released tables on what both show in the clear."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints, number_pairs
from antifaz.ledger.attacks import Finding, Overlap, chance_agreement, finding
from antifaz.ledger.entry import Entry
from antifaz.ledger.hashing import Hashes, distinct

#: So many candidates are looked at together; memory is a few dozen bytes for each.
CHUNK = 4_000_000


def complementary(overlap: Overlap, k: int) -> Finding:
    """Count whom a join of the two tables narrows down to fewer than k people.

    A row of one release is linked where the rows of the other that have the same values in the clear, and that are in a
    class which shares anybody with the row's own, are all in one class. Then both classes are known, and the person is
    one of those who are in both.
    """
    columns = joinable(overlap)
    if not columns:
        return Finding(smallest=None, exposed=0, details={"joined_on": []})
    sizes, _ = overlap.cells
    shared = sizes > 0
    few = sizes[shared] < k
    if not few.any():
        # Nobody can be linked to fewer than there are in the two classes together.
        return finding(sizes[shared], k, overlap.new.persons(shared), joined_on=columns)
    ours, theirs = (entry.record_hashes(columns) for entry in (overlap.new, overlap.old))
    places = np.where(shared, overlap.places, 0)
    one = _Side(classes=overlap.new.classes, shows=ours, own=np.flatnonzero(shared))
    other = _Side(classes=overlap.old.classes, shows=theirs, own=places[shared])
    linked = _linked(one, other, few) | _linked(other, one, few)
    shared[shared] = linked
    return finding(sizes[shared], k, overlap.new.persons(shared), joined_on=columns)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Side:
    """One of two tables: of every row its class and what it shows; and the rows of those who are in both, in turn."""

    classes: Codes
    shows: Hashes
    own: Ints


def joinable(overlap: Overlap) -> list[str]:
    """Return the columns that both releases show as they are, and that most people have the same value in."""
    there = overlap.places >= 0
    names = []
    for name in overlap.new.clear:
        if name not in overlap.old.clear or not there.any():
            continue
        ours, theirs = overlap.new.columns.get(name), overlap.old.columns.get(name)
        if ours is None or theirs is None:
            continue
        same = ours.cells[there] == theirs.cells[overlap.places[there]]
        if same.mean() > 0.5:
            names.append(name)
    return names


def _linked(one: _Side, other: _Side, few: Flags) -> Flags:
    """Say of everybody in both whether only one class of the other table can hold the person's row there.

    Only classes with somebody of whom there are `few` are looked at.
    """
    mine, yours = one.classes[one.own].astype(np.int64), other.classes[other.own].astype(np.int64)
    looked = np.isin(mine, distinct(mine[few]))
    mine, yours = mine[looked], yours[looked]
    values, codes = np.unique(other.shows, return_inverse=True)
    near = np.minimum(np.searchsorted(values, one.shows[one.own][looked]), values.size - 1)
    # A link is right only where the person shows the same in both.
    true = one.shows[one.own][looked] == other.shows[other.own][looked]
    pairs = distinct(codes + other.classes.astype(np.int64) * values.size)
    questions, back = np.unique(near + mine * values.size, return_inverse=True)
    counts = _candidates(questions // values.size, questions % values.size, mine, yours, pairs, values.size)
    linked = np.zeros(one.own.size, np.bool_)
    linked[looked] = true & (counts[back] == 1)
    return linked


def _candidates(classes: Ints, shown: Ints, mine: Ints, other: Ints, pairs: Ints, width: int) -> Ints:
    """Count, for each class and value asked for, the old classes that meet the class and hold the value.

    `classes` come sorted; `mine` and `other` are the two classes of every person.
    """
    span = int(other.max(initial=0)) + 1
    cells = distinct(mine * span + other)
    starts = np.searchsorted(cells, classes * span)
    many = np.searchsorted(cells, (classes + 1) * span) - starts
    counts = np.zeros(classes.size, np.int64)
    for low, high, each, place in _ranges(starts, many):
        keys = shown[each] + cells[place] % span * width
        near = np.minimum(np.searchsorted(pairs, keys), pairs.size - 1)
        hit = pairs[near] == keys
        counts[low:high] = np.bincount(each[hit] - low, minlength=high - low)
    return counts


def _ranges(starts: Ints, many: Ints) -> Iterator[tuple[int, int, Ints, Ints]]:
    """List the places of ranges, so many from each start; the ranges from low to high have about `CHUNK` of them.

    Every place comes with the number of its range.
    """
    sums, low = np.cumsum(many), 0
    while low < many.size:
        before = int(sums[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(sums, before + CHUNK, side="right")))
        sizes = many[low:high]
        each = np.repeat(np.arange(low, high), sizes)
        yield low, high, each, starts[each] + np.arange(each.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        low = high


def attack_two_tables(new: Entry, old: Entry, k: int) -> dict[str, Finding]:
    """Do what can be done with two released tables and nothing else: join them, and lay them side by side.

    Rows of both tables that agree in all columns shown in the clear are one, where such rows are in one class of each
    table. Classes whose labels contradict each other are not taken for one: a label that both tables have is a value,
    and two different values of a quasi-identifier are two people. Two tables of the same length, whose rows agree at
    the same places beyond chance, are in the same order.
    Here entries must be in the order of their files.
    """
    columns = [name for name in new.columns if name in old.columns]
    if not columns or not new.rows or not old.rows:
        none = Finding(smallest=None, exposed=0, details={"joined_on": columns})
        return {"complementary": none, "unsorted-matching": none}
    ours, theirs = new.record_hashes(columns), old.record_hashes(columns)
    return {
        "complementary": _joined(new, old, ours, theirs, k, columns),
        "unsorted-matching": _side_by_side(new, old, ours, theirs, k),
    }


def _joined(new: Entry, old: Entry, ours: Hashes, theirs: Hashes, k: int, columns: list[str]) -> Finding:
    values, codes = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    one, other = codes[: ours.size].astype(np.int64), codes[ours.size :].astype(np.int64)
    # Which class shows which value, as one sorted number each, and how often.
    shown = [
        np.unique(entry.classes.astype(np.int64) * values.size + own, return_counts=True)
        for entry, own in ((new, one), (old, other))
    ]
    pairs, rows = _sure_pairs(new, old, shown, values.size)
    if not rows.size:
        return Finding(smallest=None, exposed=0, details={"joined_on": columns})
    cells, which = np.unique(pairs, axis=0, return_inverse=True)
    sizes = _overlaps(cells, shown[0], shown[1], values.size)
    exposed = int(rows[sizes[which.ravel()] < k].sum())
    return Finding(smallest=int(sizes.min()), exposed=exposed, details={"joined_on": columns})


def _sure_pairs(new: Entry, old: Entry, shown: list[tuple[Ints, Ints]], width: int) -> tuple[Ints, Ints]:
    """Return the pairs of classes, once per value, whose rows with that value must be joined; and how many such rows.

    Of rows that show the same, as many can be joined as the shorter side has.
    """
    sides = []
    for values, many in shown:
        order = np.argsort(values % width, kind="stable")
        sides.append((values[order] % width, values[order] // width, many[order]))
    (value, ours, counts), (there, theirs, others) = sides
    starts = np.searchsorted(there, value)
    many = np.searchsorted(there, value, side="right") - starts
    if many.sum() > CHUNK:  # too many to look at: those that are in one class of each table
        many = np.where((many == 1) & (np.bincount(value, minlength=width)[value] == 1), 1, 0)
    each = np.repeat(np.arange(value.size), many)
    place = starts[each] + np.arange(each.size) - np.repeat(np.cumsum(many) - many, many)
    fits = ~_contradict(new, old, ours[each], theirs[place])
    each, place = each[fits], place[fits]
    sure = (np.bincount(each, minlength=value.size)[each] == 1) & (np.bincount(place)[place] == 1)
    each, place = each[sure], place[sure]
    return np.stack([ours[each], theirs[place]], axis=1), np.minimum(counts[each], others[place])


def _contradict(new: Entry, old: Entry, ours: Ints, theirs: Ints) -> Flags:
    """Say of pairs of classes whether they have different values of a quasi-identifier, both as they are."""
    apart = np.zeros(ours.size, np.bool_)
    for name, cells in new.label_cells.items():
        if name in old.label_cells:
            mine, yours = cells[ours], old.label_cells[name][theirs]
            clear = np.intersect1d(cells, old.label_cells[name])
            apart |= (mine != yours) & np.isin(mine, clear) & np.isin(yours, clear)
    return apart


def _overlaps(cells: Ints, one: tuple[Ints, Ints], other: tuple[Ints, Ints], width: int) -> Ints:
    """Count, for each pair of classes, the rows of both that can be joined: those that show the same."""
    classes = one[0] // width
    starts = np.searchsorted(classes, cells[:, 0])
    many = np.searchsorted(classes, cells[:, 0], side="right") - starts
    sizes = np.zeros(len(cells), np.int64)
    for low, high, each, place in _ranges(starts, many):
        keys = cells[each, 1] * width + one[0][place] % width
        near = np.minimum(np.searchsorted(other[0], keys), other[0].size - 1)
        both = np.where(other[0][near] == keys, np.minimum(one[1][place], other[1][near]), 0)
        sizes[low:high] = np.bincount(each - low, weights=both, minlength=high - low).astype(np.int64)
    return sizes


def _side_by_side(new: Entry, old: Entry, ours: Hashes, theirs: Hashes, k: int) -> Finding:
    from scipy.stats import binom

    if new.rows != old.rows:
        return Finding(smallest=None, exposed=0, details={"paired": False, "agreement": None})
    agree = float((ours == theirs).mean())
    chance = chance_agreement(ours, theirs)
    paired = bool(binom.sf(round(agree * new.rows) - 1, new.rows, min(chance, 1.0)) < 1e-3)
    details = {"paired": paired, "agreement": round(agree, 4)}
    if not paired:
        return Finding(smallest=None, exposed=0, details=details)
    cells = number_pairs(new.classes.astype(np.int64), old.classes.astype(np.int64))
    return finding(np.bincount(cells)[cells], k, None, **details)
