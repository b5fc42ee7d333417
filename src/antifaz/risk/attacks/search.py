"""Looking for who fits: one side's rows as distinct tuples, asked with what is known of the other side's."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.frequencies import group_codes
from antifaz.risk.attacks.tables import ALL, BLANK, MISSING, SOME, AttackColumn, CellMeanings

if TYPE_CHECKING:
    from antifaz.kernels.attack_arrays import LabelArrays, LeadArrays

Side = Literal["values", "labels"]

#: What a cell costs that says nothing, and what one costs that says the opposite; numbers of kernels/attack_arrays.py.
HINT, ONE = 1, 1_000_000
#: More than any sum of costs.
_FAR = 1 << 60
#: What a cell costs that is looked at for many people at once, beside one that is sorted; how many of them at a time.
_AT_ONCE, _BLOCK = 0.05, 200_000
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Question:
    """What is known: per column the ends of a stretch, a state, what all that does not fit costs (-1: it depends)."""

    asked: Floats
    #: Per column of categories, the codes that fit.
    fitting: dict[int, Ints] = field(default_factory=dict)


class SearchIndex:
    """Rows of some columns, by their distinct tuples."""

    def __init__(self, columns: Sequence[AttackColumn], side: Side, rows: Sequence[Codes]) -> None:
        """Group rows; `rows` holds the codes of each column."""
        self.order = _leading(columns, rows)
        self.columns = [columns[c] for c in self.order]
        own = [column.values if side == "values" else column.labels for column in self.columns]
        ordered, sizes = [rows[c] for c in self.order], [part.size for part in own]
        first, self.tuple_of, counts = group_codes(ordered, sizes, np.ones(rows[0].size, np.int64))
        self.counts = counts
        codes = np.stack([part[first] for part in ordered], axis=1).astype(np.int32)
        self._leads = [_Lead(codes, counts, c, own[c]) for c in range(min(2, len(own)))]
        self.base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.scaled = np.array([column.scaled for column in self.columns])
        self.cells = _cells(own)
        silent = np.concatenate([np.isin(part.states, (ALL, BLANK)) for part in own])
        self._silent = np.where(silent, HINT, ONE).astype(np.int64)
        self.dense = self._silent.copy()
        self._start = {c: int(start) for c, start in zip(self.order, self.base, strict=False)}
        self.units = np.array([ONE / column.width for column in self.columns])
        self._found = np.empty(2 * self.counts.size, np.int64)
        self._rows: tuple[Ints, Ints] | None = None

    def best(self, question: Question, skip: int = -1) -> Ints:
        """Return the tuples that fit best; one record of the tuple `skip` does not count."""
        match = self._search(question, skip, _FAR, -1)
        return np.empty(0, np.int64) if match is None else match

    def best_of_each(self, people: Floats, skips: Ints) -> list[Ints] | None:
        """Return the tuples that fit each of some people best; None where asking for one after another is quicker.

        A person has a value per column. These are rows of labels, and one record of each person's tuple in `skips` does
        not count.
        """
        from antifaz.kernels.attacks_numpy import cheapest
        from antifaz.kernels.compiling import small

        lead = self._leads[0]
        # The order of what a single column finds is that in which it was looked at.
        if len(self._leads) < 2 or not small(_AT_ONCE * people.shape[0] * lead.codes.size):
            return None
        block, matches = max(1, _BLOCK // lead.order.size), []
        for start in range(0, people.shape[0], block):
            part = people[start : start + block, self.order]
            costs = [self._label_costs(c, part[:, c]) for c in range(part.shape[1])]
            matches += cheapest(costs, lead.codes, lead.order, self.counts, skips[start : start + block])
        return matches

    def _label_costs(self, c: int, people: Floats) -> tuple[Ints, Ints]:
        """What each label of a column costs each different value, and which of these each person has."""
        from antifaz.kernels.attacks_numpy import point_costs

        own, column = slice(self.base[c], self.base[c + 1]), self.columns[c]
        values, which = np.unique(people, return_inverse=True)
        if column.scaled:
            return point_costs(self.cells[own], values, self.units[c]), which
        costs = np.tile(self._silent[own], (values.size, 1))
        for i, value in enumerate(values):
            costs[i, column.fitting(int(value))] = 0
        return costs, which

    def rivals(self, people: Floats, records: Codes) -> Ints:
        """Return for each person and the record beside it how many rows cost the record as much; -1 if one costs less.

        These are rows of values; a person has a value per column, and a record the code of its label.
        """
        from antifaz.kernels.attacks import count_rivals

        ordered = np.ascontiguousarray(records[:, self.order], np.int32)
        by_record = np.lexsort(ordered.T)
        ordered = ordered[by_record]
        begins = np.ones(by_record.size, np.bool_)
        begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        places = np.empty(by_record.size, np.int64)
        places[by_record] = count_rivals(
            people[:, self.order][by_record], ordered, begins, self._labels, (self._leads[0].arrays,
            self._leads[-1].arrays), self.counts, self.base, self.scaled, self.cells, self.dense, self.units,
        )  # fmt: skip
        return places

    @cached_property
    def _labels(self) -> "LabelArrays":
        from antifaz.kernels.attack_arrays import LabelArrays

        sizes = [column.labels.size for column in self.columns]
        # Columns on a scale cover no categories.
        covers = [
            (np.zeros(size + 1, np.int64), np.empty(0, np.int64)) if column.scaled else column.covers
            for size, column in zip(sizes, self.columns, strict=True)
        ]
        starts = np.cumsum([0, *(members.size for _, members in covers)])
        offsets = [start + own[:-1] for start, (own, _) in zip(starts, covers, strict=False)]
        return LabelArrays(
            base=np.cumsum([0, *sizes]).astype(np.int64),
            cells=_cells([column.labels for column in self.columns]),
            offsets=np.concatenate([*offsets, starts[-1:]]).astype(np.int64),
            members=np.concatenate([members for _, members in covers]).astype(np.int64),
        )

    def fitting(self, question: Question, sequence: Sequence[int], enough: int = _FAR) -> Ints:
        """Return how many rows fit what is asked of the first column of a sequence, of the first two, and so on.

        Where more than `enough` fit in all of them it may stop early: that there are more is all that is said then.
        """
        from antifaz.kernels.attacks import count_prefixes

        place = {c: at for at, c in enumerate(self.order)}
        asked = question.asked[self.order]
        at = np.array([place[c] for c in sequence], np.int64)
        lead = self._leads[int(at[0])] if at[0] < len(self._leads) else self._leads[0]
        with self._asking(question):
            prefixes = count_prefixes(
                lead.codes, lead.counts, lead.column, lead.runs, lead.reach, self.base, self.scaled, self.cells,
                self.dense, asked, at, enough,
            )  # fmt: skip
        return np.asarray(prefixes)

    def most_telling(self, columns: Iterable[int]) -> list[int]:
        """Put columns into the order in which they leave the fewest rows."""
        asked = set(columns)
        return [c for c in self.order if c in asked]

    def rows(self, tuples: Ints) -> Ints:
        """Return the rows of some tuples."""
        if self._rows is None:
            ends = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)
            self._rows = np.argsort(self.tuple_of, kind="stable").astype(np.int64), ends
        by_tuple, ends = self._rows
        if tuples.size == 1:
            return by_tuple[ends[tuples[0]] : ends[tuples[0] + 1]]
        return np.concatenate([by_tuple[ends[t] : ends[t + 1]] for t in tuples] or [by_tuple[:0]])

    def _search(self, question: Question, skip: int, most: int, floor: int) -> Ints | None:
        """The tuples that cost least, and no more than `most`; None if one costs less than `floor`.

        Two columns lead, so that tuples that differ in one are found without looking at all.
        """
        from antifaz.kernels.attacks import search

        asked = question.asked[self.order]
        asked[:, 4] = self.units
        # What a column costs that is not asked for says nothing about a tuple.
        telling = (asked[: len(self._leads), 3] < 0).nonzero()[0].tolist() or [0]
        best, number = most, 0
        with self._asking(question):
            for c, (part, minus, cap) in zip(telling, _bounds(self.scaled[telling]), strict=True):
                lead = self._leads[c]
                best, number = search(
                    lead.codes, self.counts, c, lead.order, lead.runs, lead.reach, self.base, self.scaled, self.cells,
                    self.dense, asked, part, minus, cap, skip, best, floor, number, self._found,
                )  # fmt: skip
                if number < 0 or best == 0:
                    break
        if number < 0:
            return None
        # Both columns may have led to the same tuples.
        return np.unique(self._found[:number]) if len(telling) > 1 else self._found[:number].copy()

    @contextmanager
    def _asking(self, question: Question) -> Iterator[None]:
        """Mark the categories that fit, for as long as it takes."""
        spots = np.concatenate([_NONE, *(self._start[c] + codes for c, codes in question.fitting.items())])
        self.dense[spots] = 0
        try:
            yield
        finally:
            self.dense[spots] = self._silent[spots]


def _leading(columns: Sequence[AttackColumn], rows: Sequence[Codes]) -> list[int]:
    """All columns, first those that leave the fewest rows to be looked at: the share that two rows have in common.

    A near number costs little, so that several have to be looked at.
    """
    shares = [float(np.square(np.bincount(part) / part.size).sum()) for part in rows]
    return sorted(range(len(columns)), key=lambda c: shares[c] * (3 if columns[c].scaled else 1))


def _bounds(scaled: Flags) -> list[tuple[int, int, int]]:
    """What a leading column may cost: a part of the best, less something, and at most something.

    Of two on a scale, one costs no more than half of the best. Categories fit or cost ONE: where the first does not
    fit, there is that much less to spend for the second.
    """
    if scaled.size < 2:
        return [(1, 0, _FAR)]
    return [(2, 0, _FAR), (2, 0, _FAR)] if scaled[0] else [(1, 0, ONE - 1), (1, ONE, _FAR)]


class _Lead:
    """The tuples in the order of one column."""

    def __init__(self, codes: Codes, counts: Ints, lead: int, cells: CellMeanings) -> None:
        self.column = lead
        self.order = np.argsort(codes[:, lead], kind="stable").astype(np.int32)
        # A copy in that order: jumping about in memory would take longer than comparing.
        self.codes, self.counts = codes[self.order], counts[self.order].astype(np.int32)
        many = np.bincount(codes[:, lead], minlength=cells.size)
        self.runs = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
        #: The highest end so far.
        self.reach = np.maximum.accumulate(cells.high[cells.states == SOME])

    @property
    def arrays(self) -> "LeadArrays":
        """What kernels take of it."""
        from antifaz.kernels.attack_arrays import LeadArrays

        return LeadArrays(codes=self.codes, order=self.order, runs=self.runs, reach=self.reach)


def _cells(sides: Sequence[CellMeanings]) -> Floats:
    cells = np.concatenate([np.stack([side.low, side.high, side.states], axis=1) for side in sides])
    return np.ascontiguousarray(cells, np.float64)


def _open_question(columns: int) -> Question:
    """Return a question in which what a column costs depends on the row."""
    asked = np.zeros((columns, 5))
    asked[:, 3] = -1
    return Question(asked=asked)


def about_person(columns: Sequence[AttackColumn], person: Floats) -> Question:
    """Ask labels for a person: per column a place on the scale, or the code of a category."""
    question = _open_question(len(columns))
    for c, column in enumerate(columns):
        if not column.scaled:
            question.fitting[c] = column.fitting(int(person[c]))
        elif np.isnan(person[c]):
            question.asked[c, 2] = MISSING
        else:
            question.asked[c, :2] = person[c]
    return question


def about_record(columns: Sequence[AttackColumn], record: Sequence[int]) -> Question:
    """Ask people for a released record: per column the code of its label."""
    question = _open_question(len(columns))
    for c, (column, label) in enumerate(zip(columns, record, strict=True)):
        state = column.labels.states[label]
        if column.scaled:
            question.asked[c, :3] = column.labels.low[label], column.labels.high[label], state
        elif state == SOME:
            question.fitting[c] = column.members(label)
        else:
            question.asked[c, 3] = HINT
            # A blank may be one of the original.
            question.fitting[c] = np.array([column.values.size - 1] if state == BLANK else [], np.int64)
    return question
