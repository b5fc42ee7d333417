"""Slices off counts, with records fetched in chunks, against slices off rows in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.distribution_split import Moments, widest
from antifaz.kernels.out_of_core import (
    CHUNK,
    DONE,
    FITS,
    LARGE,
    ROOM,
    Chunks,
    Remainder,
    Slices,
    _take,
    _trim,
    add_margins,
    box_of,
    cut_slices,
    take_counts,
)
from oracles.cuts import GRID, KNOWN, SPACE, Row, drawn, plain_peeling

#: Every attribute has a place for each known value, and one for what is missing.
STARTS = np.array([0, 5, 12, 18])


def everything(rows: list[Row]) -> Remainder:
    """Count all records."""
    none = np.zeros(3, np.int64)
    high, left = np.array(KNOWN) - 1, np.array([len(rows)])
    moments = Moments(none.copy(), high, none.copy(), none.copy(), none.copy(), none > 0)
    rest = Remainder(np.zeros(18, np.int64), STARTS, none.copy(), moments, left)
    for a in range(3):
        take_counts(rest, SPACE, a, 0, -np.bincount([row[a] for row in rows], minlength=KNOWN[a] + 1))
    return rest


def check(rest: Remainder, rows: list[Row]) -> None:
    """What is kept up to date must be what counting anew finds."""
    assert rest.left[0] == len(rows)
    for a, known in enumerate(KNOWN):
        counts = np.bincount([row[a] for row in rows], minlength=known + 1)
        assert rest.counts[STARTS[a] : STARTS[a + 1]].tolist() == counts.tolist()
        held = [GRID[a][row[a]] for row in rows if row[a] < known]
        assert (rest.moments.many[a], rest.moments.sums[a], rest.moments.squares[a]) == (
            len(held),
            sum(held),
            sum(x * x for x in held),
        )


class Peeled:
    """Does what the kernel asks for, with tuples of one or two records."""

    def __init__(self, rows: list[Row], k: int, fit: int) -> None:
        self.rows, self.k, self.fit = rows, k, fit
        self.rest = everything(rows)
        self.left = list(rows)
        #: The slices that came off, as the numbers of their records, and why peeling stopped each time.
        self.found: list[list[int]] = []
        self.why: list[int] = []
        self.chunks = Chunks(
            np.full((3, 90, 3), -7, np.int32), np.full((3, 90), -7, np.int32), np.full((3, 90), -7, np.int32),
            np.full(3, -1), np.zeros(3, np.int64), np.zeros(3, np.int64),
        )  # fmt: skip
        self.slices = Slices(
            np.full((90, 3), -7, np.int32), np.full(90, -7, np.int32), np.full(90, -7, np.int32), np.full(90, -7),
            np.zeros(3, np.int64),
        )  # fmt: skip

    def tuples(self, a: int) -> list[list[Row]]:
        """Records that are alike in all, two at most, by one attribute."""
        by: dict[Row, list[list[Row]]] = {}
        for row in self.left:
            same = by.setdefault(row[:3], [[]])
            if len(same[-1]) == 2:
                same.append([])
            same[-1].append(row)
        return sorted((each for same in by.values() for each in same), key=lambda each: each[0][a])

    def fetch(self, a: int, last: int) -> None:
        """Hold the tuples up to a place, and no further."""
        self.finish()
        held = [each for each in self.tuples(a) if each[0][a] <= last]
        for i, each in enumerate(held):
            self.chunks.places[a, i] = each[0][:3]
            self.chunks.counts[a, i], self.chunks.keys[a, i] = len(each), each[0][3]
        self.chunks.covered[a], self.chunks.filled[a], self.chunks.next[a] = last, len(held), 0

    def finish(self) -> None:
        used, ends = self.slices.used, self.slices.ends
        begin = 0
        for end in ends[: used[1]].tolist():
            which = [self.records(i) for i in range(begin, end)]
            self.found.append(sorted(number for each in which for number in each))
            self.left = [row for row in self.left if row[3] not in self.found[-1]]
            begin = end
        assert (used[0], used[2]) == (begin, self.slices.counts[:begin].sum())
        used[:] = 0
        check(self.rest, self.left)

    def records(self, i: int) -> list[int]:
        """The records of a tuple in the slices; its key is the first of them."""
        first = next(row for row in self.left if row[3] == self.slices.keys[i])
        assert first[:3] == tuple(self.slices.places[i].tolist())
        same = next(each for each in self.tuples(0) if each[0] == first)
        assert self.slices.counts[i] == len(same)
        return [row[3] for row in same]

    def large(self, a: int, last: int) -> None:
        """Take off a slice that can't be held."""
        self.finish()
        gone = [row for row in self.left if row[a] <= last]
        for b in range(3):
            take_counts(self.rest, SPACE, b, 0, np.bincount([row[b] for row in gone], minlength=KNOWN[b] + 1))
        self.rest.left[0] -= len(gone)
        self.rest.floor[a] = last + 1
        self.found.append(sorted(row[3] for row in gone))
        self.left = [row for row in self.left if row not in gone]

    def run(self) -> int:
        while True:
            why, a, last = cut_slices(self.rest, SPACE, self.chunks, self.slices, self.k, self.fit)
            self.why.append(why)
            if why == CHUNK:
                self.fetch(a, last)
            elif why == ROOM:
                assert self.slices.used[2] > 0
                self.finish()
            elif why == LARGE:
                self.large(a, last)
            else:
                assert (a, last) == (-1, -1)
                self.finish()
                return int(why)


@pytest.mark.parametrize(
    ("seed", "many", "k", "fit"), [(1, 60, 2, 9), (2, 60, 3, 12), (3, 80, 4, 11), (4, 30, 1, 8), (5, 80, 5, 20)]
)
def test_the_slices_are_those_of_peeling_rows_and_counts_are_kept(seed: int, many: int, k: int, fit: int) -> None:
    # Nearly all is known: what is missing from k records on would be cut off before.
    rows = [(*(min(x, known - (i % 17 > 0)) for x, known in zip(row, KNOWN, strict=False)), i) for i, row in
            enumerate(drawn(many, seed))]  # fmt: skip
    made = Peeled(rows, k, fit)
    why = made.run()
    slices, rest = plain_peeling(rows, k)
    expected = [sorted(row[3] for row in each) for each in slices]
    assert made.found == expected[: len(made.found)]
    assert {row[3] for row in made.left} == {row[3] for each in slices[len(made.found) :] for row in each} | {
        row[3] for row in rest
    }
    # It ends as soon as the rest fits, and not before.
    assert (why == FITS) == (len(made.left) <= fit)
    assert why == FITS or (why == DONE and len(made.found) == len(expected))
    assert why == DONE or len(made.left) + len(made.found[-1]) > fit


def _widest(rest: Remainder) -> int:
    _trim(rest)
    return widest(rest.moments, SPACE)


def line(ranks: list[int]) -> list[Row]:
    """Records that differ in the second attribute only."""
    return [(1, rank, 2, i) for i, rank in enumerate(ranks)]


def test_what_is_needed_is_said() -> None:
    made = Peeled(line([0, 0, 1, 1, 1, 2, 3, 3, 4, 5]), 2, 3)
    arguments = made.rest, SPACE, made.chunks, made.slices, 2
    assert cut_slices(*arguments, 10) == (FITS, -1, -1)
    assert cut_slices(*arguments, 1) == (LARGE, 1, 0)
    assert cut_slices(*arguments, 3) == cut_slices(*arguments, 2) == (CHUNK, 1, 0)
    made.fetch(1, 5)
    assert cut_slices(*arguments, 4) == (ROOM, -1, -1)
    # The first slice was taken, the second, of three, has no room beside it.
    assert (made.slices.used.tolist(), made.rest.left[0], made.rest.floor[1]) == ([1, 1, 2], 8, 1)
    made.finish()
    assert made.found == [[0, 1]]
    assert cut_slices(*arguments, 5) == (FITS, -1, -1)
    made.finish()
    assert made.found == [[0, 1], [2, 3, 4]]


def test_it_is_done_where_no_attribute_can_be_cut() -> None:
    for ranks, slices in [
        ([0, 0, 0, 1], 0),
        ([0, 1, 1, 1], 0),
        ([0, 0, 1, 1], 1),
        ([0, 0, 6, 6], 0),
        ([0, 1, 6, 6], 1),
    ]:
        made = Peeled(line(ranks), 2, 0)
        # None may be held, so all that can be cut is said to be too large.
        assert made.run() == DONE
        assert (len(made.found), made.why.count(LARGE)) == (slices, slices)
    assert Peeled(line([0, 1, 2]), 2, 0).run() == DONE
    assert Peeled(line([0, 1, 2]), 2, 3).run() == FITS


def test_the_ends_of_what_is_left_are_found_place_by_place() -> None:
    rest = everything(line([1, 2, 4]))
    assert _widest(rest) == 1
    assert (rest.moments.low.tolist(), rest.moments.high.tolist()) == ([1, 1, 2], [1, 4, 2])
    rest.moments.dead[1] = True
    assert _widest(rest) == -1


def test_an_attribute_that_can_not_be_cut_does_not_hide_the_next() -> None:
    rest = everything([(0, 1, 2, 0), (1, 1, 2, 1), (2, 4, 2, 2)])
    rest.moments.dead[0] = True
    assert _widest(rest) == 1
    rest.moments.dead[1] = True
    assert _widest(rest) == -1


@pytest.mark.parametrize("other", [0, 2])
def test_what_went_with_a_slice_of_another_attribute_is_not_taken_again(other: int) -> None:
    # In the attribute in the middle all differ; of the other one, the records of place 0 are gone.
    rows = [(i % 2 if other == 0 else 1, i, i % 2 if other == 2 else 1, i) for i in range(5)]
    made = Peeled(rows, 2, 0)
    made.fetch(1, 5)
    made.rest.floor[other] = 1
    _take(made.rest, SPACE, made.chunks, made.slices, 1, 5)
    assert made.slices.used[0] == 2
    assert made.slices.keys[:2].tolist() == [1, 3]
    assert made.chunks.next[1] == 5


#: A box from (0, 0) to (2, 1), one from (3, 0) to (5, 5), one from (0, 3) to (1, 4).
BOXES = np.array([[[0, 2], [0, 1]], [[3, 5], [0, 5]], [[0, 1], [3, 4]]], np.int32)


def test_a_tuple_is_in_the_box_between_whose_ends_it_lies_or_in_none() -> None:
    places = np.array([[2, 1], [3, 0], [5, 5], [0, 3], [0, 0], [1, 4], [0, 2], [6, 5], [3, 6], [2, 3]], np.int32)
    into = np.full(10, -9, np.int32)
    box_of(places, BOXES, into)
    assert into.tolist() == [0, 1, 1, 2, 0, 2, -1, -1, -1, -1]


def test_margins_count_the_records_of_every_place_of_a_box() -> None:
    places = np.array([[2, 1], [3, 0], [5, 5], [0, 3], [9, 9], [0, 1]], np.int32)
    which = np.array([0, 1, 1, 2, -1, 0], np.int32)
    starts = np.array([[0, 3], [5, 8], [14, 16]])
    margins = np.zeros(18, np.int64)
    add_margins(places, np.array([1, 2, 4, 8, 32, 16]), which, BOXES, starts, margins)
    assert margins.tolist() == [16, 0, 1, 0, 17, 2, 0, 4, 2, 0, 0, 0, 0, 4, 8, 0, 8, 0]
