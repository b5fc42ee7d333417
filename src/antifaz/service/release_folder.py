"""The files of one release, as a run left them in its folder."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from antifaz.core.files import file_sha256
from antifaz.releases.evidence import under
from antifaz.service.errors import NotFound
from antifaz.sources.text_options import EXCEL_TEXT, SEPARATORS

EVIDENCE, RECORD = "evidence.json", "record.json"
_KINDS = {EVIDENCE: "evidence", RECORD: "record"}
_REPORT = re.compile(r"report-\w+\.(html|pdf)")
#: All tables of a release in one file.
_ARCHIVE = re.compile(r"release-[\w.]+-\w+\.zip")


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


def reading_of(rows: Path) -> dict[str, Any]:
    """Return how a released file is read: what separates columns, its encoding, the forms of columns."""
    evidence = read_release(rows.parent)
    options = {key: under(evidence, "released", key) for key in ("delimiter", "encoding", "written")}
    between = options["delimiter"] or SEPARATORS.get(rows.suffix.lstrip("."))
    known = options | ({"delimiter": between, "header": True} if between else {})
    return {key: value for key, value in known.items() if value}


def encoding_of(path: Path) -> str:
    """Return the encoding of a file of rows, as the evidence beside it says; others than it speaks of are UTF-8."""
    released = read_release(path.parent).get("released") or {}
    return str(released.get("encoding") or "utf-8") if released.get("file") == path.name else "utf-8"


def read_release(folder: Path) -> dict[str, Any]:
    """Return the evidence of a release."""
    evidence: dict[str, Any] = json.loads((folder / EVIDENCE).read_text(encoding="utf-8"))
    return evidence


def in_tables(folder: Path) -> bool:
    """Say whether rows of a release went to tables of a database."""
    evidence = read_release(folder)
    parts = evidence.get("tables", {"": evidence}).values()
    return any(under(part, "released", "table") for part in parts)


def table_folder(folder: Path, table: str | None) -> Path:
    """Return the folder of a release, or that of one of its several tables."""
    if table is None:
        return folder
    if table not in read_release(folder).get("tables", {}):
        raise NotFound("service.no-such-table")
    return folder / table


def report_file(language: str, format: str) -> str:
    """Return what the file of a report is called that is handed out in a language."""
    return f"report-{language}.{format}"


def archive_file(format: str, language: str) -> str:
    """Return what the file is called that has all tables of a release."""
    return f"release-{format}-{language}.zip"


def describe_release(folder: Path) -> dict[str, Any]:
    """Return what was released, of several tables each under `parts`, and the files with their SHA-256.

    The files are those that can be handed out as they are: the rows in the formats in which they were asked for, the
    reports in the languages in which they were, the evidence and the record.
    """
    evidence = read_release(folder)
    tables = evidence.get("tables", {})
    files = [_file(path, kind, "") for path, kind in _files(folder, evidence)]
    for name, part in tables.items():
        files += [_file(path, kind, name) for path, kind in _files(folder / name, part)]
    parts = {name: _describe_rows(part) for name, part in tables.items()}
    return _describe_rows(evidence) | {"tables": list(tables), "parts": parts, "files": files}


def _describe_rows(evidence: dict[str, Any]) -> dict[str, Any]:
    """Return how many rows there are, which columns, where they are, and how many classes there are of each size."""
    sizes = under(evidence, "classes", "after", "sizes") or []
    return {
        "rows": under(evidence, "rows", "released"),
        "columns": under(evidence, "released", "columns") or [],
        "file": None if (table := under(evidence, "released", "table")) else under(evidence, "released", "file"),
        "table": table,
        "class_sizes": [{"size": size, "classes": many, "records": size * many} for size, many in sizes],
        "method": evidence.get("method", {}),
        "privacy": evidence.get("privacy", []),
    }


def _files(folder: Path, evidence: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    rows = under(evidence, "released", "file")
    for path in sorted(folder.iterdir()):
        kind = _KINDS.get(path.name)
        stem = None if rows is None else Path(str(rows)).stem
        if path.stem == stem or path.name == f"{stem}.{EXCEL_TEXT}":
            kind = "data"
        elif _REPORT.fullmatch(path.name):
            kind = "report"
        elif _ARCHIVE.fullmatch(path.name):
            kind = "archive"
        if kind is not None and path.is_file():
            yield path, kind


def _file(path: Path, kind: str, table: str) -> dict[str, Any]:
    name = f"{table}/{path.name}" if table else path.name
    return {"name": name, "bytes": path.stat().st_size, "sha256": file_sha256(path), "kind": kind}
