"""Local suppression of wide tables: from records that are all blank, columns are shown again where k records share.

Where columns are many, their sets are too many to be tried. So all records begin as one part with every cell blank. A
part shows the column that shows most cells for how finely it divides the part: every value of k records or more is a
part of its own, the others stay together, blank in that column. Parts are divided until no column can be shown.
"""

import numpy as np

from antifaz.kernels import Codes, Flags, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _bits(records: int) -> float:
    return records * np.log2(records) if records > 1 else 0.0


@njit(cache=True, nogil=True)
def _tally(codes: Codes, rows: Ints, column: int, counts: Ints, values: Codes) -> int:
    """Count the values of a column in some rows; return how many there are. A code below 0 is blank already."""
    found = 0
    for i in range(rows.shape[0]):
        value = codes[rows[i], column]
        if value < 0:
            continue
        if counts[value] == 0:
            values[found] = value
            found += 1
        counts[value] += 1
    return found


@njit(cache=True, nogil=True)
def _plan(rows: int, k: int, lend: bool, counts: Ints, values: Codes, found: int) -> tuple[int, int, float]:
    """Return how many cells a column would show, how many records others lend to the blank ones, and what it divides.

    Lending below 0: the value of that number (-1 is 0) is blanked altogether, so that k are blank.
    """
    shown, spare, least, bits = 0, 0, -1, 0.0
    for i in range(found):
        many = counts[values[i]]
        if many >= k:
            shown += many
            spare += many - k
            bits += _bits(many)
            if least < 0 or many < counts[least] or (many == counts[least] and values[i] < least):
                least = values[i]
    blank, lent = rows - shown, 0
    if shown and 0 < blank < k:
        if lend and spare >= k - blank:
            lent = k - blank
            shown -= lent
        else:
            lent = -1 - least
            bits -= _bits(counts[least])
            shown -= counts[least]
    return shown, lent, max(_bits(rows) - bits - _bits(rows - shown), 0.0)


@njit(cache=True, nogil=True)
def _lend(order: Codes, counts: Ints, left: int, spare: Ints) -> None:
    """Write down how many records each value lends; who has most lends first."""
    for value in order:
        spare[value] = 0
    while left:
        most = order[0]
        for value in order:
            if counts[value] - spare[value] > counts[most] - spare[most]:
                most = value
        spare[most] += 1
        left -= 1


@njit(cache=True, nogil=True)
def _divide(
    codes: Codes, rows: Ints, column: int, k: int, lent: int, counts: Ints, values: Codes, found: int, spare: Ints,
    places: Ints, shown: Codes,
) -> int:  # fmt: skip
    """Sort the rows of a part by what they show of a column, the blank ones first, and write that down.

    Return the number of parts, whose ends are in `places`.
    """
    order = np.sort(values[:found])
    gone = -1 - lent if lent < 0 else -1
    _lend(order, counts, max(lent, 0), spare)
    parts, blank = 0, rows.shape[0]
    for value in order:
        if counts[value] >= k and value != gone:
            blank -= counts[value] - spare[value]
    begins = np.zeros(found + 1, np.int64)
    number = np.full(found, 0, np.int64)
    at = blank
    if blank:
        places[parts] = blank
        parts += 1
    for i in range(found):
        value = order[i]
        if counts[value] >= k and value != gone:
            begins[i + 1], number[i] = at, 1
            at += counts[value] - spare[value]
            places[parts] = at
            parts += 1
    before, free = rows.copy(), 0
    for i in range(before.shape[0]):
        row = before[i]
        value = codes[row, column]
        place = np.searchsorted(order, value) if value >= 0 else -1
        if place >= 0 and number[place] and spare[value] == 0:
            rows[begins[place + 1]] = row
            begins[place + 1] += 1
            shown[row, column] = value
        else:
            if place >= 0 and number[place]:
                spare[value] -= 1
            rows[free] = row
            free += 1
    return parts


@njit(cache=True, nogil=True)
def show_columns(codes: Codes, most: int, k: int, rank: Ints, lend: bool, shown: Codes) -> None:
    """Write into `shown`, -1 throughout, the codes of cells that can be shown.

    `codes` has a row per record and is below 0 where a value is missing; `most` is one above the largest code. Columns
    of a higher rank come first. With `lend`, records may be blanked in what is frequent to fill up those that are rare.
    """
    rows, width = codes.shape
    order = np.arange(rows)
    limit = rows // max(k, 1) + 2
    begin, end = np.zeros(limit, np.int64), np.zeros(limit, np.int64)
    closed = np.zeros((limit, width), np.bool_)
    counts, spare = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    values, places = np.zeros(max(most + 1, 1), np.int32), np.zeros(rows + 1, np.int64)
    end[0], depth = rows, 1 if rows else 0
    own: Flags = np.zeros(width, np.bool_)
    while depth:
        depth -= 1
        low, high = begin[depth], end[depth]
        own[:] = closed[depth]
        part = order[low:high]
        best, best_score, best_rank, best_lent = -1, -1.0, -1, 0
        for column in range(width):
            if own[column]:
                continue
            found = _tally(codes, part, column, counts, values)
            gain, lent, bits = _plan(high - low, k, lend, counts, values, found)
            for i in range(found):
                counts[values[i]] = 0
            if gain <= 0:
                # A smaller part has no more records of any value.
                own[column] = True
                continue
            score = gain / (bits + 1e-6 * (high - low))
            # A column that divides nothing costs nothing, whatever its rank.
            of = rank.shape[0] if bits == 0 else rank[column]
            if of > best_rank or (of == best_rank and score > best_score):
                best, best_score, best_rank, best_lent = column, score, of, lent
        if best < 0:
            continue
        own[best] = True
        found = _tally(codes, part, best, counts, values)
        parts = _divide(codes, part, best, k, best_lent, counts, values, found, spare, places, shown)
        for i in range(found):
            counts[values[i]] = 0
        at = low
        for i in range(parts):
            begin[depth], end[depth] = at, low + places[i]
            closed[depth] = own
            at = low + places[i]
            depth += 1
