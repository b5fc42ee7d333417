"""Do joins still hold? Counted in the sources and in the written releases, by nothing that made them.

Two tables that share an attribute are joined by it. Whatever was done to its values must have been done alike in both.
If each value went to a value of its own, then exactly the records that matched before match afterwards: for every
value, the numbers of its records in the two tables stay together. If several values may have gone to one, then what
matched still matches, and more may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antifaz.core.errors import CheckFailed

#: How many records have each value; None is missing, and matches nothing.
Values = Mapping[str | None, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedColumn:
    """One table's column, in its source and in its release, and how many records were left out in between."""

    table: str
    before: Values
    after: Values

    @property
    def left_out(self) -> int:
        """How many records the release does not have."""
        return sum(self.before.values()) - sum(self.after.values())


def check_join(name: str, one: JoinedColumn, other: JoinedColumn, *, one_to_one: bool) -> dict[str, Any]:
    """Return what matched before and after as evidence, or raise `CheckFailed`."""
    values = _matching(one.before, other.before), _matching(one.after, other.after)
    rows = _rows(one.before, other.before), _rows(one.after, other.after)
    holds = (_same if one_to_one else _still)(one, other)
    if not holds:
        raise CheckFailed(
            "gate.repeated-attribute-matches-differ",
            name=name,
            table=one.table,
            table2=other.table,
            number=values[0],
            rows=rows[0],
            number2=values[1],
            rows2=rows[1],
        )
    return {
        "tables": [one.table, other.table],
        "matching_values": {"before": values[0], "after": values[1]},
        "matching_rows": {"before": rows[0], "after": rows[1]},
        "left_out": {one.table: one.left_out, other.table: other.left_out},
        "holds": True,
    }


def _same(one: JoinedColumn, other: JoinedColumn) -> bool:
    """Whether the release is the source under other names, but for the records that were left out."""
    left = one.left_out + other.left_out
    if not left:
        return _together(one.before, other.before) == _together(one.after, other.after)
    before, after = _matching(one.before, other.before), _matching(one.after, other.after)
    # A record that was left out takes at most one matching value with it, and can't make one.
    fewer = all(_distinct(side.before) - side.left_out <= _distinct(side.after) for side in (one, other))
    return fewer and _no_new_values(one, other) and before - left <= after <= before


def _still(one: JoinedColumn, other: JoinedColumn) -> bool:
    """Whether all that matched may still match, where several values may have become one."""
    # A record that was left out takes at most so many pairs with it as the other table has records of one value.
    most = {side.table: max(_known(side.after).values(), default=0) + side.left_out for side in (one, other)}
    lost = one.left_out * most[other.table] + other.left_out * most[one.table]
    return _no_new_values(one, other) and _rows(one.after, other.after) >= _rows(one.before, other.before) - lost


def _no_new_values(one: JoinedColumn, other: JoinedColumn) -> bool:
    """Whether there are no more values than before: one mapping for both tables can't make any."""
    return len(_union(one.after, other.after)) <= len(_union(one.before, other.before))


def _known(values: Values) -> dict[str, int]:
    return {value: number for value, number in values.items() if value is not None and number}


def _distinct(values: Values) -> int:
    return len(_known(values))


def _union(one: Values, other: Values) -> set[str]:
    return _known(one).keys() | _known(other).keys()


def _matching(one: Values, other: Values) -> int:
    """The number of values that both tables have."""
    return len(_known(one).keys() & _known(other).keys())


def _rows(one: Values, other: Values) -> int:
    """The number of pairs of records that a join finds."""
    mine, theirs = _known(one), _known(other)
    return sum(number * theirs[value] for value, number in mine.items() if value in theirs)


def _together(one: Values, other: Values) -> Counter[tuple[int, int]]:
    """How many values have so many records in the one table and so many in the other, whatever they are called."""
    mine, theirs = _known(one), _known(other)
    return Counter((mine.get(value, 0), theirs.get(value, 0)) for value in mine.keys() | theirs.keys())
