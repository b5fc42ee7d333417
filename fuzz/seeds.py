"""Well-formed inputs of every parser, from which damaged ones are made."""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NAMES = ("id", "age", "town", "born", "pay")
_ROWS = [
    ("a1", 34, "Ávila", "1990-02-28", 1200.5),
    ("b2", None, "Bath, UK", "16/11/2016", -3e5),
    ("c3", 1, '5" pipe', None, 0.0),
    ("d4", 99, "=1+1", "2016-11-16T10:00:00Z", 1e16),
]


@dataclass(frozen=True)
class Target:
    """A parser: how its files are called, one that is well-formed, and what reads it."""

    name: str
    suffix: str
    content: bytes
    read: Callable[[Path], object]


def targets() -> list[Target]:
    """Return every parser that reads files of strangers."""
    tables = [(f"table-{suffix}", f".{suffix}", content) for suffix, content in _tables().items()]
    return [
        *(Target(name, suffix, content, _inspect) for name, suffix, content in tables),
        Target("types", ".json", json.dumps(dict.fromkeys(_NAMES, "text(5)")).encode(), _types),
        Target("project", ".yaml", _PROJECT.encode(), _project),
        Target("anonylitics", ".json", json.dumps(_anonylitics()).encode(), _import),
        Target("hierarchy-table", ".csv", b'20;"[20, 30)";*\n31;[30, 40);*\n', _hierarchy),
        Target("hierarchy-tree", ".json", b'{"*": {"x": ["a", "b"], "y": ["c"]}}', _hierarchy),
        Target("labels", ".csv", b"[20, 30)\n{a, b}\n2*\n< 18\n>= 65\n20-29\n2001-02\n", _labels),
    ]


def _tables() -> dict[str, bytes]:
    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells = [[*map(_text, row)] for row in _ROWS]
    lines = [",".join(_NAMES), *(",".join(f'"{c.replace(chr(34), chr(34) * 2)}"' for c in row) for row in cells)]
    records = [dict(zip(_NAMES, row, strict=True)) for row in _ROWS]
    columns = {name: [record[name] for record in records] for name in _NAMES}
    book, sheet, parquet = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    active: Any = book.active
    for row in (_NAMES, *_ROWS):
        active.append(row)
    book.save(sheet)
    pq.write_table(pa.table(columns), parquet)
    return {
        "csv": "\n".join(lines).encode() + b"\n",
        "tsv": "\n".join("\t".join(row) for row in (list(_NAMES), *cells)).encode("utf-16"),
        "json": json.dumps(records).encode(),
        "jsonl": "\n".join(map(json.dumps, records)).encode(),
        "xlsx": sheet.getvalue(),
        "parquet": parquet.getvalue(),
        "sqlite": _sqlite(),
    }


def _sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.sqlite"
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE people (id TEXT, age INTEGER, town TEXT, born TEXT, pay REAL)")
            database.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", _ROWS)
            database.commit()
        return path.read_bytes()


def _text(value: object) -> str:
    return "" if value is None else str(value)


_PROJECT = """\
antifaz: 1
name: people
source: {path: people.csv, delimiter: ";", missing: ["NA", "?"]}
attributes:
  id: {role: identifier, operation: {name: pseudonymize, key: k}}
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}, type: integer}
  born: {role: quasi-identifier, hierarchy: {dates: [month, year]}}
  town: {role: sensitive}
others: drop
privacy:
  - {model: k-anonymity, k: 5}
  - {model: l-diversity, l: 2, attribute: town}
method: {name: full-domain, suppression: 0.02, seconds: 3}
release: {path: out, format: csv}
seed: 1
"""


def _anonylitics() -> dict[str, Any]:
    def column(name: str, kind: str, role: str, operation: str) -> dict[str, Any]:
        return {"column_name": name, "data_type": kind, "attribute_type": role, "operation": {"name": operation}}

    return {
        "user": "ana", "project_name": "banco", "anonymization_type": "Completa",
        "connection": {"ip": "10.0.0.7", "port": 3306, "database": "banco", "username": "ana"},
        "tables": [{"table_name": "clientes", "columns": [
            column("cedula", "Categórico", "Identificador", "Cifrar"),
            column("edad", "Numérico", "Cuasi-identificador", "Generalizar"),
            column("ingreso", "Numérico", "Sensible", "N/A"),
        ]}],
        "principles": [{"principle_name": "k-anonymity", "principle_value": 10}],
    }  # fmt: skip


def _inspect(path: Path) -> object:
    from antifaz.projects.data_actions import inspect

    if path.suffix == ".sqlite":
        return inspect(f"sqlite:///{path}", table="people")
    return inspect(path)


def _types(path: Path) -> object:
    from antifaz.projects.data_actions import inspect

    table = path.with_name("people.csv")
    table.write_bytes(b"id,age,town,born,pay\na,1,b,c,2\n")
    return inspect(table, types=path)


def _project(path: Path) -> object:
    from antifaz.projects.loaded_project import load_project

    return load_project(path)


def _import(path: Path) -> object:
    from antifaz.projects.importers.anonylitics import import_project

    return import_project(path)


def _hierarchy(path: Path) -> object:
    import antifaz as az

    return az.hierarchy.from_file(path)


def _labels(path: Path) -> object:
    """Read any text as the labels of a released column of numbers, and of words."""
    import antifaz as az

    labels = path.read_bytes().decode("utf-8", "replace").split("\n")[:20]
    numbers, words = [str(20 + i) for i in range(len(labels))], [f"w{i}" for i in range(len(labels))]
    original = {"n": numbers, "w": words}
    roles = {"n": "quasi-identifier", "w": "quasi-identifier"}
    return az.assess(_frame(original), _frame({"n": labels, "w": labels}), roles, seed=1)


def _frame(columns: dict[str, list[str]]) -> Any:
    import pyarrow as pa

    return pa.table(columns)
