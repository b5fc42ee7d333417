"""The same operations give the same cells on every engine."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core import changes
from antifaz.engines.local.data import open_local
from antifaz.methods.operations.mask import OPERATIONS, Sample, masked
from failing import failing

KEY = bytes(range(64))
ROWS = 2_000
TABLE = pa.table(
    {
        "id": [f"P{i % 300:05d}" for i in range(ROWS)],
        "name": [None if i % 50 == 0 else ["Ana", "Björn", "Zoë"][i % 3] for i in range(ROWS)],
        "age": pa.array([None if i % 70 == 0 else i % 97 for i in range(ROWS)], pa.int64()),
        "income": [i * 1.5 for i in range(ROWS)],
        "day": [dt.date(2020, 1, 1) + dt.timedelta(days=i % 900) for i in range(ROWS)],
        "code": [str(i % 10_000).zfill(5) for i in range(ROWS)],
        "note": [
            None if i % 40 == 0 else f"{['ANA', 'Bjorn', 'zoe'][i % 3]} as P{i % 300:05d} wrote from a{i}@example.org"
            for i in range(ROWS)
        ],
        "place": range(ROWS),
    }
)
WANTED = {
    "id": [{"name": "pseudonymize", "key": KEY}],
    "name": [{"name": "encrypt", "key": KEY}],
    "age": [{"name": "top-code", "percentile": 90}, {"name": "round", "base": 5}],
    "income": [{"name": "suppress", "where": {"column": "age", "above": 90}}],
    "day": [{"name": "shift-dates", "person": "id", "days": 9}],
    "code": [{"name": "substitute", "made": True}],
    "note": [{"name": "redact", "by": ["name", "id"]}],
}


def _operations():
    return {
        column: [OPERATIONS.make(one["name"], {k: v for k, v in one.items() if k != "name"}) for one in each]
        for column, each in WANTED.items()
    }


def _rows(data) -> list[dict]:
    return sorted(data.to_arrow().to_pylist(), key=lambda row: row["place"])


def test_the_local_engine_does_what_the_functions_do_and_keeps_the_order(monkeypatch):
    monkeypatch.setattr("antifaz.engines.local.change.PIECE", 300)  # several pieces
    with open_local(TABLE) as data:
        made = masked(data, _operations(), seed=5)
        assert made.to_arrow().column("place").to_pylist() == list(range(ROWS))
        assert made.schema["id"].type == "text"
        expected = az.mask.round(az.mask.top_code(TABLE, "age", percentile=90), "age", base=5)
        expected = az.mask.pseudonymize(expected, "id", key=KEY)
        expected = az.mask.encrypt(expected, "name", key=KEY)
        expected = az.mask.substitute(expected, "code", made=True, seed=5)
        # Text is redacted by the names that rows have before these are encrypted.
        redacted = az.mask.redact(TABLE, "note", by=["name", "id"])
        assert redacted["note"][1].as_py() == "[person] as [person] wrote from [email]"
        expected = expected.set_column(expected.column_names.index("note"), "note", redacted["note"])
        for name in ("age", "id", "name", "code", "note"):
            assert made.to_arrow().column(name).to_pylist() == expected.column(name).to_pylist(), name
        # The income is judged by the age before it was coded, as all first operations are.
        lost = [age is not None and age > 90 for age in TABLE.column("age").to_pylist()]
        assert [value is None for value in made.to_arrow().column("income").to_pylist()] == lost
        assert data.to_arrow().equals(TABLE)  # the table it came from is as it was
        made.close()
        assert data.count(["id"]).rows == ROWS


@pytest.mark.parametrize("most", [0, changes.MOST_VALUES])
def test_costly_work_gives_the_same_by_distinct_values_and_piece_by_piece(monkeypatch, most):
    monkeypatch.setattr("antifaz.engines.local.change.MOST_VALUES", most)
    with open_local(TABLE) as data:
        made = masked(data, {"id": [OPERATIONS.make("encrypt", {"key": KEY})]})
        assert made.to_arrow().column("id").equals(az.mask.encrypt(TABLE, "id", key=KEY).column("id"))


def test_a_sample_has_the_rows_asked_for_and_an_empty_table_stays_empty():
    with open_local(TABLE) as data:
        drawn = masked(data, {}, sample=Sample(share=0.1), seed=1)
        assert drawn.rows == 200
        assert _rows(drawn) == _rows(masked(data, {}, sample=Sample(number=200), seed=1))
        assert "200 of 2,000 records were drawn at random." in drawn.notes
    with open_local(TABLE.slice(0, 0)) as data:
        made = masked(data, _operations())
        assert (made.rows, made.to_arrow().column_names) == (0, TABLE.column_names)


def test_check_34_a_failing_operation_leaves_no_table_behind_and_quotes_no_cell():
    with open_local(TABLE) as data:
        tables = data.db.sql("SHOW TABLES").fetchall()
        with failing("substitute.table-misses-values", az.DataError) as refused:
            masked(data, {"name": [OPERATIONS.make("substitute", {"table": {"Ana": "x"}})]})
        assert "Björn" not in str(refused.value)
        assert data.db.sql("SHOW TABLES").fetchall() == tables
        assert data.count(["name"]).rows == ROWS


def test_spark_gives_the_same_cells(spark, tmp_path):
    import pyarrow.parquet as pq

    from antifaz.engines.spark.data import open_spark

    pq.write_table(TABLE, tmp_path / "people.parquet", row_group_size=500)
    with (
        open_local(tmp_path / "people.parquet") as here,
        open_spark(str(tmp_path / "people.parquet"), session=spark) as there,
    ):
        ours, theirs = masked(here, _operations(), seed=5), masked(there, _operations(), seed=5)
        assert _rows(ours) == _rows(theirs)
        assert {c.name: c.type for c in ours.schema} == {c.name: c.type for c in theirs.schema}
        drawn = masked(there, {}, sample=Sample(number=100), seed=1)
        assert drawn.rows == len(_rows(drawn)) == len({row["place"] for row in _rows(drawn)}) == 100
        with pytest.raises(az.DataError, match="does not name") as refused:
            masked(there, {"name": [OPERATIONS.make("substitute", {"table": {"Ana": "x"}})]})
        assert "Björn" not in str(refused.value)
        for made in (theirs, drawn):
            made.close()


def test_a_light_project_runs_on_spark(spark, tmp_path):
    import pyarrow.csv
    import yaml

    (tmp_path / "data").mkdir()
    pyarrow.csv.write_csv(TABLE, tmp_path / "data" / "people.csv")
    said = {
        "antifaz": 1, "kind": "light", "source": {"path": "data/people.csv"}, "engine": {"name": "spark"}, "seed": 1,
        "attributes": {"name": {"operation": {"name": "mask", "first": 1}}, "id": {"role": "identifier"}},
        "others": "release", "release": {"path": "out", "format": "parquet"},
    }  # fmt: skip
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(said))
    evidence = az.run(tmp_path / "project.yaml")
    assert evidence["rows"]["released"] == ROWS
    released = az.open(str(tmp_path / "out" / "release.parquet"), engine="spark").to_arrow()
    assert released.column_names == [name for name in TABLE.column_names if name != "id"]
    assert set(released.column("name").to_pylist()) == {None, "A**", "B****", "Z**"}
