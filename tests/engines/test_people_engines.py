"""People with several rows on every engine: what is released is what one machine releases, counted by plain Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import CheckFailed, ParameterError
from antifaz.core.keys import new_key
from antifaz.projects import actions
from engines.conftest import Server, server
from engines.test_suite import rows_hash
from failing import failing
from oracles.people import fewest_people

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
ROLES = {
    "patient": "person", "visit": "insensitive", "age": "quasi-identifier", "sex": "quasi-identifier",
    "diagnosis": "sensitive",
}  # fmt: skip
#: Spellings of one person each: case that no lower case finds, decomposed letters, blanks, nothing to be seen.
SPELLINGS = (
    ("STRASSE", "straße", " Strasse "), ("İnci", "i̇nci"), ("Zoé", "Zoe\u0301", "ZOÉ"), ("ΟΔΟΣ", "οδος", "οδοσ"),
    ("Bo\u200bb", "BOB"), (None, "", "  "), ("P1",), ("p2", "P2 "), ("01",), ("1",),
)  # fmt: skip


@pytest.fixture(scope="module")
def visits() -> pa.Table:
    """Patients and their visits, two of them with many; keys are missing and spelled in several ways."""
    rows = []
    for i in range(50):
        spellings: tuple[str | None, ...] = SPELLINGS[i] if i < len(SPELLINGS) else (f"Q{i}", f"q{i} ")
        for visit in range(40 if i in (7, 37) else 1 + i % 5):
            age, sex = 30 + 5 * (i % 3) + visit % 2, "FM"[i % 2]
            diagnosis = ("flu", "gout", "cold", "asthma")[(i + visit) % 4]
            rows.append((spellings[visit % len(spellings)], len(rows), age, None if i == 20 else sex, diagnosis))
    columns = ("patient", "visit", "age", "sex", "diagnosis")
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(columns)})


def person_of(key: str | None) -> int | str:
    """Whose key it is, by the list above."""
    return next((i for i, own in enumerate(SPELLINGS) if key in own), (key or "").strip().lower())


def found(table: pa.Table, released: pa.Table, known: int | str = 1) -> int:
    """Count in plain Python what an attacker finds: whose visit is each released row?"""
    whose = dict(zip(table["visit"].to_pylist(), table["patient"].to_pylist(), strict=True))
    rows = [(person_of(whose[int(row["visit"])]), (row["age"], row["sex"])) for row in released.to_pylist()]
    return fewest_people(rows, known)


Opened = Callable[[pa.Table], Any]


@pytest.fixture(params=["SQLite", "DuckDB", "PostgreSQL", "MariaDB", "Spark"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Open a table on one of the engines."""
    with ExitStack() as stack:
        if request.param == "Spark":
            spark = request.getfixturevalue("spark")
            yield lambda table: stack.enter_context(az.open(spark.createDataFrame(table)))
            return
        made = server(request.param, tmp_path)
        stack.callback(made.clean)
        yield lambda table: stack.enter_context(az.open(made.url, table=made.load(table)))


def asked(privacy: Any, method: Any, **more: Any) -> dict[str, Any]:
    hierarchies = {"age": az.hierarchy.intervals(5, 10, 20), "sex": az.hierarchy.flat()}
    return {"roles": ROLES, "hierarchies": hierarchies, "privacy": privacy, "method": method, "seed": 1} | more


CASES = {
    "full-domain": asked([az.KAnonymity(4), az.TCloseness(0.4)], az.FullDomain(suppression=0.1)),
    "two rows known": asked(az.KAnonymity(3, rows=2), az.FullDomain(suppression=0.1)),
    "all rows known": asked(az.KAnonymity(2, rows="all"), az.Specialization()),
    "sub-tree cuts": asked([az.KAnonymity(4), az.AlphaK(alpha=0.8, k=3)], az.Specialization(cut="subtree")),
    "mondrian": asked([az.KAnonymity(4), az.LDiversity(2)], az.Mondrian()),
}


@pytest.fixture(scope="module")
def expected(visits: pa.Table) -> dict[str, Any]:
    """What one machine releases."""
    return {name: az.anonymize(visits, **case) for name, case in CASES.items()}


def as_arrow(frame: Any) -> pa.Table:
    return frame if isinstance(frame, pa.Table) else frame.toArrow()


def test_every_engine_releases_what_one_machine_does(
    opened: Opened, visits: pa.Table, expected: dict[str, Any]
) -> None:
    data = opened(visits)
    for name, here in expected.items():
        if data.engine == "spark" and name in ("two rows known", "sub-tree cuts"):
            continue  # of a case that differs in the method alone, one is enough where each takes seconds
        there = az.anonymize(data, **CASES[name])
        released = as_arrow(there.frame)
        assert rows_hash(released) == rows_hash(here.frame), name
        for part in ("rows", "people", "privacy", "risk", "classes"):
            assert there.evidence[part] == here.evidence[part], (name, part)
        known = there.evidence["privacy"][0].get("rows", 1)
        assert there.evidence["privacy"][0]["achieved"] == found(visits, released, known) >= 2, name
        assert there.evidence["people"]["read"] == 50
        assert "patient" not in released.column_names
    whole = az.verify(data, ["sex"], az.KAnonymity(2), person="patient")[0]
    assert whole.achieved == az.verify(visits, ["sex"], az.KAnonymity(2), person="patient")[0].achieved
    assert whole.achieved == fewest_people([(person_of(row["patient"]), row["sex"]) for row in visits.to_pylist()], 1)
    with pytest.raises(az.PrivacyNotReached):
        assert az.anonymize(data, **asked(az.KAnonymity(51), az.FullDomain())).frame


#: Where rows come here first: to be drawn, or because their key becomes a pseudonym, which is released.
WAYS: dict[str, dict[str, Any]] = {
    "where it is": {},
    "limited": {"people": {"limit-rows": 3}},
    "pseudonym": {"operation": {"name": "pseudonymize", "key": "keys.key"}},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_people_of_a_table_are_counted_where_it_was_written(
    database: Server, visits: pa.Table, tmp_path: Path, way: str
) -> None:
    made, target, more = database.load(visits), database.name(), dict(WAYS[way])
    attributes: dict[str, Any] = {name: {"role": role} for name, role in ROLES.items()}
    attributes["age"]["hierarchy"], attributes["sex"]["hierarchy"] = {"intervals": [5, 10, 20]}, "flat"
    if "operation" in more:
        attributes["patient"]["operation"] = more.pop("operation")
    project = {
        "antifaz": 1, "source": {"url": database.url, "table": made}, "attributes": attributes, "seed": 1,
        "privacy": [{"model": "k-anonymity", "k": 4}, {"model": "t-closeness", "t": 0.4}],
        "method": {"name": "full-domain", "suppression": 0.1},
        "release": {"path": "out/", "table": target}, **more,
    }  # fmt: skip
    new_key(tmp_path / "keys.key")
    (tmp_path / "project.json").write_text(json.dumps(project))
    evidence = actions.run(tmp_path / "project.json")
    assert evidence["people"]["read"] == 50
    with az.open(database.url, table=target) as there:
        released = there.to_arrow()
    assert evidence["privacy"][0]["achieved"] == found(visits, released) >= 4
    assert ("patient" in released.column_names) == (way == "pseudonym")
    keys = released["patient"].to_pylist() if way == "pseudonym" else []
    assert not {*keys} & {*visits["patient"].to_pylist()} - {None}
    assert len({*keys}) in (0, evidence["people"]["released"])
    assert "straße" not in (tmp_path / "out" / "evidence.json").read_text()


def test_a_file_of_an_engine_is_counted_with_keys_that_are_not_written(
    opened: Opened, visits: pa.Table, tmp_path: Path, expected: dict[str, Any]
) -> None:
    data = opened(visits)
    for format in ("csv", "parquet"):
        az.anonymize(data, **CASES["full-domain"]).save(tmp_path / format, format)
        evidence = json.loads((tmp_path / format / "evidence.json").read_text())
        assert evidence["privacy"] == expected["full-domain"].evidence["privacy"]
        place = tmp_path / format / f"release.{format}"
        parts = sorted(place.glob("part-*")) if data.engine == "spark" else [place]
        released = pa.concat_tables(az.open(part).to_arrow() for part in parts)
        assert evidence["privacy"][0]["achieved"] == found(visits, released)
        assert "patient" not in released.column_names


def test_a_table_that_differs_from_the_rows_with_keys_does_not_pass(
    database: Server, visits: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody's rows are counted for another's: the rows with their keys are not those that were written."""
    from antifaz.core.counted_people import KeyedRows
    from antifaz.engines.engine import Applied

    if database.kind == "DuckDB":
        pytest.skip("its rows are counted by the local engine")
    target = database.name()
    with az.open(database.url, table=database.load(visits)) as data:
        release = az.anonymize(data, **CASES["full-domain"])
        fewer = visits.slice(1)
        keyed = KeyedRows(fewer.drop_columns(["patient"]), fewer.select(["patient"]))
        for kind in Applied.__subclasses__():
            monkeypatch.setattr(kind, "keyed", lambda *_: keyed)
        with failing("gate.people-differ-from-rows", CheckFailed):
            release.save(tmp_path / "out", table=target)
    assert target not in database.tables()


def test_spark_draws_no_rows_of_people(spark: Any, visits: pa.Table) -> None:
    with az.open(spark.createDataFrame(visits)) as data, failing("people.engine-keeps-rows", ParameterError):
        az.anonymize(data, **CASES["full-domain"], limit_rows=1)
