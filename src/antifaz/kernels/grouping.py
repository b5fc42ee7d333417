"""Grouping packed codes with a hash table: the one operation under all counting.

A key is a row of `words` unsigned 64-bit words in which the codes of all attributes are packed side by side. Groups
come out in the order in which their first key went in, so results never depend on hash values or threads.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels import Codes, Flags, Ints, Words
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True, inline="always")
def _mix(key: np.uint64) -> np.uint64:
    """Spread the bits of a key: neighbours in packed codes differ in few bits, and a plain product would cluster."""
    key ^= key >> np.uint64(32)
    key *= np.uint64(0x9E3779B97F4A7C15)
    return key >> np.uint64(32)


@njit(cache=True, nogil=True)
def group_keys(keys: Words, counts: Ints, slots: Codes, out_keys: Words, out_counts: Ints, into: Ints) -> int:
    """Group equal keys and add up their counts; return the number of groups.

    `slots` is a workspace whose length is a power of two and at least twice the number of keys. `into[i]` becomes the
    group of key i. The output may be the input: a group is never written beyond the key being read.
    """
    rows, words = keys.shape
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    groups = 0
    for i in range(rows):
        h = _mix(keys[i, 0])
        for w in range(1, words):
            h = _mix(h ^ keys[i, w])
        at = h & mask
        while True:
            g = slots[at]
            if g < 0:
                slots[at] = groups
                count = counts[i]
                for w in range(words):
                    out_keys[groups, w] = keys[i, w]
                out_counts[groups] = count
                into[i] = groups
                groups += 1
                break
            same = True
            for w in range(words):
                if out_keys[g, w] != keys[i, w]:
                    same = False
                    break
            if same:
                out_counts[g] += counts[i]
                into[i] = g
                break
            at = (at + np.uint64(1)) & mask
    return groups


@njit(cache=True, nogil=True)
def locate_keys(table: Words, keys: Words, clear: Words, slots: Codes, out: Ints) -> None:  # noqa: C901
    """For each key, with the bits of `clear` taken out, write its row in `table` (all distinct), or -1."""
    words = table.shape[1]
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    for i in range(table.shape[0]):
        h = _mix(table[i, 0])
        for w in range(1, words):
            h = _mix(h ^ table[i, w])
        at = h & mask
        while slots[at] >= 0:
            at = (at + np.uint64(1)) & mask
        slots[at] = i
    wanted = np.empty(words, np.uint64)
    for i in range(keys.shape[0]):
        for w in range(words):
            wanted[w] = keys[i, w] & ~clear[0, w]
        h = _mix(wanted[0])
        for w in range(1, words):
            h = _mix(h ^ wanted[w])
        at = h & mask
        out[i] = -1
        while slots[at] >= 0:
            g = slots[at]
            same = True
            for w in range(words):
                if table[g, w] != wanted[w]:
                    same = False
                    break
            if same:
                out[i] = g
                break
            at = (at + np.uint64(1)) & mask


#: How many slots of a hash table are used at first: in a table that fits the processor's cache, keys are found sooner.
_FIRST_SLOTS = 1 << 14


@njit(cache=True, nogil=True)
def _more_slots(keys: Words, groups: int, slots: Codes, room: int) -> int:
    """Use four times as many slots for the keys of one word that were met so far; return how many are used."""
    room = min(4 * room, slots.shape[0])
    mask = np.uint64(room - 1)
    slots[:room] = -1
    for g in range(groups):
        at = _mix(keys[g]) & mask
        while slots[at] >= 0:
            at = (at + np.uint64(1)) & mask
        slots[at] = g
    return room


@njit(cache=True, nogil=True)
def roll_up(
    keys: Words,
    counts: Ints,
    stays: int,
    shifts: Words,
    fields: Words,
    starts: Ints,
    upward: Words,
    slots: Codes,
    out_keys: Words,
    out_counts: Ints,
) -> int:
    """Replace the codes in some fields by their codes higher up and group again; return the number of groups.

    For keys of one word, given flat. `stays` are the bits of the fields that do not change; a field that is in neither
    becomes 0. `fields` are masks before shifting; `upward[starts[f] + code]` is the new code of field f, shifted into
    place. Written out for one word because the general form takes twice as long, and a lattice does little else.
    """
    room = min(_FIRST_SLOTS, slots.shape[0])
    mask = np.uint64(room - 1)
    slots[:room] = -1
    groups = 0
    for i in range(keys.shape[0]):
        old = keys[i]
        key = old & stays
        for f in range(shifts.shape[0]):
            key |= upward[starts[f] + np.int64((old >> shifts[f]) & fields[f])]
        at = _mix(key) & mask
        while True:
            g = slots[at]
            if g < 0:
                slots[at] = groups
                out_keys[groups] = key
                out_counts[groups] = counts[i]
                groups += 1
                if 2 * groups > room and room < slots.shape[0]:
                    room = _more_slots(out_keys, groups, slots, room)
                    mask = np.uint64(room - 1)
                break
            if out_keys[g] == key:
                out_counts[g] += counts[i]
                break
            at = (at + np.uint64(1)) & mask
    return groups


@njit(cache=True, nogil=True)
def roll_up_one(
    keys: Words,
    counts: Ints,
    stays: int,
    shifts: Words,
    fields: Words,
    starts: Ints,
    upward: Words,
    slots: Codes,
    out_keys: Words,
    out_counts: Ints,
) -> int:
    """Do the same as `roll_up` for one field, which is what a sweep of a lattice does nearly always."""
    room = min(_FIRST_SLOTS, slots.shape[0])
    mask = np.uint64(room - 1)
    shift, field, start = shifts[0], fields[0], starts[0]
    slots[:room] = -1
    groups = 0
    for i in range(keys.shape[0]):
        old = keys[i]
        key = (old & stays) | upward[start + np.int64((old >> shift) & field)]
        at = _mix(key) & mask
        while True:
            g = slots[at]
            if g < 0:
                slots[at] = groups
                out_keys[groups] = key
                out_counts[groups] = counts[i]
                groups += 1
                if 2 * groups > room and room < slots.shape[0]:
                    room = _more_slots(out_keys, groups, slots, room)
                    mask = np.uint64(room - 1)
                break
            if out_keys[g] == key:
                out_counts[g] += counts[i]
                break
            at = (at + np.uint64(1)) & mask
    return groups


@njit(cache=True, nogil=True)
def smallest_below(levels: NDArray[np.int16], sizes: Ints, wanted: NDArray[np.int16]) -> int:
    """Return where the smallest table is that lies nowhere above the wanted levels; of equals the first; -1 if none."""
    best, least = -1, np.iinfo(np.int64).max
    for i in range(levels.shape[0]):
        if sizes[i] < least:
            below = True
            for a in range(wanted.shape[0]):
                if levels[i, a] > wanted[a]:
                    below = False
                    break
            if below:
                best, least = i, sizes[i]
    return best


@njit(cache=True, nogil=True)
def take_keys(
    keys: Words, counts: Ints, shift: int, field: int, chosen: Flags, out_keys: Words, out_counts: Ints
) -> int:
    """Copy the keys of one word, given flat, whose codes in a field are chosen; return how many there are."""
    many = 0
    for i in range(keys.shape[0]):
        if chosen[np.int64((keys[i] >> shift) & field)]:
            out_keys[many], out_counts[many] = keys[i], counts[i]
            many += 1
    return many


@njit(cache=True, nogil=True)
def raise_codes(
    keys: Words, words: Ints, shifts: Words, fields: Words, starts: Ints, upward: Words, out_keys: Words
) -> None:
    """Replace the codes in some fields by their codes higher up, for keys of any number of words."""
    for i in range(keys.shape[0]):
        for w in range(keys.shape[1]):
            out_keys[i, w] = keys[i, w]
        for f in range(shifts.shape[0]):
            code = np.int64((keys[i, words[f]] >> shifts[f]) & fields[f])
            out_keys[i, words[f]] &= ~(fields[f] << shifts[f])
            out_keys[i, words[f]] |= upward[starts[f] + code]


@njit(cache=True, nogil=True)
def repack(codes: Codes, upward: Codes, word: int, shift: int, out_keys: Words) -> None:
    """Write one attribute's codes, raised by `upward`, into their field of every key."""
    up_shift = np.uint64(shift)
    for i in range(codes.shape[0]):
        out_keys[i, word] |= np.uint64(upward[codes[i]]) << up_shift


@njit(cache=True, nogil=True)
def kept_marginals(
    keys: Words, counts: Ints, kept: Flags, word: Ints, shift: Words, field: Words, start: Ints, out: Ints
) -> None:
    """Per attribute and code, count the kept records: integers, so the sum is the same in any order of classes."""
    for i in range(keys.shape[0]):
        if kept[i]:
            for a in range(word.shape[0]):
                code = np.int64((keys[i, word[a]] >> shift[a]) & field[a])
                out[start[a] + code] += counts[i]


@njit(cache=True, nogil=True)
def order_cells(classes: Ints, offsets: Ints, out: Ints) -> None:
    """Counting sort: write cell positions so that the cells of one class stand together, in their order."""
    place = offsets[:-1].copy()
    for i in range(classes.shape[0]):
        c = classes[i]
        out[place[c]] = i
        place[c] += 1


# -- the same by NumPy, for small tables


def _same_rows(keys: Words) -> tuple[Ints, Ints]:
    """Return the first row of each group of equal keys, in their order, and the group of every row."""
    rows = keys.shape[0]
    order = np.lexsort(keys.T) if keys.shape[1] > 1 else np.argsort(keys[:, 0], kind="stable")
    ordered = keys[order]
    begins = np.ones(rows, np.bool_)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    firsts = order[begins]
    place = np.empty(firsts.size, np.int64)
    place[np.argsort(firsts)] = np.arange(firsts.size)
    into = np.empty(rows, np.int64)
    into[order] = place[np.cumsum(begins) - 1]
    return np.sort(firsts), into


def _summed(counts: Ints, into: Ints, groups: int) -> Ints:
    summed = np.zeros(groups, np.int64)
    np.add.at(summed, into, counts)
    return summed


@group_keys.numpy_fallback()
def _group_keys(keys: Words, counts: Ints, slots: Codes, out_keys: Words, out_counts: Ints, into: Ints) -> int:
    first, into[: keys.shape[0]] = _same_rows(keys)
    groups = first.size
    summed = _summed(counts, into[: keys.shape[0]], groups)
    out_keys[:groups], out_counts[:groups] = keys[first], summed
    return groups


@locate_keys.numpy_fallback()
def _locate_keys(table: Words, keys: Words, clear: Words, slots: Codes, out: Ints) -> None:
    size = table.shape[0]
    _, into = _same_rows(np.concatenate([table, keys & ~clear[0]]))
    row = np.full(size + keys.shape[0], -1)
    row[into[:size]] = np.arange(size)
    out[: keys.shape[0]] = row[into[size:]]


@roll_up.numpy_fallback()
@roll_up_one.numpy_fallback()
def _roll_up(
    keys: Words,
    counts: Ints,
    stays: int,
    shifts: Words,
    fields: Words,
    starts: Ints,
    upward: Words,
    slots: Codes,
    out_keys: Words,
    out_counts: Ints,
) -> int:
    raised = np.empty((keys.size, 1), np.uint64)
    _raise_codes(keys[:, None], np.zeros_like(starts), shifts, fields, starts, upward, raised)
    raised &= stays | np.bitwise_or.reduce(fields << shifts, initial=0)
    first, into = _same_rows(raised)
    out_keys[: first.size], out_counts[: first.size] = raised[first, 0], _summed(counts, into, first.size)
    return first.size


@smallest_below.numpy_fallback(price=0.1)
def _smallest_below(levels: NDArray[np.int16], sizes: Ints, wanted: NDArray[np.int16]) -> int:
    none = np.iinfo(np.int64).max
    below = np.where((levels <= wanted).all(axis=1), sizes[: levels.shape[0]], none)
    best = int(np.argmin(below))
    return best if below[best] < none else -1


@raise_codes.numpy_fallback()
def _raise_codes(
    keys: Words, words: Ints, shifts: Words, fields: Words, starts: Ints, upward: Words, out_keys: Words
) -> None:
    out_keys[:] = keys
    for word, shift, field, start in zip(words, shifts, fields, starts, strict=True):
        codes = ((keys[:, word] >> shift) & field).astype(np.int64)
        out_keys[:, word] = (out_keys[:, word] & ~(field << shift)) | upward[start + codes]


@repack.numpy_fallback(price=0.05)
def _repack(codes: Codes, upward: Codes, word: int, shift: int, out_keys: Words) -> None:
    out_keys[: codes.size, word] |= upward[codes].astype(np.uint64) << np.uint64(shift)


@kept_marginals.numpy_fallback()
def _kept_marginals(
    keys: Words, counts: Ints, kept: Flags, word: Ints, shift: Words, field: Words, start: Ints, out: Ints
) -> None:
    left, many = keys[kept], counts[kept]
    for a in range(word.size):
        codes = ((left[:, word[a]] >> shift[a]) & field[a]).astype(np.int64)
        np.add.at(out, start[a] + codes, many)


@order_cells.numpy_fallback()
def _order_cells(classes: Ints, offsets: Ints, out: Ints) -> None:
    out[: classes.size] = np.argsort(classes, kind="stable")
