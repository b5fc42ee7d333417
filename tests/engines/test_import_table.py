"""Files that become tables of a database, as they are or as releases; and a table of one database in another."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

import antifaz as az
from antifaz.cli.main import cli
from antifaz.core.errors import CheckFailed, DataError, InputError, ProjectError, SchemaError
from failing import failing

TEXT = """name||age||zip||born||pay||ok||at||zone
Ana||34||08001||1990-01-02||1.50||true||2020-01-02 03:04:05||2020-01-02T03:04Z
"Lu||is"||31||08002||1991-02-03||20.25||false||2020-01-02T03:04||
Eva|| ||08003||||-3.00||true||||2020-01-02T03:04Z
"""
TYPES = {
    "name": "text(6)", "age": "integer", "zip": "text(5)", "born": "date", "pay": "decimal", "ok": "boolean",
    "at": "datetime", "zone": "datetime",
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def cells(database: Any, name: str) -> list[list[str | None]]:
    """All cells as text, by the database's own client: not by antifaz."""
    columns = list(TYPES)[:5]
    rows = database.run(f"SELECT {', '.join(columns)} FROM {name} ORDER BY zip")
    return [[None if cell is None else str(cell) for cell in row] for row in rows]


def test_a_file_becomes_a_table(database: Any, file: Path) -> None:
    name = database.name()
    made = az.import_table(file, database.url, name, delimiter="||")
    assert made["rows"] == 3
    lengths = {"name": 6, "zip": 5}
    assert [(c["name"], c["type"], c["length"]) for c in made["columns"]] == [
        (column, told.partition("(")[0], lengths.get(column)) for column, told in TYPES.items()
    ]
    assert cells(database, name) == [
        ["Ana", "34", "08001", "1990-01-02", "1.50"],
        ["Lu||is", "31", "08002", "1991-02-03", "20.25"],
        ["Eva", None, "08003", None, "-3.00"],
    ]
    with az.open(database.url, table=name) as data:
        assert {column.name: str(column.type) for column in data.schema} == {
            column: told.partition("(")[0] for column, told in TYPES.items()
        }
    with failing("database.table-exists-already", InputError):
        az.import_table(file, database.url, name, delimiter="||")
    assert az.import_table(file, database.url, name, delimiter="||", replace=True)["rows"] == 3


def test_a_larger_table_is_the_same_there(database: Any, table: pa.Table, tmp_path: Path) -> None:
    name, path = database.name(), tmp_path / "people.csv"
    table.to_pandas().to_csv(path, index=False)
    az.import_table(path, database.url, name)
    with az.open(path) as here, az.open(database.url, table=name) as there:
        for data in (here, there):
            assert data.rows == table.num_rows
        assert here.schema == there.schema
        assert here.totals(["age", "sex", "diagnosis"]) == there.totals(["age", "sex", "diagnosis"])


def test_what_changes_on_the_way_is_not_imported(database: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from antifaz.engines.local.write import Fingerprint

    monkeypatch.setattr(Fingerprint, "passing", lambda self, reader: reader)  # as if other cells had passed
    name = database.name()
    with failing("database.imported-rows-differ", CheckFailed):
        az.import_table(file, database.url, name, delimiter="||")
    assert not {one for one in database.tables() if one == name or one.startswith("antifaz")}


def test_a_new_database_file_is_made_and_goes_where_nothing_was_imported(file: Path, tmp_path: Path) -> None:
    for kind in ("sqlite", "duckdb"):
        url = f"{kind}:///{tmp_path / f'new.{kind}'}"
        with failing("column.values-too-long", SchemaError, length=4, count=3):
            az.import_table(file, url, delimiter="||", types={"zip": "text(4)"})
        assert not (tmp_path / f"new.{kind}").exists()
        assert az.import_table(file, url, delimiter="||")["table"] == "people"
        with az.open(url, table="people") as data:
            assert data.rows == 3


def test_types_and_lengths_are_saved_changed_and_loaded(file: Path, tmp_path: Path) -> None:
    types = tmp_path / "types.json"
    runner = CliRunner()
    inspected = runner.invoke(cli, ["inspect", str(file), "--delimiter", "||", "--save-types", str(types), "--json"])
    assert [c["longest"] for c in json.loads(inspected.stdout)["columns"]][:3] == [6, 2, 5]
    saved = json.loads(types.read_text())["types"]
    assert saved == TYPES
    assert az.save_types(file, tmp_path / "again.json", delimiter="||") == tmp_path / "again.json"
    assert (tmp_path / "again.json").read_bytes() == types.read_bytes()
    types.write_text(json.dumps({"types": saved | {"name": "text(40)", "age": "text(2)"}}))
    url = f"sqlite:///{tmp_path / 'a.db'}"
    told = ["--delimiter", "||", "--types", str(types), "--json"]
    made = json.loads(runner.invoke(cli, ["import-table", str(file), url, *told]).stdout)
    assert [(c["type"], c["length"]) for c in made["columns"][:2]] == [("text", 40), ("text", 2)]
    with az.open(file, delimiter="||", types=types) as data:
        assert [column.type_text for column in data.schema][:2] == ["text(40)", "text(2)"]
    types.write_text(json.dumps({"types": {"name": "text(3)"}}))
    refused = runner.invoke(cli, ["import-table", str(file), url, "--replace", *told])
    assert isinstance(refused.exception, SchemaError)


ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}


def project(folder: Path, source: dict[str, Any], release: dict[str, Any], **more: Any) -> Path:
    attributes: dict[str, Any] = {name: {"role": role} for name, role in ROLES.items()}
    attributes["age"]["hierarchy"], attributes["sex"]["hierarchy"] = {"intervals": [20, 40]}, {"flat": True}
    others = {"name": "identifier", "postcode": "identifier", "phone": "identifier", "email": "identifier"}
    attributes |= {name: {"role": role} for name, role in others.items() if name in more.get("columns", ())}
    wanted = {"antifaz": 1, "source": source, "attributes": attributes, "release": release, "seed": 1}
    wanted["privacy"] = [{"model": "k-anonymity", "k": 3}]
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump(wanted), encoding="utf-8")
    return path


def counted(database: Any, name: str) -> Counter[Any]:
    return Counter(tuple(map(str, row)) for row in database.run(f"SELECT age, sex, diagnosis FROM {name}"))


@pytest.fixture
def people(table: pa.Table, tmp_path: Path) -> Path:
    table.select(list(ROLES)).to_pandas().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_a_file_is_released_into_a_table(database: Any, people: Path, tmp_path: Path) -> None:
    name = database.name()
    path = project(tmp_path, {"path": people.name}, {"url": database.url, "table": name, "path": "out/"})
    evidence = az.run(path)
    assert evidence["released"]["table"] == name
    assert not (tmp_path / "out" / "release.csv").exists()
    assert (tmp_path / "out" / "evidence.json").is_file()
    found = counted(database, name)
    assert sum(found.values()) == evidence["rows"]["released"]
    classes: Counter[Any] = Counter()
    for row, many in found.items():
        classes[row[:2]] += many
    assert min(classes.values()) == evidence["privacy"][0]["achieved"] >= 3
    with failing("database.table-exists-already", InputError):
        az.run(path)
    plain = CliRunner().invoke(cli, ["run", str(project(tmp_path, {"path": people.name}, {"path": "other/"}))])
    assert plain.exit_code == 0, plain.exception
    with (tmp_path / "other" / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = Counter(tuple(cell or "None" for cell in row) for row in list(csv.reader(file))[1:])
    assert found == rows


def test_a_table_of_one_database_is_released_into_another(
    database: Any, people: Path, table: pa.Table, tmp_path: Path
) -> None:
    other = f"sqlite:///{tmp_path / 'source.db'}"
    az.import_table(people, other, "people")
    name, second = database.name(), database.name()
    path = project(tmp_path, {"url": other, "table": "people"}, {"path": "out/"})
    ran = CliRunner().invoke(cli, ["run", str(path), "--url", database.url, "--table", name, "--json"])
    assert ran.exit_code == 0, ran.exception
    assert sum(counted(database, name).values()) == json.loads(ran.stdout)["rows"]["released"]
    trees = {"age": az.hierarchy.intervals(20, 40), "sex": az.hierarchy.flat()}
    with az.open(other, table="people") as data:
        release = az.anonymize(data, roles=ROLES, hierarchies=trees, privacy=az.KAnonymity(3), seed=1)
        release.save(tmp_path / "again", url=database.url, table=second)
    assert counted(database, second) == counted(database, name)


def test_the_source_is_not_replaced_by_its_release(people: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    az.import_table(people, url, "people")
    path = project(tmp_path, {"url": url, "table": "people"}, {"url": url, "table": "people", "replace": True})
    with failing("database.table-is-the-source", InputError):
        az.run(path)


def test_what_a_project_says_of_another_database_is_checked(people: Path, tmp_path: Path) -> None:
    for wrong in (
        {"url": "sqlite:///a.db"}, {"url": "a.db", "table": "t"}, {"password_env": "P", "table": "t"},
        {"url": "mariadb://me:secret@host/db", "table": "t"},
    ):  # fmt: skip
        with pytest.raises(ProjectError) as said:
            az.run(project(tmp_path, {"path": people.name}, wrong))
        assert "secret" not in str(said.value)
    nowhere = {"url": "postgresql://postgres@127.0.0.1:1/test", "table": "t"}
    with failing("database.could-not-open", DataError):
        az.run(project(tmp_path, {"path": people.name}, nowhere))
    assert not (tmp_path / "out").exists()
