"""Bands are shown in their order, not in the alphabet's."""

from __future__ import annotations

import pyarrow as pa

import antifaz as az
from antifaz.service.dataset_worker import window

BANDS = ["<5", "5-9", "10-17", "18-24", "100+"]


def test_a_table_is_sorted_by_its_bands() -> None:
    ages = [BANDS[i * 7 % 5] for i in range(20)] + [None, "NA"]
    names = [f"n{i:02}" for i in range(22)]
    with az.open(pa.table({"age": ages, "name": names})) as data:
        for descending, expected in ((False, BANDS), (True, BANDS[::-1])):
            rows = window(data, 0, 100, "age", descending)["rows"]
            assert list(dict.fromkeys(row[0] for row in rows))[:5] == expected
            assert {row[0] for row in rows[-2:]} == {None, "NA"}
        # Other columns as ever, and so a column in which one value is no band.
        assert [row[1] for row in window(data, 0, 2, "name", True)["rows"]] == ["n21", "n20"]
    with az.open(pa.table({"age": [*BANDS, "about 30"]})) as data:
        assert [row[0] for row in window(data, 0, 9, "age", False)["rows"]] == sorted([*BANDS, "about 30"])
