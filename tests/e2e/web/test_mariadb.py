"""A table of MariaDB by REST: opened with a password, anonymized, and written back as a table beside it."""

from __future__ import annotations

import csv
import os
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from e2e.web.rest import SIX, SIX_PROJECT, Served, served
from e2e.web.test_tables import PROJECT, texts

sqlalchemy = pytest.importorskip("sqlalchemy")
NAMES = SIX.splitlines()[0].split(",")
ROWS = [dict(zip(NAMES, line.split(","), strict=True)) for line in SIX.splitlines()[1:]]


class Database:
    """A database of its own on the server, and somebody who may use it with a password."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.name = engine, f"antifaz_{secrets.token_hex(4)}"
        self.password = secrets.token_hex(12)
        self.where = {
            "kind": "mariadb", "host": "127.0.0.1", "port": 3306, "database": self.name, "user": self.name,
        }  # fmt: skip
        self.do(f"CREATE DATABASE {self.name} CHARACTER SET utf8mb4")
        self.do(f"CREATE USER {self.name}@'127.0.0.1' IDENTIFIED BY '{self.password}'")
        self.do(f"GRANT ALL ON {self.name}.* TO {self.name}@'127.0.0.1'")
        self.do(f"CREATE TABLE {self.name}.people ({', '.join(f'{name} VARCHAR(40)' for name in NAMES)})")
        marks = ", ".join(f":{name}" for name in NAMES)
        self.do(f"INSERT INTO {self.name}.people VALUES ({marks})", ROWS)

    def do(self, statement: str, *values: Any) -> None:
        with self.engine.begin() as db:
            db.execute(sqlalchemy.text(statement), *values)

    def rows(self, table: str) -> list[dict[str, Any]]:
        with self.engine.connect() as db:
            return [dict(row._mapping) for row in db.execute(sqlalchemy.text(f"SELECT * FROM {self.name}.{table}"))]

    def drop(self) -> None:
        self.do(f"DROP DATABASE IF EXISTS {self.name}")
        self.do(f"DROP USER IF EXISTS {self.name}@'127.0.0.1'")


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    engine = sqlalchemy.create_engine("mysql+pymysql://root@127.0.0.1:3306/")
    try:
        found = Database(engine)
    except sqlalchemy.exc.OperationalError:
        if os.environ.get("CI"):
            raise
        pytest.skip("needs MariaDB on 127.0.0.1:3306, user root without a password")
    yield found
    found.drop()
    engine.dispose()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


def opened(service: Served, database: Database, table: str = "people") -> Any:
    return service.post("/datasets/database", {**database.where, "password": database.password, "table": table})


def test_the_tables_are_listed_and_rows_come_in_windows(service: Served, database: Database) -> None:
    listed = service.post("/datasets/database/tables", {**database.where, "password": database.password})
    assert "people" in listed["tables"]
    data = opened(service, database)
    assert (data["rows"], data["origin"], [column["name"] for column in data["columns"]]) == (6, "database", NAMES)
    window = service.get(f"/datasets/{data['id']}/rows", start=4, count=10, sort="dolencia")
    assert [row[3] for row in window["rows"]] == sorted(row["dolencia"] for row in ROWS)[4:]
    roles = service.get(f"/datasets/{data['id']}/proposals/roles")["columns"]
    assert set(roles) == set(NAMES)


def test_a_table_is_anonymized_and_written_back_as_a_table(service: Served, database: Database) -> None:
    before = database.rows("people")
    project = service.project("MariaDB", opened(service, database)["id"], SIX_PROJECT)
    assert database.password not in project["yaml"]
    run = service.done(project["id"])
    shown = service.get(f"/runs/{run['id']}/release/rows")
    back = service.wait(
        service.post(f"/runs/{run['id']}/release/table", {"table": "people_released", "to": "public"})["id"]
    )
    assert back["state"] == "done", back
    found = database.rows("people_released")
    place = [shown["columns"].index(name) for name in NAMES]
    assert sorted([row[name] for name in NAMES] for row in found) == sorted(
        [row[i] for i in place] for row in shown["rows"]
    )
    groups = [(row["fnac"], row["cod_postal"]) for row in found]
    assert all(groups.count(group) >= 2 for group in groups)
    assert database.rows("people") == before
    # A table that is there stays, unless one says otherwise.
    again = service.wait(
        service.post(f"/runs/{run['id']}/release/table", {"table": "people_released", "to": "public"})["id"]
    )
    assert (again["state"], again["error"]["code"]) == ("failed", "bad-input")
    said = {"table": "people_released", "replace": True, "to": "public"}
    assert service.wait(service.post(f"/runs/{run['id']}/release/table", said)["id"])["state"] == "done"
    assert len(database.rows("people_released")) == 6
    assert {"people", "people_released"} == set(
        service.post("/datasets/database/tables", {**database.where, "password": database.password})["tables"]
    )


def test_a_file_is_released_into_a_database_that_is_named(service: Served, database: Database) -> None:
    run = service.done(service.six_people("from a file")["id"])
    place = f"/runs/{run['id']}/release/table"
    where = {**database.where, "password": database.password}
    nobody = service.client.post(place, json={"table": "six_released", "database": where})
    assert (nobody.status_code, "to" in nobody.json()["error"]["message"]) == (400, True)
    back = service.wait(service.post(place, {"table": "six_released", "to": "public", "database": where})["id"])
    assert back["state"] == "done", back
    assert back["asked"]["into"][""]["url"].endswith(f"@127.0.0.1:3306/{database.name}")
    groups = [(row["fnac"], row["cod_postal"]) for row in database.rows("six_released")]
    assert len(groups) == 6 and all(groups.count(group) >= 2 for group in groups)
    shown = service.get(f"/runs/{run['id']}/release/rows")
    assert sorted(row[0] for row in shown["rows"]) == sorted(
        row[shown["columns"][0]] for row in database.rows("six_released")
    )
    kept = [path for path in service.folder.rglob("*") if path.is_file()]
    assert not [path for path in kept if database.password.encode() in path.read_bytes()]
    other = {"table": "x", "to": "public", "database": where | {"password": "wrong-canary"}}
    wrong = service.wait(service.post(place, other)["id"])
    assert (wrong["state"], wrong["error"]["code"]) == ("failed", "bad-input")
    assert "wrong-canary" not in str(wrong)


def test_two_tables_go_into_a_database_together(service: Served, database: Database) -> None:
    datasets = {name: service.upload(text, f"{name}.csv")["id"] for name, text in texts().items()}
    made = service.post("/projects", {"name": "both", "document": PROJECT, "datasets": datasets})
    run = service.done(made["id"])
    targets = {name: {"table": f"{name}_released"} for name in texts()}
    body = {"tables": targets, "to": "public", "database": {**database.where, "password": database.password}}
    back = service.wait(service.post(f"/runs/{run['id']}/release/table", body)["id"])
    assert back["state"] == "done", back
    for table in texts():
        released = service.client.get(f"/runs/{run['id']}/release/data", params={"table": table, "to": "public"}).text
        rows = [tuple(row.values()) for row in csv.DictReader(released.splitlines())]
        assert sorted(tuple(map(str, row.values())) for row in database.rows(f"{table}_released")) == sorted(rows)
    held = service.client.post(
        f"/runs/{run['id']}/release/table", json={"tables": {"strange": {"table": "x"}}, "to": "public"}
    )
    assert held.status_code == 400


def test_a_wrong_password_and_a_table_that_is_none_are_one_sentence_each(service: Served, database: Database) -> None:
    wrong = {**database.where, "password": "wrong-canary", "table": "people"}
    none = {**database.where, "password": database.password, "table": "peple"}
    for body in (wrong, none):
        answer = service.client.post("/datasets/database", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
        assert "canary" not in answer.text
        assert database.password not in answer.text


def test_a_table_that_goes_away_is_said_and_the_service_lives(service: Served, database: Database) -> None:
    database.do(f"CREATE TABLE {database.name}.going AS SELECT * FROM {database.name}.people")
    data = opened(service, database, "going")["id"]
    project = service.project("going", data, SIX_PROJECT)["id"]
    database.do(f"DROP TABLE {database.name}.going")
    told = service.wait(service.start(project)["id"])
    assert (told["state"], told["error"]["code"]) == ("failed", "bad-input")
    # What was read of it may still be shown; what was not can't be.
    assert service.client.get(f"/datasets/{data}/rows", params={"sort": "fnac"}).status_code in (200, 400)
    assert service.client.get("/runs").is_success
