"""Linkage: find a person's own record in the release by what is known of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.risk.attacks.knowledge import Knowledge
from antifaz.risk.attacks.people import Person
from antifaz.risk.attacks.search import SearchIndex, about_record, cost
from antifaz.risk.attacks.tables import AttackTables

#: So many records that fit are looked at one by one; of more than that, a few.
_ALL, _SOME = 16, 4
#: In a table of more different people, one.
_MANY = 200_000
#: More records that fit than this are represented by so many of them.
_CROWD = 10_000


class SearchIndexes:
    """The tables in the forms that attacks search; each is made when first asked for."""

    def __init__(self, tables: AttackTables) -> None:
        """Take note of the tables."""
        self.tables = tables
        self._released: dict[tuple[int, ...], SearchIndex] = {}
        self._people: SearchIndex | None = None

    def clear(self) -> None:
        """Let go of what was made so far."""
        self._released.clear()
        self._people = None

    def released(self, places: tuple[int, ...]) -> SearchIndex:
        """Return the released records by some columns."""
        if places not in self._released:
            columns = [self.tables.columns[i] for i in places]
            self._released[places] = SearchIndex(columns, "labels", [column.released for column in columns])
        return self._released[places]

    @property
    def people(self) -> SearchIndex:
        """Return the original people by all columns."""
        if self._people is None:
            columns = self.tables.columns
            self._people = SearchIndex(columns, "values", [column.original for column in columns])
        return self._people

    def fitting(self, knowledge: Knowledge, person: Person, random: np.random.Generator) -> Ints:
        """Return the released records that fit best what is known of a person; of a crowd, some drawn at random."""
        store = self.released(knowledge.places)
        skip = int(store.tuple_of[person.without]) if person.without >= 0 else -1
        tuples = store.best(knowledge.ask(person.values, random), skip)
        total = int(store.counts[tuples].sum())
        if total > _CROWD:
            share = store.counts[tuples] / total
            drawn = random.multinomial(_CROWD, share)
            rows = [random.choice(store.rows(tuples[i : i + 1]), n) for i, n in enumerate(drawn) if n]
            found = np.concatenate(rows)
        else:
            found = store.rows(tuples)
        return np.asarray(found[found != person.without], np.int64)


def link(
    stores: SearchIndexes, knowledge: Knowledge, people: Sequence[Person], random: np.random.Generator
) -> list[float]:
    """Return for each person how likely the attacker ends at their own record.

    The attacker takes one of the best-fitting records, each with the same chance. Whose it is can be told from all
    columns, those that the attacker does not know included: it belongs to the people of the original who fit it
    best, to each of t who fit equally well with the chance 1/t. Who is not in the table competes with all who are.
    """
    many = stores.people.counts.size > _MANY
    most, some = (1, 1) if many else (_ALL, _SOME)
    shares = []
    for person in people:
        found = stores.fitting(knowledge, person, random)
        looked = found if found.size <= most else random.choice(found, some)
        shares.append(float(np.mean([_own(stores, person, int(row)) for row in looked])) if looked.size else 0.0)
    return shares


def _own(stores: SearchIndexes, person: Person, row: int) -> float:
    """How likely a released record is this person's."""
    columns = stores.tables.columns
    record = about_record(columns, [int(column.released[row]) for column in columns])
    equal = stores.people.rivals(record, cost(columns, person.values, record))
    if equal < 0:
        return 0.0
    return 1.0 / (equal if person.inside else equal + 1)
