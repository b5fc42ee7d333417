"""SparkTPTDS's input on Spark: as many partitions as Spark itself makes, and the answer of one machine."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import antifaz as az

# PySpark leaves a socket of its own to be found unclosed.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

INFORMATION: dict[str, Any] = {
    "attributes_to_remove": ["note"],
    "sensitive_attributes": ["ill"],
    "categorical_attributes": ["city"],
    "continous_attributes": ["age"],
    "dataset_missing_values": False,
    "save_anonymization_result": True,
    "result_file_name": "result",
    "file_path": "people.json",
}
TREES = {"city": {"value": "Spain", "children": [{"value": "Deva"}, {"value": "Soria"}]}}


def released(folder: str) -> Counter[tuple[str, ...]]:
    place = Path(folder) / "release.csv"
    rows: Counter[tuple[str, ...]] = Counter()
    for part in sorted(place.iterdir()) if place.is_dir() else [place]:
        with part.open(encoding="utf-8", newline="") as file:
            rows.update(tuple(row.values()) for row in csv.DictReader(file))
    return rows


def test_partitions_left_out_are_sparks_own(spark: Any, tmp_path: Path) -> None:
    """JSON with an object per line, of more than one split: 4 MiB each at least."""
    lines = (
        {"age": 20 + n % 37, "city": "Deva" if n % 3 else "Soria", "ill": "yes" if n % 37 > n % 50 else "no"}
        for n in range(40_000)
    )
    text = "".join(json.dumps({**line, "note": "x" * 200}) + "\n" for line in lines)
    (tmp_path / "people.json").write_text(text, encoding="utf-8")
    (tmp_path / "d.json").write_text(json.dumps(INFORMATION), encoding="utf-8")
    (tmp_path / "t.json").write_text(json.dumps(TREES), encoding="utf-8")
    own = spark.read.text(str(tmp_path / "people.json")).rdd.getNumPartitions()
    assert own > 1

    given: dict[str, Any] = {"k": 700, "k_first": 800, "seed": 1}
    there = az.compat.spark_tptds(tmp_path / "d.json", tmp_path / "t.json", out=tmp_path, session=spark, **given)
    method = there.evidence["method"]
    assert (method["phases"], method["partitions"]) == (2, own)

    (tmp_path / "d.json").write_text(json.dumps({**INFORMATION, "partitions": own}), encoding="utf-8")
    here = az.compat.spark_tptds(tmp_path / "d.json", tmp_path / "t.json", out=tmp_path / "here", **given)
    assert here.evidence["method"] == method
    rows = released(here.evidence["folder"])
    assert released(there.evidence["folder"]) == rows
    assert rows.total() == 40_000
