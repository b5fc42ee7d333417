"""Databases on bad days: refused in one sentence without a password or a cell, and nothing is left behind."""

from __future__ import annotations

import json
import secrets
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pyarrow as pa
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

import antifaz as az
from antifaz.cli.main import cli
from antifaz.core.errors import AntifazError, DataError, InputError, ParameterError
from antifaz.engines.database.errors import database_errors
from antifaz.projects.loaded_project import load_project
from engines.test_suite import ROLES
from failing import failing, like

SECRET = "s3cr3t-word"
HIERARCHIES = {
    "age": az.hierarchy.intervals(5, 10, 20),
    "sex": az.hierarchy.flat(),
    "postcode": az.hierarchy.masking(1),
    "marital_status": az.hierarchy.flat(),
}


def _release(data: Any, k: int = 4) -> Any:
    method = az.FullDomain(suppression=0.05)
    wanted = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(k), "others": "release"}
    return az.anonymize(data, **wanted, method=method)


def _said(*arguments: Any, **options: Any) -> str:
    """What is said of an address that can't be opened: one sentence of ours, and nothing behind it."""
    with pytest.raises(AntifazError) as caught:
        az.open(*arguments, **options)
    error: BaseException | None = caught.value
    said = str(error)
    while error is not None:
        assert SECRET not in repr(error) + str(error)
        error = error.__context__
    assert said.endswith(".")
    assert "\n" not in said
    return said


@pytest.mark.parametrize("scheme", ["mariadb", "mysql", "postgresql"])
def test_a_server_that_is_down(scheme: str) -> None:
    said = _said(f"{scheme}://someone:{SECRET}@127.0.0.1:1/test", table="people")
    assert said.startswith(f"{scheme}://someone@127.0.0.1:1/test could not be opened: the server can't be reached")


def test_a_wrong_password_and_a_right_one(mariadb: Any, table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    user, name = f"u_{secrets.token_hex(4)}", mariadb.load(table)
    mariadb.run(
        f"CREATE USER '{user}'@'%' IDENTIFIED BY '{SECRET}'", f"GRANT ALL ON {mariadb.database}.* TO '{user}'@'%'"
    )
    mariadb.run(f"CREATE USER '{user}'@'localhost' IDENTIFIED BY '{SECRET}'")
    mariadb.run(f"GRANT ALL ON {mariadb.database}.* TO '{user}'@'localhost'")
    address = mariadb.url.replace("root@", f"{user}@")
    try:
        assert "user or password are not right" in _said(address, table=name, password="wrong")
        monkeypatch.setenv("ANTIFAZ_PASSWORD", SECRET)
        with az.open(address, table=name) as data:
            release = _release(data)
            assert SECRET not in repr(data) + repr(data.connection.__dict__) + json.dumps(release.evidence)
        monkeypatch.delenv("ANTIFAZ_PASSWORD")
        assert "ANTIFAZ_PASSWORD" in _said(address, table=name)
        monkeypatch.setenv("OTHER_VARIABLE", SECRET)
        az.open(address, table=name, password_env="OTHER_VARIABLE").close()
        az.open(address.replace(f"{user}@", f"{user}:{SECRET}@"), table=name).close()
        assert "no variable 'NOT_THERE'" in _said(address, table=name, password_env="NOT_THERE")
    finally:
        mariadb.run(f"DROP USER '{user}'@'%'", f"DROP USER '{user}'@'localhost'")


def test_a_password_is_asked_for_where_somebody_is_there(mariadb: Any, table: pa.Table) -> None:
    from antifaz.core.passwords import ASK

    user, name, asked = f"u_{secrets.token_hex(4)}", mariadb.load(table), []
    mariadb.run(
        f"CREATE USER '{user}'@'%' IDENTIFIED BY '{SECRET}'", f"GRANT ALL ON {mariadb.database}.* TO '{user}'@'%'"
    )

    def ask(what: str) -> str:
        asked.append(what)
        return SECRET

    token = ASK.set(ask)
    try:
        az.open(mariadb.url.replace("root@", f"{user}@"), table=name).close()
        assert asked == [f"Password of {mariadb.url.replace('root@', f'{user}@')}"]
    finally:
        ASK.reset(token)
        mariadb.run(f"DROP USER '{user}'@'%'")


def test_a_table_that_is_not_there(database: Any, table: pa.Table) -> None:
    name = database.load(table)
    assert f"did you mean {name!r}?" in _said(database.url, table=name + "x")
    assert "Say which table" in _said(database.url)


def test_a_user_who_may_not_create(remote: Any, table: pa.Table, tmp_path: Path) -> None:
    user, name, target = f"u_{secrets.token_hex(4)}", remote.load(table), remote.name()
    if remote.kind == "MariaDB":
        remote.run(
            f"CREATE USER '{user}'@'%'", f"GRANT SELECT, CREATE TEMPORARY TABLES ON {remote.database}.* TO '{user}'@'%'"
        )
    else:
        remote.run(f"CREATE ROLE {user} LOGIN", f"GRANT SELECT ON {name} TO {user}")
    address = f"{remote.url.partition('://')[0]}://{user}@{remote.url.rpartition('@')[2]}"
    try:
        with az.open(address, table=name) as data:
            release = _release(data)
            with failing("source.failed", DataError, reason=like("database.not-permitted")):
                release.save(tmp_path / "out", table=target)
            release.save(tmp_path / "out")
    finally:
        if remote.kind == "MariaDB":
            remote.run(f"DROP USER '{user}'@'%'")
        else:
            remote.run(f"DROP OWNED BY {user}", f"DROP ROLE {user}")


def test_a_user_who_may_only_read_releases_to_a_file(remote: Any, table: pa.Table, tmp_path: Path) -> None:
    user, name, target = f"u_{secrets.token_hex(4)}", remote.load(table), remote.name()
    temporary = f"TEMPORARY ON DATABASE {remote.database}"
    if remote.kind == "MariaDB":
        remote.run(f"CREATE USER '{user}'@'%'", f"GRANT SELECT ON {remote.database}.{name} TO '{user}'@'%'")
    else:
        remote.run(f"REVOKE {temporary} FROM PUBLIC")
        remote.run(f"CREATE ROLE {user} LOGIN", f"GRANT SELECT ON {name} TO {user}")
    address = f"{remote.url.partition('://')[0]}://{user}@{remote.url.rpartition('@')[2]}"
    try:
        with az.open(address, table=name) as data, az.open(remote.url, table=name) as whole:
            assert data.count(["age"]).counts.sum() == table.num_rows
            release, expected = _release(data), _release(whole)
            release.save(tmp_path / "out")
            expected.save(tmp_path / "expected")
            assert "note.rows-fetched-to-read" in [note["code"] for note in release.evidence["messages"]["notes"]]
            with failing("source.failed", DataError, reason=like("database.not-permitted")):
                release.save(tmp_path / "table", table=target)
    finally:
        if remote.kind == "MariaDB":
            remote.run(f"DROP USER '{user}'@'%'")
        else:
            remote.run(f"DROP OWNED BY {user}", f"DROP ROLE {user}", f"GRANT {temporary} TO PUBLIC")
    lines = [sorted((tmp_path / each / "release.csv").read_text("utf-8").splitlines()) for each in ("out", "expected")]
    assert lines[0] == lines[1]


def test_types_that_can_not_be_compared(remote: Any) -> None:
    if remote.kind == "PostgreSQL":
        name = remote.name()
        remote.run(f"CREATE TABLE {name} (a int, b json)", f"INSERT INTO {name} VALUES (1, '{{\"x\": 1}}')")
        with az.open(remote.url, table=name) as data:
            assert data.totals(["b"]) == {"b": {'{"x": 1}': 1}}
            assert "Column 'b' holds JSON" in " ".join(data.notes)
    for kind in ("bytea", "point", "int[]") if remote.kind == "PostgreSQL" else ("blob", "point", "varbinary(4)"):
        name = remote.name()
        remote.run(f"CREATE TABLE {name} (a int, b {kind})")
        assert "Column 'b' is of the type" in _said(remote.url, table=name)


def test_bytes_in_sqlite(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("CREATE TABLE t (a, b)")
        db.execute("INSERT INTO t VALUES (1, x'00')")
    db.close()
    assert "Column 'b' holds bytes" in _said(f"sqlite:///{tmp_path}/a.db", table="t")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("sqlite:///not-there.db", "There is no file"),
        ("duckdb:///not-there.db", "There is no file"),
        ("mariadb://h/db?local_infile=1", "can't have the option 'local_infile'"),
        ("mariadb://h/db?read_default_file=/etc/passwd", "can't have the option 'read_default_file'"),
        ("postgresql://h/db?options=-c", "can't have the option 'options'"),
        ("postgresql+asyncpg://h/db", "without a driver"),
        ("mariadb://h", "lacks the name of the database"),
        ("mariadb://h:port/db", "can't be read"),
    ],
)
def test_check_32_addresses_that_are_wrong(address: str, words: str) -> None:
    assert words in _said(address, table="t")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("cell-of-data\n" * 100, encoding="utf-8")
    for scheme in ("sqlite", "duckdb"):
        said = _said(f"{scheme}:///{tmp_path}/a.db", table="t")
        assert "cell-of-data" not in said


def test_check_33_a_password_in_a_project_file_is_refused(tmp_path: Path) -> None:
    text = f"""
antifaz: 1
source: {{url: "mariadb://me:{SECRET}@host/db", table: people}}
attributes: {{age: {{role: quasi-identifier}}}}
privacy: [{{model: k-anonymity, k: 2}}]
"""
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    with failing("project.key-wrong", InputError, key="source") as caught:
        load_project(tmp_path / "p.yaml")
    assert caught.value.message.values["expected"].startswith("without a password in 'url'")
    assert SECRET not in repr(caught.value)


def test_a_table_is_for_databases_only(tmp_path: Path) -> None:
    release = az.anonymize(
        pa.table({"a": ["x", "x"]}),
        roles={"a": "quasi-identifier"},
        hierarchies={"a": az.hierarchy.flat()},
        privacy=az.KAnonymity(2),
    )
    with failing("engine.release-to-table-needs-database", ParameterError):
        release.save(tmp_path / "out", table="t")


def test_check_27_a_connection_cut_in_the_middle_leaves_nothing(
    remote: Any, table: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from antifaz.engines.database.apply import DatabaseTarget

    target, real = remote.name(), DatabaseTarget.write_rows

    def cut(self: Any, applied: Any) -> Any:
        written = real(self, applied)
        if remote.kind == "MariaDB":
            remote.run(f"KILL CONNECTION {self.connection.run('SELECT CONNECTION_ID()')[0][0]}")
        else:
            remote.run(f"SELECT pg_terminate_backend({self.connection.run('SELECT pg_backend_pid()')[0][0]})")
        return written

    monkeypatch.setattr(DatabaseTarget, "write_rows", cut)
    with az.open(remote.url, table=remote.load(table)) as data:
        release = _release(data)
        with failing("source.failed", DataError, reason=like("database.connection-lost")):
            release.save(tmp_path / "out", table=target)
    assert not (tmp_path / "out").exists()
    assert not [name for name in remote.tables() if name == target or name.startswith("antifaz")]


def test_check_19_what_a_killed_run_left_goes_at_the_next_start(mariadb: Any, table: pa.Table) -> None:
    name = mariadb.load(table)
    dead, living = (f"antifaz_{secrets.token_hex(8)}" for _ in range(2))
    mariadb.run(*(f"CREATE TABLE {one}_staging (a INT)" for one in (dead, living)))
    mariadb.run(f"CREATE TABLE {dead}_previous (a INT)")
    mariadb.made += [f"{living}_staging", f"{dead}_staging", f"{dead}_previous"]
    with mariadb.engine.connect() as other:
        other.exec_driver_sql(f"SELECT GET_LOCK('{living}', 0)")
        az.open(mariadb.url, table=name).close()
        assert {one for one in mariadb.tables() if one.startswith("antifaz")} == {f"{living}_staging"}
    az.open(mariadb.url, table=name).close()
    assert not [one for one in mariadb.tables() if one.startswith("antifaz")]


def test_check_27_other_writers_are_not_seen(remote: Any, table: pa.Table, tmp_path: Path) -> None:
    name, target = remote.load(table), remote.name()
    with az.open(remote.url, table=name) as data, data.snapshot():
        before = data.digest()
        remote.run(f"INSERT INTO {name} SELECT * FROM {name}", f"UPDATE {name} SET age = 99, diagnosis = 'other'")
        assert data.digest() == before
        release = _release(data)
        remote.run(f"DELETE FROM {name}")
        release.save(tmp_path / "out", table=target)
    with az.open(remote.url, table=target) as written:
        assert written.rows == release.evidence["rows"]["released"]
        assert "other" not in written.totals(["diagnosis"])["diagnosis"]


def test_check_27_a_writer_beside_sqlite_is_not_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE t (a TEXT)")
        db.executemany("INSERT INTO t VALUES (?)", [("x",)] * 4)
    with az.open(f"sqlite:///{path}", table="t") as data:
        with data.snapshot():
            with db:
                db.execute("INSERT INTO t VALUES ('y')")
            assert data.count(["a"]).counts.tolist() == [4]
            assert data.rows == 4
        with data.snapshot():
            assert data.rows == 5
    db.close()


def test_an_open_table_holds_no_transaction(remote: Any, table: pa.Table, tmp_path: Path) -> None:
    name = remote.load(table)
    patience = "SET lock_wait_timeout = 1" if remote.kind == "MariaDB" else "SET lock_timeout = '1s'"
    with az.open(remote.url, table=name) as data:
        asked = "SELECT state FROM pg_stat_activity WHERE pid = {}"
        if remote.kind == "MariaDB":
            asked = "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = {}"
        number = "connection_id()" if remote.kind == "MariaDB" else "pg_backend_pid()"
        (own,) = data.connection.run(f"SELECT {number}")
        works = [lambda: None, data.profile, lambda: data.window(0, 3), lambda: data.count(["age"]), data.to_arrow]
        works += [lambda: _release(data).save(tmp_path / "out", table=remote.name()), lambda: _release(data).frame]
        for work in (*works, lambda: _release(data, 10**6)):
            with suppress(az.PrivacyNotReached):
                work()
            assert remote.run(asked.format(*own)) in ([("idle",)], [(0,)])
            remote.run(patience, f"ALTER TABLE {name} ADD COLUMN later INT", f"ALTER TABLE {name} DROP COLUMN later")
        remote.run(patience, f"DROP TABLE {name}")


def test_limits_of_time_are_not_taken_for_other_faults(remote: Any, table: pa.Table) -> None:
    """A server that ends what is idle, or what takes long, was said to be read-only."""
    limits = {
        "PostgreSQL": ("SET statement_timeout = 50", "SELECT pg_sleep(2)"),
        "MariaDB": (
            "SET max_statement_time = 0.05",
            "SELECT count(*) FROM seq_1_to_100000 a JOIN seq_1_to_100000 b ON a.seq + b.seq < 9",
        ),
    }
    limit, long = limits[remote.kind]
    with az.open(remote.url, table=remote.load(table)) as data:
        data.connection.run(limit)
        with failing("source.failed", DataError, reason=like("database.time-limit")), database_errors():
            data.connection.run(long)
    if remote.kind == "PostgreSQL":
        with az.open(remote.url, table=remote.load(table)) as data:
            data.connection.run("SET idle_in_transaction_session_timeout = 50")
            with failing("source.failed", DataError, reason=like("database.idle-timeout")), data.snapshot():
                sleep(0.5)
                data.profile()


def test_rows_that_changed_since_a_decision_are_not_released(remote: Any, table: pa.Table, tmp_path: Path) -> None:
    if remote.kind == "MariaDB":
        pytest.skip("it works on a copy of the rows, which does not change")
    name = remote.load(table)
    with az.open(remote.url, table=name) as data:
        release = _release(data)
        remote.run(f"UPDATE {name} SET diagnosis = 'other' WHERE age = (SELECT max(age) FROM {name})")
        for _ in range(2):
            with failing("database.rows-changed-since", DataError):
                release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_rows_that_changed_after_a_run_that_failed_are_taken_as_they_are_now(
    remote: Any, table: pa.Table, tmp_path: Path
) -> None:
    """Such a run leaves behind a digest that nobody asked for."""
    if remote.kind == "MariaDB":
        pytest.skip("it works on a copy of the rows, which does not change")
    name = remote.load(table)
    with az.open(remote.url, table=name) as data:
        with pytest.raises(az.PrivacyNotReached):
            _release(data, 10**6)
        remote.run(f"UPDATE {name} SET diagnosis = 'other' WHERE age = (SELECT max(age) FROM {name})")
        _release(data).save(tmp_path / "out")
    assert "other" in (tmp_path / "out/release.csv").read_text("utf-8")


def test_rows_that_changed_after_a_later_count_are_not_released(remote: Any, table: pa.Table, tmp_path: Path) -> None:
    if remote.kind == "MariaDB":
        pytest.skip("it works on a copy of the rows, which does not change")
    name = remote.load(table)
    with az.open(remote.url, table=name) as data:
        release = _release(data)
        data.count(["age"])
        remote.run(f"UPDATE {name} SET diagnosis = 'other' WHERE age = (SELECT max(age) FROM {name})")
        with failing("database.rows-changed-since", DataError):
            release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_the_server_works_on_is_broken_off_where_nobody_waits_for_it(remote: Any, table: pa.Table) -> None:
    if remote.kind == "MariaDB":
        pytest.skip("its driver can't wait in a thread")
    began = perf_counter()
    with az.open(remote.url, table=remote.load(table)) as data:
        with suppress(KeyboardInterrupt), data.snapshot():
            broken = data.connection.begin(lambda own: own.run("SELECT pg_sleep(60)"))
            raise KeyboardInterrupt
        assert sum(data.count(["sex"]).counts) == table.num_rows  # the connection is of use
        closed = data.connection.begin(lambda own: own.run("SELECT pg_sleep(60)"))
    assert perf_counter() - began < 30
    assert broken.exception() and closed.exception()


def test_a_project_over_a_database_from_the_command_line(table: pa.Table, tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path}/people.db")
    table.to_pandas().to_sql("people", engine, index=False)
    engine.dispose()
    (tmp_path / "p.yaml").write_text(
        """
antifaz: 1
source: {url: "sqlite:///people.db", table: people}
attributes:
  name: {role: identifier}
  age: {role: quasi-identifier, hierarchy: {intervals: [10, 20]}}
  sex: {role: quasi-identifier, hierarchy: {masking: 1}}
  diagnosis: {role: sensitive}
privacy:
  - {model: k-anonymity, k: 4}
engine: {name: sql}
others: release
release: {table: people_released}
seed: 1
""",
        encoding="utf-8",
    )
    done = CliRunner().invoke(cli, ["run", str(tmp_path / "p.yaml"), "--json"], standalone_mode=False)
    assert done.exception is None, done.output
    told = json.loads(done.output)
    with closing(sqlite3.connect(tmp_path / "people.db")) as db, db:
        assert db.execute("SELECT count(*) FROM people_released").fetchone() == (told["rows"]["released"],)
    db.close()
    again = CliRunner().invoke(cli, ["run", str(tmp_path / "p.yaml")], standalone_mode=False)
    assert "There is a table 'people_released' already" in str(again.exception)
