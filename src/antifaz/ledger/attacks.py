"""What a new release and earlier ones give away together: which records are of the same people, and the attacks.

Each attack takes an overlap and counts the exposed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Flags, Ints, number_combinations, number_pairs
from antifaz.ledger.entry import Entry
from antifaz.ledger.hashing import distinct

#: Two orders that agree more than one in so many by chance are taken for the same order.
CHANCE = 1000
#: More than there are of anything.
_NOBODY = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True, eq=False)
class Overlap:
    """One earlier release seen from the new one."""

    new: Entry
    old: Entry
    #: For every record of the new release its place in the old one; -1 where that has no record of the person.
    places: Ints

    @property
    def shared(self) -> int:
        """How many people are in both."""
        return self.new.number(self.places >= 0)

    @cached_property
    def classes(self) -> Ints:
        """For every record of the new release the class of the old one that the person is in; -1 where in none."""
        old_classes = np.full(self.places.size, -1, np.int64)
        there = self.places >= 0
        old_classes[there] = self.old.classes[self.places[there]]
        return old_classes

    @cached_property
    def cells(self) -> tuple[Ints, Ints]:
        """Per record of the new release how many people share both of its classes, and a number for that pair.

        0 and -1 for people who are not in the old release.
        """
        there = self.places >= 0
        sizes, numbers = np.zeros(there.size, np.int64), np.full(there.size, -1, np.int64)
        if there.any():
            numbers[there] = number_pairs(self.new.classes[there].astype(np.int64), self.classes[there])
            sizes[there] = self.new.heads(numbers[there], there)[numbers[there]]
        return sizes, numbers

    @property
    def gone(self) -> Flags:
        """Which records of the old release are of people who are not in the new one."""
        left = np.ones(self.old.rows, np.bool_)
        left[self.places[self.places >= 0]] = False
        return left


def chance_agreement(ours: NDArray[Any], theirs: NDArray[Any]) -> float:
    """Return the share of records in which two columns agree by chance, each with its own shares of values."""
    codes = np.unique(np.concatenate([ours, theirs]), return_inverse=True)[1]
    width = int(codes.max(initial=0)) + 1
    shares = [np.bincount(side, minlength=width) / ours.size for side in (codes[: ours.size], codes[ours.size :])]
    return float((shares[0] * shares[1]).sum())


@dataclass(frozen=True, kw_only=True)
class Finding:
    """How one attack ended: the smallest set of people that somebody can be narrowed down to, and how many can."""

    smallest: int | None
    exposed: int
    details: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the form that evidence has."""
        return {"smallest": self.smallest, "exposed": self.exposed, "holds": self.exposed == 0, **self.details}


def finding(sizes: Ints, k: int | Ints, persons: Ints | None = None, **details: Any) -> Finding:
    """Judge the sizes of the sets that people are narrowed down to, one per record; k may be each record's own.

    `persons` says whose the records are, where somebody may have several.
    """
    smallest, few = int(sizes.min()) if sizes.size else None, sizes < k
    exposed = int(few.sum()) if persons is None else distinct(persons[few]).size
    return Finding(smallest=smallest, exposed=exposed, details=details)


def intersections(overlaps: Sequence[Overlap]) -> tuple[Ints, Ints]:
    """Return, per record of the new release, its intersection: how many people share all classes that it is in.

    With it a number by which the intersection is known. People who are in no earlier release are left out: 0.
    """
    if len(overlaps) == 1:
        return overlaps[0].cells
    new = overlaps[0].new
    theirs = [overlap.classes for overlap in overlaps]
    where = number_combinations(((column >= 0).astype(np.int64) for column in theirs), new.rows)
    sizes, numbers = np.zeros(new.rows, np.int64), np.full(new.rows, -1, np.int64)
    for kind in range(int(where.max()) + 1 if where.size else 0):
        own = where == kind
        first = int(np.argmax(own))
        inside = [column for column in theirs if column[first] >= 0]
        if not inside:
            continue
        # Whoever is in more releases than these is still a candidate for who is in these.
        among = np.logical_and.reduce([column >= 0 for column in inside])
        classes = [new.classes[among].astype(np.int64), *(column[among] for column in inside)]
        cells = number_combinations(classes, classes[0].size)
        counts = new.heads(cells, among)
        sizes[own] = counts[cells[own[among]]]
        numbers[own] = cells[own[among]] + kind * new.rows
    return sizes, numbers


def composition(
    overlaps: Sequence[Overlap], needed: Sequence[int], own: int, sensitive: Sequence[str], least: dict[str, int]
) -> Finding:
    """Narrow everybody down to those who are in the same class in every release that the person is in.

    `needed` has per earlier release the k that was promised there, `own` is the new one's: a person must be left with
    as many as any release has promised that the person is in. `least` says per sensitive attribute how many different
    values must be left, where a model asks for that.
    """
    sizes, numbers = intersections(overlaps)
    shared = sizes > 0
    k = np.full(sizes.size, own, np.int64)
    for overlap, promised in zip(overlaps, needed, strict=True):
        k = np.where(overlap.places >= 0, np.maximum(k, promised), k)
    found = finding(sizes[shared], k[shared])
    values: dict[str, Any] = {}
    poor = np.zeros(sizes.size, np.bool_)
    for name in sensitive:
        column = overlaps[0].new.columns.get(name) if name in overlaps[0].new.clear else None
        if column is None or not shared.any():
            continue
        left = _distinct(numbers, column.codes, shared)
        alone = _distinct(overlaps[0].new.classes.astype(np.int64), column.codes, np.ones(shared.size, np.bool_))
        values[name] = {
            "fewest_values": int(left[shared].min()),
            "disclosed": overlaps[0].new.number((left == 1) & (alone > 1) & shared),
        }
        poor |= shared & (left < np.minimum(least.get(name, 0), alone))
    exposed = overlaps[0].new.number((sizes < k) & shared | poor)
    return Finding(smallest=found.smallest, exposed=exposed, details={"sensitive": values} if values else {})


def _distinct(groups: Ints, codes: NDArray[np.int32], chosen: Flags) -> Ints:
    """Return, per chosen record, how many different values its group has; 0 for the others."""
    sizes = np.zeros(groups.size, np.int64)
    group = np.unique(groups[chosen], return_inverse=True)[1].astype(np.int64)
    width = int(codes.max()) + 1
    pairs = distinct(group * width + codes[chosen])
    sizes[chosen] = np.bincount(pairs // width)[group]
    return sizes


def temporal(overlap: Overlap, k: int) -> Finding:
    """Subtract one release from the other where both speak of the same region, and count who is left over.

    Regions are the same where classes have the same labels; and where some classes of one release and some of the
    other hold the same people but for those who came or went.
    """
    new, old = overlap.new, overlap.old
    theirs, gone = overlap.classes, overlap.gone
    came = theirs < 0
    # By label: who of an old class is not in the new one of that name, and the other way round.
    shared, here, there = np.intersect1d(new.labels, old.labels, assume_unique=True, return_indices=True)
    same = np.full(old.labels.size, -1, np.int64)
    same[there] = here
    stayed = np.zeros(new.rows, np.bool_)
    stayed[~came] = same[theirs[~came]] == new.classes[~came]
    left = np.ones(old.rows, np.bool_)
    left[overlap.places[stayed]] = False
    # By people: the finest unions of classes that cover each other.
    ours, others = _unions(new.classes[~came], theirs[~came], new.labels.size, old.labels.size)
    one = np.minimum(_left_over(new, ~stayed, new.classes, here), _left_over(new, came, ours[new.classes], others))
    other = np.minimum(_left_over(old, left, old.classes, there), _left_over(old, gone, others[old.classes], ours))
    details = {"came": new.number(came), "went": old.number(gone), "same_classes": int(shared.size)}
    smallest = int(min(one.min(initial=_NOBODY), other.min(initial=_NOBODY)))
    known = other < k
    known[overlap.places[(one < k) & ~came]] = False  # counted where they are now
    exposed = new.number(one < k) + old.number(known)
    return Finding(smallest=None if smallest == _NOBODY else smallest, exposed=exposed, details=details)


def _left_over(entry: Entry, chosen: Flags, regions: NDArray[Any], comparable: NDArray[Any]) -> Ints:
    """Return, per chosen record, how many people of its region are; only where the other release has that region."""
    counts = entry.heads(regions[chosen].astype(np.int64), chosen, int(regions.max(initial=0)) + 1)
    there = np.zeros(counts.size, np.bool_)
    there[comparable[comparable < counts.size]] = True
    return np.where(chosen & there[regions], counts[regions], _NOBODY)


def _unions(new: NDArray[np.int32], old: Ints, news: int, olds: int) -> tuple[Ints, Ints]:
    """Return for every class of both releases the union that it belongs to: classes that share people are in one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array(
        (np.ones(new.size, np.int8), (new.astype(np.int64), old + news)), shape=(news + olds, news + olds)
    )
    components = connected_components(links.tocsr(), directed=False)[1].astype(np.int64)
    return components[:news], components[news:]


def unsorted_matching(overlap: Overlap, k: int) -> Finding:
    """See whether both releases are in the same order, so that rows can be paired by their places."""
    correlation, people = _correlation(overlap)
    paired = correlation is not None and _beyond_chance(correlation, people)
    details = {"paired": paired, "correlation": None if correlation is None else round(correlation, 4)}
    if not paired:
        return Finding(smallest=None, exposed=0, details=details)
    sizes, _ = overlap.cells
    return finding(sizes[sizes > 0], k, overlap.new.persons(sizes > 0), **details)


def _correlation(overlap: Overlap) -> tuple[float | None, int]:
    """Return Spearman's correlation of the two orders of those people whose order is kept in both."""
    new, old = overlap.new, overlap.old
    places = overlap.places[: new.order.size]
    known = (places >= 0) & (places < old.order.size)
    if known.sum() < 3:
        return None, 0
    ranks = [np.argsort(np.argsort(order)) for order in (new.order[known], old.order[places[known]])]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1]), int(known.sum())


def _beyond_chance(correlation: float, people: int) -> bool:
    """Say whether orders agree, or are opposite, as chance makes them less often than one in `CHANCE`."""
    from scipy.stats import t

    if people < 20 and 2 / factorial(people) > 1 / CHANCE:
        return False  # so few that any order is likely
    rest = 1 - correlation**2
    if rest < 1e-12:
        return True
    return bool(2 * t.sf(abs(correlation) * np.sqrt((people - 2) / rest), people - 2) < 1 / CHANCE)
