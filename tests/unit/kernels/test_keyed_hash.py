"""Disguised digits, against the network written out in plain Python: every place must move by a keyed hash."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.keyed_hash import ROUNDS, _next, _round, disguise, hashes, siphash

KEY = np.array([0x0706050403020100, 0x0F0E0D0C0B0A0908], np.uint64)


def hashed(message: bytes) -> int:
    return int(siphash(np.frombuffer(message, np.uint8), 0, len(message), KEY, np.empty(4, np.uint64)))


def test_texts_are_hashed_as_the_paper_says() -> None:
    # The test vectors of the paper's authors: 0 … n - 1 under the key 00 01 … 0f.
    assert hashed(b"") == 0x726FDB47DD0E0E31
    assert hashed(bytes(range(8))) == 0x93F5F5799A932462
    assert hashed(bytes(range(15))) == 0xA129CA6149BE45E5
    data = np.frombuffer(b"abcde", np.uint8)
    found = hashes(data, np.array([0, 2, 2, 5], np.int32), KEY)
    assert found.tolist() == [hashed(b"ab"), hashed(b""), hashed(b"cde")]
    long = bytes(range(60))
    found = hashes(np.frombuffer(long, np.uint8), np.array([0, 3, 20, 28, 60], np.int32), KEY)
    assert found.tolist() == [hashed(long[:3]), hashed(long[3:20]), hashed(long[20:28]), hashed(long[28:])]


def moved(digits: list[int], radices: list[int], places: list[int], turn: int, way: int) -> None:
    """One round: four places share the 64 bits of a hash of the other half, the round and the first of the four."""
    other = bytes(digits[place] for place in places[(turn + 1) % 2 :: 2])
    half = list(range(turn % 2, len(places), 2))
    for four in range(0, len(half), 4):
        first = half[four]
        word = hashed(bytes([turn, first & 255, first >> 8 & 255, first >> 16 & 255]) + other)
        for n in half[four : four + 4]:
            place = places[n]
            by = (word & 0xFFFF) * radices[place] >> 16
            word >>= 16
            digits[place] = (digits[place] + way * by) % radices[place]


def test_there_are_as_many_rounds_as_in_networks_that_are_held_to_be_safe() -> None:
    # FF1 of NIST SP 800-38G has ten.
    assert ROUNDS == 10


def network(row: list[int], radices: list[int]) -> list[int]:
    digits = list(row)
    places = [place for place, radix in enumerate(radices) if radix > 1]
    for turn in reversed(range(ROUNDS)):
        moved(digits, radices, places, turn, -1)
    digits[places[0]] = (digits[places[0]] + 1) % radices[places[0]]
    for turn in range(ROUNDS):
        moved(digits, radices, places, turn, 1)
    return digits


@pytest.mark.parametrize(
    "radices", [[10, 10], [10, 1, 26, 2], [26] * 7, [10] * 9 + [1] + [128] * 10, [2, 3], [1, 5, 7, 1, 1, 9]]
)
def test_every_row_goes_through_the_network(radices: list[int]) -> None:
    random = np.random.default_rng(4)
    rows = np.array([[random.integers(0, radix) for radix in radices] for _ in range(5)], np.int32)
    found = rows.copy()
    disguise(found, np.tile(np.array(radices, np.int32), (5, 1)), KEY)
    assert found.tolist() == [network(row, radices) for row in rows.tolist()]


@pytest.mark.parametrize("radix", [2, 7, 10, 26])
def test_a_single_digit_becomes_the_next_in_the_order_of_hashes(radix: int) -> None:
    order = sorted(range(radix), key=lambda digit: hashed(bytes([255, radix & 255, radix >> 8, digit])))
    rows = np.array([[digit, 0] for digit in range(radix)], np.int32)
    disguise(rows, np.tile(np.array([radix, 1], np.int32), (radix, 1)), KEY)
    assert {digit: int(row[0]) for digit, row in enumerate(rows)} == {
        digit: order[(place + 1) % radix] for place, digit in enumerate(order)
    }
    assert rows[:, 1].tolist() == [0] * radix


def test_what_has_no_place_that_may_change_stays() -> None:
    rows = np.zeros((1, 3), np.int32)
    disguise(rows, np.ones((1, 3), np.int32), KEY)
    assert rows.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("turn", [0, 3])
def test_a_round_moves_by_all_bits_of_a_hash_also_beyond_256_places(turn: int, way: int) -> None:
    random, many = np.random.default_rng(6), 540
    # So large a radix for the half that moves shows the last bit, too.
    radices = np.where(np.arange(many) % 2 == turn % 2, 60_000, 10).astype(np.int32)
    digits = random.integers(0, radices).astype(np.int32)
    expected = digits.tolist()
    moved(expected, radices.tolist(), list(range(many)), turn, way)
    _round(digits, radices, np.arange(many), turn, way, KEY, np.full(many + 8, 9, np.uint8), np.empty(4, np.uint64))
    assert digits.tolist() == expected


def test_what_was_written_before_does_not_count() -> None:
    order = sorted(range(10), key=lambda digit: hashed(bytes([255, 10, 0, digit])))
    message, state = np.full(8, 9, np.uint8), np.empty(4, np.uint64)
    assert [_next(digit, 10, KEY, message, state) for digit in order] == [*order[1:], order[0]]
