"""Hierarchies: what each value of an attribute generalizes to, how to make one, its files, its checks.

The lower-case functions make builders: what `az.hierarchy` offers. Some share their name with the module of their
class; the functions below come after the imports, so that the package's names are the functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antifaz.hierarchies.builder import Given, HierarchyBuilder
from antifaz.hierarchies.dates import Dates
from antifaz.hierarchies.file import File, read_file, write_table, write_tree
from antifaz.hierarchies.flat import Flat
from antifaz.hierarchies.groups import Groups
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.information_gain import InformationGain
from antifaz.hierarchies.intervals import Intervals
from antifaz.hierarchies.masking import Masking
from antifaz.hierarchies.parsing import BUILDERS, BUILTIN, Spec, add_suppression, describe, parse
from antifaz.hierarchies.table import Table
from antifaz.hierarchies.tree import Tree

__all__ = [
    "BUILDERS",
    "BUILTIN",
    "Dates",
    "File",
    "Flat",
    "Given",
    "Groups",
    "Hierarchy",
    "HierarchyBuilder",
    "InformationGain",
    "Intervals",
    "Masking",
    "Spec",
    "Table",
    "Tree",
    "add_suppression",
    "dates",
    "describe",
    "flat",
    "from_file",
    "groups",
    "information_gain",
    "intervals",
    "masking",
    "parse",
    "read_file",
    "table",
    "tree",
    "write_table",
    "write_tree",
]


def tree(root: Mapping[str, Any], **options: Any) -> Tree:
    """Make a hierarchy from a tree of `{"value": …, "children": […]}`."""
    return Tree.parse({"root": root, **options})


def table(rows: Sequence[Sequence[object]] | Mapping[Any, Any], **options: Any) -> Table:
    """Make a hierarchy from rows (value, level 1, …, root), or from a mapping of values to their labels."""
    return Table.parse({"rows": rows, **options})


def from_file(path: str | Path, **options: Any) -> File:
    """Make a hierarchy from a table or a JSON tree in a file; it is read when it is needed."""
    return File.parse({"path": path, **options})


def intervals(*widths: object, **options: Any) -> Intervals:
    """Make a hierarchy of numbers in intervals of these widths: `intervals(5, 10, 20)`."""
    return Intervals.parse({"widths": widths[0] if len(widths) == 1 else widths, **options})


def information_gain(depth: int = 3, **options: Any) -> InformationGain:
    """Make a hierarchy of numbers cut in two `depth` times, where that says most about the sensitive attribute."""
    return InformationGain(depth=depth, **options)


def masking(step: int = 1, **options: Any) -> Masking:
    """Make a hierarchy by masking `step` more characters from the right at each level."""
    return Masking(step=step, **options)


def dates(*levels: str, **options: Any) -> Dates:
    """Make a hierarchy of dates: `dates("month", "year")`; by default month, year and decade."""
    return Dates.parse({"levels": levels, **options} if levels else options)


def groups(*levels: Any, **options: Any) -> Groups:
    """Make a hierarchy from one mapping of labels to members per level, given one by one or as a list."""
    return Groups.parse({"groups": levels[0] if len(levels) == 1 else levels, **options})


def flat(**options: Any) -> Flat:
    """Make the hierarchy in which every value becomes '*' in one step."""
    return Flat(**options)
