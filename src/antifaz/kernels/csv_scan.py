"""A strict scan of delimited text, byte by byte, in chunks of any size.

The scan knows RFC 4180 with the liberties that real files take and that can be read in only one way: a quote inside an
unquoted field is a quote, LF and CRLF may be mixed, blank lines may end the file. Everything that could be read
in two ways stops it with a code and the place. The bytes must be UTF-8.

`state` carries what is known from one chunk to the next; start it with `start_state`. Positions count from the
beginning of the file: lines and fields from 1, offsets from 0.
"""

from typing import Any

import numpy as np

from antifaz.kernels import Bytes, Ints
from antifaz.kernels.compiling import njit

# What a byte is.
ORDINARY, DELIMITER, QUOTE, LF, CR, NUL, HIGH = range(7)
# Where the scan stands: at the start of a record or field, in a plain or quoted field, after a closing quote, after CR.
RECORD, FIELD, PLAIN, QUOTED, CLOSED, AFTER_CR = range(6)
# What is to be done at a byte.
NOTHING, NEXT, END_LF, END_CR, CRLF, LONE, OPEN, LINE_LF, LINE_CR, BLANK_LF, BLANK_CR, BAD_NUL, BAD_STRAY = range(13)
# What can be wrong; 0 is nothing.
FINE, E_NUL, E_STRAY, E_WIDTH, E_BLANK, E_UNCLOSED, E_NEWLINE, E_LONG, E_UTF8 = range(9)
# Places in `state`.
(
    MODE, LINE, FIELDS, WIDTH, RECORDS, OPEN_LINE, OPEN_FIELD, NEWLINES, BLANK, START, START_LINE, LONGEST, DONE,
    OFFSET, LAST, NEED, LOW, TOP, LIMIT, DONE_RECORDS, SIZE,
) = range(21)  # fmt: skip
#: Bits of `state[NEWLINES]`: which line ends were seen outside quotes.
SEEN_LF, SEEN_CRLF, SEEN_CR = 1, 2, 4
#: The byte that stands for a delimiter of several bytes: the unit separator of ASCII, which text does not use.
MARK = 0x1F


def _transitions() -> Ints:
    """Return for every mode and kind of byte the next mode and what to do, as `16 * action + mode`."""
    table = np.zeros((6, 7), dtype=np.int64)
    for mode in (RECORD, FIELD, PLAIN, CLOSED):
        table[mode, DELIMITER] = 16 * NEXT + FIELD
        table[mode, LF] = 16 * END_LF + RECORD
        table[mode, CR] = 16 * END_CR + AFTER_CR
        table[mode, (ORDINARY, HIGH)] = PLAIN
    table[RECORD, LF] = 16 * BLANK_LF + RECORD
    table[RECORD, CR] = 16 * BLANK_CR + AFTER_CR
    table[(RECORD, FIELD), QUOTE] = 16 * OPEN + QUOTED
    table[PLAIN, QUOTE] = PLAIN
    table[QUOTED] = QUOTED
    table[QUOTED, QUOTE] = CLOSED
    table[QUOTED, LF] = 16 * LINE_LF + QUOTED
    table[QUOTED, CR] = 16 * LINE_CR + QUOTED
    table[CLOSED, QUOTE] = QUOTED
    table[CLOSED, (ORDINARY, HIGH)] = 16 * BAD_STRAY + CLOSED
    table[AFTER_CR] = 16 * LONE + RECORD
    table[AFTER_CR, LF] = 16 * CRLF + RECORD
    table[:, NUL] = 16 * BAD_NUL + PLAIN
    return table


_TABLE = _transitions()


def byte_kinds(delimiter: int, quote: int) -> Bytes:
    """Return what each of the 256 bytes is; `quote` is -1 for a file without quotes."""
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[128:] = HIGH
    kinds[0], kinds[10], kinds[13] = NUL, LF, CR
    kinds[delimiter] = DELIMITER
    if quote >= 0:
        kinds[quote] = QUOTE
    return kinds


def start_state(width: int, limit: int) -> Ints:
    """Return the state before the first byte: fields expected (0: as many as the first record has), bytes allowed."""
    state = np.zeros(SIZE, dtype=np.int64)
    state[LINE] = state[START_LINE] = state[FIELDS] = 1
    state[WIDTH], state[LIMIT] = width, limit
    return state


@njit(cache=True, nogil=True)
def _utf8(byte: int, state: Ints) -> int:
    """Take one byte of a character beyond ASCII; return what is wrong with it."""
    if state[NEED] > 0:
        right = state[LOW] <= byte <= state[TOP]
        state[NEED] -= 1
        state[LOW], state[TOP] = 0x80, 0xBF
        return FINE if right else E_UTF8
    state[LOW] = 0xA0 if byte == 0xE0 else 0x90 if byte == 0xF0 else 0x80
    state[TOP] = 0x9F if byte == 0xED else 0x8F if byte == 0xF4 else 0xBF
    state[NEED] = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
    return FINE if 0xC2 <= byte <= 0xF4 else E_UTF8


@njit(cache=True, nogil=True)
def _record(state: Ints) -> int:
    """Count the record that ends here; return what is wrong with it."""
    if state[WIDTH] == 0:
        state[WIDTH] = state[FIELDS]
    if state[BLANK] > 0:
        return E_BLANK
    if state[FIELDS] != state[WIDTH]:
        return E_WIDTH
    state[RECORDS] += 1
    state[FIELDS] = 1
    return FINE


@njit(cache=True, nogil=True)
def _settle(state: Ints, offset: int, seen: int) -> int:
    """Close the record whose line end is now known to be complete at `offset`."""
    state[NEWLINES] |= seen
    state[LONGEST] = max(state[LONGEST], offset - state[START])
    state[DONE] = state[START] = offset
    state[DONE_RECORDS] = state[RECORDS]
    state[START_LINE] = state[LINE]
    lone = state[NEWLINES] & SEEN_CR
    if lone and state[NEWLINES] != lone:
        return E_NEWLINE
    return E_LONG if state[LONGEST] > state[LIMIT] else FINE


@njit(cache=True, nogil=True)
def _line_end(action: int, offset: int, state: Ints) -> int:
    """Do what a line end outside quotes asks for."""
    if action == CRLF:
        return int(_settle(state, offset + 1, SEEN_CRLF))
    if action == LONE:
        return int(_settle(state, offset, SEEN_CR))
    if action in (BLANK_LF, BLANK_CR) and state[WIDTH] != 1:
        # Nothing on a line is a missing value where there is one column; else it is only good at the end, and before
        # the first record it is not known how many columns there are.
        if state[BLANK] == 0:
            state[BLANK] = state[LINE]
        wrong = E_BLANK if state[WIDTH] == 0 else FINE
    else:
        wrong = _record(state)
    if wrong:
        return int(wrong)
    state[LINE] += 1
    if action in (END_LF, BLANK_LF):
        return int(_settle(state, offset + 1, SEEN_LF))
    return FINE


@njit(cache=True, nogil=True)
def _act(action: int, offset: int, last: int, state: Ints) -> int:
    """Do what a byte asks for; return what is wrong, 0 for nothing."""
    if action == OPEN:
        state[OPEN_LINE], state[OPEN_FIELD] = state[LINE], state[FIELDS]
    elif action == LINE_CR or (action == LINE_LF and last != 13):
        state[LINE] += 1
    elif action == BAD_NUL:
        return E_NUL
    elif action == BAD_STRAY:
        return E_STRAY
    elif action != LINE_LF:
        return int(_line_end(action, offset, state))
    return FINE


@njit(cache=True, nogil=True)
def scan(data: Bytes, kinds: Bytes, state: Ints) -> int:
    """Scan the next bytes of the file; return 0 or what is wrong (`E_…`), with the place in `state`.

    After a chunk `state[DONE]` is the offset up to which all records are complete, `state[DONE_RECORDS]` their number.
    """
    mode, base, i = state[MODE], state[OFFSET], 0
    while i < data.size:
        kind = kinds[data[i]]
        step = _TABLE[mode, kind]
        action = step >> 4
        wrong = FINE
        if action == NEXT:
            state[FIELDS] += 1
        elif action != NOTHING:
            wrong = _act(action, base + i, data[i - 1] if i > 0 else state[LAST], state)
        if not wrong and action != LONE and (kind == HIGH or state[NEED] > 0):
            wrong = _utf8(data[i], state)
        if wrong:
            state[OFFSET] = base + i
            return int(wrong)
        mode = step & 15
        # The byte after a lone CR begins the next record, so it is looked at once more.
        i = i if action == LONE else _skip(data, kinds, i + 1, mode, state[NEED])
    # What the next chunk needs; a record that is already too long ends the scan.
    state[MODE] = mode
    state[OFFSET] += data.size
    if data.size > 0:
        state[LAST] = data[data.size - 1]
    return E_LONG if state[OFFSET] - state[START] > state[LIMIT] else FINE


@njit(cache=True, nogil=True)
def _skip(data: Bytes, kinds: Bytes, i: int, mode: int, need: int) -> int:
    """Return the place of the next byte that means something; most of a field does not."""
    if mode in (PLAIN, QUOTED) and need == 0:
        while i < data.size and kinds[data[i]] == ORDINARY:
            i += 1
    return i


def finish(state: Ints) -> int:
    """End the file: close its last record; return 0 or what is wrong."""
    mode, offset = state[MODE], state[OFFSET]
    if state[NEED] > 0:
        return E_UTF8
    if mode == QUOTED:
        return E_UNCLOSED
    if mode == AFTER_CR:
        return int(_settle.py_func(state, offset, SEEN_CR))
    if mode != RECORD:
        wrong = _record.py_func(state)
        if wrong:
            return int(wrong)
        state[LONGEST] = max(state[LONGEST], offset - state[START])
        state[DONE], state[DONE_RECORDS] = offset, state[RECORDS]
    return FINE


@njit(cache=True, nogil=True)
def shorten(data: Bytes, delimiter: Bytes, quote: int, mode: int, last: bool, out: Bytes) -> tuple[int, int, int]:
    """Copy text with `MARK` in the place of every long delimiter outside quotes.

    Return how many bytes were taken, how many written, and the mode to go on with, -1 where the text holds the mark
    itself. Begin with the mode `FIELD`. What may be the beginning of a delimiter is left for the next call, but not in
    the last one.
    """
    i = n = 0
    while i < data.size:
        if mode != QUOTED:
            same = 0
            while same < delimiter.size and i + same < data.size and data[i + same] == delimiter[same]:
                same += 1
            if same == delimiter.size:
                out[n] = MARK
                i, n, mode = i + same, n + 1, FIELD
                continue
            if i + same == data.size and not last:
                break
        byte = data[i]
        if byte == MARK:
            return i, n, -1
        if byte == quote:
            mode = CLOSED if mode == QUOTED else PLAIN if mode == PLAIN else QUOTED
        elif mode != QUOTED:
            mode = FIELD if byte in (10, 13) else PLAIN
        out[n] = byte
        i, n = i + 1, n + 1
    return i, n, mode


# -- the same by NumPy, for a small file without liberties


@scan.numpy_fallback(price=0.3)
def _scan(data: Bytes, kinds: Bytes, state: Ints) -> Any:
    """Scan a file from its beginning, all at once; what is not plainly right is left to the kernel."""
    fresh = (state == start_state(int(state[WIDTH]), int(state[LIMIT]))).all()
    if fresh and 0 < data.size <= state[LIMIT] and _plain(data, kinds[data], state):
        return FINE
    return NotImplemented


def _plain(data: Bytes, kind: Bytes, state: Ints) -> bool:
    """Scan text as RFC 4180 wants it, all records alike; else return False, and `state` is as it was."""
    quote, ends, returns = kind == QUOTE, kind == LF, np.flatnonzero(kind == CR)
    opening = _opening(kind, np.flatnonzero(quote))
    inside = np.cumsum(quote) % 2 == 1
    last = data.size - 1
    if opening is None or (kind == NUL).any() or inside[returns].any() or kind[last] == CR:
        return False
    if not ends[returns + 1].all() or not _decodes(data):
        return False
    lines, delimiters = np.flatnonzero(ends & ~inside), np.flatnonzero((kind == DELIMITER) & ~inside)
    fields, sizes = np.diff(np.searchsorted(delimiters, lines), prepend=0) + 1, np.diff(lines, prepend=-1)
    blank = (sizes == 1) | ((sizes == 2) & (data[lines - 1] == 13))
    if blank.any() or (fields != (state[WIDTH] or fields[:1])).any():
        return False
    done = int(lines[-1]) + 1 if lines.size else 0
    state[WIDTH] = state[WIDTH] or (fields[0] if fields.size else 0)
    state[RECORDS] = state[DONE_RECORDS] = lines.size
    state[START] = state[DONE] = done
    state[START_LINE], state[LINE] = 1 + np.count_nonzero(ends[:done]), 1 + np.count_nonzero(ends)
    state[LONGEST], state[LAST], state[OFFSET] = sizes.max(initial=0), data[last], data.size
    state[NEWLINES] = (SEEN_CRLF if returns.size else 0) | (SEEN_LF if returns.size < lines.size else 0)
    if opening.size:
        line = np.searchsorted(lines, opening[-1])
        state[OPEN_LINE] = 1 + np.count_nonzero(ends[: opening[-1]])
        state[OPEN_FIELD] = 1 + np.count_nonzero(
            delimiters[delimiters < opening[-1]] > (lines[line - 1] if line else -1)
        )
    if (kind == HIGH).any():
        state[LOW], state[TOP] = 0x80, 0xBF
    if done < data.size:  # the record that the end of the file will close
        state[FIELDS] = 1 + np.count_nonzero(delimiters >= done)
        state[MODE] = {DELIMITER: FIELD, QUOTE: CLOSED}.get(int(kind[last]), PLAIN)
    return True


def _opening(kind: Bytes, quotes: Ints) -> Ints | None:
    """Return the quotes that open fields; None if there is one that RFC 4180 does not know."""
    opening, closing = quotes[::2], quotes[1::2]
    if opening.size != closing.size:
        return None
    before, after = kind[opening - 1], kind[np.minimum(closing + 1, kind.size - 1)]
    first = np.isin(before, (DELIMITER, LF)) | (opening == 0)
    # One that follows right after another, which seemed to close the field, stands with it for a quote.
    twice = np.isin(opening, closing + 1)
    closes = np.isin(after, (DELIMITER, LF, CR, QUOTE)) | (closing == kind.size - 1)
    return opening[first] if (first | twice).all() and closes.all() else None


def _decodes(data: Bytes) -> bool:
    try:
        data.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True
