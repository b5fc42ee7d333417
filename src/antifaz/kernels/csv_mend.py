"""Copy delimited text with its faults mended, record by record, in chunks of any size.

Every fault is counted with the line on which it is first met; it is mended only if its bit is in `wanted`, and else
copied as it is, for the strict scan that follows to refuse. A chunk begins with a record: whoever calls puts what was
not taken in front of the next one.
"""

import numpy as np

from antifaz.kernels import Bytes, Ints
from antifaz.kernels.compiling import njit
from antifaz.kernels.csv_scan import CLOSED, CR, DELIMITER, FIELD, LF, PLAIN, QUOTE, QUOTED

# Faults: rows of `tally`, whose columns are how often and on which line first; as bits, those that are mended.
BLANK, SHORT, CUT, LEFT_OUT, OPEN, WHOLE, SEVERAL = range(7)
# Places in `state`: physical lines read and written, the fields of the first record, records, empty lines since the
# last record and the first of them, whether there was a gap, records of the right width since a table began anew,
# whether the rest is left out, or can't be read, and where the last record begins in `out`.
LINE, OUT_LINE, WIDTH, RECORDS, EMPTY, EMPTY_LINE, GAP, RIGHT, ENDED, RAW, LAST_START, SIZE = range(12)
#: A quoted field longer than this, in bytes, was left open.
LONGEST_QUOTED = 1 << 20
#: How many quotes of one record can be mended.
MOST_QUOTES = 256
# Places in `info`, what is known of a record: where its content and its line end, its fields, its lines, whether there
# is something in it, where the fields beyond the width begin and whether there is something in them, mended quotes;
# and while it is read, the mode, and where the last quote opened.
_END, _AFTER, _FIELDS, _LINES, _FILLED, _CUT, _SURPLUS, _QUOTES, _MODE, _OPENED, _OPENED_LINES, _KNOWN = range(12)
_FOUND, _MORE, _BROKEN = range(3)


def start_tally() -> tuple[Ints, Ints]:
    """Return the state before the first byte, and the tally of faults."""
    state = np.zeros(SIZE, np.int64)
    state[LINE] = state[OUT_LINE] = 1
    return state, np.zeros((SEVERAL + 1, 2), np.int64)


@njit(cache=True, nogil=True)
def _quoted(data: Bytes, j: int, kind: int, info: Ints) -> bool:
    """Take a byte within quotes; return whether they were left open."""
    if kind == QUOTE:
        info[_MODE] = CLOSED
    elif kind == CR or (kind == LF and data[j - 1] != 13):
        info[_LINES] += 1
    return bool(j - info[_OPENED] > LONGEST_QUOTED)


@njit(cache=True, nogil=True)
def _plain(data: Bytes, j: int, kind: int, width: int, info: Ints) -> bool:
    """Take a byte outside quotes that ends no line; return whether those before it were left open."""
    broken = False
    if kind == DELIMITER:
        if info[_FIELDS] == width:
            info[_CUT] = j
        info[_FIELDS] += 1
        info[_MODE] = FIELD
        return broken
    filled = data[j] not in (9, 32)
    if kind == QUOTE and info[_MODE] != PLAIN:
        if info[_MODE] == FIELD:
            info[_OPENED], info[_OPENED_LINES] = j, info[_LINES]
        info[_MODE] = QUOTED
    else:
        broken = info[_MODE] == CLOSED
        info[_MODE] = PLAIN
    info[_FILLED] |= filled
    info[_SURPLUS] |= filled and info[_FIELDS] > width
    return broken


@njit(cache=True, nogil=True)
def _record(data: Bytes, i: int, kinds: Bytes, mends: bool, width: int, last: bool, info: Ints, literals: Ints) -> int:
    """Find the end of the record that begins at `i`; a quote that closes nowhere is put into `literals`."""
    info[:] = 0
    info[_FIELDS], info[_MODE], info[_CUT] = 1, FIELD, -1
    j = i
    while True:
        if j >= data.size:
            broken = info[_MODE] == QUOTED and (last or data.size - info[_OPENED] > LONGEST_QUOTED)
            if not broken and not (last and info[_MODE] != QUOTED):
                return _MORE
            if not broken:
                break
        else:
            kind = kinds[data[j]]
            if info[_MODE] == QUOTED:
                broken = _quoted(data, j, kind, info)
            elif kind in (LF, CR):
                break
            else:
                broken = _plain(data, j, kind, width, info)
        if broken:
            if not mends or info[_QUOTES] == MOST_QUOTES:
                return _BROKEN
            literals[info[_QUOTES]] = j = info[_OPENED]
            info[_QUOTES] += 1
            info[_LINES], info[_MODE] = info[_OPENED_LINES], PLAIN
        j += 1
    return int(_end(data, j, last, info))


@njit(cache=True, nogil=True)
def _end(data: Bytes, j: int, last: bool, info: Ints) -> int:
    """Note where a record ends, and its line."""
    info[_END] = info[_AFTER] = j
    if j < data.size:
        if data[j] == 13 and j + 1 == data.size and not last:
            return _MORE
        info[_AFTER] += 2 if data[j] == 13 and j + 1 < data.size and data[j + 1] == 10 else 1
        info[_LINES] += 1
    return _FOUND


@njit(cache=True, nogil=True)
def _copy(
    data: Bytes, i: int, end: int, kinds: Bytes, quote: int, info: Ints, literals: Ints, out: Bytes, n: int
) -> int:
    """Copy a record up to `end`; a field whose quote was left open is quoted, its own quotes doubled."""
    for at in range(info[_QUOTES]):
        opened = literals[at]
        if opened >= end:
            break
        out[n : n + opened - i] = data[i:opened]
        n += opened - i
        out[n] = quote
        n, i = n + 1, opened
        while i < end and kinds[data[i]] != DELIMITER:
            if data[i] == quote:
                out[n] = quote
                n += 1
            out[n] = data[i]
            n, i = n + 1, i + 1
        out[n] = quote
        n += 1
    out[n : n + end - i] = data[i:end]
    return int(n + end - i)


@njit(cache=True, nogil=True)
def _unwrapped(data: Bytes, i: int, end: int, kinds: Bytes, quote: int, width: int, out: Bytes, n: int) -> int:
    """Write the record that stands whole in one pair of quotes; return where it ends, -1 where it does not fit."""
    if end - i < 2 or data[i] != quote or data[end - 1] != quote:
        return -1
    begin, j = n, i + 1
    while j < end - 1:
        if data[j] == quote:
            j += 1  # of two quotes, one
        out[n] = data[j]
        n, j = n + 1, j + 1
    fields, inside = 1, False
    for k in range(begin, n):
        if out[k] == quote:
            inside = not inside
        elif not inside and kinds[out[k]] == DELIMITER:
            fields += 1
    return n if fields == width and not inside else -1


@njit(cache=True, nogil=True)
def _count(tally: Ints, fault: int, times: int, line: int) -> None:
    if times > 0 and tally[fault, 0] == 0:
        tally[fault, 1] = line
    tally[fault, 0] += times


@njit(cache=True, nogil=True)
def _blank(state: Ints, tally: Ints, wanted: int, empty: bool) -> bool:
    """Note a record with nothing in it; return whether it is copied. Empty lines may end a file."""
    if empty:
        state[EMPTY_LINE] = state[LINE] if state[EMPTY] == 0 else state[EMPTY_LINE]
        state[EMPTY] += 1
    else:
        _count(tally, BLANK, 1, state[LINE])
    state[GAP] = 1
    if wanted & (1 << SEVERAL) and state[RECORDS] > 1:
        state[ENDED] = 1
    return wanted & (1 << BLANK) == 0 and state[ENDED] == 0


@njit(cache=True, nogil=True)
def _after_blanks(state: Ints, tally: Ints, fields: int) -> None:
    """Count the empty lines above a record, and whether another table begins with it."""
    right = fields == state[WIDTH]
    _count(tally, BLANK, state[EMPTY], state[EMPTY_LINE])
    if state[GAP] and state[RECORDS] > 1 and not right:
        _count(tally, SEVERAL, 1, state[LINE])
    state[EMPTY] = state[GAP] = 0
    if tally[SEVERAL, 0] > 0 and right:
        state[RIGHT] += 1


@njit(cache=True, nogil=True)
def _written(
    data: Bytes,
    i: int,
    kinds: Bytes,
    delimiter: int,
    quote: int,
    wanted: int,
    state: Ints,
    tally: Ints,
    info: Ints,
    literals: Ints,
    out: Bytes,
    n: int,
) -> int:
    """Count what is wrong with a record that is not blank, and write it; return where it ends in `out`."""
    fields, end, width = info[_FIELDS], info[_END], state[WIDTH]
    _count(tally, OPEN, info[_QUOTES], state[LINE])
    pad = 0
    if not info[_FILLED]:
        pass  # a blank record, or one of the right width
    elif fields < width:
        whole = _unwrapped(data, i, end, kinds, quote, width, out, n) if fields == 1 else -1
        _count(tally, WHOLE if whole >= 0 else SHORT, 1, state[LINE])
        if whole >= 0 and wanted & (1 << WHOLE):
            n, i = whole, end
        elif wanted & (1 << SHORT):
            pad = width - fields
    elif fields > width:
        _count(tally, LEFT_OUT if info[_SURPLUS] else CUT, 1, state[LINE])
        if wanted & (1 << CUT):
            end = info[_CUT]
    n = _copy(data, i, end, kinds, quote, info, literals, out, n)
    out[n : n + pad] = delimiter
    return int(n + pad)


@njit(cache=True, nogil=True)
def _is_kept(state: Ints, tally: Ints, info: Ints, wanted: int, empty: bool) -> bool:
    """Say whether a record is written at all."""
    fields = info[_FIELDS]
    if state[ENDED]:
        _count(tally, SEVERAL, info[_FILLED], state[LINE])
        return False
    if not info[_FILLED] and (fields != state[WIDTH] or wanted & (1 << BLANK)):
        return bool(_blank(state, tally, wanted, empty))
    if state[WIDTH] == 0:
        state[WIDTH] = fields
    _after_blanks(state, tally, fields)
    if fields > state[WIDTH] and info[_SURPLUS] and wanted & (1 << CUT):
        _count(tally, LEFT_OUT, 1, state[LINE])
        return False
    state[RECORDS] += 1
    return True


@njit(cache=True, nogil=True)
def mend(
    data: Bytes,
    kinds: Bytes,
    delimiter: int,
    quote: int,
    wanted: int,
    last: bool,
    stop: int,
    state: Ints,
    tally: Ints,
    out: Bytes,
) -> tuple[int, int]:
    """Copy complete records to `out`, mended; return how many bytes were taken and how many written.

    It stops where `out` may be too small, where the rest can't be read (`state[RAW]`), and before the record that holds
    line `stop` of what is written, if that is not 0.
    """
    info, literals = np.zeros(_KNOWN, np.int64), np.zeros(MOST_QUOTES, np.int64)
    i = n = 0
    while i < data.size:
        found = _record(data, i, kinds, wanted & (1 << OPEN) > 0, state[WIDTH], last, info, literals)
        if found == _MORE:
            break
        if found == _BROKEN:
            state[RAW] = 1
            break
        after, end, lines = info[_AFTER], info[_END], info[_LINES]
        if n + 2 * (after - i) + state[WIDTH] + 4 > out.size:
            break
        if _is_kept(state, tally, info, wanted, end == i):
            if stop and state[OUT_LINE] + lines > stop:
                break
            if info[_FILLED]:
                state[LAST_START] = n
            n = _written(data, i, kinds, delimiter, quote, wanted, state, tally, info, literals, out, n)
            out[n : n + after - end] = data[end:after]
            n += after - end
            state[OUT_LINE] += lines
        state[LINE] += lines
        i = after
    return i, n
