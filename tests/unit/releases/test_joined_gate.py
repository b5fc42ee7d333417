"""Rows of a released table by class and person."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pytest

from antifaz.engines.registry import to_audit
from antifaz.releases.joined_gate import JoinedTable


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string()])
def test_keys_are_matched_by_what_they_are_whatever_the_order_of_their_type(kind: pa.DataType) -> None:
    keys = pa.array([2, 10, 10, 9, None], pa.int64()).cast(kind)
    auditor, place = to_audit(pa.table({"age": [30, 30, 40, 40, 40], "id": keys}))
    table = JoinedTable(auditor=auditor, place=place, quasi_identifiers=("age",), key="id")
    found: defaultdict[object, list[float | None]] = defaultdict(list)
    for age, key, size in table.rows():
        found[age] += [None if key is None else float(key)] * size
    assert sorted(map(Counter, found.values()), key=len) == [Counter([2, 10]), Counter([10, 9, None])]
