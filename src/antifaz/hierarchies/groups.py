"""Values put into groups by hand, groups into larger groups."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from antifaz.core.errors import HierarchyError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.hierarchies.builder import LABEL_SCHEMA, HierarchyBuilder, as_label
from antifaz.hierarchies.hierarchy import Hierarchy

Grouping = dict[str, tuple[str, ...]]

_LEVEL: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {"type": "array", "items": LABEL_SCHEMA, "minItems": 1},
}
_SCHEMA: dict[str, Any] = {"anyOf": [_LEVEL, {"type": "array", "items": _LEVEL, "minItems": 1}]}


def _levels(given: object) -> tuple[Grouping, ...]:
    """Return the levels with canonical labels, or say which level is wrong."""
    if isinstance(given, Mapping):
        given = (given,)
    if not isinstance(given, list | tuple) or not given:
        raise HierarchyError("hierarchy.groups-not-a-list-of-mappings")
    levels = tuple(_level(level, number) for number, level in enumerate(given, 1))
    for number, (below, level) in enumerate(pairwise(levels), 2):
        _same_labels(below, level, number)
    return levels


def _level(given: object, number: int) -> Grouping:
    if not isinstance(given, Mapping) or not given:
        raise HierarchyError("hierarchy.level-not-a-mapping", number=number)
    level: Grouping = {}
    for position, (label, members) in enumerate(given.items(), 1):
        where = Message("hierarchy.of-group", position=position, number=number)
        clean = as_label(label, f"The label {where}")
        if clean in level:
            raise HierarchyError("hierarchy.label-used-before", values=(clean,), where=where)
        if not isinstance(members, list | tuple) or not members:
            raise HierarchyError("hierarchy.members-not-a-list", where=where)
        level[clean] = tuple(as_label(member, f"A member {where}") for member in members)
    counted = Counter(member for members in level.values() for member in members)
    twice = sorted(member for member, times in counted.items() if times > 1)
    if twice:
        raise HierarchyError("hierarchy.members-twice-in-level", values=twice, number=number, count=len(twice))
    return level


def _same_labels(below: Grouping, level: Grouping, number: int) -> None:
    members = {member for group in level.values() for member in group}
    strange, left = sorted(members - below.keys()), sorted(below.keys() - members)
    at = {"number": number, "number2": number - 1}
    if strange:
        raise HierarchyError("hierarchy.members-are-no-labels", strange, count=len(strange), **at)
    if left:
        raise HierarchyError("hierarchy.level-leaves-out-labels", left, left=len(left), **at)


class Groups(HierarchyBuilder):
    """Takes the hierarchy from groups: which values share a label, level by level."""

    name: ClassVar[str] = "groups"
    summary: ClassVar[str] = "Values grouped by hand, and groups of groups."
    details: ClassVar[str] = (
        "Each level maps a label to its members. The members at the first level are values of the data; the members at "
        "the next are the labels of the level before, all of them. '*' comes on top unless the last level is one "
        "group. The order of the groups is kept. Values that are not named are refused, or go to the group `rest`."
    )
    primary: ClassVar[str] = "groups"
    needs_data: ClassVar[bool] = False

    groups: Annotated[tuple[Grouping, ...], BeforeValidator(_levels), WithJsonSchema(_SCHEMA)] = Field(
        description="One mapping per level: each label with the list of its members."
    )
    rest: str | None = Field(default=None, min_length=1, description="The group of values not named, at every level.")

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the groups as a hierarchy; of the data's values only those that are not named are needed."""
        first, *higher = self.groups
        above = [{member: label for label, members in level.items() for member in members} for level in higher]
        rows: list[tuple[str, ...]] = []
        for label, members in first.items():
            path = [label]
            for parent in above:
                path.append(parent[path[-1]])
            rows.extend((member, *path) for member in members)
        rows += self._others(values, {row[0] for row in rows})
        apart = len({row[-1] for row in rows}) > 1
        return self._made(rows, kind, word="member", suppression=self.suppression or apart)

    def _others(self, values: Sequence[str], named: set[str]) -> list[tuple[str, ...]]:
        """Return where the values go that are not named: to one group of their own, or to one of that name."""
        if self.rest is None:
            return []
        path = [self.rest]
        for level in self.groups[1:]:
            path.append(next((label for label, members in level.items() if path[-1] in members), self.rest))
        return [(value, *path) for value in values if value not in named]
