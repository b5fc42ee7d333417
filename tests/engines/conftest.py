"""One table in every form that an engine takes. A new engine adds its form here and runs the whole suite."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from antifaz.datasets import people
from antifaz.engines.local.data import LocalData, open_local


@pytest.fixture(scope="session")
def table() -> pa.Table:
    """Made-up people, some of whose values are missing."""
    made = people(600, seed=3).drop_columns(["id_number", "birth_date"])
    random = np.random.default_rng(1)
    for name in ("sex", "diagnosis"):
        column = pa.array(made.column(name).to_pylist(), pa.string(), mask=random.random(600) < 0.05)
        made = made.set_column(made.column_names.index(name), name, column)
    return made


def _csv(table: pa.Table, folder: Path) -> Path:
    pyarrow.csv.write_csv(table, folder / "people.csv")
    return folder / "people.csv"


def _semicolons(table: pa.Table, folder: Path) -> Path:
    options = pyarrow.csv.WriteOptions(delimiter=";")
    pyarrow.csv.write_csv(table, folder / "people.txt", options)
    text = (folder / "people.txt").read_text("utf-8").replace("\n", "\r\n")
    (folder / "people.txt").write_bytes(text.encode("utf-16"))
    return folder / "people.txt"


def _parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "people.parquet", row_group_size=100)
    return folder / "people.parquet"


def _workbook(table: pa.Table, folder: Path) -> Path:
    book = openpyxl.Workbook()
    for row in (table.column_names, *(list(row.values()) for row in table.to_pylist())):
        book.active.append(row)
    book.save(folder / "people.xlsx")
    return folder / "people.xlsx"


def _json_lines(table: pa.Table, folder: Path) -> Path:
    table.to_pandas().to_json(folder / "people.jsonl", orient="records", lines=True, force_ascii=False)
    return folder / "people.jsonl"


def _polars(table: pa.Table, folder: Path) -> Any:
    import polars

    return polars.from_arrow(table)


#: How a table is brought into each form.
FORMS: dict[str, Callable[[pa.Table, Path], Any]] = {
    "CSV text": _csv,
    "text with semicolons, CRLF, UTF-16": _semicolons,
    "JSON lines": _json_lines,
    "Parquet file": _parquet,
    "workbook": _workbook,
    "pyarrow table": lambda table, folder: table,
    "pyarrow table with dictionaries": lambda table, folder: _dictionaries(table),
    "pandas frame": lambda table, folder: table.to_pandas(),
    "polars frame": _polars,
}


def _dictionaries(table: pa.Table) -> pa.Table:
    for i, name in enumerate(table.column_names):
        if pa.types.is_string(table.schema.field(name).type):
            table = table.set_column(i, name, table.column(name).dictionary_encode())
    return table


Opened = Callable[..., LocalData]


@pytest.fixture(params=FORMS)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Open a table in one of the forms."""

    def open_it(table: pa.Table, **options: Any) -> LocalData:
        return open_local(FORMS[request.param](table, tmp_path), **options)

    return open_it


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark session on two threads, made with our defaults; left out where Java is missing, but not in CI."""
    missing = "" if shutil.which("java") or os.environ.get("JAVA_HOME") else "Java 17 or newer"
    try:
        import pyspark  # noqa: F401
    except ModuleNotFoundError:
        missing = 'pip install "antifaz[spark]"'
    if missing and not os.environ.get("CI"):
        pytest.skip(f"Spark is not installed: {missing}")
    from antifaz.engines.spark.session import hold

    held = hold(master="local[2]", memory="2GB")
    # The tables of tests are small: what is planned for large ones takes longer than the work.
    for name, value in {"adaptive.enabled": "false", "shuffle.partitions": "2"}.items():
        held.session.conf.set(f"spark.sql.{name}", value)
    yield held.session
    held.release()
