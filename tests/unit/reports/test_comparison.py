"""The page on numbers before and after: well formed, and nobody can be read off."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from antifaz.pipeline.comparison import compare
from antifaz.reports.report import comparison_html

#: Values that would be recognized anywhere, one of them far from all others.
CANARIES = (98_765.4321, 7_654.321_98)


def page(before: Any, after: Any) -> str:
    return comparison_html(compare(before, after))


def sample(size: int = 400) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    before = random.normal(500, 100, size)
    before[:2] = CANARIES
    return before, before + random.normal(0, 20, size)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_the_page_is_well_formed_and_shows_nobody(make: Any) -> None:
    before, after = sample()
    names = {"income <&>": before, "constant": np.full(400, 3.0), "who": ["someone"] * 400}
    html = page(make(names), make({**names, "income <&>": after}))
    root = ET.fromstring(html)
    assert len(list(root.iter("svg"))) == 2
    assert "someone" not in html
    rows = [[cell.text or "".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    assert [row[0] for row in rows] == ["Column", "income <&>", "constant"]
    assert "<script" not in html
    assert "http://" not in html.replace("http-equiv", "")
    for value in (*before, *after):
        for digits in range(2, 5):
            assert f"{value:.{digits}f}" not in html
        assert f"{value:,.0f}" not in html or value < 1_000
    for canary in CANARIES:
        assert not any(said in html for said in (f"{canary:.0f}", f"{canary:,.0f}", f"{canary:.3g}", f"{canary:,.2f}"))


def test_missing_values_are_left_out_of_the_pictures() -> None:
    before = pa.table({"x": [*range(50), None, 5], "y": range(52)})
    after = pa.table({"x": [*range(50), 4, None], "y": range(52)})
    ET.fromstring(page(before, after))


@pytest.mark.parametrize(
    "values", [[0.0] * 20, [1e15 + i for i in range(20)], [1e-200 * i for i in range(20)], [-3.0] * 20]
)
def test_strange_numbers_are_drawn_too(values: list[float]) -> None:
    table = pa.table({"x": values})
    ET.fromstring(page(table, pa.table({"x": [3 * value for value in values]})))
