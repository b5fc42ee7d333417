"""Writes hierarchies to files that `reading` reads back exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.files import replace_file
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.reading import SEPARATORS


def write_table(hierarchy: Hierarchy, path: str | Path, delimiter: str = ";") -> None:
    """Write one line per value, its label at each level in a column; the file is there whole or not at all."""
    _write(Path(path), table_text(hierarchy, delimiter))


def table_text(hierarchy: Hierarchy, delimiter: str = ";") -> str:
    """Return one line per value, its label at each level in a column."""
    if not is_delimiter(delimiter):
        raise ParameterError("hierarchy.delimiter-not-one-character")
    # Labels with any separator in them are quoted, so that outside of quotes there is only the true one.
    special = ('"', "\r", "\n", "\ufeff", delimiter, *SEPARATORS)
    lines = (delimiter.join(_quoted(label, special) for label in row) for row in hierarchy.paths())
    return "\n".join(lines) + "\n"


def write_tree(hierarchy: Hierarchy, path: str | Path) -> None:
    """Write the hierarchy as a JSON tree; values that share a parent come together, otherwise in their order."""
    nodes: list[dict[str, Any]] = [{"value": leaf} for leaf in hierarchy.leaves]
    for h in range(hierarchy.height):
        above: list[dict[str, Any]] = [{"value": label, "children": []} for label in hierarchy.levels[h + 1]]
        for node, parent in zip(nodes, hierarchy.parents(h).tolist(), strict=True):
            above[parent]["children"].append(node)
        nodes = above
    try:
        text = json.dumps(nodes[0], ensure_ascii=False, indent=1)
    except RecursionError:
        raise HierarchyError("hierarchy.too-many-levels-for-json") from None
    _write(Path(path), text + "\n")


def is_delimiter(text: str) -> bool:
    """Whether the text can separate the columns of a table."""
    return len(text) == 1 and text not in '"\r\n\0\ufeff'


def _quoted(label: str, special: tuple[str, ...]) -> str:
    if any(mark in label for mark in special):
        doubled = label.replace('"', '""')
        return f'"{doubled}"'
    return label


def _write(path: Path, text: str) -> None:
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raise HierarchyError("hierarchy.label-with-lone-surrogate") from None
    try:
        replace_file(path, raw)
    except OSError as error:
        raise HierarchyError("hierarchy.file-not-writable", path=str(path), reason=error.strerror) from None
