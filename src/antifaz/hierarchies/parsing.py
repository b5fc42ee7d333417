"""From what a project file says to a builder; and all builders by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.core.registry import Registry
from antifaz.hierarchies.builder import Given, HierarchyBuilder
from antifaz.hierarchies.dates import Dates
from antifaz.hierarchies.file import File
from antifaz.hierarchies.flat import Flat
from antifaz.hierarchies.groups import Groups
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.information_gain import InformationGain
from antifaz.hierarchies.intervals import Intervals
from antifaz.hierarchies.masking import Masking
from antifaz.hierarchies.table import Table
from antifaz.hierarchies.tree import Tree

#: What `parse` understands.
Spec = HierarchyBuilder | Hierarchy | str | Path | Mapping[str, Any]


def parse(spec: object, base: Path | None = None) -> HierarchyBuilder:
    """Return the builder that a spec means; paths of files are relative to the folder `base`.

    A spec is a builder, a `Hierarchy`, the path of a file, a tree (`{value: …, children: […]}`), or a mapping with one
    builder's name for its main parameter and other keys for its other parameters: `{intervals: [5, 10], origin: 0}`.
    """
    if isinstance(spec, Hierarchy):
        return Given(hierarchy=spec)
    if isinstance(spec, str | Path):
        spec = File.parse({"path": spec})
    if isinstance(spec, Mapping):
        spec = _from_mapping(spec)
    if not isinstance(spec, HierarchyBuilder):
        raise ParameterError("hierarchy.not-a-builder-path-or-mapping", type=type(spec).__name__)
    return spec.resolved(base) if isinstance(spec, File) and base is not None else spec


def describe(builder: HierarchyBuilder) -> dict[str, Any]:
    """Return the JSON-ready mapping from which `parse` makes the same builder; defaults are not said."""
    parameters = builder.parameters()
    fields = type(builder).model_fields
    changed = {
        key: value
        for key, value in parameters.items()
        if key not in fields or getattr(builder, key) != fields[key].default
    }
    if isinstance(builder, Given):
        return {"table": changed.pop("rows"), **changed}
    main = changed.pop(builder.primary, None)
    return {builder.name: main, **changed}


def add_suppression(spec: object) -> HierarchyBuilder:
    """Return the builder with a level of '*' on top of what it builds, unless its root is '*' already."""
    return parse(spec).model_copy(update={"suppression": True})


def _from_mapping(spec: Mapping[Any, Any]) -> HierarchyBuilder:
    if "value" in spec or "children" in spec:
        node = {key: value for key, value in spec.items() if key != "suppression"}
        return Tree(root=node, **({"suppression": spec["suppression"]} if "suppression" in spec else {}))
    names = [key for key in spec if key in BUILDERS.names]
    if not names:
        first = str(next(iter(spec), ""))
        raise ParameterError("hierarchy.unknown-builder", first=first, hint=hint(first, BUILDERS.names))
    if len(names) > 1:
        raise ParameterError("hierarchy.made-in-several-ways", names=" and ".join(map(repr, names)), names2=len(names))
    return _made(names[0], spec)


def _made(name: str, spec: Mapping[Any, Any]) -> HierarchyBuilder:
    """Make one builder from its name's value, the main parameter, and the other keys, the other parameters."""
    builder = BUILDERS[name]
    parameters = {str(key): value for key, value in spec.items() if key != name}
    main = spec[name]
    if not builder.primary:
        if main not in (None, True) and main != {}:
            raise ParameterError("hierarchy.builder-takes-nothing", name=name)
    elif builder.primary in parameters:
        raise ParameterError("hierarchy.primary-given-twice", name=name, primary=builder.primary)
    elif main is not None:
        parameters[builder.primary] = main
    return builder.parse(parameters)


#: The builders that come with antifaz.
BUILTIN: tuple[type[HierarchyBuilder], ...] = (
    File, Table, Tree, Groups, Intervals, InformationGain, Masking, Dates, Flat,
)  # fmt: skip

#: The same, and those of plug-ins.
BUILDERS: Registry[HierarchyBuilder] = Registry("hierarchy", BUILTIN, group="antifaz.hierarchies")
