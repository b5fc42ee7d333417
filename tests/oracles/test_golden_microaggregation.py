"""Microaggregated tables that sdcMicro released: ours hold the same numbers."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from antifaz.methods.operations.perturb import microaggregate

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "sdc"

pytestmark = pytest.mark.skipif(not GOLDEN.is_dir(), reason="the recorded values are not beside this repository")


def _table(name: str) -> pa.Table:
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    return pa.table({name: [float(row[i]) for row in rows] for i, name in enumerate(names)})


def _same(released: pa.Table, golden: pa.Table) -> None:
    assert released.column_names == golden.column_names
    assert released.num_rows == golden.num_rows
    for name in golden.column_names:
        np.testing.assert_allclose(released[name].to_numpy(), golden[name].to_numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("method", "k"), [("mdav", 3), ("mdav", 5), ("onedims", 5), ("pca", 5)])
def test_tarragona_comes_out_as_sdcmicro_released_it(method: str, k: int) -> None:
    table = _table("Tarragona")
    assert (table.num_rows, table.num_columns) == (834, 13)
    released = microaggregate(table, columns=table.column_names, k=k, method=method)  # type: ignore[arg-type]
    _same(released, _table(f"Tarragona_{method}_k{k}"))


@pytest.mark.parametrize(("aggregate", "k"), [("mean", 3), ("mean", 5), ("mean", 10), ("median", 5)])
@pytest.mark.parametrize("method", ["mdav", "single", "pca", "onedims"])
def test_one_column_comes_out_alike_by_every_method(method: str, aggregate: str, k: int) -> None:
    released = microaggregate(_table("ages"), columns="age", k=k, method=method, aggregate=aggregate)  # type: ignore[arg-type]
    _same(released, _table(f"ages_univ_{aggregate}_k{k}"))
