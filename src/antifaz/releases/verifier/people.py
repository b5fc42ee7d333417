"""Judge a recounted table by its people, who may have several rows, sharing nothing with the models.

In a class, the share of a value is the share of people who have it there. Entropy and distances need a distribution:
everybody weighs one, divided equally among the different values that the person has in the class. Whoever knows any m
rows of a person, or all, must find k people with the same; that is tried out, one attacker after another.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Ints
from antifaz.core.errors import CheckFailed, ParameterError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.core.verdicts import Verdict
from antifaz.releases.verifier.distances import JudgedAttribute, Tree, is_finite, sum_by
from antifaz.releases.verifier.models import judge
from antifaz.releases.verifier.question import ModelQuestion


class _People(Protocol):
    """Pairs of class and person with their rows; per sensitive attribute triples with the value, and its labels."""

    @property
    def classes(self) -> Ints: ...
    @property
    def persons(self) -> Ints: ...
    @property
    def rows(self) -> Ints: ...
    @property
    def values(self) -> Mapping[str, tuple[Ints, Ints, Ints, tuple[str | None, ...]]]: ...


class _Counted(Protocol):
    @property
    def rows(self) -> int: ...
    @property
    def sizes(self) -> Ints: ...
    @property
    def cells(self) -> Mapping[str, Any]: ...
    @property
    def classes(self) -> Mapping[str, Ints] | None: ...
    @property
    def people(self) -> Any: ...


@dataclass(frozen=True)
class _Heads:
    """A table in which people stand for records."""

    rows: int
    sizes: Ints
    cells: Mapping[str, Any] = field(default_factory=dict)
    classes: Mapping[str, Ints] | None = None


@dataclass(frozen=True)
class _PeopleQuestion(ModelQuestion):
    """A question about people."""

    here: Any = None
    there: Any = None

    def sensitive(self) -> JudgedAttribute:
        """Return the attribute that the model protects, weighed by people."""
        name = str(self.parameters.get("attribute"))
        if name not in self.here.values:
            known = hint(name, self.here.values)
            raise SchemaError("verifier.not-counted-sensitive", model=self.parameters["model"], name=name, known=known)
        divided = self.parameters["model"] == "t-closeness" or self.parameters.get("kind") == "entropy"
        classes, persons, values, own = self.here.values[name]
        everywhere = self.here if self.there is None else self.there
        _, all_persons, all_values, others = everywhere.values[name]
        labels = tuple(dict.fromkeys((*own, *others)))
        place = {label: i for i, label in enumerate(labels)}
        pairs = set(zip(all_persons.tolist(), (place[others[value]] for value in all_values.tolist()), strict=True))
        at = np.array(sorted(pairs), np.int64).reshape(-1, 2)
        parts, unit = _weights(np.zeros(len(at), np.int64), at[:, 0], divided=divided)
        totals = sum_by(parts, at[:, 1], len(labels))
        weights, one = _weights(classes, persons, divided=divided)
        cells = np.array(sorted(set(zip(classes.tolist(), values.tolist(), strict=True))), np.int64).reshape(-1, 2)
        number = {pair: i for i, pair in enumerate(map(tuple, cells.tolist()))}
        which = np.array([number[pair] for pair in zip(classes.tolist(), values.tolist(), strict=True)], np.int64)
        return JudgedAttribute(
            self.table.sizes * one, cells[:, 0], cells[:, 1], sum_by(weights, which, len(cells)), labels,
            bool(labels) and all(map(is_finite, labels)) and any(label is not None for label in labels),
            totals, self.trees.get(name), unit * len(set(all_persons.tolist())),
        )  # fmt: skip


def verify_people(
    counted: _Counted, asked: Mapping[str, Any], whole: _Counted | None, trees: Mapping[str, Tree] | None = None
) -> Verdict:
    """Judge one model by the people of the classes; `whole` is the table that shares of values are compared with."""
    people: _People | None = counted.people
    if people is None or int(people.rows.sum()) != counted.rows:
        raise CheckFailed("gate.people-differ-from-rows")
    rest = {name: value for name, value in asked.items() if name not in ("rows", "known")}
    if asked.get("known") is None:
        sizes = _fewest(people, np.arange(len(counted.sizes)), asked.get("rows", 1))
    else:
        sizes = _by_columns(counted, asked)
    there = None if whole is None else whole.people
    table = _Heads(int(sizes.sum()), sizes)
    verdict = judge(_PeopleQuestion(table, rest, {}, trees or {}, here=people, there=there))
    parameters = {name: value for name, value in asked.items() if name != "model"}
    return replace(verdict, parameters=parameters, note=verdict.note or Message("note.people-counted"))


def _weights(classes: Ints, persons: Ints, *, divided: bool) -> tuple[NDArray[Any], int]:
    """Return what each of some triples weighs, and what a person does: whole numbers, whatever it is divided by."""
    if not divided:
        return np.ones_like(classes), 1
    pairs = list(zip(classes.tolist(), persons.tolist(), strict=True))
    values = Counter(pairs)
    unit = math.lcm(*set(values.values()))
    small = unit * max(len(values), 1) < 1 << 62
    return np.array([unit // values[pair] for pair in pairs], np.int64 if small else object), unit


def _by_columns(counted: _Counted, asked: Mapping[str, Any]) -> Ints:
    """Return for each class the fewest people found by somebody who knows only some of the columns, any of them."""
    if counted.classes is None:
        raise ParameterError("verifier.blanks-not-counted")
    columns = [codes.tolist() for codes in counted.classes.values()]
    fewest = np.full(len(counted.sizes), np.iinfo(np.int64).max, np.int64)
    for chosen in combinations(columns, min(int(asked["known"]), len(columns))):
        number: dict[tuple[int, ...], int] = {}
        alike = [number.setdefault(values, len(number)) for values in zip(*chosen, strict=True)]
        fewest = np.minimum(fewest, _fewest(counted.people, np.array(alike, np.int64), asked.get("rows", 1)))
    return fewest


def _fewest(people: _People, alike: Ints, rows: Any) -> Ints:
    """Return the same where classes with one number look the same."""
    many, classes = int(alike.max(initial=-1)) + 1, alike[people.classes]
    if rows != 1:
        return _sharing(people, classes, many, rows)[alike]
    if many < alike.size:
        known, person = np.unique(people.persons, return_inverse=True)
        classes = np.unique(classes * len(known) + person) // max(len(known), 1)
    return sum_by(np.ones_like(classes), classes, many)[alike]


def _sharing(people: _People, classes: Ints, many: int, rows: Any) -> Ints:
    """Return for each class the fewest people who have what an attacker may know of somebody with a row in it."""
    of_person: dict[int, list[int]] = {}
    for one, person, times in zip(classes.tolist(), people.persons.tolist(), people.rows.tolist(), strict=True):
        of_person.setdefault(person, []).extend([one] * times)
    known: Counter[tuple[int, ...]] = Counter()
    for own in of_person.values():
        known.update(_choices(own, rows))
    fewest = np.full(many, len(of_person) + 1, np.int64)
    for choice, number in known.items():
        for one in set(choice):
            fewest[one] = min(fewest[one], number)
    return fewest


def _choices(classes: list[int], rows: Any) -> Iterable[tuple[int, ...]]:
    """Return all that an attacker may know of a person: any so many of the rows, or all of them."""
    own = sorted(classes)
    if rows == "all":
        return [tuple(own)]
    return {choice for number in range(1, rows + 1) for choice in combinations(own, number)}
