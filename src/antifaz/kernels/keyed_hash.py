"""Keyed functions over many short values: SipHash, and permutations of texts that keep their shape.

SipHash-2-4 is the pseudorandom function of J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF",
INDOCRYPT 2012.
"""

import numpy as np

from antifaz.kernels import Bytes, Codes, Ints, Words
from antifaz.kernels.compiling import njit

#: Rounds of the network that permutes; each mixes one half of the places into the other.
ROUNDS = 10
#: One hash of 64 bits moves so many places, of at most 128 digits each, evenly enough.
_PLACES = 4


@njit(cache=True, nogil=True, inline="always")
def _turn(word: np.uint64, by: int) -> np.uint64:
    return np.uint64((word << np.uint64(by)) | (word >> np.uint64(64 - by)))


@njit(cache=True, nogil=True)
def _mix(state: Words, times: int) -> None:
    v0, v1, v2, v3 = state[0], state[1], state[2], state[3]
    for _ in range(times):
        v0 += v1
        v1 = _turn(v1, 13) ^ v0
        v0 = _turn(v0, 32)
        v2 += v3
        v3 = _turn(v3, 16) ^ v2
        v0 += v3
        v3 = _turn(v3, 21) ^ v0
        v2 += v1
        v1 = _turn(v1, 17) ^ v2
        v2 = _turn(v2, 32)
    state[0], state[1], state[2], state[3] = v0, v1, v2, v3


@njit(cache=True, nogil=True)
def siphash(data: Bytes, start: int, end: int, key: Words, state: Words) -> np.uint64:
    """Return SipHash-2-4 of the bytes from `start` to `end`; `state` is four words of working space."""
    state[0] = key[0] ^ np.uint64(0x736F6D6570736575)
    state[1] = key[1] ^ np.uint64(0x646F72616E646F6D)
    state[2] = key[0] ^ np.uint64(0x6C7967656E657261)
    state[3] = key[1] ^ np.uint64(0x7465646279746573)
    whole = (end - start) // 8 * 8
    for at in range(start, start + whole, 8):
        word = np.uint64(0)
        for i in range(8):
            word |= np.uint64(data[at + i]) << np.uint64(8 * i)
        state[3] ^= word
        _mix(state, 2)
        state[0] ^= word
    word = np.uint64((end - start) & 0xFF) << np.uint64(56)
    for i in range(end - start - whole):
        word |= np.uint64(data[start + whole + i]) << np.uint64(8 * i)
    state[3] ^= word
    _mix(state, 2)
    state[0] ^= word
    state[2] ^= np.uint64(0xFF)
    _mix(state, 4)
    return np.uint64(state[0] ^ state[1] ^ state[2] ^ state[3])


@njit(cache=True, nogil=True)
def hashes(data: Bytes, offsets: Codes, key: Words) -> Words:
    """Return SipHash-2-4 of every text of an Arrow array, given its two buffers."""
    state = np.empty(4, np.uint64)
    found = np.empty(offsets.size - 1, np.uint64)
    for i in range(found.size):
        found[i] = siphash(data, offsets[i], offsets[i + 1], key, state)
    return found


@njit(cache=True, nogil=True)
def disguise(digits: Codes, radices: Codes, key: Words) -> None:
    """Replace every row of digits by another one, in place: no two become the same, and none stays as it is.

    Digit j of a row counts from 0 to below its radix; a radix of 1 is a place that stays. The places that may change
    are dealt to two halves, and in every round each place of one half is moved on by a keyed hash of the other half:
    a Feistel network, which has an inverse whatever the hash. A row goes through the inverse, one digit moves on by
    one, and forth again: that is a permutation too, and has no fixed point because moving on has none.
    """
    width = digits.shape[1]
    places = np.empty(width, np.int64)
    message = np.empty(width + 8, np.uint8)
    state = np.empty(4, np.uint64)
    for row in range(digits.shape[0]):
        number = 0
        for j in range(width):
            if radices[row, j] > 1:
                places[number] = j
                number += 1
        if number == 1:  # there is no other half
            j = places[0]
            digits[row, j] = _next(digits[row, j], radices[row, j], key, message, state)
        if number < 2:
            continue
        for turn in range(ROUNDS - 1, -1, -1):
            _round(digits[row], radices[row], places[:number], turn, -1, key, message, state)
        first = places[0]
        digits[row, first] = (digits[row, first] + 1) % radices[row, first]
        for turn in range(ROUNDS):
            _round(digits[row], radices[row], places[:number], turn, 1, key, message, state)


@njit(cache=True, nogil=True)
def _round(
    digits: Codes,
    radices: Codes,
    places: Ints,
    turn: int,
    way: int,
    key: Words,
    message: Bytes,
    state: Words,
) -> None:
    """Move on (or back) every place of one half by a hash of the other half, of the round and of the place."""
    size = 4
    message[0] = turn
    for n in range((turn + 1) % 2, places.size, 2):
        message[size] = digits[places[n]]
        size += 1
    word = np.uint64(0)
    for n in range(turn % 2, places.size, 2):
        if n // 2 % _PLACES == 0:
            message[1], message[2], message[3] = n & 0xFF, n >> 8 & 0xFF, n >> 16 & 0xFF
            word = siphash(message, 0, size, key, state)
        j = places[n]
        radix = np.int64(radices[j])
        by = (np.int64(word & np.uint64(0xFFFF)) * radix) >> 16
        word >>= np.uint64(16)
        moved = digits[j] + way * by
        digits[j] = moved - radix if moved >= radix else moved + radix if moved < 0 else moved


@njit(cache=True, nogil=True)
def _next(digit: int, radix: int, key: Words, message: Bytes, state: Words) -> int:
    """Return the digit that comes next when all are put in the order of their hashes."""
    message[0], message[1], message[2], message[3] = 255, radix & 0xFF, radix >> 8, digit
    mine = siphash(message, 0, 4, key, state)
    first, after = digit, -1
    least, nearest = mine, np.uint64(0)
    for other in range(radix):
        message[3] = other
        word = siphash(message, 0, 4, key, state)
        if word < least:
            first, least = other, word
        if word > mine and (after < 0 or word < nearest):
            after, nearest = other, word
    return first if after < 0 else after
