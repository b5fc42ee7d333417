"""Where rows can't be told apart, groups are decided on copies of what was counted, and come out the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.engines.local.data import LocalData
from failing import failing

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "postcode": "quasi-identifier", "diagnosis": "sensitive"}


def people() -> pa.Table:
    return az.datasets.people(600, seed=4).select([*ROLES])


def released(method: Any, *models: Any) -> pa.Table:
    return az.anonymize(people(), roles=ROLES, privacy=[az.KAnonymity(4), *models], method=method, seed=1).frame


def rows(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True))


@pytest.mark.parametrize("models", [[], [az.LDiversity(2, attribute="diagnosis")]], ids=["k", "l"])
@pytest.mark.parametrize("release", ["interval", "mode", "mean"])
@pytest.mark.parametrize("split", ["median", "distribution"])
def test_strict_mondrian_is_the_same(monkeypatch: Any, split: Any, release: Any, models: Any) -> None:
    method = az.Mondrian(split=split, release=release)
    by_row = released(method, *models)
    monkeypatch.setattr(LocalData, "by_row", False)
    by_tuple = released(method, *models)
    assert rows(by_tuple) == rows(by_row)
    assert by_tuple.schema.types == by_row.schema.types


def test_a_method_that_splits_equal_records_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(LocalData, "by_row", False)
    table = pa.table({"a": [1] * 5 + [2] * 3 + [3] * 4})
    with failing("method.splits-same-values", az.ParameterError):
        az.anonymize(
            table, roles={"a": "quasi-identifier"}, privacy=az.KAnonymity(4), method=az.Mondrian(mode="relaxed"), seed=1
        )
