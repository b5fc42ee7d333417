"""Linkage and inference: find a person's own record by what is known of them, or guess a sensitive value."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.random import Generator

from antifaz.core.arrays import Codes, Ints
from antifaz.risk.attacks.knowledge import Knowledge, Person
from antifaz.risk.attacks.search import SearchIndex
from antifaz.risk.attacks.tables import ALL, SOME, AttackColumn, AttackTables

#: So many records that fit are looked at one by one; of more than that, a few.
_ALL, _SOME = 16, 4
#: In a table of more different people, one.
_MANY = 200_000
#: More records that fit than this are represented by so many of them.
_CROWD = 10_000


class SearchIndexes:
    """The tables in the forms that attacks search; each is made when first asked for."""

    def __init__(self, tables: AttackTables) -> None:
        self.tables = tables
        self._released: dict[tuple[int, ...], SearchIndex] = {}

    def clear(self) -> None:
        """Let go of what was made so far."""
        self._released.clear()
        vars(self).pop("people", None)

    def released(self, places: tuple[int, ...]) -> SearchIndex:
        """Return the released records by some columns."""
        if places not in self._released:
            columns = [self.tables.columns[i] for i in places]
            self._released[places] = SearchIndex(columns, "labels", [column.released for column in columns])
        return self._released[places]

    @cached_property
    def people(self) -> SearchIndex:
        """The original people by all columns."""
        return SearchIndex(self.tables.columns, "values", [column.original for column in self.tables.columns])

    def fitting(self, knowledge: Knowledge, people: Sequence[Person], random: Generator) -> Iterator[Ints]:
        """Go through people: the released records that fit best what is known of each; of a crowd, some drawn."""
        store = self.released(knowledge.places)
        skips = [int(store.tuple_of[person.without]) if person.without >= 0 else -1 for person in people]
        matches: Iterable[Ints] | None = None
        if knowledge.exact and people:
            values = np.stack([person.values for person in people])[:, list(knowledge.places)]
            matches = store.best_of_each(values, np.array(skips))
        if matches is None:
            pairs = zip(people, skips, strict=True)
            matches = (store.best(knowledge.ask(person.values, random), skip) for person, skip in pairs)
        for person, tuples in zip(people, matches, strict=True):
            yield self._records(store, person, tuples, random)

    def _records(self, store: SearchIndex, person: Person, tuples: Ints, random: Generator) -> Ints:
        """The records of some tuples that are not the person's own."""
        total = int(store.counts[tuples].sum())
        if total > _CROWD:
            drawn = random.multinomial(_CROWD, store.counts[tuples] / total)
            rows = np.concatenate([random.choice(store.rows(tuples[i : i + 1]), n) for i, n in enumerate(drawn) if n])
        else:
            rows = store.rows(tuples)
        if person.without < 0:
            return rows
        if self.tables.persons is not None:  # all that the person has is taken out
            whose = self.tables.persons[1]
            return np.asarray(rows[whose[rows] != whose[person.without]], np.int64)
        return np.asarray(rows[rows != person.without], np.int64)


def link(stores: SearchIndexes, knowledge: Knowledge, people: Sequence[Person], random: Generator) -> list[float]:
    """Return for each person how likely the attacker ends at their own record.

    The attacker takes one of the best-fitting records, each with the same chance. Whose it is can be told from all
    columns, those that the attacker does not know included: it belongs to the people of the original who fit it
    best, to each of t who fit equally well with the chance 1/t. Who is not in the table competes with all who are.
    Where people have several rows, it is known whose each record is.
    """
    most, some = (1, 1) if stores.people.counts.size > _MANY else (_ALL, _SOME)
    shares: list[float] = []
    for start in range(0, len(people), _CROWD):
        block, looked = people[start : start + _CROWD], []
        for matches in stores.fitting(knowledge, block, random):
            looked.append(matches if matches.size <= most else random.choice(matches, some))
        shares += _own_shares(stores, block, looked)
    return shares


def _own_shares(stores: SearchIndexes, people: Sequence[Person], looked: Sequence[Ints]) -> list[float]:
    """Return for each person how likely one of the records that they were led to is theirs."""
    sizes = [matches.size for matches in looked]
    rows, whose = np.concatenate(looked), np.repeat(np.arange(len(people)), sizes)
    inside = np.array([person.inside for person in people])[whose]
    if stores.tables.persons is not None and inside.all():
        own = (stores.tables.persons[1][rows] == np.array([person.number for person in people])[whose]).astype(float)
    else:
        records = np.stack([column.released[rows] for column in stores.tables.columns], axis=1)
        equal = stores.people.rivals(np.stack([person.values for person in people])[whose], records)
        own = np.where(equal < 0, 0.0, 1.0 / np.maximum(np.where(inside, equal, equal + 1), 1))
    parts = np.split(own, np.cumsum(sizes)[:-1])
    return [float(np.mean(part)) if part.size else 0.0 for part in parts]


#: A column with more different numbers is guessed within a margin; with fewer, its numbers are codes or counts.
_FEW = 20
#: The margin, in standard deviations of the original.
_MARGIN = 0.1


def infer(
    stores: SearchIndexes, knowledge: Knowledge, sensitive: int, people: Sequence[Person], random: Generator
) -> list[float]:
    """Return for each person how likely the guess is right.

    Categories: the most frequent label of the records that fit best, any of them where several are; a label that covers
    c values is right with the chance 1/c. Numbers: the median, right within a tenth of a standard deviation.
    """
    column = stores.tables.columns[sensitive]
    guess = _number if is_number(column) else _category
    shares = []
    for person, fitting in zip(people, stores.fitting(knowledge, people, random), strict=True):
        codes = column.released[fitting]
        shares.append(guess(column, codes, float(person.values[sensitive])) if codes.size else 0.0)
    return shares


def is_number(column: AttackColumn) -> bool:
    """Whether a value is guessed within a margin."""
    return column.scaled and int((column.values.states == SOME).sum()) > _FEW


def guess_chance(column: AttackColumn) -> float:
    """Return how often one is right who always says what is most frequent in the original."""
    total = int(column.counts.sum())
    if not is_number(column):
        return float(column.counts.max() / total)
    known = column.values.states == SOME
    numbers, ends = column.values.low[known], np.concatenate([[0], np.cumsum(column.counts[known])])
    reach = np.searchsorted(numbers, numbers + 2 * _MARGIN * column.deviation, "right")
    return float((ends[reach] - ends[:-1]).max() / total)


def _number(column: AttackColumn, codes: Codes, truth: float) -> float:
    low, high = column.labels.low[codes], column.labels.high[codes]
    bounded = (column.labels.states[codes] == SOME) & np.isfinite(low) & np.isfinite(high)
    if not bounded.any() or np.isnan(truth):
        return 0.0
    guess = float(np.median((low[bounded] + high[bounded]) / 2))
    return float(abs(guess - truth) <= _MARGIN * column.deviation * (1 + 1e-12))


def _category(column: AttackColumn, codes: Codes, truth: float) -> float:
    labels, counts = np.unique(codes, return_counts=True)
    top = labels[counts == counts.max()]
    return float(np.mean([_right(column, int(label), truth) for label in top]))


def _right(column: AttackColumn, label: int, truth: float) -> float:
    state = column.labels.states[label]
    if state == ALL:
        return 1.0 / max(int((column.counts > 0).sum()), 1)
    if column.scaled:
        if state != SOME or np.isnan(truth):
            return float(state != SOME and np.isnan(truth))
        known = column.values.low[(column.values.states == SOME) & (column.counts > 0)]
        low, high = column.labels.low[label], column.labels.high[label]
        inside = int(((known >= low) & (known <= high)).sum())
        return 1.0 / max(inside, 1) if low <= truth <= high else 0.0
    if state != SOME:
        return float(int(truth) == column.values.size - 1)
    members = column.members(label)
    return 1.0 / members.size if int(truth) in members else 0.0
