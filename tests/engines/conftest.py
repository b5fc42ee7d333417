"""One table in every form that an engine takes. A new engine adds its form here and runs the whole suite."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
    from antifaz.engines.spark.session import use_session

    held = use_session(master="local[2]", memory="2GB")
    # The tables of tests are small: what is planned and compiled for large ones takes longer than the work.
    quick = {"adaptive.enabled": "false", "shuffle.partitions": "2"}
    quick |= {"codegen.wholeStage": "false", "codegen.factoryMode": "NO_CODEGEN"}
    # The plans that Spark describes for its own page, which is closed.
    quick |= {"ui.explainMode": "simple", "maxPlanStringLength": "0"}
    for name, value in quick.items():
        held.session.conf.set(f"spark.sql.{name}", value)
    yield held.session
    held.release()


@dataclass
class Server:
    """A database to put tables into; what was put there is dropped in the end."""

    kind: str
    url: str
    made: list[str] = field(default_factory=list)

    @property
    def database(self) -> str:
        """The name of the database on its server."""
        return self.url.rpartition("/")[2]

    @property
    def engine(self) -> Any:
        import sqlalchemy as sa

        drivers = {"mariadb": "mysql+pymysql", "postgresql": "postgresql+psycopg"}
        scheme, _, rest = self.url.partition("://")
        return sa.create_engine(f"{drivers.get(scheme, scheme)}://{rest}", poolclass=sa.pool.NullPool)

    def run(self, *statements: str) -> list[Any]:
        """Run statements as they stand and return the rows of the last."""
        if self.kind == "DuckDB":
            import duckdb

            with duckdb.connect(self.url.removeprefix("duckdb:///")) as db:
                return [db.execute(statement).fetchall() for statement in statements][-1]
        engine = self.engine.execution_options(isolation_level="AUTOCOMMIT", no_parameters=True)
        with engine.connect() as connection:
            results = [connection.exec_driver_sql(statement) for statement in statements]
            return [tuple(row) for row in results[-1]] if results[-1].returns_rows else []

    def name(self) -> str:
        """Return a new name for a table, which is dropped in the end."""
        self.made.append(f"t_{secrets.token_hex(6)}")
        return self.made[-1]

    def load(self, table: pa.Table, name: str | None = None, **types: Any) -> str:
        """Put a table there and return its name; `types` are SQLAlchemy's where they are not the usual ones."""
        import sqlalchemy as sa

        if name is None:
            name = self.name()
        else:
            self.made.append(name)
        if self.kind == "DuckDB":
            import duckdb

            with duckdb.connect(self.url.removeprefix("duckdb:///")) as db:
                db.register("given", table)
                db.execute(f'CREATE TABLE "{name.replace(chr(34), chr(34) * 2)}" AS FROM given')
            return name
        columns = [sa.Column(f.name, types.get(f.name) or _sql_type(f.type), quote=True) for f in table.schema]
        made = sa.Table(name, sa.MetaData(), *columns, quote=True)
        with self.engine.begin() as connection:
            made.create(connection)
            rows = [{f"b{i}": v for i, v in enumerate(row.values())} for row in table.to_pylist()]
            bound = {column: sa.bindparam(f"b{i}", type_=column.type) for i, column in enumerate(made.columns)}
            connection.execute(sa.insert(made).values(bound), rows)
        return name

    def tables(self) -> set[str]:
        """Return the names of all tables."""
        import sqlalchemy as sa

        if self.kind == "DuckDB":
            return {name for (name,) in self.run("SELECT table_name FROM information_schema.tables")}
        return set(sa.inspect(self.engine).get_table_names())

    def clean(self) -> None:
        """Drop what was made."""
        import sqlalchemy as sa

        if self.kind in ("MariaDB", "PostgreSQL"):
            with self.engine.begin() as connection:
                for name in {*self.made} & self.tables():
                    sa.Table(name, sa.MetaData(), quote=True).drop(connection)


def _sql_type(kind: pa.DataType) -> Any:
    import sqlalchemy as sa

    for test, made in (
        (pa.types.is_integer, sa.BigInteger()), (pa.types.is_floating, sa.Double()), (pa.types.is_date, sa.Date()),
        (pa.types.is_boolean, sa.Boolean()),
    ):  # fmt: skip
        if test(kind):
            return made
    return sa.String(80)


#: Where the servers are; the variable names another place.
PLACES = {
    "MariaDB": ("ANTIFAZ_TEST_MARIADB", "mariadb://root@127.0.0.1:3306/test"),
    "PostgreSQL": ("ANTIFAZ_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/test"),
}


def server(kind: str, folder: Path) -> Server:
    """Return a database; where its server is missing the test is left out, but not in CI."""
    if kind not in PLACES:
        path = folder / f"data.{kind.lower()}"
        if kind == "SQLite":  # in the mode in which writers need not wait for readers
            sqlite3.connect(path).execute("PRAGMA journal_mode = WAL").connection.close()
        return Server(kind, f"{kind.lower()}:///{path}")
    variable, usual = PLACES[kind]
    made = Server(kind, os.environ.get(variable, usual))
    try:
        made.run("SELECT 1")
    except Exception as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{kind} does not answer ({type(error).__name__}): start it, or set {variable} to its address")
    return _own(made)


#: The databases that were made for this process alone, and the server of each.
_OWN: dict[str, Server] = {}


def _own(shared: Server) -> Server:
    """Return a database of this process: what others make beside it is not to be seen, nor taken for a leftover."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return shared
    url = f"{shared.url}_{worker}"
    if url not in _OWN:
        _drop(url, shared)
        shared.run(f"CREATE DATABASE {Server(shared.kind, url).database}")
        _OWN[url] = shared
    return Server(shared.kind, url)


def _drop(url: str, shared: Server) -> None:
    forced = " WITH (FORCE)" if shared.kind == "PostgreSQL" else ""
    shared.run(f"DROP DATABASE IF EXISTS {Server(shared.kind, url).database}{forced}")


@pytest.fixture(scope="session", autouse=True)
def _databases_of_this_process() -> Iterator[None]:
    yield
    for url, shared in _OWN.items():
        _drop(url, shared)


@pytest.fixture(scope="module", params=["SQLite", "DuckDB", "PostgreSQL", "MariaDB"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Every kind of database in turn."""
    made = server(request.param, tmp_path_factory.mktemp("database"))
    yield made
    made.clean()


@pytest.fixture(scope="module", params=["PostgreSQL", "MariaDB"])
def remote(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The two servers in turn."""
    made = server(request.param, tmp_path_factory.mktemp("database"))
    yield made
    made.clean()


@pytest.fixture(scope="module")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """MariaDB alone."""
    made = server("MariaDB", tmp_path_factory.mktemp("database"))
    yield made
    made.clean()
