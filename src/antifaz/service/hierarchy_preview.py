"""Hierarchies as they are edited: what one makes of the values of a column, read from a file, written as a table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from antifaz.core.errors import AntifazError, HierarchyError, InputError, ParameterError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.engines.engine import Data
from antifaz.hierarchies import ExistingHierarchy, File, Hierarchy, HierarchyBuilder, describe, parse
from antifaz.hierarchies.file import table_text
from antifaz.service.dataset_sources import with_file_name

#: The most values that are shown.
SHOWN = 1000
#: How a file says that its first line holds names.
_HEADS = ("value", "valor", "leaf")

#: Says which file a path means, or that it may not be opened.
Allowed = Callable[[str], Path]


def preview(data: Data, column: str, given: Any, allowed: Allowed) -> dict[str, Any]:
    """Say what a hierarchy makes of a column's values, or what is wrong with it."""
    data.schema.require([column])
    builder = _builder(given, allowed)
    values = _values(data, column)
    try:
        rows = _rows(data, column, builder, values)
    except (HierarchyError, ParameterError) as error:
        empty: dict[str, Any] = {"levels": 0, "total": 0, "table": [], "covers": False}
        return empty | {"problems": [str(error)], "missing": []}
    covered = {canonical(row[0], data.schema[column].type) for row in rows}
    missing = [value for value in values if value not in covered]
    problems = [Message("hierarchy.misses-values", column=column, count=len(missing))] if missing else []
    return {
        "levels": len(rows[0]) if rows else 0, "total": len(rows), "table": [list(row) for row in rows[:SHOWN]],
        "covers": not missing, "problems": problems, "missing": missing[:SHOWN],
    }  # fmt: skip


def hierarchy_table(data: Data, column: str, given: Any, allowed: Allowed) -> str:
    """Return a hierarchy on a column's values as the text of a table."""
    data.schema.require([column])
    rows = _rows(data, column, _builder(given, allowed), _values(data, column))
    return table_text(Hierarchy.from_rows(rows, suppression=len({row[-1] for row in rows}) > 1))


def read_hierarchy_file(path: Path, name: str, options: dict[str, Any] | None) -> dict[str, Any]:
    """Return what a project file says of the hierarchy in a file; `name` is what people call the file."""
    if set(options or {}) - {"delimiter", "encoding", "header"}:
        raise InputError("service.unknown-hierarchy-option")
    options_of_file = {"path": path, **(options or {})}
    if path.suffix == ".csv" and "header" not in options_of_file:
        options_of_file["header"] = _has_header(path)
    try:
        hierarchy = File.parse(options_of_file).build((), DataType.TEXT)
    except AntifazError as error:
        error.args = (with_file_name(error.message, path, name),)
        raise
    return describe(ExistingHierarchy(hierarchy=hierarchy))


def _builder(settings: Any, allowed: Allowed) -> HierarchyBuilder:
    """Return the builder that is meant; one that reads a file, only where that may be read."""
    if not isinstance(settings, dict | str):
        raise ParameterError("service.hierarchy-not-a-mapping")
    builder = parse(settings)
    return builder.model_copy(update={"path": allowed(str(builder.path))}) if isinstance(builder, File) else builder


def _values(data: Data, column: str) -> list[str]:
    """Return the distinct values of a column as they are released, in order."""
    kind, counted = data.schema[column].type, data.count([column])
    return sorted({known for value in counted.values[0] if (known := canonical(value, kind)) is not None})


def _rows(data: Data, column: str, builder: HierarchyBuilder, values: list[str]) -> list[tuple[str, ...]]:
    if not values:
        return []
    if not builder.needs_target:
        return builder.build(values, data.schema[column].type).paths()
    # It depends on what values tell about other columns. All methods come with these imports.
    from antifaz.methods import FullDomain
    from antifaz.pipeline.plan import make_plan
    from antifaz.pipeline.prepare import make_task
    from antifaz.privacy import KAnonymity

    targets = builder.targets()
    if not targets:
        raise HierarchyError("service.hierarchy-needs-target", builder=builder.name)
    data.schema.require(targets)
    plan = make_plan(
        data.schema, roles={column: "quasi-identifier", **dict.fromkeys(targets, "sensitive")},
        hierarchies={column: builder}, privacy=[KAnonymity(2)], method=FullDomain(), seed=0,
    )  # fmt: skip
    (ladder,) = make_task(plan, data).ladders
    codes = [code for code in range(len(ladder.up[0])) if ladder.labels[0][ladder.up[0][code]] is not None]
    return [tuple(str(labels[up[code]]) for labels, up in zip(ladder.labels, ladder.up, strict=True)) for code in codes]


def _has_header(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(200).decode("utf-8", "replace").lstrip("\ufeff \"'").casefold()
    return any(head.startswith(word) and not head[len(word) : len(word) + 1].isalnum() for word in _HEADS)
