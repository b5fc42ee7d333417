"""Who fits best: one query against many distinct tuples of points, stretches and categories.

What fits, and what it costs where something does not, is said in `attack_arrays`.
"""

import numpy as np

from antifaz.kernels import Codes, Flags, Floats, Ints, attacks_numpy
from antifaz.kernels.attack_arrays import (
    ALL,
    BLANK,
    FAR,
    FEW,
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
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def gap_cost(low: float, high: float, state: int, asked: Floats) -> int:
    """Return what two cells on a scale cost: nothing where they touch."""
    other = int(asked[STATE])
    if state == SOME and other == SOME:
        gap = max(low - asked[HIGH], asked[LOW] - high)
        if not gap > 0:
            return 0
        return int(min(float(ONE), MISS + gap * asked[UNIT]))
    if state == ALL or other == ALL:
        return HINT
    if state + other == MISSING + BLANK:
        return 0
    return HINT if state == BLANK or other == BLANK else ONE


@njit(cache=True, nogil=True)
def _cost(c: int, item: int, base: Ints, scaled: Flags, cells: Floats, dense: Ints, asked: Floats) -> int:
    at = base[c] + item
    if asked[c, SAME] >= 0:
        return 0 if not scaled[c] and dense[at] == 0 else int(asked[c, SAME])
    if scaled[c]:
        return int(gap_cost(cells[at, LOW], cells[at, HIGH], int(cells[at, STATE]), asked[c]))
    return int(dense[at])


@njit(cache=True, nogil=True)
def search(  # noqa: C901
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
) -> tuple[int, int]:
    """Find the tuples that cost least, and no more than `best`; return the cost and how many there are.

    `codes`, and the numbers of the tuples in `order`, are in the order of the column `lead`, of which item i has those
    from `runs[i]` to `runs[i + 1]`. Where that column is on a scale its stretches come first, by their lower ends, and
    `reach` is the highest end so far: the search begins where the query lies and goes outwards until no gap can be made
    up for. Only tuples are looked at of which this column costs no more than the `part`-th part of the best, less
    `minus`, and no more than `cap`. One record of the tuple `skip` does not count. Nobody may cost less than `floor`:
    at the first who does the search ends, with -1 for the number. `found` tuples that cost `best` are in `out` already.
    """
    items, stretches = runs.size - 1, reach.size
    outwards = scaled[lead] and asked[lead, SAME] < 0 and asked[lead, STATE] == SOME
    start = 0
    if outwards:
        start = np.searchsorted(cells[base[lead] : base[lead] + stretches, LOW], asked[lead, HIGH], side="right")
    for step in range(3):
        item, end, move = _turn(step, outwards, start, stretches, items)
        while item != end:
            most = min(best // part - minus, cap)
            first = _cost(lead, item, base, scaled, cells, dense, asked)
            if outwards and step == 0 and asked[lead, LOW] > reach[item]:
                if gap_cost(reach[item], reach[item], SOME, asked[lead]) > most:
                    break
            elif outwards and step == 1 and first > most:
                break
            if first <= most and (outwards or (first == 0) == (step == 0)):
                for at in range(runs[item], runs[item + 1]):
                    t = order[at]
                    if t == skip and counts[t] <= 1:
                        continue
                    total = first
                    for c in range(codes.shape[1]):
                        if c != lead:
                            total += _cost(c, codes[at, c], base, scaled, cells, dense, asked)
                            if total > best:
                                break
                    if total > best:
                        continue
                    if total < floor:
                        return total, -1
                    if total < best:
                        best, found = total, 0
                    out[found] = t
                    found += 1
            item += move
    return best, found


@njit(cache=True, nogil=True)
def count_rivals(  # noqa: C901
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
) -> Ints:
    """Return per pair of a person and a record how many rows cost the record as much; -1 where one costs less.

    Pairs with the same record are one after another, and `begins` says where another one comes: once it is known who
    fits a record best, nobody has to be looked for again.
    """
    equal = np.empty(people.shape[0], np.int64)
    asked, seen, found = np.zeros((base.size - 1, 5)), np.full(counts.size, -1), np.empty(2 * counts.size, np.int64)
    asked[:, UNIT] = units
    least, number, undercut = 0, 0, FAR
    for i in range(people.shape[0]):
        if begins[i]:
            if i:
                _mark(records[i - 1], labels, base, scaled, dense, asked, ONE)
            _mark(records[i], labels, base, scaled, dense, asked, 0)
            least, number, undercut = 0, 0, FAR
        cost = _person_cost(people[i], base, scaled, cells, dense, asked)
        if number:
            equal[i] = number if cost == least else 0 if cost < least else -1
        elif cost >= undercut:
            equal[i] = -1
        else:
            many = _search_both(leads, counts, base, scaled, cells, dense, asked, cost, found)
            equal[i] = -1 if many < 0 else 0
            for t in found[: max(many, 0)]:
                if seen[t] != i:  # both columns may have led to it
                    seen[t] = i
                    equal[i] += counts[t]
            if equal[i] > 0:
                least, number = cost, equal[i]
            elif equal[i] < 0:
                undercut = cost
    if people.shape[0]:
        _mark(records[-1], labels, base, scaled, dense, asked, ONE)
    return equal


@njit(cache=True, nogil=True)
def _mark(
    record: Codes, labels: LabelArrays, base: Ints, scaled: Flags, dense: Ints, asked: Floats, price: int
) -> None:
    """Ask for a record: its stretches; and give the categories that fit it a price."""
    for c in range(record.size):
        at = labels.base[c] + record[c]
        state = int(labels.cells[at, STATE])
        asked[c, SAME] = -1.0 if scaled[c] or state == SOME else float(HINT)
        if scaled[c]:
            asked[c, :SAME] = labels.cells[at]
        elif state == SOME:
            for k in range(labels.offsets[at], labels.offsets[at + 1]):
                dense[base[c] + labels.members[k]] = price
        elif state == BLANK:  # it may be one of the original, whose last code is what is missing
            dense[base[c + 1] - 1] = price


@njit(cache=True, nogil=True)
def _person_cost(person: Floats, base: Ints, scaled: Flags, cells: Floats, dense: Ints, asked: Floats) -> int:
    total = 0
    for c in range(person.size):
        if scaled[c]:
            total += gap_cost(person[c], person[c], MISSING if np.isnan(person[c]) else SOME, asked[c])
        else:
            total += _cost(c, int(person[c]), base, scaled, cells, dense, asked)
    return total


@njit(cache=True, nogil=True)
def _search_both(
    leads: tuple[LeadArrays, LeadArrays],
    counts: Ints,
    base: Ints,
    scaled: Flags,
    cells: Floats,
    dense: Ints,
    asked: Floats,
    most: int,
    out: Ints,
) -> int:
    """Return how many tuples cost `most`, which are then in `out`, or -1 if one costs less."""
    first, second = asked[0, SAME] < 0, base.size > 2 and asked[1, SAME] < 0
    both, halves, many = first and second, first and second and scaled[0], 0
    # In a loop, because what is called in two places is compiled twice.
    for c in range(2):
        lead = leads[c]
        wanted = (first or not second) if c == 0 else second and many >= 0 and (most > 0 or not first)
        if wanted:
            other = both and not halves
            many = search(
                lead.codes, counts, c, lead.order, lead.runs, lead.reach, base, scaled, cells, dense, asked,
                2 if halves else 1, ONE if other and c == 1 else 0, ONE - 1 if other and c == 0 else FAR, -1, most,
                most, many, out,
            )[1]  # fmt: skip
    return many


@njit(cache=True, nogil=True)
def _fits(c: int, item: int, base: Ints, scaled: Flags, cells: Floats, dense: Ints, asked: Floats) -> bool:
    at = base[c] + item
    if not scaled[c]:
        return bool(dense[at] == 0)
    return bool(cells[at, STATE] == SOME and cells[at, LOW] <= asked[c, HIGH] and asked[c, LOW] <= cells[at, HIGH])


@njit(cache=True, nogil=True)
def _known(sequence: Ints, base: Ints, scaled: Flags, cells: Floats, dense: Ints, asked: Floats) -> Flags:
    """Which items fit, of the columns that have few."""
    known = np.empty(base[-1], np.bool_)
    for c in sequence:
        if base[c + 1] - base[c] <= FEW:
            for item in range(base[c + 1] - base[c]):
                known[base[c] + item] = _fits(c, item, base, scaled, cells, dense, asked)
    return known


@njit(cache=True, nogil=True)
def count_prefixes(  # noqa: C901
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
    """Return how many rows fit in the first column of `sequence`, in the first two, and so on, from one pass.

    `codes` and `counts` are in the order of the column `lead`; where the sequence begins with it, only the tuples of
    the items that fit are looked at. Once more than `enough` rows fit in all columns the pass ends: the counts are then
    at least what they are.
    """
    found = np.zeros(sequence.size + 1, np.int64)
    known = _known(sequence, base, scaled, cells, dense, asked)
    leads = sequence[0] == lead
    first, last = 0, runs.size - 1
    if leads and scaled[lead]:
        # Stretches come first, by their lower ends: no other can fit.
        first = np.searchsorted(reach, asked[lead, LOW], side="left")
        last = np.searchsorted(cells[base[lead] : base[lead] + reach.size, LOW], asked[lead, HIGH], side="right")
    for item in range(first, last):
        if leads and not _fits(lead, item, base, scaled, cells, dense, asked):
            continue
        for at in range(runs[item], runs[item + 1]):
            size = 1 if leads else 0
            while size < sequence.size:
                c = sequence[size]
                if base[c + 1] - base[c] <= FEW:
                    if not known[base[c] + codes[at, c]]:
                        break
                elif not _fits(c, codes[at, c], base, scaled, cells, dense, asked):
                    break
                size += 1
            found[size] += counts[at]
        if found[sequence.size] > enough:
            break
    for size in range(sequence.size - 1, 0, -1):
        found[size] += found[size + 1]
    return found[1:]


@njit(cache=True, nogil=True)
def _turn(step: int, outwards: bool, start: int, stretches: int, items: int) -> tuple[int, int, int]:
    """The items of a step: the first, the one after the last, and the direction.

    Outwards: to the left, where that which covers the query lies; to the right; and what is no stretch. Else: what
    fits, and then what does not.
    """
    if not outwards:
        return (0, items, 1) if step < 2 else (0, 0, 1)
    if step == 0:
        return start - 1, -1, -1
    if step == 1:
        return start, stretches, 1
    return stretches, items, 1


search.numpy_fallback(price=0.1)(attacks_numpy.search)
count_rivals.numpy_fallback()(attacks_numpy.count_rivals)
count_prefixes.numpy_fallback(price=0.01)(attacks_numpy.count_prefixes)
