"""Check 1: what is released is judged by a second verifier that shares no code with the methods, from the file."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az

QIS = ("age", "town")
ROLES = {"age": "quasi-identifier", "town": "quasi-identifier", "illness": "sensitive"}


def test_check_01_the_verifier_imports_none_of_what_it_judges() -> None:
    code = "import sys, antifaz.releases.verifier.models; print([n for n in sys.modules if n.startswith('antifaz.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for room in ("kernels", "counting", "privacy", "methods", "hierarchies", "utility", "risk"):
        assert f"antifaz.{room}" not in loaded


def _rows(path: Path) -> list[dict[str, str | None]]:
    """Read a released file with neither antifaz nor DuckDB."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


TABLES = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from(["a1", "a2", "b1"]), st.sampled_from(["x", "y", "z"])),
    min_size=6, max_size=40,
)  # fmt: skip
METHODS = [az.FullDomain(suppression=0.2), az.Datafly(suppression=0.2), az.Specialization(), az.Mondrian()]


@settings(max_examples=12)
@given(TABLES, st.sampled_from(METHODS), st.sampled_from(["csv", "tsv", "parquet"]), st.integers(2, 4))
def test_check_01_plain_python_finds_in_the_file_what_the_evidence_says(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str, str]], method: object, format: str, k: int
) -> None:
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(ROLES)})
    hierarchies = {"age": az.hierarchy.intervals(10, 100), "town": az.hierarchy.masking(1)}
    models = [az.KAnonymity(k), az.LDiversity(2, attribute="illness")]
    try:
        release = az.anonymize(table, roles=ROLES, hierarchies=hierarchies, privacy=models, method=method, seed=1)
    except az.PrivacyNotReached:
        return
    folder = tmp_path_factory.mktemp("release") / "out"
    release.save(folder, format, attacks=0)
    found = _rows(folder / f"release.{format}")
    classes = Counter(tuple(row[name] for name in QIS) for row in found)
    values = defaultdict(set)
    for row in found:
        values[tuple(row[name] for name in QIS)].add(row["illness"])
    told = {verdict["model"]: verdict for verdict in release.evidence["privacy"]}
    assert told["k-anonymity"]["achieved"] == min(classes.values()) >= k
    assert told["l-diversity"]["achieved"] == min(map(len, values.values())) >= 2
    assert release.evidence["rows"]["released"] == len(found)
    # One cell of anybody's, changed later by whoever: the same verifier, asked again, refuses.
    smallest = min(classes, key=lambda key: classes[key])
    row = next(row for row in found if tuple(row[name] for name in QIS) == smallest)
    row["town"] = "elsewhere"
    again = az.verify(pa.Table.from_pylist(found), list(QIS), models)
    assert not all(verdict.holds for verdict in again)
