"""The kernels of `attacks` by NumPy, for small tables: the same results, found by looking at all that may fit."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from antifaz.kernels import Codes, Flags, Floats, Ints
from antifaz.kernels.attack_arrays import (
    ALL,
    BLANK,
    FAR,
    HIGH,
    HINT,
    LOW,
    MISS,
    MISSING,
    ONE,
    SAME,
    SOME,
    STATE,
    UNIT,
    LabelArrays,
    LeadArrays,
)  # fmt: skip
from antifaz.kernels.compiling import small

#: What cells cost by the states of both, where not both are stretches.
_BY_STATES = np.array(
    [[0, HINT, ONE, HINT], [HINT, HINT, HINT, HINT], [ONE, HINT, ONE, 0], [HINT, HINT, 0, HINT]], np.int64
)
#: So many pairs of a label and a category are kept as a table.
_PAIRS = 4_000_000


def search(
    codes: Codes,
    counts: Ints,
    lead: int,
    order: Codes,
    runs: Ints,
    reach: Floats,
    base: Ints,
    scaled: Flags,
    cells: Floats,
    dense: Ints,
    asked: Floats,
    part: int,
    minus: int,
    cap: int,
    skip: int,
    best: int,
    floor: int,
    found: int,
    out: Ints,
) -> Any:
    """Find the tuples that cost least among all: there are no others for a second column to lead to."""
    if floor > 0:
        return NotImplemented
    if found:
        return best, found
    costs = _item_costs(base, scaled, cells, dense, asked)
    totals = costs[codes + base[:-1]].sum(axis=1)
    if skip >= 0 and counts[skip] <= 1:
        totals[order == skip] = FAR + 1
    least = int(totals.min(initial=FAR + 1))
    if least > best:
        return best, 0
    at = (totals == least).nonzero()[0]
    # As they would be met: what fits before what does not; on a scale outwards, to the left and then to the right.
    items = codes[at, lead]
    if scaled[lead] and asked[lead, SAME] < 0 and asked[lead, STATE] == SOME:
        lows = cells[base[lead] : base[lead] + reach.size, LOW]
        start = lows.searchsorted(asked[lead, HIGH], side="right")
        turn = np.where(items < start, start - 1 - items, items)
    else:
        turn = costs[base[lead] + items] != 0
    out[: at.size] = order[at[turn.argsort(kind="stable")]]
    return least, at.size


def cheapest(costs: Sequence[tuple[Ints, Ints]], codes: Codes, order: Codes, counts: Ints, skips: Ints) -> list[Ints]:
    """Return which tuples cost each person least, as searching for one after another does.

    `costs` says per column what the items cost each different value, and which of these each person has.
    """
    totals = np.zeros((skips.size, order.size), np.int64)
    for c, (own, which) in enumerate(costs):
        totals += own[:, codes[:, c]][which]
    by_tuple = np.empty_like(totals)
    by_tuple[:, order] = totals
    alone = ((skips >= 0) & (counts[skips] <= 1)).nonzero()[0]
    by_tuple[alone, skips[alone]] = FAR + 1
    least = by_tuple.min(axis=1, keepdims=True)
    which, found = ((by_tuple == least) & (least <= FAR)).nonzero()
    return np.split(found, np.searchsorted(which, np.arange(1, skips.size)))


def point_costs(cells: Floats, values: Floats, unit: float) -> Ints:
    """Return the cost of every cell on a scale for each value that is asked for; a missing value is NaN."""
    asked = np.zeros((values.size, 1, STATE + 1))
    missing = np.isnan(values)
    asked[:, 0, LOW] = asked[:, 0, HIGH] = np.where(missing, 0.0, values)
    asked[:, 0, STATE] = np.where(missing, MISSING, SOME)
    return _gap_costs(cells[:, LOW], cells[:, HIGH], cells[:, STATE].astype(np.int64), asked, unit)


def _item_costs(base: Ints, scaled: Flags, cells: Floats, dense: Ints, asked: Floats) -> Ints:
    """Return what each item of each column costs."""
    costs = dense.copy()
    for c in range(scaled.size):
        own, same = slice(base[c], base[c + 1]), int(asked[c, SAME])
        if same >= 0:
            costs[own] = same if scaled[c] else np.where(dense[own] == 0, 0, same)
        elif scaled[c]:
            states = cells[own, STATE].astype(np.int64)
            costs[own] = _gap_costs(cells[own, LOW], cells[own, HIGH], states, asked[c], asked[c, UNIT])
    return costs


def _gap_costs(low: Floats, high: Floats, states: Ints, asked: Floats, unit: float) -> Ints:
    """Return what cells on a scale cost beside what is asked: one row of `asked` for each, or one for all."""
    from_, to, others = asked[..., LOW], asked[..., HIGH], asked[..., STATE].astype(np.int64)
    gaps = np.fmax(low - to, from_ - high)
    gaps = np.where(gaps > 0, gaps, 0.0)
    # A gap without end on a scale without width costs ONE, as any too large one does.
    with np.errstate(invalid="ignore"):
        far = np.fmin(float(ONE), MISS + gaps * unit).astype(np.int64)
    costs: Ints = np.where((states == SOME) & (others == SOME), np.where(gaps > 0, far, 0), _BY_STATES[states, others])
    return costs


def count_prefixes(
    codes: Codes,
    counts: Codes,
    lead: int,
    runs: Ints,
    reach: Floats,
    base: Ints,
    scaled: Flags,
    cells: Floats,
    dense: Ints,
    asked: Floats,
    sequence: Ints,
    enough: int,
) -> Ints:
    """Return how many rows fit in the first column of `sequence`, in the first two, and so on."""
    found = np.zeros(sequence.size, np.int64)
    if sequence[0] != lead:
        at = np.arange(codes.shape[0])
    elif scaled[lead]:
        first = reach.searchsorted(asked[lead, LOW], side="left")
        lows = cells[base[lead] : base[lead] + reach.size, LOW]
        at = np.arange(runs[first], max(runs[first], runs[lows.searchsorted(asked[lead, HIGH], side="right")]))
    else:
        items = (dense[base[lead] : base[lead + 1]] == 0).nonzero()[0]
        at = _stretches(runs[items], runs[items + 1])[1]
    for place, c in enumerate(sequence.tolist()):
        items = base[c] + codes[at, c]
        if scaled[c]:
            own = cells[items]
            fits = (own[:, STATE] == SOME) & (own[:, LOW] <= asked[c, HIGH]) & (asked[c, LOW] <= own[:, HIGH])
        else:
            fits = dense[items] == 0
        at = at[fits]
        if not at.size:
            break
        found[place] = counts[at].sum()
    return found


def _stretches(begins: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Return all numbers from each beginning to before its end, after which of the stretches each is from."""
    sizes = np.maximum(ends - begins, 0)
    which = np.repeat(np.arange(sizes.size), sizes)
    return which, np.arange(which.size) - np.repeat(np.cumsum(sizes) - sizes - begins, sizes)


def count_rivals(
    people: Floats,
    records: Codes,
    begins: Flags,
    labels: LabelArrays,
    leads: tuple[LeadArrays, LeadArrays],
    counts: Ints,
    base: Ints,
    scaled: Flags,
    cells: Floats,
    dense: Ints,
    units: Floats,
) -> Any:
    """Return per pair of a person and a record how many rows cost the record as much; -1 where one costs less.

    Whoever fits a record in all that it says costs least. Where nobody does, all are looked at.
    """
    pairs = sum(np.diff(labels.base)[c] * np.diff(base)[c] for c in (~scaled).nonzero()[0])
    if pairs > _PAIRS:
        return NotImplemented
    sides = _Sides(labels, base, scaled, cells, dense, units)
    own = records[begins]
    says = labels.cells[labels.base[:-1] + own, STATE] != ALL
    least, number = HINT * (~says).sum(axis=1), np.zeros(own.shape[0], np.int64)
    which, at = sides.candidates(own, leads)
    if not small(at.size * 2):
        return NotImplemented
    values = leads[0].codes
    for c in range(scaled.size):
        fits = ~says[which, c] | (sides.costs(c, own[which, c], values[at, c]) == 0)
        which, at = which[fits], at[fits]
    np.add.at(number, which, counts[leads[0].order[at]])
    rest = (number == 0).nonzero()[0]
    if not small(rest.size * values.size):
        return NotImplemented
    for record in rest:
        totals = np.sum([sides.costs(c, own[record, c], values[:, c]) for c in range(scaled.size)], axis=0)
        least[record] = totals.min()
        number[record] = counts[leads[0].order[totals == least[record]]].sum()
    pair = np.cumsum(begins) - 1
    cost = np.sum([sides.person_costs(c, records[:, c], people[:, c]) for c in range(scaled.size)], axis=0)
    return np.where(cost == least[pair], number[pair], np.where(cost < least[pair], 0, -1))


class _Sides:
    """What labels and values of the same columns cost each other."""

    def __init__(
        self, labels: LabelArrays, base: Ints, scaled: Flags, cells: Floats, dense: Ints, units: Floats
    ) -> None:
        self.labels, self.base, self.scaled, self.cells = labels, base, scaled, cells
        self.dense, self.units = dense, units
        self._fits = {c: self._table(c) for c in (~scaled).nonzero()[0].tolist()}

    def _table(self, c: int) -> Flags:
        """Which categories fit which labels."""
        begin, end = self.labels.base[c], self.labels.base[c + 1]
        fits = np.zeros((end - begin, self.base[c + 1] - self.base[c]), np.bool_)
        states = self.labels.cells[begin:end, STATE]
        which, at = _stretches(self.labels.offsets[begin:end], self.labels.offsets[begin + 1 : end + 1])
        covered = states[which] == SOME
        fits[which[covered], self.labels.members[at[covered]]] = True
        fits[states == BLANK, -1] = True  # it may be one of the original, whose last code is what is missing
        return fits

    def costs(self, c: int, labels: Codes, values: Codes) -> Ints:
        """Return what values cost labels, both as codes of one column."""
        asked = self.labels.cells[self.labels.base[c] + labels]
        at = self.base[c] + values
        if self.scaled[c]:
            own = self.cells[at]
            states = own[:, STATE].astype(np.int64)
            return _gap_costs(own[:, LOW], own[:, HIGH], states, asked, self.units[c])
        other = np.where(asked[..., STATE] == SOME, self.dense[at], HINT)
        return np.where(self._fits[c][labels, values], 0, other)

    def person_costs(self, c: int, labels: Codes, person: Floats) -> Ints:
        """Return what people cost labels: by their place on the scale, or the code of their category."""
        if not self.scaled[c]:
            return self.costs(c, labels, person.astype(np.int64))
        asked = self.labels.cells[self.labels.base[c] + labels]
        return _gap_costs(person, person, np.where(np.isnan(person), MISSING, SOME), asked, self.units[c])

    def candidates(self, records: Codes, leads: tuple[LeadArrays, LeadArrays]) -> tuple[Ints, Ints]:
        """Return which record, and which tuple may fit it, in the order of the first column.

        The column leads that leaves fewer in all.
        """
        found = [self._led(c, lead, records[:, c]) for c, lead in enumerate(leads[: records.shape[1]])]
        c = min(range(len(found)), key=lambda c: float((found[c][2] - found[c][1]).sum()))
        which, begin, end = found[c]
        stretch, at = _stretches(begin, end)
        place = np.empty(leads[0].order.size, np.int64)
        place[leads[0].order] = np.arange(place.size)
        return which[stretch], place[leads[c].order[at]]

    def _led(self, c: int, lead: LeadArrays, labels: Codes) -> tuple[Ints, Ints, Ints]:
        """Return which record, and from where to where the tuples are that it leads to by one column."""
        asked = self.labels.cells[self.labels.base[c] + labels]
        telling = asked[:, STATE] == SOME
        if self.scaled[c]:
            lows = self.cells[self.base[c] : self.base[c] + lead.reach.size, LOW]
            first = lead.reach.searchsorted(asked[:, LOW], side="left")
            last = np.maximum(first, lows.searchsorted(asked[:, HIGH], side="right"))
            which = np.arange(labels.size)
            first, last = np.where(telling, lead.runs[first], 0), np.where(telling, lead.runs[last], lead.order.size)
            return which, first, last
        begin, end = (
            self.labels.offsets[self.labels.base[c] + labels],
            self.labels.offsets[self.labels.base[c] + labels + 1],
        )
        which, at = _stretches(np.where(telling, begin, 0), np.where(telling, end, 0))
        items = self.labels.members[at]
        others = (~telling).nonzero()[0]
        first = np.concatenate([lead.runs[items], np.zeros(others.size, np.int64)])
        last = np.concatenate([lead.runs[items + 1], np.full(others.size, lead.order.size)])
        return np.concatenate([which, others]), first, last
