"""Try attacks on a release: what each finds, what it finds of people who are not in it, and what chance would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from antifaz.core.errors import ParameterError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.core.randomness import fresh_seed
from antifaz.core.roles import Role
from antifaz.risk.attacks import inference, singling_out
from antifaz.risk.attacks.knowledge import Attacker, Knowledge, all_of, described
from antifaz.risk.attacks.linkage import SearchIndexes, link
from antifaz.risk.attacks.people import controls, targets
from antifaz.risk.attacks.search import SearchIndex
from antifaz.risk.attacks.shares import result
from antifaz.risk.attacks.tables import AttackColumn, AttackTables, read_tables

Json = dict[str, Any]


def run_attacks(
    original: Any,
    released: Any,
    roles: Mapping[str, Role | str],
    *,
    control: Any = None,
    attacks: int = 1000,
    seed: int | None = None,
    attackers: Sequence[Attacker | Mapping[str, Any]] = (),
    covers: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
) -> list[Json]:
    """Try linkage, inference, singling out and described attackers on a release; return each one's figures.

    Per attack: `name`, `success`, its 95 % `interval`, `control` (the same attack on people who are not in the table),
    `chance`, `number` of attempts, `excess` ((success − control)/(1 − control)) with `excess_interval`, the `seed`, and
    a `reading` in words.

    Args:
        original: The table before: a pandas, polars or pyarrow table, one row per person.
        released: The table that was released: any number of rows in any order, with the same names of columns.
        roles: The role of each column; identifiers are left out. Without quasi-identifiers the attackers know all
            columns that are not sensitive.
        control: A table of people who are like those of the original and not in it. Without one, control people are
            made from released records, one at a time, which are taken out of the release for that attack; and of
            singling out the most is taken that it can reach among people who have nothing to do with the release.
        attacks: How many attempts each attack makes, at most one per person.
        seed: Where the draws begin; the same seed gives the same figures.
        attackers: Attackers as described by you, or their parameters as in a project file.
        covers: What words such as "Higher education" stand for, by column and label. A word that is not told counts as
            one that fits anything.
    """
    given = parse_each(attacks, attackers)
    return attack_tables(read_tables(original, released, roles, control, covers), int(attacks), seed, given)


def parse_each(attacks: int, attackers: Sequence[Attacker | Mapping[str, Any]]) -> list[Attacker]:
    """Check how many attempts are wanted, and make attackers of what describes them."""
    if isinstance(attacks, bool) or not isinstance(attacks, (int, np.integer)) or attacks < 1:
        raise ParameterError("attack.attempts-below-1")
    return [one if isinstance(one, Attacker) else Attacker.parse(dict(one)) for one in attackers]


def attack_tables(tables: AttackTables, attacks: int, seed: int | None, attackers: Sequence[Attacker]) -> list[Json]:
    """Try all attacks on tables that were read; whoever read them need not keep the frames meanwhile."""
    run = _Run(tables, attacks, seed)
    found = [run.linkage(), run.linkage(roughly=True)]
    found += [run.inference(place) for place in run.tables.sensitive]
    described = [figures for attacker in attackers for figures in run.described(attacker)]
    # Singling out groups both tables in its own ways, and there need not be memory for all of them.
    run.stores.clear()
    return [*found, *run.singling_out(), *described]


class _Run:
    """One run of all attacks on the same tables. Each attack has draws of its own, so that none changes another's."""

    def __init__(self, tables: AttackTables, attacks: int, seed: int | None) -> None:
        self.tables, self.attacks = tables, attacks
        self.seed = fresh_seed() if seed is None else int(seed)
        self.stores = SearchIndexes(tables)
        self.more: Json = {"seed": self.seed}
        if unknown := sorted(column.name for column in tables.columns if column.unknown):
            self.more["labels_not_understood"] = unknown

    def linkage(self, *, roughly: bool = False) -> Json:
        """Who knows the quasi-identifiers, exactly or roughly, looks for the record."""
        knowledge = all_of(self.tables, roughly=roughly)
        name = "linkage, knowing roughly" if roughly else "linkage"
        known = _and(knowledge.columns)
        known = Message("attack.known-roughly", known=known) if roughly else known
        return self._link(name, knowledge, self.attacks, known)

    def inference(self, place: int) -> Json:
        """Who knows the quasi-identifiers guesses a sensitive value."""
        column = self.tables.columns[place].name
        return self._infer(f"inference of {column}", all_of(self.tables), place, self.attacks)

    def described(self, attacker: Attacker) -> list[Json]:
        """Try what a project describes."""
        knowledge = described(self.tables, attacker)
        if attacker.goal == "identity":
            return [self._link(f"linkage: {attacker.who}", knowledge, attacker.of, _and(knowledge.columns))]
        return [
            self._infer(
                f"inference of {self.tables.columns[place].name}: {attacker.who}", knowledge, place, attacker.of
            )
            for place in self._wanted(attacker)
        ]

    def _wanted(self, attacker: Attacker) -> tuple[int, ...]:
        if attacker.attribute is not None:
            wanted = self.tables.places([attacker.attribute], f"attacker {attacker.who!r}")
        else:
            wanted = tuple(i for i in self.tables.sensitive if self.tables.columns[i].name not in attacker.knows)
        if not wanted:
            raise SchemaError("attacker.knows-all-sensitive-columns", who=attacker.who)
        if attacker.attribute in attacker.knows:
            raise ParameterError("attacker.knows-attribute-already", who=attacker.who)
        return wanted

    def _link(self, name: str, knowledge: Knowledge, number: int, known: str) -> Json:
        random = self._random(name)
        found = link(self.stores, knowledge, targets(self.tables, number, random), random)
        base = link(self.stores, knowledge, controls(self.tables, max(number, self.attacks), random), random)
        reading = partial(Message, "attack.finds-record", known=known)
        return result(name, found, base, 1 / self.tables.records, reading=reading, **self.more)

    def _infer(self, name: str, knowledge: Knowledge, place: int, number: int) -> Json:
        random, column = self._random(name), self.tables.columns[place]
        people, others = targets(self.tables, number, random), controls(self.tables, max(number, self.attacks), random)
        found = inference.infer(self.stores, knowledge, place, people, random)
        base = inference.infer(self.stores, knowledge, place, others, random)
        code = "attack.guesses-number" if inference.is_number(column) else "attack.guesses-value"
        reading = partial(Message, code, known=_and(knowledge.columns), column=column.name)
        return result(name, found, base, inference.chance(column), reading=reading, **self.more)

    def singling_out(self) -> list[Json]:
        """Take conditions from the release that one record meets, and see whether exactly one person does."""
        known, every = self.tables.quasi_identifiers, tuple(range(len(self.tables.columns)))
        found = [self._single_out("singling out by one column", known, several=False)]
        if len(known) > 1:
            found.append(self._single_out("singling out by several columns", known, several=True))
        if len(every) > len(known):
            # Also by what others should not know: the conditions that isolate most.
            found.append(self._single_out("singling out by any columns", every, several=True))
        return found

    def _single_out(self, name: str, places: tuple[int, ...], *, several: bool) -> Json:
        random, tables = self._random(name), self.tables
        columns = [tables.columns[place] for place in places]
        whole = singling_out.PredicateFinder(columns)
        people = SearchIndex(columns, "values", [column.original for column in columns])
        made = whole.conditions(self.attacks, random, several=several)
        found = [float(c is not None and singling_out.met_by_one(people, columns, c)) for c in made]
        weights = [0 if c is None else whole.weight(c) for c in made]
        likely = [singling_out.chance(weight, tables.records, tables.people) for weight in weights]
        if tables.control:
            others = self._others(columns, random)
            base = [float(c is not None and singling_out.met_by_one(others, columns, c)) for c in made]
        else:
            # The most that people who have nothing to do with the release could give.
            base = [float(c is not None) * singling_out.chance(1, tables.people, tables.people) for c in made]
        code = "attack.singles-out-by-several" if several else "attack.singles-out-by-one"
        reading = partial(Message, code, columns=_and(columns))
        mean = float(np.mean(likely)) if likely else 0.0
        return result(name, found, base, mean, reading=reading, **self.more)

    def _others(self, columns: Sequence[AttackColumn], random: np.random.Generator) -> SearchIndex:
        """The control people, no more than there are in the original: among more, fewer would be alone."""
        rows = random.permutation(self.tables.control)[: self.tables.people]
        return SearchIndex(
            columns, "values", [column.control[rows] for column in columns if column.control is not None]
        )

    def _random(self, name: str) -> np.random.Generator:
        return np.random.default_rng([abs(self.seed), *name.encode()])


def _and(columns: Sequence[AttackColumn]) -> str:
    names = [column.name for column in columns]
    return names[0] if len(names) == 1 else Message("list.and", names=names[:-1], last=names[-1])


def parse_attackers(given: object) -> tuple[Attacker, ...]:
    """Make attackers from what a YAML or JSON file says: one, a list, or a mapping with the key 'attackers'."""
    if isinstance(given, Mapping) and set(given) == {"attackers"}:
        given = given["attackers"]
    listed = [given] if isinstance(given, Mapping) else given
    if not isinstance(listed, Sequence) or isinstance(listed, str) or not all(isinstance(o, Mapping) for o in listed):
        raise ParameterError("attacker.not-a-list")
    for one in listed:
        for key in one:
            if not isinstance(key, str):
                raise ParameterError("attacker.unknown-parameter", key=key, hint=hint(str(key), Attacker.model_fields))
    return tuple(Attacker.parse(dict(one)) for one in listed)
