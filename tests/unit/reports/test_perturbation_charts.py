"""Pictures before and after: the shares drawn are those of the data, and nobody can be read off."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.releases.perturbation_evidence import bars, error_curve
from antifaz.reports.comparison import comparison_html as page
from antifaz.reports.perturbation_charts import errors, histogram
from antifaz.reports.templating import ENGLISH

#: Values that would be recognized anywhere, one of them far from all others.
CANARIES = (98_765.4321, 7_654.321_98)


def sample(size: int = 400) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    before = random.normal(500, 100, size)
    before[:2] = CANARIES
    return before, before + random.normal(0, 20, size)


def histogram_chart(before: np.ndarray, after: np.ndarray, column: str) -> str:
    return histogram(ENGLISH, column, bars(before, after)).__html__()


def error_chart(before: np.ndarray, after: np.ndarray, column: str) -> str:
    return errors(ENGLISH, column, error_curve(before, after)).__html__()


NUMBERS = st.lists(st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float), min_size=10, max_size=120)


@settings(deadline=None, max_examples=150)
@given(NUMBERS, NUMBERS)
def test_no_bar_stands_for_a_few_and_none_is_lost(before: list[float], after: list[float]) -> None:
    found = bars(np.array(before), np.array(after))
    assert found is not None
    for counts, values in ((found.before, before), (found.after, after)):
        assert counts.sum() == len(values)
        assert all(count == 0 or count >= 5 for count in counts)
    assert (np.diff(found.edges) > 0).all()
    # Between edges that are not the outermost, the bars hold what lies there.
    for low, high, count in list(zip(found.edges[:-1], found.edges[1:], found.before, strict=True))[1:-1]:
        assert count == sum(low <= value < high for value in before)


def test_the_axis_does_not_tell_the_extremes() -> None:
    before, after = sample()
    found = bars(before, after)
    assert found is not None
    assert found.edges[-1] < 1_000 < min(CANARIES)
    assert found.edges[0] > 0
    assert found.before[-1] >= 5


def test_bars_are_as_high_as_their_share() -> None:
    # Ten at either end before; after, fifteen at one and five at the other.
    before, after = np.repeat([0.0, 10.0], 10), np.array([0.0] * 15 + [10.0] * 5)
    root = ET.fromstring(histogram_chart(before, after, "a title"))
    assert "a title" in root.findtext("title", "")
    heights = [float(bar.attrib["height"]) for bar in root.iter("rect")]
    after_bars, before_bars = heights[::2], heights[1::2]
    assert before_bars[0] == before_bars[-1]
    assert after_bars[0] == pytest.approx(3 * after_bars[-1], rel=0.01)
    assert after_bars[0] == pytest.approx(1.5 * before_bars[0], rel=0.01)
    assert not any(before_bars[1:-1])


def test_a_merged_bar_keeps_its_area() -> None:
    values = np.concatenate([np.linspace(0, 10, 1_000), np.linspace(10, 30, 12)])
    root = ET.fromstring(histogram_chart(values, values, "x"))
    boxes = [bar for bar in root.iter("rect") if bar.attrib.get("class") == "outline"]
    areas = [float(bar.attrib["width"].rstrip("%")) * float(bar.attrib["height"]) for bar in boxes]
    found = bars(values, values)
    assert found is not None
    shares = found.before / found.before.sum()
    assert len({round(width, 6) for width in np.diff(found.edges)}) > 1
    np.testing.assert_allclose(np.array(areas) / sum(areas), shares, atol=2e-3)


def test_the_curve_is_made_of_means_of_sorted_errors() -> None:
    before = np.arange(20.0)
    curve = error_curve(before, before + np.array([3.0, -1.0] * 10))
    assert curve is not None
    assert curve.tolist() == [1, 1, 3, 3]
    long = error_curve(np.zeros(1_234), np.arange(1_234.0))
    assert long is not None
    assert (long.size, long[0]) == (100, pytest.approx(np.arange(12).mean(), abs=0.5))
    assert (np.diff(long) > 0).all()


def test_the_curve_is_drawn_between_round_numbers() -> None:
    chart = ET.fromstring(error_chart(np.zeros(500), np.linspace(0, 73, 500), "errors"))
    labels = [text.text for text in chart.iter("text")]
    assert {"0", "20", "40", "60", "80", "100"} <= set(labels)
    assert "distance from the original value" in labels


@pytest.mark.parametrize("chart", [histogram_chart, error_chart])
def test_too_few_are_not_drawn(chart: Any) -> None:
    drawn = chart(np.arange(9.0), np.arange(9.0), "x")
    assert "too few to draw" in drawn
    assert not list(ET.fromstring(drawn).iter("rect"))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_the_page_is_well_formed_and_shows_nobody(make: Any) -> None:
    before, after = sample()
    names = {"income <&>": before, "constant": np.full(400, 3.0), "who": ["someone"] * 400}
    html = page(make(names), make({**names, "income <&>": after}))
    root = ET.fromstring(html)
    assert len(list(root.iter("svg"))) == 4
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
    ET.fromstring(page(table, table))
