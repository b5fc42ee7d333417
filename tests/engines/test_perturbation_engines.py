"""Perturbations where the rows are: the local engine does what the functions do, Spark draws for every row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import antifaz as az
from antifaz.engines.local.data import open_local
from antifaz.methods.operations.apply import apply_to_columns as perturbed
from antifaz.methods.operations.perturb import PERTURBATIONS, Pram
from failing import failing

# PySpark leaves a socket of its own to be found unclosed.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

N = 3_000
RANDOM = np.random.default_rng(4)
TABLE = pa.table(
    {
        "place": range(N),
        "age": pa.array([None if i % 50 == 0 else i % 80 for i in range(N)], pa.int64()),
        "income": RANDOM.lognormal(10, 0.5, N),
        "code": [f" {i % 90}" for i in range(N)],
        "team": RANDOM.choice(["red", "green", "blue"], N),
    }
)


def _made(name: str, **parameters):
    return PERTURBATIONS.make(name, parameters)


def _rows(data) -> pa.Table:
    return data.to_arrow().sort_by("place")


def _moved(made: pa.Table, column: str) -> np.ndarray:
    before, after = TABLE[column].cast("float64"), made[column].cast("float64")
    gone = TABLE[column].is_null().to_numpy()
    assert (made[column].is_null().to_numpy() == gone).all()
    return (after.to_numpy() - before.to_numpy())[~gone]


def test_the_local_engine_does_what_the_perturbation_does_piece_by_piece(monkeypatch):
    monkeypatch.setattr("antifaz.engines.local.change.PIECE", 700)  # several pieces
    with open_local(TABLE) as data:
        tables = data.db.sql("SHOW TABLES").fetchall()
        made = perturbed(data, _made("additive-noise", keep_type=True), ["age", "income"], key=5)
        expected = _made("additive-noise", keep_type=True).apply(TABLE, ["age", "income"], np.random.default_rng(5))
        assert made.data.to_arrow().equals(expected)
        assert made.after.equals(expected.select(["age", "income"]))
        assert made.before.equals(TABLE.select(["age", "income"]))
        assert data.to_arrow().equals(TABLE)  # the table it came from is as it was
        made.data.close()
        assert data.db.sql("SHOW TABLES").fetchall() == tables


def test_text_that_spells_numbers_is_perturbed_as_numbers_and_stays_text():
    with open_local(TABLE) as data:
        made = perturbed(data, _made("rounding", base=7, random=False, keep_type=True), "code", key=5).data
        spelled = [str(round(i % 90 / 7) * 7) for i in range(N)]
        assert made.to_arrow()["code"].to_pylist() == spelled
        assert made.schema["code"].type == "integer"
        assert perturbed(data, _made("additive-noise"), "code", key=5).data.schema["code"].type == "decimal"


def test_categories_that_are_no_numbers_make_a_column_of_numbers_text():
    matrix = {f" {i}": {" 0": 0.5, "other": 0.5} for i in range(90)}
    with open_local(TABLE) as data:
        made = perturbed(data, Pram(matrix=matrix), ["code"], key=5).data
        assert set(made.to_arrow()["code"].to_pylist()) == {" 0", "other"}
        assert made.schema["code"].type == "text"
        assert perturbed(data, Pram(keep=0.5), ["code"], key=5).data.schema["code"].type == "integer"


def test_an_empty_table_stays_empty():
    with open_local(TABLE.slice(0, 0)) as data:
        made = perturbed(data, _made("additive-noise"), ["age"], key=5).data
        assert (made.rows, made.to_arrow().column_names) == (0, TABLE.column_names)


@pytest.fixture(scope="module")
def there(spark, tmp_path_factory):
    from antifaz.engines.spark.data import open_spark

    folder = tmp_path_factory.mktemp("perturbation")
    pq.write_table(TABLE, folder / "people.parquet", row_group_size=500)
    with open_spark(str(folder / "people.parquet"), session=spark) as data:
        yield data


def test_spark_draws_noise_of_the_size_asked_for(there):
    made = perturbed(there, _made("additive-noise", p=0.2), ["age", "income", "code"], key=5)
    assert made.before is None
    rows = _rows(made.data)
    assert rows.schema.field("age").type == pa.float64()
    assert rows["code"].type == pa.string()
    for column in ("age", "income"):
        moved, known = _moved(rows, column), TABLE[column].drop_null().cast("float64").to_numpy()
        spread = 0.2 * known.std(ddof=1)
        assert moved.std(ddof=1) / spread == pytest.approx(1, abs=0.06)
        assert abs(moved.mean()) < 4 * spread / N**0.5
        assert np.unique(moved).size == moved.size
        # Normal: two thirds within one standard deviation.
        assert np.mean(np.abs(moved) < spread) == pytest.approx(0.683, abs=0.035)
    known = ~TABLE["age"].is_null().to_numpy()
    assert abs(np.corrcoef(_moved(rows, "age"), _moved(rows, "income")[known])[0, 1]) < 0.08
    factors = _rows(perturbed(there, _made("multiplicative-noise", p=0.5), ["income"], key=5).data)["income"]
    factors = factors.to_numpy() / TABLE["income"].to_numpy()
    assert factors.min() > 0
    assert factors.max() < 2
    assert factors.mean() == pytest.approx(1, abs=0.04)
    whole = _rows(perturbed(there, _made("rounding", base=10, keep_type=True), ["age"], key=5).data)
    assert whole.schema.field("age").type == pa.int64()
    assert set(_moved(whole, "age") % 1) == {0}
    assert np.abs(_moved(whole, "age")).max() < 10
    assert abs(_moved(whole, "age").mean()) < 0.4


def test_what_spark_draws_does_not_depend_on_partitions_and_equal_rows_get_draws_of_their_own(spark):
    from antifaz.engines.spark.data import open_spark

    # Ten rows, a hundred times each.
    frame = spark.createDataFrame([(i % 10, "x") for i in range(1000)], ["age", "team"])
    found = []
    for parts, key in ((1, 5), (7, 5), (7, 6)):
        with open_spark(frame.repartition(parts)) as data:
            made = perturbed(data, _made("additive-noise", p=0.5), ["age"], key=key).data
            found.append(sorted(made.to_arrow()["age"].to_pylist()))
            made.close()
    assert found[0] == found[1]
    assert found[0] != found[2]
    assert len(set(found[0])) == 1000


def test_spark_refuses_what_needs_whole_columns(there):
    for name, more in (
        ("rank-swap", {}),
        ("microaggregate", {"k": 3}),
        ("correlated-noise", {}),
        ("shuffle", {}),
        ("additive-noise", {"household": "team"}),
        ("multiplicative-noise", {"strata": "team"}),
    ):
        with failing("operation.engine-hands-out-no-columns", az.ParameterError, perturbation=name):
            perturbed(there, _made(name, **more), ["income"], key=5)
    with failing("operation.column-not-numbers", az.SchemaError, name="team"):
        perturbed(there, _made("additive-noise"), ["team"], key=5)


def test_a_project_with_noise_runs_on_spark(spark, tmp_path):
    pq.write_table(TABLE, tmp_path / "people.parquet")
    said = {
        "antifaz": 1, "source": {"path": "people.parquet"}, "engine": {"name": "spark"}, "seed": 1,
        "attributes": {
            "team": {"role": "quasi-identifier", "hierarchy": {"flat": True}},
            "income": {"role": "sensitive", "operation": {"name": "additive-noise", "p": 0.1}},
            **{name: {"role": "insensitive"} for name in ("age", "code", "place")},
        },
        "privacy": [{"model": "k-anonymity", "k": 5}], "release": {"path": "out", "format": "parquet"},
    }  # fmt: skip
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(said))
    evidence = az.run(tmp_path / "project.yaml")
    assert evidence["perturbation"][0]["measures"] == {}
    with az.open(str(tmp_path / "out" / "release.parquet"), engine="spark") as data:
        moved = _moved(_rows(data), "income")
    assert moved.std(ddof=1) == pytest.approx(0.1 * TABLE["income"].to_numpy().std(ddof=1), rel=0.06)
    assert "were not compared before and after" in (tmp_path / "out" / "report.html").read_text("utf-8")
