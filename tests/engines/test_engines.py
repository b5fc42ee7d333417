"""The same table gives the same release, whatever form it comes in, however it is counted."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.engines.local.data import LocalData, open_local
from antifaz.sources.frames import to_arrow

ROLES = {
    "name": "identifier",
    "age": "quasi-identifier",
    "sex": "quasi-identifier",
    "postcode": "quasi-identifier",
    "marital_status": "quasi-identifier",
    "diagnosis": "sensitive",
}


def _release(data: LocalData) -> Any:
    return az.anonymize(
        data,
        roles=ROLES,
        hierarchies={
            "age": az.hierarchy.intervals(5, 10, 20),
            "sex": az.hierarchy.flat(),
            "postcode": az.hierarchy.masking(1),
            "marital_status": az.hierarchy.flat(),
        },
        privacy=[az.KAnonymity(4), az.LDiversity(2, attribute="diagnosis")],
        method=az.FullDomain(suppression=0.05),
        others="release",
        seed=1,
    )


def _hash(frame: Any) -> str:
    """A hash of the released rows as text, in sorted order."""
    table = to_arrow(frame)
    rows = sorted(repr([None if cell is None else str(cell) for cell in row.values()]) for row in table.to_pylist())
    return hashlib.sha256("\n".join([repr(table.column_names), *rows]).encode()).hexdigest()


def _numbers(evidence: dict[str, Any]) -> dict[str, Any]:
    """What evidence says that must not depend on the engine."""
    told = {key: evidence[key] for key in ("rows", "method", "privacy", "utility", "risk", "classes", "warnings")}
    return told | {"attributes": [(part["name"], part["role"]) for part in evidence["attributes"]]}


@pytest.fixture(scope="module")
def expected(table: pa.Table) -> tuple[str, dict[str, Any]]:
    with open_local(table, threads=1) as data:
        release = _release(data)
        return _hash(release.frame), _numbers(release.evidence)


@pytest.mark.parametrize("threads", [1, 2])
def test_check_18_every_form_gives_the_same_release(opened, table, expected, threads):
    with opened(table, threads=threads) as data:
        assert data.rows == table.num_rows
        release = _release(data)
    assert (_hash(release.frame), _numbers(release.evidence)) == expected


def test_the_order_of_rows_does_not_matter(opened, table, expected):
    order = np.random.default_rng(9).permutation(table.num_rows)
    with opened(table.take(order)) as data:
        release = _release(data)
    assert (_hash(release.frame), _numbers(release.evidence)) == expected


def test_every_form_counts_the_same(opened, table):
    names = ("sex", "marital_status", "diagnosis")
    want: dict[tuple[Any, ...], int] = {}
    for row in zip(*(table.column(name).to_pylist() for name in names), strict=True):
        want[row] = want.get(row, 0) + 1
    with opened(table) as data:
        found = data.count(names)
    columns = [[values[code] for code in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    assert dict(zip(zip(*columns, strict=True), found.counts.tolist(), strict=True)) == want


def test_a_frame_comes_back_as_the_kind_it_was(table):
    import pandas
    import polars

    for given, kind in (
        (table, pa.Table),
        (table.to_pandas(), pandas.DataFrame),
        (polars.from_arrow(table), polars.DataFrame),
    ):
        with open_local(given) as data:
            assert isinstance(_release(data).frame, kind)


def test_the_frame_that_came_in_is_not_changed(table):
    frame = table.to_pandas()
    before = frame.copy(deep=True)
    with open_local(frame) as data:
        _release(data)
    assert frame.equals(before)


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
def test_what_is_saved_is_what_was_checked(opened, table, tmp_path, format, expected):
    with opened(table) as data:
        release = _release(data)
        release.save(tmp_path / "out", format)
    with open_local(tmp_path / "out" / f"release.{format}") as again:
        assert _hash(again.to_arrow()) == expected[0]
    assert _numbers(release.evidence) == expected[1]


def test_minus_zero_leaves_a_database_as_zero(database: Any, tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([-0.0, 0.0] * 6, pa.float64()), "z": ["a", "b", "b"] * 4})
    with az.open(database.url, table=database.load(table)) as data:
        release = az.anonymize(
            data,
            roles={"x": "quasi-identifier", "z": "quasi-identifier"},
            hierarchies={"x": az.hierarchy.intervals(10), "z": az.hierarchy.masking()},
            privacy=az.KAnonymity(2),
            seed=1,
        )
        release.save(tmp_path / "out")
    lines = (tmp_path / "out" / "release.csv").read_text().splitlines()[1:]
    assert {line.split(",")[0] for line in lines} <= {"0", "0.0"}
    assert len(lines) == 12
