"""Perturbations in project files: what they change, in which order, what is told of them, and what is refused."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import duckdb
import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import yaml

import antifaz as az
from antifaz.projects.catalogue import project_schema
from failing import failing, like, near

N = 400
RANDOM = np.random.default_rng(11)
AGES = RANDOM.integers(20, 80, N)
TABLE = pa.table(
    {
        "place": range(N),
        "age": AGES,
        "income": np.round(RANDOM.lognormal(10, 0.4, N) + 300 * AGES, 2),
        "team": RANDOM.choice(["red", "green", "blue"], N, p=[0.6, 0.3, 0.1]),
    }
)


def _write(folder: Path, attributes: dict | None = None, table: pa.Table = TABLE, **more) -> Path:
    pyarrow.csv.write_csv(table, folder / "people.csv")
    said = {"antifaz": 1, "source": {"path": "people.csv"}, "attributes": attributes or {}, "release": {"path": "out"}}
    said |= {"kind": "light"} if "privacy" not in more else {}
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump({**said, "seed": 1, "others": "release", **more}, sort_keys=False))
    return path


def _released(folder: Path) -> pa.Table:
    """The released rows, in the order in which they were."""
    return pyarrow.csv.read_csv(folder / "out" / "release.csv").sort_by("place")


def _run(folder: Path, attributes: dict | None = None, table: pa.Table = TABLE, **more) -> tuple[dict, pa.Table]:
    evidence = az.run(_write(folder, attributes, table, **more))
    return evidence, _released(folder)


def _numbers(table: pa.Table, column: str) -> np.ndarray:
    return table.column(column).to_numpy()


def test_a_column_gets_noise_of_the_size_asked_for_and_others_stay(tmp_path):
    noise = {"name": "additive-noise", "p": 0.2}
    _, released = _run(tmp_path, {"income": {"role": "sensitive", "operation": noise}})
    moved = _numbers(released, "income") - _numbers(TABLE, "income")
    spread = 0.2 * _numbers(TABLE, "income").std(ddof=1)
    # 400 draws: their standard deviation is within a seventh of its own all but once in 10,000 times.
    assert 0.85 < moved.std(ddof=1) / spread < 1.15
    assert abs(moved.mean()) < 4 * spread / 20
    assert released.select(["place", "age", "team"]).equals(TABLE.select(["place", "age", "team"]))


def test_whole_numbers_stay_whole_and_within_bounds_where_asked(tmp_path):
    noise = {"name": "additive-noise", "p": 1, "keep_type": True, "low": 18, "high": 80}
    _, released = _run(tmp_path, {"age": {"operation": noise}})
    assert released.schema.field("age").type == pa.int64()
    ages = _numbers(released, "age")
    assert ages.min() >= 18
    assert ages.max() <= 80
    assert (ages != AGES).mean() > 0.9


def test_values_that_change_places_are_the_same_values(tmp_path):
    steps = [{"name": "shuffle", "columns": ["income"], "given": ["age", "team"]}]
    _, released = _run(tmp_path, {"age": {"operation": {"name": "rank-swap", "p": 0.05}}}, perturbation=steps)
    for column in ("age", "income"):
        before, after = _numbers(TABLE, column), _numbers(released, column)
        assert sorted(before) == sorted(after)
        assert (before != after).mean() > 0.7
    # Twenty ranks of 400, among 60 ages of about seven each.
    assert np.abs(_numbers(released, "age") - AGES).max() <= 5


def test_groups_of_several_columns_together_have_k_records(tmp_path):
    steps = [{"name": "microaggregate", "columns": ["age", "income"], "k": 5}]
    _, released = _run(tmp_path, perturbation=steps)
    groups = Counter(zip(released["age"].to_pylist(), released["income"].to_pylist(), strict=True))
    assert min(groups.values()) >= 5
    assert _numbers(released, "income").mean() == pytest.approx(_numbers(TABLE, "income").mean())


def test_categories_change_with_the_probability_asked_for(tmp_path):
    evidence, released = _run(tmp_path, perturbation=[{"name": "pram", "columns": "team", "keep": 0.5}])
    before, after = TABLE["team"].to_pylist(), released["team"].to_pylist()
    changed = np.mean([one != other for one, other in zip(before, after, strict=True)])
    # Half are drawn anew, of which as many come out again as two records agree: 0.6² + 0.3² + 0.1² = 0.46.
    assert changed == pytest.approx(0.27, abs=0.09)
    assert set(after) <= {"red", "green", "blue"}
    assert evidence["perturbation"][0]["measures"] == {"team": {"changed": pytest.approx(changed, abs=1e-4)}}


def test_operations_come_first_then_perturbations_and_then_recoding_and_the_gate_counts_what_is_released(tmp_path):
    attributes = {
        "age": {
            "role": "quasi-identifier",
            "hierarchy": {"intervals": [5, 10, 80]},
            "operation": {"name": "top-code", "at": 70},
        },
        "place": {"role": "insensitive"},
    }
    models = [{"model": "k-anonymity", "k": 20}]
    evidence, _ = _run(tmp_path, attributes, privacy=models)
    assert evidence["method"]["levels"]["age"] > 0
    # Groups of twenty ages are one age each, so nothing is left to generalize.
    steps = [{"name": "microaggregate", "columns": ["age"], "k": 20}]
    evidence, released = _run(tmp_path, attributes, privacy=models, perturbation=steps)
    assert evidence["method"]["levels"]["age"] == 0
    assert evidence["privacy"][0]["achieved"] >= 20
    ages = np.array([float(age) for age in released["age"].to_pylist()])
    assert min(Counter(ages).values()) >= 20
    assert ages.max() <= 70  # coded before it was grouped
    assert ages.mean() == pytest.approx(np.minimum(AGES, 70).mean())


def test_a_list_under_operation_is_done_in_its_order(tmp_path):
    both = [{"name": "additive-noise", "p": 0.5}, {"name": "round", "base": 1000}]
    _, released = _run(tmp_path, {"income": {"operation": both}})
    assert set(_numbers(released, "income") % 1000) == {0}
    _, released = _run(tmp_path, {"income": {"operation": both[::-1]}})
    assert (_numbers(released, "income") % 1000 != 0).all()


def test_the_same_seed_gives_the_same_rows_and_noise_can_not_be_drawn_again_from_the_seed_alone(tmp_path):
    noise = {"income": {"operation": {"name": "additive-noise", "p": 0.2}}}
    _, first = _run(tmp_path, noise)
    _, again = _run(tmp_path, noise)
    assert first.equals(again)
    # Somebody who knows all but one cell, and the seed, does not get the noise of the others.
    place = TABLE.column_names.index("team")
    other = TABLE.set_column(place, "team", pa.array(["green", *TABLE["team"].to_pylist()[1:]]))
    assert other["team"][0] != TABLE["team"][0]
    _, guessed = _run(tmp_path, noise, other)
    moved = [_numbers(made, "income") - _numbers(TABLE, "income") for made in (first, guessed)]
    assert abs(np.corrcoef(moved)[0, 1]) < 0.25
    # Nor do two columns get the same noise.
    twice = {"name": "additive-noise", "columns": ["income", "age"], "p": 0.2}
    _, both = _run(tmp_path, perturbation=[twice])
    moved = [_numbers(both, name) - _numbers(TABLE, name) for name in ("income", "age")]
    assert abs(np.corrcoef(moved)[0, 1]) < 0.25


def test_the_evidence_measures_what_the_released_rows_say(tmp_path):
    steps = [{"name": "additive-noise", "columns": ["income", "age"], "p": 0.3}]
    evidence, released = _run(tmp_path, perturbation=steps)
    told = evidence["perturbation"][0]
    assert (told["name"], told["columns"], told["parameters"]["p"]) == ("additive-noise", ["income", "age"], 0.3)
    for column in ("income", "age"):
        found = told["measures"][column]
        before, after = _numbers(TABLE, column).astype(float), _numbers(released, column)
        near = np.abs(after - before) <= 0.2 * after.std(ddof=1)
        assert found["interval_risk"] == pytest.approx(near.mean(), abs=0.01)
        assert found["mean_moved"] == pytest.approx((after - before).mean() / before.std(ddof=1), rel=1e-6)
        assert found["sd_times"] == pytest.approx(after.std(ddof=1) / before.std(ddof=1), rel=1e-6)
        # IL1s divides each difference by √2 standard deviations of the original.
        assert found["il1s"] == pytest.approx(np.mean(np.abs(after - before) / before.std(ddof=1) / 2**0.5), rel=1e-6)
        counts = found["histogram"]["before"] + found["histogram"]["after"]
        assert sum(counts) == 2 * N
        assert all(count == 0 or count >= 5 for count in counts)
    attributes = {attribute["name"]: attribute for attribute in evidence["attributes"]}
    assert attributes["age"]["operations"] == [{"name": "additive-noise"}]
    assert attributes["age"]["type"] == "decimal"


def test_the_report_shows_the_columns_before_and_after_and_neither_it_nor_the_evidence_any_value(tmp_path):
    lone = 7_654_321.25
    place = TABLE.column_names.index("income")
    table = TABLE.set_column(place, "income", pa.array([lone, *_numbers(TABLE, "income")[1:]]))
    matrix = {"red": {"red": 0.9, "green": 0.1}, "green": {"green": 1.0}, "blue": {"blue": 1.0}}
    steps = [
        {"name": "correlated-noise", "columns": ["income", "age"], "p": 0.1},
        {"name": "pram", "columns": ["team"], "matrix": matrix},
    ]
    evidence, _ = _run(tmp_path, table=table, perturbation=steps)
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    section = report.partition('id="perturbed"')[2]
    assert "Perturbed columns" in section
    assert section.count("<svg") >= 4
    assert "were moved" in section
    assert evidence["perturbation"][1]["parameters"]["matrix"] == "given"
    for text in (report, (tmp_path / "out" / "evidence.json").read_text("utf-8")):
        assert "7654321" not in text.replace(",", "")
        assert "green" not in text


def test_a_typed_file_keeps_its_types_where_asked(tmp_path):
    table = TABLE.set_column(3, "team", TABLE["team"].dictionary_encode())
    pq.write_table(table, tmp_path / "people.parquet")
    attributes = {
        "age": {"operation": {"name": "rounding", "base": 10, "keep_type": True}},
        "income": {"operation": {"name": "multiplicative-noise"}},
        "team": {"operation": {"name": "pram"}},
    }
    more = {"source": {"path": "people.parquet"}, "release": {"path": "out", "format": "parquet"}}
    az.run(_write(tmp_path, attributes, **more))
    released = pq.read_table(tmp_path / "out" / "release.parquet").sort_by("place")
    assert released.schema.field("age").type == pa.int64()
    assert set(_numbers(released, "age") % 10) == {0}
    assert np.abs(_numbers(released, "age") - AGES).max() < 10
    assert released.schema.field("income").type == pa.float64()
    assert set(released["team"].to_pylist()) == {"red", "green", "blue"}
    attributes["age"]["operation"]["keep_type"] = False
    az.run(_write(tmp_path, attributes, **more))
    assert pq.read_table(tmp_path / "out" / "release.parquet").schema.field("age").type == pa.float64()


def test_missing_values_stay_missing(tmp_path):
    gaps = pa.array([None if i % 7 == 0 else int(age) for i, age in enumerate(AGES)], pa.int64())
    table = TABLE.set_column(1, "age", gaps)
    noise = {"name": "additive-noise", "keep_type": True}
    _, released = _run(tmp_path, {"age": {"operation": noise}}, table)
    assert [age is None for age in released["age"].to_pylist()] == [i % 7 == 0 for i in range(N)]


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_rows_of_a_database_come_here_and_may_go_back_as_a_table(tmp_path, kind):
    place = tmp_path / "people.db"
    if kind == "sqlite":
        with closing(sqlite3.connect(place)) as db, db:
            db.execute("CREATE TABLE people (place INTEGER, age INTEGER, income REAL)")
            db.executemany(
                "INSERT INTO people VALUES (?, ?, ?)", zip(*list(TABLE.to_pydict().values())[:3], strict=True)
            )
    else:
        with duckdb.connect(str(place)) as db:
            db.from_arrow(TABLE.select(["place", "age", "income"])).create("people")
    source = {"url": f"{kind}:///{place}", "table": "people"}
    attributes = {"income": {"operation": {"name": "rank-swap", "p": 0.1}}}
    az.run(_write(tmp_path, attributes, source=source, release={"path": "out", "table": "released"}))
    with az.open(f"{kind}:///{place}", table="released") as data:
        released = data.to_arrow().sort_by("place")
    assert sorted(_numbers(released, "income")) == sorted(_numbers(TABLE, "income"))
    assert (_numbers(released, "income") != _numbers(TABLE, "income")).mean() > 0.9


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            {"attributes": {"age": {"operation": {"name": "aditive-noise"}}}},
            like("operation.unknown", hint=near("additive-noise")),
        ),
        ({"attributes": {"age": {"operation": {"name": "top-cod"}}}}, like("operation.unknown", hint=near("top-code"))),
        (
            {"attributes": {"age": {"operation": {"name": "additive-noise", "p": -1}}}},
            like("declared.parameter-wrong", where="p"),
        ),
        ({"perturbation": [{"name": "shufle", "columns": "age"}]}, like("declared.unknown-name", hint=near("shuffle"))),
        ({"perturbation": [{"name": "pram"}]}, like("project.perturbation-needs-key", key="columns")),
        ({"perturbation": [{"columns": "age"}]}, like("project.perturbation-needs-key", key="name")),
        ({"perturbation": [{"name": "pram", "columns": []}]}, "columns.none-named"),
        (
            {"perturbation": [{"name": "pram", "columns": ["agee"]}]},
            like("column.unknown", name="agee", hint=near("age")),
        ),
        (
            {"perturbation": [{"name": "rank-swap", "columns": "team"}]},
            like("operation.column-not-numbers", name="team"),
        ),
        (
            {"attributes": {"team": {"operation": {"name": "rank-swap"}}}},
            like("operation.column-not-numbers", name="team"),
        ),
        (
            {"perturbation": [{"name": "microaggregate", "columns": "age", "k": 500}]},
            like("operation.k-above-records", k=500),
        ),
        (
            {"perturbation": {"name": "pram", "columns": "age"}},
            like("project.key-wrong", expected=like("expected.list")),
        ),
        ({"perturbations": []}, like("project.unknown-key", hint=near("perturbation"))),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, said, expected):
    with failing(expected) as caught:
        az.run(_write(tmp_path, **{"attributes": {"age": {}}, **said}))
    assert re.match(r"project\.yaml:\d+:\d+: ", str(caught.value))
    assert not (tmp_path / "out").exists()


def test_a_repeated_attribute_is_not_perturbed(tmp_path):
    tables = {name: {"source": {"path": "people.csv"}} for name in ("one", "two")}
    repeated = [{"name": "person", "columns": {"one": "place", "two": "place"}}]
    said = {"antifaz": 1, "kind": "light", "tables": tables, "repeated": repeated, "release": {"path": "out"}}
    said["others"] = "release"
    path = _write(tmp_path)
    repeated[0]["operation"] = {"name": "additive-noise"}
    path.write_text(yaml.safe_dump(said))
    with failing(
        "plan.repeated-operation", az.ProjectError, operation="additive-noise", why=like("plan.repeated-drawn-anew")
    ):
        az.run(path)
    del repeated[0]["operation"]
    tables["two"]["perturbation"] = [{"name": "rank-swap", "columns": ["place"]}]
    path.write_text(yaml.safe_dump(said))
    with failing(
        "plan.repeated-operation", az.ProjectError, operation="rank-swap", why=like("plan.repeated-drawn-anew")
    ):
        az.run(path)
    tables["two"]["perturbation"] = [{"name": "rank-swap", "columns": ["age"]}]
    path.write_text(yaml.safe_dump(said))
    assert az.run(path)["tables"]["two"]["perturbation"][0]["name"] == "rank-swap"


def test_the_schema_knows_perturbations(tmp_path):
    validate = jsonschema.Draft202012Validator(project_schema()).validate
    steps = [{"name": "shuffle", "columns": ["income"], "given": ["age"]}, {"name": "pram", "columns": "team"}]
    said = yaml.safe_load(_write(tmp_path, {"age": {"operation": {"name": "rank-swap", "p": 0.1}}}).read_text())
    validate(said | {"perturbation": steps})
    validate(json.loads(json.dumps(said)))
    for wrong in ([{"name": "pram"}], [{"name": "nothing", "columns": "age"}], [{**steps[0], "p": 1}]):
        with pytest.raises(jsonschema.ValidationError):
            validate(said | {"perturbation": wrong})
