"""Singling out: conditions taken from the release that exactly one person of the original meets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.risk.attacks.search import Question, SearchIndex, about_record
from antifaz.risk.attacks.tables import SOME, AttackColumn

#: How many records the attacker tries for each condition before giving up.
_TRIES = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Predicate:
    """What a record's cells say about some columns; on a scale, from where to where."""

    #: Per column, the label of a category or the ends of a stretch.
    labels: dict[int, int]
    ends: dict[int, tuple[float, float]]
    #: How many released records meet it, where that was counted.
    records: int | None = None

    @property
    def columns(self) -> set[int]:
        """The columns that it is about."""
        return {*self.labels, *self.ends}


class PredicateFinder:
    """The released records, from which conditions are made."""

    def __init__(self, columns: Sequence[AttackColumn], most: int = 1) -> None:
        """Group the records; so many may be one person's."""
        self.columns, self.most = columns, most
        self.released = [column.released for column in columns]
        self.store = SearchIndex(columns, "labels", self.released)
        self.counts = [np.bincount(column.released, minlength=column.labels.size) for column in columns]
        self.around = [_nearest_ranges(column, count) for column, count in zip(columns, self.counts, strict=True)]
        #: Tuples of which too many records meet all that one of them says, and so any part of it.
        self._crowded: set[int] = set()

    def conditions(self, number: int, random: np.random.Generator, *, several: bool) -> list[Predicate | None]:
        """Return as many conditions as asked for, or as there are; None for an attempt that found none."""
        return self._several_columns(number, random) if several else self._one_column(number, random)

    def _one_column(self, number: int, random: np.random.Generator) -> list[Predicate | None]:
        """Return conditions on one column: a value that one record has, or beyond the least or greatest number."""
        few = [np.flatnonzero((part > 0) & (part <= self.most)) for part in self.counts]
        pool = [(c, int(label), 0) for c, labels in enumerate(few) for label in labels]
        pool = [(c, label, way) for c, label, way in pool if self.columns[c].labels.states[label] == SOME]
        for c, column in enumerate(self.columns):
            there = np.flatnonzero((self.counts[c] > 0) & (column.labels.states == SOME))
            if column.scaled and there.size:
                pool += [(c, int(there[0]), -1), (c, int(there[-1]), 1)]
        if not pool:
            return []
        chosen = random.choice(len(pool), min(number, len(pool)), replace=False)
        return [self._condition([pool[i][0]], {pool[i][0]: pool[i][1]}, pool[i][2]) for i in chosen]

    def _several_columns(self, number: int, random: np.random.Generator) -> list[Predicate | None]:
        """Return conditions from the cells of a record, with as many columns as make it the only one; None if none do.

        The column that tells most records apart comes first, the others in any order.
        """
        made: list[Predicate | None] = []
        for _ in range(min(number, self.released[0].size)):
            tries = (self._unique_predicate(int(random.integers(self.released[0].size)), random) for _ in range(_TRIES))
            made.append(next((condition for condition in tries if condition is not None), None))
        return made

    def _unique_predicate(self, row: int, random: np.random.Generator) -> Predicate | None:
        labels = {c: int(part[row]) for c, part in enumerate(self.released)}
        telling = [c for c in labels if self.columns[c].labels.states[labels[c]] == SOME]
        lead = [c for c in self.store.order if c in telling][:1]
        rest = [c for c in telling if c not in lead]
        order = lead + [rest[i] for i in random.permutation(len(rest))]
        own = int(self.store.tuple_of[row])
        if not order or own in self._crowded:
            return None
        met = self.store.fitting(self._question(self._condition(order, labels)), order)
        for size in range(1, len(order) + 1):
            # One column is the other attack's.
            if (size > 1 or len(order) == 1) and met[size - 1] == 1:
                return self._condition(order[:size], labels, records=1)
        if met[-1] > self.most:
            self._crowded.add(own)
        return self._condition(order, labels, records=int(met[-1])) if 1 < met[-1] <= self.most else None

    def _condition(
        self, chosen: Sequence[int], labels: dict[int, int], way: int = 0, records: int | None = None
    ) -> Predicate:
        ends = {}
        for c in chosen:
            if self.columns[c].scaled:
                low, high = self.around[c][0][labels[c]], self.around[c][1][labels[c]]
                ends[c] = (-np.inf if way < 0 else low, np.inf if way > 0 else high)
        return Predicate(labels={c: labels[c] for c in chosen if c not in ends}, ends=ends, records=records)

    def weight(self, condition: Predicate) -> int:
        """Return how many of these records meet a condition."""
        if condition.records is not None:
            return condition.records
        return int(self.store.fitting(self._question(condition), self.store.most_telling(condition.columns))[-1])

    def _question(self, condition: Predicate) -> Question:
        return _ask(len(self.columns), condition, {c: np.array([label]) for c, label in condition.labels.items()})


def met_by_one(people: SearchIndex, columns: Sequence[AttackColumn], condition: Predicate) -> bool:
    """Return whether exactly one person meets a condition."""
    about = {c: about_record([columns[c]], [label]) for c, label in condition.labels.items()}
    fitting = {c: own.fitting.get(0, np.empty(0, np.int64)) for c, own in about.items()}
    question = _ask(len(columns), condition, fitting)
    return bool(people.fitting(question, people.most_telling(condition.columns), enough=1)[-1] == 1)


def people_meeting(columns: Sequence[AttackColumn], persons: Ints, condition: Predicate) -> int:
    """Count the people with a row that meets a condition."""
    met = np.ones(persons.size, np.bool_)
    for c, label in condition.labels.items():
        fits = np.zeros(columns[c].values.size, np.bool_)
        fits[about_record([columns[c]], [label]).fitting.get(0, np.empty(0, np.int64))] = True
        met &= fits[columns[c].original]
    for c, (low, high) in condition.ends.items():
        numbers = columns[c].values.low
        met &= ((numbers >= low) & (numbers <= high))[columns[c].original]
    return np.unique(persons[met]).size


def chance(weight: int, records: int, people: int) -> float:
    """Return how often a condition that one of `records/weight` people meets by accident is met by exactly one."""
    share = weight / records
    return float(people * share * (1 - share) ** (people - 1))


def _ask(columns: int, condition: Predicate, fitting: dict[int, Ints]) -> Question:
    """Ask for the stretches of a condition, and in each of its categories for the codes that fit."""
    question = Question(asked=np.zeros((columns, 5)), fitting=fitting)
    for c, (low, high) in condition.ends.items():
        question.asked[c] = low, high, SOME, -1, 0
    question.asked[list(fitting), 3] = -1
    return question


def _nearest_ranges(column: AttackColumn, counts: Ints) -> tuple[Floats, Floats]:
    """Per label from where to where a value is nearer to it than to other released numbers; stretches as they are."""
    low, high = column.labels.low.copy(), column.labels.high.copy()
    points = np.flatnonzero((counts > 0) & (column.labels.states == SOME) & (low == high))
    if column.scaled and points.size > 1:
        numbers = low[points]
        middle = (numbers[1:] + numbers[:-1]) / 2
        # Half way itself belongs to the higher of two.
        low[points[1:]] = middle
        high[points[:-1]] = np.nextafter(middle, -np.inf)
    return low, high
