"""What somebody says of columns before a table is read: their types, also in a file."""

import json
from collections.abc import Mapping
from pathlib import Path

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.schema import Column, Schema
from antifaz.core.types import DataType
from antifaz.sources.safe_errors import safe_errors
from antifaz.sources.written_forms import split_forms


def save_types(schema: Schema, path: Path | str, forms: Mapping[str, str] | None = None) -> None:
    """Write the types of a schema as a small JSON file that `load_types` reads: with lengths, or the told `forms`."""
    types = {column.name: (forms or {}).get(column.name, column.type_text) for column in schema}
    text = json.dumps({"antifaz": 1, "types": types}, ensure_ascii=False, indent=2)
    with safe_errors(Message("table.not-written", name=Path(path).name)):
        Path(path).write_text(text + "\n", encoding="utf-8")


def load_types(path: Path | str) -> dict[str, str]:
    """Read the types that `save_types` wrote (or a plain JSON object of column and type)."""
    name = Path(path).name
    with safe_errors(Message("source.not-read", address=name)):
        text = Path(path).read_text(encoding="utf-8-sig")
    try:
        document = json.loads(text)
    except ValueError:
        raise DataError("types.file-not-json", name=name) from None
    types = document.get("types", document) if isinstance(document, dict) else None
    if not isinstance(types, dict) or not all(isinstance(kind, str) for kind in types.values()):
        raise DataError("types.file-holds-none", name=name)
    columns = tuple(Column(name=column) for column in types)
    plain, forms = split_forms(types)
    return {column.name: column.type_text for column in Schema(columns).with_types(plain or {})} | forms


def resolve_types(types: Mapping[str, DataType | str] | Path | str | None) -> Mapping[str, DataType | str] | None:
    """Return types as they are given, or read them from the file that is named."""
    return load_types(types) if isinstance(types, (str, Path)) else types
