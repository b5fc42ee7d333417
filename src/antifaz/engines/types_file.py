"""The file that says how the columns of a table are to be understood."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.schema import Column, Schema
from antifaz.core.types import DataType
from antifaz.sources.safe_errors import safe_errors


def save_types(schema: Schema, path: Path | str) -> None:
    """Write the types of a schema as a small JSON file that `load_types` reads."""
    text = json.dumps({"antifaz": 1, "types": {c.name: c.type.value for c in schema}}, ensure_ascii=False, indent=2)
    with safe_errors(Message("table.not-written", name=Path(path).name)):
        Path(path).write_text(text + "\n", encoding="utf-8")


def load_types(path: Path | str) -> dict[str, DataType]:
    """Read the types that `save_types` wrote (or a plain JSON object of column and type)."""
    name = Path(path).name
    with safe_errors(Message("source.not-read", address=name)):
        text = Path(path).read_text(encoding="utf-8-sig")
    try:
        document = json.loads(text)
    except ValueError:
        raise DataError("types.file-not-json", name=name) from None
    found = document.get("types", document) if isinstance(document, dict) else None
    if not isinstance(found, dict) or not all(isinstance(kind, str) for kind in found.values()):
        raise DataError("types.file-holds-none", name=name)
    names = tuple(Column(name=column) for column in found)
    return {column.name: column.type for column in Schema(names).with_types(found)}


def resolve_types(types: Mapping[str, DataType | str] | Path | str | None) -> Mapping[str, DataType | str] | None:
    """Return types as they are given, or read them from the file that is named."""
    return load_types(types) if isinstance(types, (str, Path)) else types
