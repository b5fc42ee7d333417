"""Hierarchies: what each value of an attribute generalizes to, how to make one, its files, its checks.

The lower-case functions make builders: what `az.hierarchy` offers. Some share their name with the module of their
class; they come after the imports, so that the package's names are the functions.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.core.registry import Registry
from antifaz.core.verdicts import Proposal
from antifaz.hierarchies.builder import ExistingHierarchy, Flat, HierarchyBuilder
from antifaz.hierarchies.dates import Dates
from antifaz.hierarchies.file import File, read_file, write_table, write_tree
from antifaz.hierarchies.groups import Groups
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.information_gain import InformationGain
from antifaz.hierarchies.intervals import Intervals
from antifaz.hierarchies.masking import Masking
from antifaz.hierarchies.table import Table
from antifaz.hierarchies.tree import Tree

__all__ = [
    "BUILDERS", "BUILTIN", "Dates", "ExistingHierarchy", "File", "Flat", "Groups", "Hierarchy", "HierarchyBuilder",
    "InformationGain", "Intervals", "Masking", "Spec", "Table", "Tree", "add_suppression", "dates", "describe",
    "flat", "from_file", "groups", "information_gain", "intervals", "masking", "parse", "read_file", "table",
    "tree", "write_table", "write_tree",
]  # fmt: skip  # fmt: skip

#: The builders that come with antifaz.
BUILTIN: tuple[type[HierarchyBuilder], ...] = (
    File, Table, Tree, Groups, Intervals, InformationGain, Masking, Dates, Flat,
)  # fmt: skip
#: The same, and those of plug-ins.
BUILDERS: Registry[HierarchyBuilder] = Registry("hierarchy", BUILTIN, group="antifaz.hierarchies")
#: What `parse` understands.
Spec = HierarchyBuilder | Hierarchy | Proposal | str | Path | Mapping[str, Any]


def parse(spec: object, base: Path | None = None) -> HierarchyBuilder:
    """Return the builder that a spec means; paths of files are relative to the folder `base`.

    A spec is a builder, a `Hierarchy`, what `az.propose.hierarchy` proposed, the path of a file, a tree (`{value: …,
    children: […]}`), or a mapping with one builder's name for its main parameter and other keys for its other
    parameters: `{intervals: [5, 10], origin: 0}`. A builder's name alone is the builder with its defaults: `flat`.
    """
    if isinstance(spec, Hierarchy):
        return ExistingHierarchy(hierarchy=spec)
    if isinstance(spec, Proposal):
        spec = spec.details
    if isinstance(spec, str) and spec in BUILDERS.names:
        spec = {spec: None}
    if isinstance(spec, str | Path):
        spec = File.parse({"path": spec})
    if isinstance(spec, Mapping):
        spec = _from_mapping(spec)
    if not isinstance(spec, HierarchyBuilder):
        raise ParameterError("hierarchy.not-a-builder-path-or-mapping", type=type(spec).__name__)
    return spec.resolved(base) if isinstance(spec, File) and base is not None else spec


def describe(builder: HierarchyBuilder) -> dict[str, Any]:
    """Return the JSON-ready mapping from which `parse` makes the same builder; defaults are not said."""
    changed, fields = builder.parameters(), type(builder).model_fields
    for key in [key for key in changed if key in fields and getattr(builder, key) == fields[key].default]:
        del changed[key]
    if isinstance(builder, ExistingHierarchy):
        return {"table": changed.pop("rows"), **changed}
    return {builder.name: changed.pop(builder.primary, None), **changed}


def add_suppression(spec: object) -> HierarchyBuilder:
    """Return the builder with a level of '*' on top of what it builds, unless its root is '*' already."""
    return parse(spec).model_copy(update={"suppression": True})


def _from_mapping(spec: Mapping[Any, Any]) -> HierarchyBuilder:
    if "value" in spec or "children" in spec:
        node = dict(spec)
        options = {"suppression": node.pop("suppression")} if "suppression" in node else {}
        return Tree(root=node, **options)
    names = [key for key in spec if key in BUILDERS.names]
    if not names:
        first = str(next(iter(spec), ""))
        raise ParameterError("hierarchy.unknown-builder", first=first, hint=hint(first, BUILDERS.names))
    if len(names) > 1:
        raise ParameterError("hierarchy.made-in-several-ways", names=" and ".join(map(repr, names)), names2=len(names))
    # The value of the builder's name is the main parameter, other keys are the other parameters.
    name, builder, main = names[0], BUILDERS[names[0]], spec[names[0]]
    parameters = {str(key): value for key, value in spec.items() if key != name}
    if not builder.primary:
        if main not in (None, True) and main != {}:
            raise ParameterError("hierarchy.builder-takes-nothing", name=name)
    elif main is not None and builder.primary in parameters:
        raise ParameterError("hierarchy.primary-given-twice", name=name, primary=builder.primary)
    elif main is not None:
        parameters[builder.primary] = main
    return builder.parse(parameters)


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
