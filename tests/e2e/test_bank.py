"""The example of a bank: two tables in a database, light and complete, counted independently."""

from __future__ import annotations

import csv
import json
import os
import runpy
import secrets
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from antifaz.core.errors import InputError
from antifaz.methods.operations.mask import new_key
from antifaz.projects import actions

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "bank"
QIS = {"clients": ["years_with_bank", "children", "birth_year"], "accounts": ["kind", "opened", "city"]}
SEGMENTS = {"basic": "A", "young": "B", "plus": "C", "premium": "D"}
SERVERS = {
    "mariadb": ("mariadb://root@127.0.0.1:3306/test", "mariadb+pymysql://root@127.0.0.1:3306/test"),
    "postgresql": ("postgresql://postgres@127.0.0.1:5432/test", "postgresql+psycopg://postgres@127.0.0.1:5432/test"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with 1,000 clients."""
    place = tmp_path_factory.mktemp("bank") / "example"
    shutil.copytree(EXAMPLE, place, ignore=shutil.ignore_patterns("data", "keys", "out*", "__pycache__"))
    subprocess.run([sys.executable, place / "make_up.py", "1000"], check=True)
    (place / "keys").mkdir()
    new_key(place / "keys" / "bank.key")
    return place


def _source(folder: Path, table: str) -> list[dict[str, Any]]:
    database = sqlite3.connect(folder / "data" / "bank.db")
    database.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
    finally:
        database.close()


def _released(folder: Path, kind: str, table: str) -> list[dict[str, str]]:
    with (folder / "out" / kind / table / "release.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _pairs(clients: list[dict[str, Any]], accounts: list[dict[str, Any]]) -> int:
    holders = Counter(row["holder"] for row in accounts)
    return sum(holders[row["document"]] for row in clients)


def _run(folder: Path, project: str) -> dict[str, Any]:
    command = [Path(sys.executable).with_name("antifaz"), "run", folder / project, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_light_project_hides_who_it_is_and_keeps_the_joins(folder):
    evidence = _run(folder, "light.yaml")
    before = [_source(folder, table) for table in ("clients", "accounts")]
    clients, accounts = (_released(folder, "light", table) for table in ("clients", "accounts"))
    assert (len(clients), len(accounts)) == (len(before[0]), len(before[1]))
    assert _pairs(clients, accounts) == _pairs(*before) > 1000
    for column in ("document", "name", "email"):
        assert not {row[column] for row in clients} & {row[column] for row in before[0]}
    assert "account" not in accounts[0]
    assert all(int(row["balance"]) % 10_000 == 0 for row in accounts)
    assert Counter(row["segment"] for row in clients)["A"] == sum(row["segment"] == "basic" for row in before[0])
    assert max(int(row["income"]) for row in clients) < max(row["income"] for row in before[0])
    (said,) = evidence["repeated"]
    assert said["mapping"] == "one-to-one" and said["joins"][0]["matching_rows"]["after"] == _pairs(clients, accounts)


def test_the_complete_project_holds_in_every_table_and_keeps_the_joins(folder):
    evidence = _run(folder, "complete.yaml")
    clients, accounts = (_released(folder, "complete", table) for table in ("clients", "accounts"))
    for rows, table, sensitive, different in ((clients, "clients", "income", 3), (accounts, "accounts", "balance", 5)):
        classes: dict[tuple[str, ...], list[str]] = {}
        for row in rows:
            classes.setdefault(tuple(row[name] for name in QIS[table]), []).append(row[sensitive])
        assert min(len(found) for found in classes.values()) >= 10
        assert min(len(set(found)) for found in classes.values()) >= different
    # Numbers stay numbers, and nobody is left out of the first table.
    assert len(clients) == 1000 and all(row[name].isdigit() for row in clients for name in QIS["clients"])
    assert not {"name", "email", "city"} & set(clients[0])
    join = evidence["repeated"][0]["joins"][0]
    assert join["matching_rows"]["after"] == _pairs(clients, accounts)
    lost = len(_source(folder, "accounts")) - len(accounts)
    assert join["left_out"] == {"clients": 0, "accounts": lost}
    assert join["matching_rows"]["before"] - lost <= join["matching_rows"]["after"] <= join["matching_rows"]["before"]
    assert "not of the joined rows" in evidence["warnings"][0]


# On servers


@pytest.fixture(params=sorted(SERVERS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Any, str]]:
    """A server's address, a connection to it, and names of tables that nobody else has."""
    sa = pytest.importorskip("sqlalchemy")
    url, driver = SERVERS[request.param]
    engine = sa.create_engine(driver)
    try:
        engine.connect().close()
    except sa.exc.OperationalError:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"needs a server at {url} with the database 'test'")
    prefix = f"bank_{secrets.token_hex(4)}_"
    yield url, engine, prefix
    with engine.begin() as database:
        for name in sa.inspect(database).get_table_names():
            if name.startswith(prefix):
                database.execute(sa.text(f"DROP TABLE {name}"))
    engine.dispose()


@pytest.fixture
def project(server: tuple[str, Any, str], folder: Path, tmp_path: Path) -> Path:
    """The complete project on that server, its releases tables of the server."""
    url, _, prefix = server
    made = runpy.run_path(str(folder / "make_up.py"))
    random = made["np"].random.default_rng(1)
    people = made["clients"](300, random)
    rows = {"clients": (made["CLIENTS"], people), "accounts": (made["ACCOUNTS"], made["accounts"](people, random))}
    made["_into_server"](url, {prefix + name: table for name, table in rows.items()})
    said = yaml.safe_load((folder / "complete.yaml").read_text("utf-8"))
    for name, table in said["tables"].items():
        table["source"] = {"table": prefix + name}
        table["release"] = {"table": f"{prefix}{name}_released"}
    said["tables"]["accounts"]["attributes"]["city"]["hierarchy"] = str(folder / "cities.csv")
    said["repeated"][0]["operation"]["key"] = str(folder / "keys" / "bank.key")
    path = tmp_path / "server.yaml"
    said |= {"source": {"url": url}, "release": {"path": "out/"}}
    path.write_text(yaml.safe_dump(said, allow_unicode=True), encoding="utf-8")
    return path


def _tables(server: tuple[str, Any, str]) -> set[str]:
    import sqlalchemy as sa

    _, engine, prefix = server
    with engine.connect() as database:
        found = sa.inspect(database).get_table_names()
    return {name.removeprefix(prefix) for name in found if name.startswith(prefix)}


def test_both_tables_of_a_server_are_released_as_tables(server, project):
    import sqlalchemy as sa

    _, engine, prefix = server
    evidence = actions.run(project)
    assert _tables(server) == {"clients", "accounts", "clients_released", "accounts_released"}
    join = "SELECT count(*) FROM {0}clients{1} c JOIN {0}accounts{1} a ON c.document = a.holder"
    smallest = "SELECT min(n) FROM (SELECT count(*) AS n FROM {0} GROUP BY {1}) AS g"
    with engine.connect() as database:
        before, after = (database.scalar(sa.text(join.format(prefix, end))) for end in ("", "_released"))
        for table, qis in QIS.items():
            found = database.scalar(sa.text(smallest.format(f"{prefix}{table}_released", ", ".join(qis))))
            assert found >= 10
    assert evidence["repeated"][0]["joins"][0]["matching_rows"] == {"before": before, "after": after}
    assert not list((project.parent / "out").rglob("release.*"))


def test_no_table_is_left_where_the_last_step_fails(server, project, monkeypatch):
    """The tables are renamed first; when the folder can't be put in place, they are taken back."""
    from antifaz.releases.atomic import Staging

    publish = Staging.publish

    def failing(stage: Staging, mode: int = 0o600) -> None:
        if stage.target.name == "out":
            raise InputError("the disk is full")
        publish(stage, mode)

    monkeypatch.setattr(Staging, "publish", failing)
    with pytest.raises(InputError, match="the disk is full"):
        actions.run(project)
    assert _tables(server) == {"clients", "accounts"}
    assert not (project.parent / "out").exists()


def _column(name: str, kind: str, role: str, operation: str | None = None, *values: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"column_name": name, "data_type": kind, "attribute_type": role}
    if kind == "Numérico":
        said["keep_data_type"] = True
    return said | ({"operation": {"name": operation, "parametrization": list(values)}} if operation else {})


def test_the_document_s_project_is_imported_and_runs_on_a_server(server, project, folder):
    """The JSON of the document's Figures 17 to 19, about these tables."""
    from urllib.parse import urlsplit

    from antifaz.projects.importers.anonylitics import write_import

    url, _, prefix = server
    parts = urlsplit(url)
    segments = [{"origin_val": old, "target_val": new} for old, new in SEGMENTS.items()]
    with (folder / "cities.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=";"))
    cities = [{row[0]: [{"level": n, "value": label} for n, label in enumerate(row)]} for row in rows]
    clients = [
        _column("document", "Categórico", "Identificador", "Cifrar"),
        _column("name", "Categórico", "Identificador", "Suprimir"),
        _column("email", "Categórico", "Identificador"),
        *(_column(name, "Numérico", "Cuasi-identificador", "Generalizar") for name in QIS["clients"]),
        _column("segment", "Categórico", "Común", "Sustituir", *segments),
        _column("income", "Numérico", "Sensible"),
    ]
    accounts = [
        _column("account", "Categórico", "Identificador"),
        _column("holder", "Categórico", "Identificador", "Cifrar"),
        _column("city", "Categórico", "Cuasi-identificador", "Generalizar", *cities),
        _column("balance", "Numérico", "Sensible"),
    ]
    tables = [
        {"table_name": prefix + name, "anonymized_table_name": f"{prefix}{name}_anon", "columns": columns}
        for name, columns in (("clients", clients), ("accounts", accounts))
    ]
    repeated = [
        {"column_name": c, "table_name": prefix + t} for t, c in (("clients", "document"), ("accounts", "holder"))
    ]
    said = {
        "user": "ana", "project_name": "bank", "anonymization_type": "Completa",
        "connection": {"ip": parts.hostname, "port": parts.port, "database": "test", "username": parts.username},
        "tables": tables, "repeated_attributes": [repeated],
        "principles": [{"principle_name": "k-anonymity", "principle_value": 5},
                       {"principle_name": "t-closeness", "principle_value": 1}],
    }  # fmt: skip
    place = project.parent
    (place / "bank.json").write_text(json.dumps(said), encoding="utf-8")
    write_import(place / "bank.json", place / "bank.yaml")
    (place / "keys").mkdir()
    new_key(place / "keys" / "bank.key")
    evidence = actions.run(place / "bank.yaml")
    assert _tables(server) == {"clients", "accounts", "clients_anon", "accounts_anon"}
    told = evidence["tables"][f"{prefix}clients"]
    assert [(v["model"], v["holds"]) for v in told["privacy"]] == [("k-anonymity", True), ("t-closeness", True)]
    assert told["risk"]["singled_out_after"] == 0
    join = evidence["repeated"][0]["joins"][0]
    assert join["matching_rows"]["before"] == join["matching_rows"]["after"] > 300
