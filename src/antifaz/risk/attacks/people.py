"""Targets and control people: whose data the attacker knows something about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Floats
from antifaz.risk.attacks.tables import SOME, AttackColumn, AttackTables


@dataclass(frozen=True, kw_only=True, eq=False)
class Person:
    """Someone whom an attacker is after."""

    #: Per column a place on the scale, or the code of a category.
    values: Floats
    #: Whether the original table has them.
    inside: bool
    #: The released record that they were made from and that is taken out for this attack; -1 for none.
    without: int = -1


def targets(tables: AttackTables, number: int, random: np.random.Generator) -> list[Person]:
    """Draw people of the original table, each at most once."""
    rows = random.choice(tables.people, min(number, tables.people), replace=False)
    values = np.stack([column.people(column.original[rows]) for column in tables.columns], axis=1)
    return [Person(values=row, inside=True) for row in values]


def controls(tables: AttackTables, number: int, random: np.random.Generator) -> list[Person]:
    """Draw control people: of the control table, or made from released records that are then taken out.

    A record that is taken out leaves a table in which the person whom it describes is not. Its labels are turned into
    values by drawing from the original values that they cover, as often as these occur.
    """
    if tables.control:
        rows = random.choice(tables.control, min(number, tables.control), replace=False)
        held = [(column, column.control) for column in tables.columns]
        values = np.stack([column.people(codes[rows]) for column, codes in held if codes is not None], axis=1)
        return [Person(values=row, inside=False) for row in values]
    rows = random.choice(tables.records, min(number, tables.records), replace=False)
    draw = [_Draw(column) for column in tables.columns]
    return [
        Person(
            values=np.array([one.value(int(one.column.released[row]), random) for one in draw]),
            inside=False,
            without=int(row),
        )
        for row in rows
    ]


class _Draw:
    """Draws a value that a label covers, by how often the original has it."""

    def __init__(self, column: AttackColumn) -> None:
        self.column = column
        self.ends = np.concatenate([[0], np.cumsum(column.counts)]).astype(np.int64)

    def value(self, label: int, random: np.random.Generator) -> float:
        column = self.column
        low, high = column.labels.low[label], column.labels.high[label]
        if column.labels.states[label] != SOME:
            return self._place(self._between(0, column.values.size, random))
        if not column.scaled:
            members = column.members(label)
            weights = column.counts[members]
            if not weights.sum():
                return float(members[0]) if members.size else self._place(self._between(0, column.values.size, random))
            return float(random.choice(members, p=weights / weights.sum()))
        known = column.values.low[column.values.states == SOME]
        first, last = np.searchsorted(known, low, "left"), np.searchsorted(known, high, "right")
        if low < high and self.ends[last] > self.ends[first]:
            return self._place(self._between(int(first), int(last), random))
        ends = [end for end in (low, high) if np.isfinite(end)]
        return float(np.mean(ends)) if ends else np.nan

    def _between(self, first: int, last: int, random: np.random.Generator) -> int:
        """The code of a row drawn among those with the codes from first to last."""
        row = random.integers(self.ends[first], self.ends[last])
        return int(np.searchsorted(self.ends, row, "right")) - 1

    def _place(self, code: int) -> float:
        return float(self.column.values.low[code]) if self.column.scaled else float(code)
