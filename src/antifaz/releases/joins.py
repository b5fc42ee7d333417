"""Do joins still hold? Counted in the sources and in the written releases, by nothing that made them.

Two tables that share an attribute are joined by it. Whatever was done to its values must have been done alike in both.
If each value went to a value of its own, then exactly the records that matched before match afterwards: for every
value, the numbers of its records in the two tables stay together. If several values may have gone to one, then what
matched still matches, and more may.
"""

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
    before, after = (
        (_known_values(one.before), _known_values(other.before)),
        (_known_values(one.after), _known_values(other.after)),
    )
    values = len(before[0].keys() & before[1].keys()), len(after[0].keys() & after[1].keys())
    rows = _pairs(*before), _pairs(*after)
    left = one.left_out, other.left_out
    if one_to_one and not any(left):
        # The release is the source under other names.
        holds = _together(*before) == _together(*after)
    else:
        # One mapping for both tables can't make any new value.
        holds = len(after[0].keys() | after[1].keys()) <= len(before[0].keys() | before[1].keys())
    if one_to_one and any(left):
        # A record that was left out takes at most one matching value with it, and can't make one.
        holds &= all(len(had) - gone <= len(has) for had, has, gone in zip(before, after, left, strict=True))
        holds &= values[0] - sum(left) <= values[1] <= values[0]
    if not one_to_one:
        # A record that was left out takes at most so many pairs with it as the other table has records of one value.
        most = [max(has.values(), default=0) + gone for has, gone in zip(after, left, strict=True)]
        holds &= rows[1] >= rows[0] - (left[0] * most[1] + left[1] * most[0])
    if not holds:
        raise CheckFailed(
            "gate.repeated-attribute-matches-differ", name=name, table=one.table, table2=other.table,
            number=values[0], rows=rows[0], number2=values[1], rows2=rows[1],
        )  # fmt: skip
    return {
        "tables": [one.table, other.table],
        "matching_values": {"before": values[0], "after": values[1]},
        "matching_rows": {"before": rows[0], "after": rows[1]},
        "left_out": {one.table: left[0], other.table: left[1]},
        "holds": True,
    }


def _known_values(values: Values) -> dict[str, int]:
    return {value: number for value, number in values.items() if value is not None and number}


def _pairs(one: dict[str, int], other: dict[str, int]) -> int:
    """The number of pairs of records that a join finds."""
    return sum(number * other[value] for value, number in one.items() if value in other)


def _together(one: dict[str, int], other: dict[str, int]) -> Counter[tuple[int, int]]:
    """How many values have so many records in the one table and so many in the other, whatever they are called."""
    return Counter((one.get(value, 0), other.get(value, 0)) for value in one.keys() | other.keys())
