"""Where the rows live makes no difference to what a record is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pytest

import antifaz as az

QIS = ("age", "sex")
GAME = {"benefit": 10, "loss": 400, "gain": 30, "cost": 3}


def judged(rows: Any, town: Path | None, save: dict[str, Any] | None = None, folder: Path | None = None) -> Any:
    """Return the levels and what the gate found in what was written."""
    model = az.Profitability(**GAME, **({} if town is None else {"population": str(town)}))
    release = az.anonymize(
        rows,
        roles=dict.fromkeys(QIS, "quasi-identifier"),
        hierarchies={"age": az.hierarchy.intervals(5, 10, 20, 40), "sex": az.hierarchy.flat()},
        privacy=model,
        method=az.FullDomain(suppression=0.3),
        seed=1,
    )
    if folder is not None:
        release.save(folder, **(save or {}))
    evidence = release.evidence
    return evidence["method"]["levels"], evidence["privacy"], evidence["classes"]["after"]


@pytest.fixture(scope="module")
def people(table: pa.Table) -> pa.Table:
    return table.select(list(QIS))


@pytest.fixture(scope="module", params=[False, True], ids=["prosecutor", "journalist"])
def town(people: pa.Table, request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    path = tmp_path_factory.mktemp("town") / "town.csv"
    csv.write_csv(pa.concat_tables([people, people.slice(0, people.num_rows // 2)]), path)
    return path if request.param else None


def test_databases_find_the_same(database: Any, people: pa.Table, town: Path | None, tmp_path: Path) -> None:
    with az.open(database.url, table=database.load(people)) as data:
        assert judged(data, town, folder=tmp_path / "out") == judged(people, town, folder=tmp_path / "here")


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_spark_finds_the_same(spark: Any, people: pa.Table, town: Path | None) -> None:
    assert judged(spark.createDataFrame(people).repartition(3), town) == judged(people, town)
