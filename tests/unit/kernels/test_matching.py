"""Counting keys in which a blank matches anything."""

from __future__ import annotations

import numpy as np

from antifaz.kernels.matching import count_matching


def matching(codes: list[list[int]], counts: list[int]) -> tuple[list[int], list[float]]:
    given, own = np.array(codes, np.int32), np.array(counts, np.int64)
    found, weighed = own.copy(), own * 0.5
    blank = np.flatnonzero((given < 0).any(axis=1))
    count_matching(given, blank, own, own * 0.5, found, weighed)
    return found.tolist(), weighed.tolist()


def test_a_blank_matches_anything_both_ways() -> None:
    found, weighed = matching([[0, 0], [0, 1], [-1, 1], [1, -1]], [1, 2, 4, 8])
    # (-, 1) matches (0, 1) and (1, -); (1, -) matches (-, 1) only.
    assert found == [1, 2 + 4, 4 + 2 + 8, 8 + 4]
    assert weighed == [0.5, 3.0, 7.0, 6.0]


def test_a_key_of_blanks_matches_all_and_code_zero_is_no_blank() -> None:
    assert matching([[-1, -1], [0, 5], [5, 0]], [1, 2, 4])[0] == [7, 3, 5]
    assert matching([[0, -1], [1, -1], [0, 7]], [1, 2, 4])[0] == [5, 2, 5]
    assert matching([[-1, 3], [-1, 4]], [1, 2])[0] == [1, 2]
