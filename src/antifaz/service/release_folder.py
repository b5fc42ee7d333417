"""The files of one release, as a run left them in its folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from antifaz.service.errors import NotFound

EVIDENCE, RECORD = "evidence.json", "record.json"
_KINDS = {EVIDENCE: "evidence", "report.html": "report", "report.pdf": "report", RECORD: "record"}


def rows_file(folder: Path, table: str | None = None) -> Path:
    """Return the file with the rows that were checked, of one of several tables if one is named."""
    told = json.loads((folder / EVIDENCE).read_text(encoding="utf-8"))
    if table is not None:
        if table not in told.get("tables", {}):
            raise NotFound("service.no-such-table")
        folder, told = folder / table, told["tables"][table]
    elif "tables" in told:
        raise NotFound("service.release-several-tables")
    found = folder / str(told.get("released", {}).get("file", ""))
    if not found.is_file():
        raise NotFound("service.release-not-in-one-file")
    return found


def describe_release(folder: Path) -> dict[str, Any]:
    """Return what was released: how many rows, which columns, the files, and how many classes there are of each size.

    Only the file that was checked is listed with the rows; the same rows in other formats are made from it.
    """
    told = json.loads((folder / EVIDENCE).read_text(encoding="utf-8"))
    parts = told.get("tables", {"": told})
    named = {name: part.get("released", {}) for name, part in parts.items()}
    files = []
    for name, released in named.items():
        for path in sorted((folder / name).iterdir()):
            kind = "data" if path.name == released.get("file") else _KINDS.get(path.name)
            if kind is not None and path.is_file():
                files.append(_file(path, kind, name))
    if "tables" in told:
        files += [_file(folder / name, kind, "") for name, kind in _KINDS.items() if (folder / name).is_file()]
    released = named.get("", {})
    return {
        "rows": told.get("rows", {}).get("released"),
        "columns": released.get("columns", []),
        "table": released.get("table"),
        "tables": list(told.get("tables", {})),
        "files": files,
        "class_sizes": _sizes(told),
        "method": told.get("method", {}),
        "privacy": told.get("privacy", []),
    }


def _file(path: Path, kind: str, table: str) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = f"{table}/{path.name}" if table else path.name
    return {"name": name, "bytes": path.stat().st_size, "sha256": digest, "kind": kind}


def _sizes(told: dict[str, Any]) -> list[dict[str, int]]:
    sizes = told.get("classes", {}).get("after", {}).get("sizes", [])
    return [{"size": size, "classes": many, "records": size * many} for size, many in sizes]
