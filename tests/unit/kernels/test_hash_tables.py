"""Where keys lie in a hash table: where their mixed bits say, or in the next free slot. Searches are short only so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antifaz.kernels.group_summaries import number_keys, number_lists
from antifaz.kernels.grouping import group_keys, locate_keys, roll_up, roll_up_one

GOLDEN, WIDE = 0x9E3779B97F4A7C15, 2**64
SLOTS = 64


def mix(key: int) -> int:
    return (key ^ key >> 32) * GOLDEN % WIDE >> 32


def laid(hashes: list[int]) -> list[int]:
    """Put 0, 1, 2, … into slots by their hashes, each into the first free one from there on."""
    slots = [-1] * SLOTS
    for number, each in enumerate(hashes):
        at = each % SLOTS
        while slots[at] >= 0:
            at = (at + 1) % SLOTS
        slots[at] = number
    return slots


def of_words(row: list[int]) -> int:
    found = mix(row[0])
    for word in row[1:]:
        found = mix(found ^ word)
    return found


@pytest.mark.parametrize("words", [1, 2, 3])
def test_keys_lie_where_all_of_their_words_say(words: int) -> None:
    random = np.random.default_rng(words)
    keys = np.unique(random.integers(0, 2**63, (50, words), np.uint64), axis=0)
    many = len(keys)
    expected = laid([of_words(row) for row in keys.tolist()])
    slots, into = np.full(SLOTS, 7, np.int32), np.empty(many, np.int64)
    group_keys(keys, np.ones(many, np.int64), slots, np.empty_like(keys), np.empty(many, np.int64), into)
    assert slots.tolist() == expected
    slots[:], out = 7, np.full(many + 1, -7)
    clear = np.full((1, words), 0, np.uint64)
    other = np.concatenate([keys, keys[:1] + np.uint64(1)])
    locate_keys(keys, other, clear, slots, out)
    assert slots.tolist() == expected
    assert out.tolist() == [*range(many), -1]


@pytest.mark.parametrize("roll", [roll_up, roll_up_one])
def test_keys_that_rise_lie_where_their_new_bits_say(roll: Any) -> None:
    keys = np.arange(48, dtype=np.uint64) << np.uint64(30)
    shifts, fields = np.array([30], np.uint64), np.array([63], np.uint64)
    upward = (np.arange(64, dtype=np.uint64) + np.uint64(9)) << np.uint64(30)
    slots, out, counts = np.full(SLOTS, 7, np.int32), np.empty_like(keys), np.empty(48, np.int64)
    stays, start = ~(fields << shifts)[0], np.zeros(1, np.int64)
    many = roll(keys, np.ones(48, np.int64), stays, shifts, fields, start, upward, slots, out, counts)
    assert many == 48
    assert slots.tolist() == laid([mix((code + 9) << 30) for code in range(48)])


def test_numbered_keys_and_lists_lie_where_their_mixed_bits_say() -> None:
    slots, firsts, into = np.full(SLOTS, 7, np.int32), np.empty(50, np.int64), np.empty(50, np.int64)
    keys = np.random.default_rng(9).permutation(50) << 35
    assert number_keys(keys, slots, firsts, into) == 50
    assert slots.tolist() == laid([mix(key) for key in keys.tolist()])
    lists = [[n % 7, n // 7, *[n] * (n % 3)] for n in range(50)]
    hashes = []
    for codes in lists:
        mixed = 0
        for code in codes:
            mixed = (mixed ^ (code + 1)) * GOLDEN % WIDE
            mixed ^= mixed >> 32
        hashes.append(mixed)
    offsets = np.concatenate([[0], np.cumsum([len(codes) for codes in lists])])
    flat = np.array([code for codes in lists for code in codes], np.int32)
    slots[:] = 7
    assert number_lists(offsets, flat, slots, firsts, into) == 50
    assert slots.tolist() == laid(hashes)
