"""Minimal sample uniques, against trying all sets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from antifaz.kernels.suda import _has_company, _refine, minimal_uniques

WIDE = 2**64


def brute_force(codes: np.ndarray, counts: np.ndarray, largest: int) -> dict[int, set[frozenset[int]]]:
    """Return for every tuple its minimal unique sets; a code below 0 is not asked about."""
    width, tuples = codes.shape
    found: dict[int, set[frozenset[int]]] = {t: set() for t in range(tuples)}
    for size in range(1, largest + 1):
        for chosen in combinations(range(width), size):
            rows = [tuple(codes[a, t] for a in chosen) for t in range(tuples)]
            many = Counter()
            for row, count in zip(rows, counts.tolist(), strict=True):
                many[row] += count
            for t, row in enumerate(rows):
                alone = min(row) >= 0 and many[row] == 1
                if alone and not any(smaller < frozenset(chosen) for smaller in found[t]):
                    found[t].add(frozenset(chosen))
    return found


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize(("seed", "largest"), [(1, 4), (2, 4), (3, 2), (4, 3), (5, 1)])
def test_the_sets_found_are_those_that_trying_all_finds(noted: bool, seed: int, largest: int) -> None:
    random = np.random.default_rng(seed)
    rows = np.unique(random.integers(-1 if seed % 2 else 0, 3, (14, 4)), axis=0)
    codes, tuples = np.ascontiguousarray(rows.T.astype(np.int32)), len(rows)
    counts = random.integers(1, 3, tuples)
    worth = np.array([0.0, 1.0, 10.0, 100.0, 1000.0])
    scores, shares = np.zeros(tuples), np.zeros((4, tuples))
    company = np.zeros((tuples, 1 if noted else 0), np.uint64)
    of_size = minimal_uniques(codes, counts, np.full(4, 3), worth, largest, company, scores, shares)
    expected = brute_force(codes, counts, largest)
    sizes = Counter(len(each) for sets in expected.values() for each in sets)
    assert of_size.tolist() == [sizes[size] for size in range(5)]
    for t, sets in expected.items():
        assert scores[t] == sum(worth[len(each)] for each in sets)
        assert shares[:, t].tolist() == [sum(worth[len(each)] for each in sets if a in each) for a in range(4)]


def test_more_sets_than_there_is_room_for_at_first_are_found() -> None:
    # 100 tuples, all different in each of 12 attributes but the first, which all share: 1,100 sets of one attribute.
    codes = np.concatenate([np.zeros((1, 100), np.int32), np.tile(np.arange(100, dtype=np.int32), (11, 1))])
    scores, shares = np.zeros(100), np.zeros((12, 100))
    company = np.zeros((100, 0), np.uint64)
    of_size = minimal_uniques(codes, np.ones(100, np.int64), np.full(12, 100), np.ones(13), 2, company, scores, shares)
    assert of_size.tolist() == [0, 1100, *[0] * 11]
    assert scores.tolist() == [11.0] * 100
    assert shares[:, 7].tolist() == [0.0, *[1.0] * 11]


@pytest.mark.parametrize("noted", [True, False])
def test_attributes_may_have_any_number_of_codes(noted: bool) -> None:
    codes = np.array([[0, 1, 0, 1, 1, 0], [4, 3, 2, 1, 0, 4], [0, 0, 0, 1, 2, 2]], np.int32)
    counts, worth = np.array([1, 1, 2, 1, 1, 1]), np.array([0.0, 1.0, 10.0, 100.0])
    scores, shares = np.zeros(6), np.zeros((3, 6))
    company = np.zeros((6, 1 if noted else 0), np.uint64)
    minimal_uniques(codes, counts, np.array([2, 5, 3]), worth, 3, company, scores, shares)
    expected = brute_force(codes, counts, 3)
    assert scores.tolist() == [sum(worth[len(each)] for each in expected[t]) for t in range(6)]


@pytest.mark.parametrize("words", [0, 4])
def test_company_is_noted_in_as_many_words_as_it_takes(words: int) -> None:
    rows = np.unique(np.random.default_rng(8).integers(0, 3, (20, 8)), axis=0)
    codes, counts = np.ascontiguousarray(rows.T.astype(np.int32)), np.ones(len(rows), np.int64)
    scores, shares, worth = np.zeros(len(rows)), np.zeros((8, len(rows))), 10.0 ** np.arange(9)
    company = np.zeros((len(rows), words), np.uint64)
    minimal_uniques(codes, counts, np.full(8, 3), worth, 3, company, scores, shares)
    expected = brute_force(codes, counts, 3)
    assert scores.tolist() == [sum(worth[len(each)] for each in expected[t]) for t in range(len(rows))]


def test_classes_are_split_and_whoever_is_alone_is_noted() -> None:
    codes, counts = np.array([0, 1, 0, 2, 1, 0, -1, 3], np.int32), np.array([1, 1, 1, 1, 1, 1, 1, 2])
    members, ends = np.array([0, 1, 2, 3, 6, 4, 5, 7, 1], np.int32), np.array([5, 9], np.int32)
    to, to_ends, alone = np.full(9, -9, np.int32), np.full(9, -9, np.int32), np.full(9, -9, np.int32)
    room = np.zeros(4, np.int32)
    made, single = _refine(codes, counts, members, ends, 2, to, to_ends, room, alone)
    # First class: code 0 has 0 and 2; 1 and 3 are alone; 6 is skipped. Second: 4 and 1 together, 5 alone, 7 is two.
    assert (made, single) == (2, 3)
    assert to[:4].tolist() == [0, 2, 4, 1]
    assert to_ends[:2].tolist() == [2, 4]
    assert alone[:3].tolist() == [1, 3, 5]
    assert room.tolist() == [0, 0, 0, 0]


def test_company_is_asked_for_in_every_set_that_lacks_one_attribute() -> None:
    company = np.zeros(2, np.uint64)
    for each in (0b0000011, 0b1000010, 0b1000001):
        company[each >> 6] |= np.uint64(1) << np.uint64(each & 63)
    assert _has_company(company, 0b1000011, 0b1000011)
    assert _has_company(company, 0b1000011, 0b0000011)
    assert not _has_company(company, 0b0000111, 0b0000110)
    assert _has_company(company, 0b0000111, 0b0000100)
    # The empty set has company always.
    assert _has_company(company, 0b0000100, 0b0000100)
