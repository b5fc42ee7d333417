"""Rows in databases: the same release as from the same table on this machine, made and checked where the rows are."""

from __future__ import annotations

import datetime
import decimal
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import sqlalchemy as sa

import antifaz as az
from antifaz.core.errors import CheckFailed, InputError
from antifaz.core.recoding import Recoding
from antifaz.engines.database.connection import DatabaseConnection
from antifaz.engines.dialects import dialect_of
from antifaz.engines.dialects.dialect import SQLDialect
from antifaz.engines.local.data import open_local
from engines.test_suite import CASES, ROLES, differing, release_of, rows_hash
from failing import failing
from oracles.tables import NINETEEN_K3, NINETEEN_PEOPLE, NINETEEN_TREES, SIX_K2, SIX_PEOPLE, SIX_TREES

HIERARCHIES = {
    "age": az.hierarchy.intervals(5, 10, 20),
    "sex": az.hierarchy.flat(),
    "postcode": az.hierarchy.masking(1),
    "marital_status": az.hierarchy.flat(),
}


@pytest.fixture(scope="module")
def expected(table: pa.Table) -> dict[str, tuple[str, dict[str, Any]]]:
    """What this machine releases."""
    with open_local(table, threads=1) as data:
        return {name: release_of(data, case) for name, case in CASES.items()}


@pytest.fixture(scope="module")
def people(database: Any, table: pa.Table) -> str:
    return str(database.load(table))


@pytest.fixture(scope="module")
def opened(database: Any, people: str) -> Any:
    with az.open(database.url, table=people) as data:
        yield data


def _anonymized(data: Any, method: Any = None, k: int = 4) -> Any:
    wanted = method or az.FullDomain(suppression=0.05)
    return az.anonymize(
        data, roles=ROLES, others="release", hierarchies=HIERARCHIES, privacy=az.KAnonymity(k), method=wanted, seed=1
    )  # fmt: skip


def test_rows_that_no_other_is_like_are_counted_there(opened: Any, table: pa.Table) -> None:
    combinations = [("income",), ("sex",), ("age", "postcode", "diagnosis"), ("age", "sex", "diagnosis")]
    rows = opened.apply(Recoding(columns=()), key=1).collect()
    alone = []
    for names in combinations:
        cells = Counter(zip(*(table.column(name).to_pylist() for name in names), strict=True))
        alone.append(sum(many == 1 and key[-1] is not None for key, many in cells.items()))
    assert opened.auditor().count_unique(rows, combinations) == alone
    assert alone[2] > alone[3] > 0


def _counted(data: Any, names: Any) -> dict[tuple[Any, ...], int]:
    found = data.count(names)
    columns = [[values[code] for code in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    return dict(zip(zip(*columns, strict=True), found.counts.tolist(), strict=True))


def _rows(table: pa.Table) -> list[str]:
    # Some servers have no minus zero.
    return sorted(repr(row).replace("-0.0", "0.0") for row in table.to_pylist())


@pytest.mark.parametrize("fetched", [0, 5_000_000])
def test_tuples_that_hardly_repeat_are_counted_alike_there_and_here(
    remote: Any, monkeypatch: pytest.MonkeyPatch, fetched: int
) -> None:
    places = ["01", "1", None, "", "é", 'a"b', "a,b"]
    given = {
        "number": pa.array([i % 997 or None for i in range(4000)], pa.int64()),
        "text": pa.array([places[i % 7] for i in range(4000)], pa.string()),
        "real": pa.array([-0.0 if i % 2 else 0.0 for i in range(4000)], pa.float64()),
    }
    name = remote.load(pa.table(given), text=sa.String(20))
    monkeypatch.setattr(SQLDialect, "fetched_rows", fetched)
    monkeypatch.delattr(type(dialect_of(remote.url.partition(":")[0].partition("+")[0])), "fetched_rows")
    asked: list[str] = []
    table = DatabaseConnection.table
    monkeypatch.setattr(DatabaseConnection, "table", lambda *told: asked.append(told[1]) or table(*told))
    with az.open(remote.url, table=name) as data:
        found = _counted(data, ["number", "text", "real"])
        few = _counted(data, ["text"])
    assert ["GROUP BY" in statement for statement in asked] == [fetched == 0, True]
    number = [None if i % 997 == 0 else str(i % 997) for i in range(4000)]
    assert found == Counter(zip(number, given["text"].to_pylist(), ["0.0"] * 4000, strict=True))
    assert few == Counter((text,) for text in given["text"].to_pylist())


@pytest.mark.parametrize("name", CASES)
def test_check_18_every_method_gives_the_same_release(opened: Any, expected: Any, name: str) -> None:
    rows, told = release_of(opened, CASES[name])
    assert not differing(told, expected[name][1])
    assert rows == expected[name][0]


def test_methods_that_need_rows_give_the_same_release_too(opened: Any, table: pa.Table) -> None:
    with open_local(table) as data:
        want = rows_hash(_anonymized(data, az.KMembers()).frame)
    assert rows_hash(_anonymized(opened, az.KMembers()).frame) == want


def test_columns_are_understood_and_described_alike(opened: Any, table: pa.Table) -> None:
    with open_local(table) as data:
        assert opened.schema == data.schema
        assert opened.profile() == data.profile()
        assert opened.totals(["diagnosis", "age"]) == data.totals(["diagnosis", "age"])


def test_check_02_values_are_told_apart_byte_by_byte_and_spelled_as_here(database: Any) -> None:
    texts = ["F", "f", "F ", " F", "é", "e\u0301", "", None, "50%", "it's", 'a"b', "a\\b", "ß", "ss", "ﬁ", "fi"]
    given = {
        "text": pa.array(texts, pa.string()),
        "whole": pa.array([None, -1, 0, 9007199254740993] * 4, pa.int64()),
        "real": pa.array([None, 0.1, -0.0, 0.0, 1e15, 1e16, 1e-5, 1.0] * 2, pa.float64()),
        "truth": pa.array([True, False, None, True] * 4, pa.bool_()),
    }
    types = {"text": sa.String(20)}
    if database.kind != "SQLite":  # it has no such types
        day, moment = datetime.date(1999, 12, 31), datetime.datetime(2020, 1, 2, 3, 4, 5, 120000)
        given["exact"] = pa.array(
            [decimal.Decimal("1.50"), decimal.Decimal("-2.00"), None, None] * 4, pa.decimal128(10, 2)
        )
        given["day"] = pa.array([day, None] * 8, pa.date32())
        given["moment"] = pa.array([moment, moment.replace(microsecond=0), None, None] * 4, pa.timestamp("us"))
        types["exact"] = sa.Numeric(10, 2)
        fine = sa.dialects.mysql.DATETIME(fsp=6) if database.kind == "MariaDB" else sa.DateTime()
        types["moment"] = fine
    table = pa.table(given)
    name = database.load(table, **types)
    with open_local(table) as here, az.open(database.url, table=name) as there:
        for column in table.column_names:
            assert _counted(there, [column]) == _counted(here, [column]), column
        assert _counted(there, table.column_names) == _counted(here, table.column_names)
        assert {c.name: c.type for c in there.schema} == {c.name: c.type for c in here.schema}
        rows = _rows(there.to_arrow())
        assert rows == _rows(there.download().to_arrow())
        assert rows == _rows(table)


def test_names_of_any_kind(database: Any) -> None:
    name = f'sel"ect `%s` ñ {database.name()}'
    table = pa.table(
        {"group": ["a", "a", "b", "b"], 'a"b%s': ["x", "y", "x", "y"], "c`d'": [1, 2, 3, 4], "ñ ü": ["p"] * 4}
    )
    database.load(table, name=name)
    with az.open(database.url, table=name) as data:
        roles = {"group": "quasi-identifier", 'a"b%s': "quasi-identifier", "ñ ü": "insensitive", "c`d'": "sensitive"}
        trees = {"group": az.hierarchy.flat(), 'a"b%s': az.hierarchy.flat()}
        release = az.anonymize(data, roles=roles, hierarchies=trees, privacy=az.KAnonymity(2), seed=1)
        assert release.frame.column_names == table.column_names
        assert sorted(release.frame.column("c`d'").to_pylist()) == [1, 2, 3, 4]


def test_names_that_differ_in_case_only(remote: Any) -> None:
    if remote.kind != "PostgreSQL":
        pytest.skip("MariaDB takes them for one")
    name = remote.load(pa.table({"Age": [1, 1], "age": [2, 2]}))
    with az.open(remote.url, table=name) as data:
        release = az.anonymize(
            data,
            roles={"Age": "quasi-identifier", "age": "insensitive"},
            hierarchies={"Age": az.hierarchy.flat()},
            privacy=az.KAnonymity(2),
        )
        assert release.frame.to_pydict() == {"Age": [1, 1], "age": [2, 2]}


def test_a_release_becomes_a_table(database: Any, people: str, table: pa.Table, tmp_path: Path) -> None:
    target = database.name()
    with az.open(database.url, table=people) as data:
        release = _anonymized(data)
        release.save(tmp_path / "out", table=target)
        want = rows_hash(release.frame)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"evidence.json", "report.html", "record.json"}
    told = json.loads((tmp_path / "out" / "evidence.json").read_text("utf-8"))
    assert (told["released"]["table"], told["released"]["rows"]) == (target, told["rows"]["released"])
    with az.open(database.url, table=target) as written:
        rows = written.to_arrow()
        verdicts = az.verify(written, ["age", "sex", "postcode", "marital_status"], az.KAnonymity(4))
    assert rows_hash(rows) == want
    assert "name" not in rows.column_names
    assert verdicts[0].holds
    assert not [name for name in database.tables() if name.startswith("antifaz")]


def test_rows_made_here_become_a_table_there(database: Any, people: str, tmp_path: Path) -> None:
    target = database.name()
    with az.open(database.url, table=people) as data:
        release = _anonymized(data, az.KMembers())
        release.save(tmp_path / "out", table=target)
        want = rows_hash(release.frame)
    with az.open(database.url, table=target) as written:
        assert rows_hash(written.to_arrow()) == want


def test_a_table_that_is_there_is_replaced_only_where_told(database: Any, people: str, tmp_path: Path) -> None:
    target = database.load(pa.table({"a": [1]}))
    with az.open(database.url, table=people) as data:
        release = _anonymized(data)
        with failing("database.table-exists-already", InputError):
            release.save(tmp_path / "out", table=target)
        with failing("database.table-is-the-source", InputError):
            release.save(tmp_path / "out", table=people, replace=True)
        release.save(tmp_path / "out", table=target, replace=True)
    with az.open(database.url, table=target) as written:
        assert written.rows == release.evidence["rows"]["released"]


def test_check_06_the_order_says_nothing_about_that_of_the_source(database: Any, tmp_path: Path) -> None:
    number = list(range(1000))
    name, target = database.load(pa.table({"g": ["a"] * 1000, "n": number})), database.name()
    with az.open(database.url, table=name) as data:
        release = az.anonymize(
            data,
            roles={"g": "quasi-identifier", "n": "insensitive"},
            hierarchies={"g": az.hierarchy.flat()},
            privacy=az.KAnonymity(2),
            seed=1,
        )
        release.save(tmp_path / "out", table=target)
        release.save(tmp_path / "csv", "csv")
        shown = release.frame.column("n").to_pylist()
    stored = [n for (n,) in database.run(f"SELECT n FROM {target}")]
    written = [int(line.split(",")[1]) for line in (tmp_path / "csv" / "release.csv").read_text().splitlines()[1:]]
    for order in (stored, written, shown):
        assert sorted(order) == number
        middle = sum((a - 499.5) * (b - 499.5) for a, b in enumerate(order)) / 83_333_250
        assert abs(middle) < 0.15


def test_check_01_a_cell_that_changes_on_the_way_is_refused(
    remote: Any, table: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from antifaz.engines.database.apply import DatabaseTarget

    real = DatabaseTarget.write_rows

    def changed(self: Any, applied: Any) -> Any:
        written = real(self, applied)
        quoted = self.connection.dialect.quote("income")
        low = self.connection.run(f"SELECT min({quoted}) FROM {self.quoted}")[0][0]
        self.connection.run(f"UPDATE {self.quoted} SET {quoted} = {quoted} + 1 WHERE {quoted} = {low}")
        return written

    monkeypatch.setattr(DatabaseTarget, "write_rows", changed)
    target = remote.name()
    with az.open(remote.url, table=remote.load(table)) as data:
        release = _anonymized(data)
        with failing("gate.rows-differ", CheckFailed):
            release.save(tmp_path / "out", table=target)
        assert not (tmp_path / "out").exists()
        # The connection is as good as before.
        monkeypatch.undo()
        release.save(tmp_path / "out", table=target)
    assert not [name for name in remote.tables() if name.startswith("antifaz")]


def test_the_people_of_the_documents_inside_mariadb(mariadb: Any) -> None:
    for rows, trees, qis, k, want in (
        (SIX_PEOPLE, SIX_TREES, ("fnac", "cod_postal"), 2, SIX_K2),
        (NINETEEN_PEOPLE, NINETEEN_TREES, ("residencia", "sexo", "campo"), 3, NINETEEN_K3),
    ):
        name = mariadb.load(pa.table({column: [row[column] for row in rows] for column in rows[0]}))
        with az.open(mariadb.url, table=name, types=dict.fromkeys(qis, "text")) as data:
            found = az.candidates(
                data,
                roles=dict.fromkeys(qis, "quasi-identifier"),
                hierarchies={column: az.hierarchy.table(list(trees[column].values())) for column in qis},
                privacy=az.KAnonymity(k),
                others="release",
            )
            assert sorted(tuple(one.levels[column] for column in qis) for one in found) == want
            for one in found:
                verdicts = az.verify(one.apply().frame, list(qis), az.KAnonymity(k))
                assert verdicts[0].holds


def test_texts_that_mean_missing(database: Any) -> None:
    name = database.load(pa.table({"a": ["x", "?", "NA", None], "n": [1, 2, 3, 4]}))
    with az.open(database.url, table=name, missing=["?", "NA"]) as data:
        assert _counted(data, ["a"]) == {("x",): 1, (None,): 3}


def test_a_population_in_a_file(database: Any, tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("age\n" + "\n".join(["30"] * 5 + ["40"] * 3) + "\n", encoding="utf-8")
    name = database.load(pa.table({"age": [30, 30, 40, 40]}))
    with az.open(database.url, table=name) as data:
        release = az.anonymize(
            data,
            roles={"age": "quasi-identifier"},
            hierarchies={"age": az.hierarchy.flat()},
            privacy=az.KMap(3, population=str(tmp_path / "all.csv")),
        )
        assert release.evidence["privacy"][0]["achieved"] == 3
        assert release.levels == {"age": 0}


def test_masked_text_may_be_longer_than_its_column_was(database: Any, tmp_path: Path) -> None:
    name = database.load(pa.table({"code": ["ab", "cd", None], "age": [30, 40, 40]}), code=sa.VARCHAR(3))
    key = az.mask.new_key(tmp_path / "keys.key")
    project = tmp_path / "project" / "light.yaml"
    project.parent.mkdir()
    target = database.name()
    wanted = {
        "antifaz": 1,
        "kind": "light",
        "source": {"url": database.url, "table": name},
        "attributes": {
            "code": {"role": "identifier", "operation": {"name": "encrypt", "key": str(key)}},
            "age": {"operation": {"name": "top-code", "at": 35}},
        },
        "release": {"table": target},
    }
    project.write_text(json.dumps(wanted), encoding="utf-8")
    az.run(project)
    with az.open(database.url, table=target) as written:
        rows = written.to_arrow()
    plain = az.mask.decrypt(rows, "code", key=key).sort_by("code").to_pydict()
    assert plain == {"code": ["ab", "cd", None], "age": [30, 35, 35]}


def test_rows_that_do_not_fit_in_memory_are_decided_part_by_part(
    database: Any, people: str, table: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = az.Mondrian(split="distribution", release="mode")
    with open_local(table) as data:
        want = rows_hash(_anonymized(data, method).frame)
    # So that a few thousand rows are too many for what is given.
    monkeypatch.setattr("antifaz.pipeline.prepare.bytes_in_memory", lambda rows, attributes, columns: 10**9)
    with az.open(database.url, table=people, memory="700MB") as data:
        release = _anonymized(data, method)
        release.save(tmp_path / "out", table=(target := database.name()))
        assert any("parts were cut" in note for note in release.evidence["notes"])
    with az.open(database.url, table=target) as written:
        assert rows_hash(written.to_arrow()) == want
