"""Whom attackers are after, what they know and how exactly; and the attackers that a project describes."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field, field_validator, model_validator

from antifaz.core.arrays import Floats
from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.risk.attacks.search import HINT, Question, about_person
from antifaz.risk.attacks.tables import SOME, AttackColumn, AttackTables

_FIRST = re.compile(r"first ([1-9][0-9]?)")


class Attacker(Declared):
    """Someone who knows some columns of some people, more or less exactly, and wants to learn more from a release."""

    name: ClassVar[str] = "attacker"
    summary: ClassVar[str] = "An attacker as you describe them: what they know, of how many people, how exactly."
    details: ClassVar[str] = (
        "Describe whom you are afraid of: a neighbour who knows age within two years and the first digits of the "
        "postcode, a colleague, a firm with a customer file. The attack is tried on that many people of the original "
        "table, drawn at random, and reported beside the default ones. A number in 'exactly' is a margin to either "
        "side for numbers (in days for dates), and the number of first letters or digits for text; 'first 3' asks for "
        "the latter also where a code is made of digits only. 'noise' is for hearsay and old files: that share of what "
        "they know is another person's, and they can't tell which."
    )
    source: ClassVar[str] = "Elliot and Dale, Scenarios of attack: the data intruder's perspective, 1999"

    # Here, because 'name' is already the word for this kind of thing.
    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    who: str = Field(alias="name", min_length=1, max_length=100, description="What to call them in the report.")
    knows: tuple[str, ...] = Field(min_length=1, description="The columns that the attacker knows of each person.")
    of: int = Field(default=1000, ge=1, le=1_000_000, description="Of how many people the attacker knows them.")
    exactly: dict[str, float | str] = Field(
        default_factory=dict,
        description="How exactly, by column: a margin for numbers, a number of first letters for text.",
    )
    noise: float = Field(default=0.0, ge=0, le=1, description="The share of what they know that is another person's.")
    goal: Literal["identity", "sensitive attribute"] = Field(
        default="identity", description="Find the person's record, or guess a sensitive value."
    )
    attribute: str | None = Field(default=None, description="The sensitive column to guess; by default all of them.")

    @field_validator("knows", mode="before")
    @classmethod
    def _one_is_a_list(cls, columns: object) -> object:
        return (columns,) if isinstance(columns, str) else columns

    @model_validator(mode="after")
    def _fits_together(self) -> "Attacker":
        if len(set(self.knows)) < len(self.knows):
            raise ValueError(Message("expected.columns-once"))
        for column, how in self.exactly.items():
            if column not in self.knows:
                raise ValueError(Message("expected.exactly-of-known", column=column))
            if isinstance(how, str) and _FIRST.fullmatch(how) is None:
                raise ValueError(Message("expected.exactly-number-or-first", column=column))
            if not isinstance(how, str) and not 0 <= how < float("inf"):
                raise ValueError(Message("expected.exactly-at-least-0", column=column))
        if self.attribute is not None and self.goal == "identity":
            raise ValueError(Message("expected.no-attribute-for-identity"))
        return self


@dataclass(frozen=True, kw_only=True, eq=False)
class Knowledge:
    """Some columns of a person, each with a margin, first letters only, or sometimes forgotten or wrong."""

    #: Places of the columns in the tables.
    places: tuple[int, ...]
    columns: tuple[AttackColumn, ...]
    margins: Mapping[int, float] = field(default_factory=dict)
    letters: "Mapping[int, _Alike]" = field(default_factory=dict)
    #: How often a category is not known after all.
    forgotten: float = 0.0
    #: How often a value is another person's.
    noise: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether all of these columns are known as they are, of everybody."""
        return not (self.margins or self.letters or self.forgotten or self.noise)

    def ask(self, person: Floats, random: np.random.Generator) -> Question:
        """Return what the attacker asks the release for about a person of the tables."""
        own = person[list(self.places)]
        if self.noise:
            for c in np.flatnonzero(random.random(own.size) < self.noise).tolist():
                column = self.columns[c]
                own[c] = column.people(column.original[random.integers(column.original.size, size=1)])[0]
        question = about_person(self.columns, own)
        for c, column in enumerate(self.columns):
            if column.scaled and c in self.margins and not np.isnan(own[c]):
                # What they take it for is off by up to the margin, which they know.
                near = own[c] + random.uniform(-self.margins[c], self.margins[c])
                question.asked[c, :2] = near - self.margins[c], near + self.margins[c]
            if c in self.letters and not np.isnan(own[c]):
                self.letters[c].shorten(question, c, own[c])
            if not column.scaled and self.forgotten and random.random() < self.forgotten:
                question.asked[c, 3] = HINT
                question.fitting.pop(c)
        return question


class _Alike:
    """The values of a column that begin alike."""

    def __init__(self, column: AttackColumn, letters: int) -> None:
        self.column = column
        known = column.values.low[column.values.states == SOME]
        texts: Sequence[str] = column.spellings or [f"{x:.0f}" if float(x).is_integer() else repr(x) for x in known]
        self.heads = [(text[:letters], len(text) if column.scaled else 0) for text in texts]
        self.groups: dict[tuple[str, int], list[int]] = {}
        for code, head in enumerate(self.heads):
            self.groups.setdefault(head, []).append(code)

    def shorten(self, question: Question, c: int, value: float) -> None:
        """Ask for all that begins as a value does; of digits, from the least to the greatest number that is as long."""
        column, numbers = self.column, self.column.values.low
        code = int(np.searchsorted(numbers, value)) if column.scaled else int(value)
        alike = self.groups[self.heads[code]] if code < len(self.heads) else []
        if column.scaled:
            # A made-up number stands for itself.
            same = numbers[alike] if alike and numbers[code] == value else np.array([value])
            question.asked[c, :2] = same.min(), same.max()
        elif alike:
            question.fitting[c] = np.unique(np.concatenate([column.fitting(other) for other in alike]))


def all_of(tables: AttackTables, *, roughly: bool = False) -> Knowledge:
    """Return what the default attackers know: the quasi-identifiers, exactly or roughly.

    Roughly: numbers up to a tenth of the standard deviation off, and one category of ten not known.
    """
    places = tables.quasi_identifiers
    columns = tuple(tables.columns[i] for i in places)
    margins = {c: 0.1 * column.deviation for c, column in enumerate(columns) if column.scaled and roughly}
    return Knowledge(places=places, columns=columns, margins=margins, forgotten=0.1 if roughly else 0.0)


def described(tables: AttackTables, attacker: Attacker) -> Knowledge:
    """Return what a described attacker knows."""
    places = tables.places(attacker.knows, f"attacker {attacker.who!r}")
    columns = tuple(tables.columns[i] for i in places)
    margins, letters = {}, {}
    for c, column in enumerate(columns):
        how: Any = attacker.exactly.get(column.name)
        if isinstance(how, str):
            letters[c] = _Alike(column, int(how.removeprefix("first ")))
        elif how is not None and column.scaled:
            margins[c] = float(how)
        elif how is not None:
            if how < 1 or how != int(how):
                raise ParameterError("attacker.exactly-of-text", who=attacker.who, column=column.name)
            letters[c] = _Alike(column, int(how))
    return Knowledge(places=places, columns=columns, margins=margins, letters=letters, noise=attacker.noise)


@dataclass(frozen=True, kw_only=True, eq=False)
class Person:
    """Someone whom an attacker is after."""

    #: Per column a place on the scale, or the code of a category.
    values: Floats
    #: Whether the original table has them, and their number where people have several rows.
    inside: bool
    number: int = -1
    #: The released record that they were made from and that is taken out for this attack; -1 for none.
    without: int = -1


def targets(tables: AttackTables, number: int, random: np.random.Generator) -> list[Person]:
    """Draw people of the original table, each at most once; of one who has several rows, one of them is known."""
    if tables.persons is None:
        rows = random.choice(tables.people, min(number, tables.people), replace=False)
        numbers = np.full(rows.size, -1)
    else:
        rows = random.permutation(tables.persons[0].size)
        rows = rows[np.sort(np.unique(tables.persons[0][rows], return_index=True)[1])][:number]
        numbers = tables.persons[0][rows]
    values = np.stack([column.people(column.original[rows]) for column in tables.columns], axis=1)
    return [Person(values=row, inside=True, number=int(own)) for row, own in zip(values, numbers, strict=True)]


def controls(tables: AttackTables, number: int, random: np.random.Generator) -> list[Person]:
    """Draw control people: of the control table, or made from released records that are then taken out.

    A record that is taken out leaves a table in which the person whom it describes is not. Its labels are turned into
    values by drawing from the original values that they cover, as often as these occur.
    """
    if tables.control:
        rows = random.choice(tables.control, min(number, tables.control), replace=False)
        sides = [(column, column.control) for column in tables.columns]
        values = np.stack([column.people(codes[rows]) for column, codes in sides if codes is not None], axis=1)
        return [Person(values=row, inside=False) for row in values]
    rows = random.choice(tables.records, min(number, tables.records), replace=False)
    draw = [_Draw(column) for column in tables.columns]
    made = [np.array([one.value(int(one.column.released[row]), random) for one in draw]) for row in rows]
    return [Person(values=own, inside=False, without=int(row)) for own, row in zip(made, rows, strict=True)]


class _Draw:
    """Draws a value that a label covers, by how often the original has it."""

    def __init__(self, column: AttackColumn) -> None:
        self.column = column
        # Lists: one number at a time is taken from them.
        self._ends = [0, *np.cumsum(column.counts).tolist()]
        self._places: list[float] = column.values.low.tolist()
        self._spans = list(zip(column.labels.low.tolist(), column.labels.high.tolist(), strict=True))
        known = column.values.low[column.values.states == SOME]
        first, last = (
            np.searchsorted(known, column.labels.low, "left"),
            np.searchsorted(known, column.labels.high, "right"),
        )
        self._covered = list(zip(first.tolist(), last.tolist(), strict=True))
        self._some = (column.labels.states == SOME).tolist()
        self._members: dict[int, tuple[list[int], list[float]]] = {}

    def value(self, label: int, random: np.random.Generator) -> float:
        if not self._some[label]:
            return self._between(0, self.column.values.size, random)
        if not self.column.scaled:
            return self._member(label, random)
        (low, high), (first, last) = self._spans[label], self._covered[label]
        if low < high and self._ends[last] > self._ends[first]:
            return self._between(first, last, random)
        ends = [end for end in (low, high) if np.isfinite(end)]
        return float(np.mean(ends)) if ends else np.nan

    def _between(self, first: int, last: int, random: np.random.Generator) -> float:
        """The value of a row drawn among those with the codes from first to last."""
        code = bisect_right(self._ends, random.integers(self._ends[first], self._ends[last])) - 1
        return self._places[code] if self.column.scaled else float(code)

    def _member(self, label: int, random: np.random.Generator) -> float:
        """A category that a label covers; where the original has none of them, the first, or any of all."""
        if label not in self._members:
            members = self.column.members(label)
            ends = np.cumsum(self.column.counts[members] / max(self.column.counts[members].sum(), 1))
            self._members[label] = members.tolist(), (ends / ends[-1]).tolist() if ends.any() else []
        codes, shares = self._members[label]
        if not shares:
            return float(codes[0]) if codes else self._between(0, self.column.values.size, random)
        return float(codes[bisect_right(shares, random.random())])
