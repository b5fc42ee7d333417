"""The connection reaches nothing, tells nothing, and leaves nothing readable behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from antifaz.core.errors import DataError, ParameterError
from antifaz.sources import duckdb_connection as duck
from failing import failing, like

CANARY = "Kanarienvogel"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO '/tmp/antifaz-should-not-exist.csv'",
        "ATTACH '/tmp/antifaz-should-not-exist.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET lock_configuration = false",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET threads = 64",
        "SET temp_file_encryption = false",
        "CREATE PERSISTENT SECRET s (TYPE s3)",
        "SELECT * FROM 'https://example.org/a.csv'",
        "SELECT * FROM outside",
    ],
)
def test_check_32_locked(statement: str) -> None:
    outside = pa.table({"a": [1]})  # a Python variable is not a table either
    connection = duck.connect()
    try:
        with pytest.raises(duckdb.Error):
            connection.execute(statement)
    finally:
        duck.close(connection)
    assert outside.num_rows == 1


def test_check_32_allowed_places_only(tmp_path: Path) -> None:
    inside, beside = tmp_path / "in", tmp_path / "in-other"
    for folder in (inside, beside):
        folder.mkdir()
        (folder / "a.csv").write_text("a\n1\n")
    connection = duck.connect(allow=[inside])
    assert connection.execute(f"SELECT * FROM read_csv('{inside}/a.csv')").fetchall() == [(1,)]
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM read_csv('{beside}/a.csv')")
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM read_csv('{inside}/../in-other/a.csv')")
    duck.close(connection)


def spilled(connection: duckdb.DuckDBPyConnection) -> Path:
    return Path(connection.execute("SELECT current_setting('temp_directory')").fetchone()[0])


def test_check_35_spill_is_private_encrypted_and_removed() -> None:
    connection = duck.connect(memory="100MB", threads=2)
    folder = spilled(connection)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    connection.execute(
        f"CREATE TABLE t AS SELECT '{CANARY}' || i || repeat('x', 100) AS s, hash(i) AS h FROM range(900000) r(i)"
    )
    connection.execute("CREATE TABLE u AS SELECT * FROM t ORDER BY h")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) > 10 << 20, "nothing was spilled: the test proves nothing"
    assert all(CANARY.encode() not in path.read_bytes() for path in files)
    duck.close(connection)
    assert not folder.exists()


def test_check_35_the_canary_would_show_without_encryption(tmp_path: Path) -> None:
    """The control: the same spill in clear does hold the canary."""
    settings = {"temp_directory": str(tmp_path), "memory_limit": "100MB", "threads": 2}
    with duckdb.connect(config=settings) as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT '{CANARY}' || i || repeat('x', 100) AS s, hash(i) AS h FROM range(900000) r(i)"
        )
        connection.execute("CREATE TABLE u AS SELECT * FROM t ORDER BY h")
        assert any(CANARY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_check_19_leftovers_of_a_killed_process_are_removed() -> None:
    code = (
        "import os; from antifaz.sources import duckdb_connection as duck; c = duck.connect(); "
        "print(c.execute(\"SELECT current_setting('temp_directory')\").fetchone()[0], flush=True); os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    folder = Path(done.stdout.strip())
    assert folder.exists()
    duck.close(duck.connect(memory="100MB"))  # starts DuckDB, as the first one of a process does
    assert not folder.exists()


def catalogs(connection: duckdb.DuckDBPyConnection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT database_name FROM duckdb_databases()").fetchall()}


@pytest.mark.parametrize("end", [duck.close, lambda connection: None], ids=["closed", "garbage"])
def test_a_database_without_files_is_empty_and_forgotten_in_the_end(end: Callable[[object], None]) -> None:
    first, other = duck.connect(), duck.connect()
    first.execute(f"CREATE TABLE t AS SELECT '{CANARY}' AS s")
    (mine,) = first.execute("SELECT current_database()").fetchone()
    with pytest.raises(duckdb.CatalogException):
        other.execute("FROM t")
    assert mine in catalogs(other)
    end(first)
    del first
    assert mine not in catalogs(other)
    duck.close(other)


def test_a_forked_process_has_a_database_of_its_own() -> None:
    mine = duck.connect()
    child = os.fork()
    if not child:
        theirs = duck.connect()
        os._exit(theirs.execute("SELECT sum(i) FROM range(5000) r(i)").fetchone() != (12497500,))
    assert os.waitpid(child, 0)[1] == 0
    assert mine.execute("SELECT 1").fetchone() == (1,)
    duck.close(mine)


def test_closed_twice_is_fine() -> None:
    connection = duck.connect()
    duck.close(connection)
    duck.close(connection)


def test_parameters_are_checked() -> None:
    with failing("size.wrong", ParameterError, what="memory"):
        duck.connect(memory="lots")
    with failing("engine.threads-below-1", ParameterError):
        duck.connect(threads=0)


def test_quote_doubles() -> None:
    assert duck.quote('a"b') == '"a""b"'


def test_check_34_an_error_says_nothing_of_the_cell() -> None:
    connection = duck.connect()
    with pytest.raises(DataError) as caught, duck.duckdb_errors("Reading failed"):
        connection.execute(f"SELECT CAST('{CANARY}' AS INTEGER)")
    duck.close(connection)
    error: BaseException | None = caught.value
    while error is not None:
        assert CANARY not in str(error)
        assert CANARY not in repr(error)
        error = error.__context__


def test_check_20_errors_know_a_full_disk_and_a_full_memory() -> None:
    with failing("source.failed", DataError, reason=like("source.disk-full")), duck.duckdb_errors():
        raise duckdb.IOException(f"memory_limit {CANARY} No space left on device")
    with failing("source.failed", DataError, reason=like("source.memory-limit-reached")), duck.duckdb_errors():
        raise duckdb.OutOfMemoryException(CANARY)
