"""The files of one release, as a run left them in its folder."""

import hashlib
import json
from pathlib import Path
from typing import Any

from antifaz.engines.engine import SEPARATORS
from antifaz.releases.evidence import under
from antifaz.service.errors import NotFound

EVIDENCE, RECORD = "evidence.json", "record.json"
_KINDS = {EVIDENCE: "evidence", "report.html": "report", "report.pdf": "report", RECORD: "record"}


def rows_file(folder: Path, table: str | None = None) -> Path:
    """Return the file with the rows that were checked, of one of several tables if one is named."""
    evidence = read_release(folder)
    if table is not None:
        if table not in evidence.get("tables", {}):
            raise NotFound("service.no-such-table")
        folder, evidence = folder / table, evidence["tables"][table]
    elif "tables" in evidence:
        raise NotFound("service.release-several-tables")
    rows = folder / str(under(evidence, "released", "file") or "")
    if not rows.is_file():
        raise NotFound("service.release-not-in-one-file")
    return rows


def delimiter_of(rows: Path) -> str | None:
    """Return what separates the columns of a released file of text."""
    told = under(read_release(rows.parent), "released", "delimiter")
    return str(told) if told else SEPARATORS.get(rows.suffix.lstrip("."))


def read_release(folder: Path) -> dict[str, Any]:
    """Return the evidence of a release."""
    evidence: dict[str, Any] = json.loads((folder / EVIDENCE).read_text(encoding="utf-8"))
    return evidence


def describe_release(folder: Path) -> dict[str, Any]:
    """Return what was released: how many rows, which columns, the files, and how many classes there are of each size.

    Only the file that was checked is listed with the rows; the same rows in other formats are made from it.
    """
    evidence = read_release(folder)
    files = []
    for name, part in evidence.get("tables", {"": evidence}).items():
        for path in sorted((folder / name).iterdir()):
            kind = "data" if path.name == under(part, "released", "file") else _KINDS.get(path.name)
            if kind is not None and path.is_file():
                files.append(_file(path, kind, name))
    if "tables" in evidence:
        files += [_file(folder / name, kind, "") for name, kind in _KINDS.items() if (folder / name).is_file()]
    sizes = under(evidence, "classes", "after", "sizes") or []
    return {
        "rows": under(evidence, "rows", "released"), "columns": under(evidence, "released", "columns") or [],
        "table": under(evidence, "released", "table"), "tables": list(evidence.get("tables", {})), "files": files,
        "class_sizes": [{"size": size, "classes": many, "records": size * many} for size, many in sizes],
        "method": evidence.get("method", {}), "privacy": evidence.get("privacy", []),
    }  # fmt: skip


def _file(path: Path, kind: str, table: str) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = f"{table}/{path.name}" if table else path.name
    return {"name": name, "bytes": path.stat().st_size, "sha256": digest, "kind": kind}
