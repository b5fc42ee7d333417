"""Pictures before and after: the shares drawn are those of the data."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from antifaz.releases.perturbation_evidence import bars, error_curve
from antifaz.reports.perturbation_charts import errors, histogram
from antifaz.reports.templating import ENGLISH


def histogram_chart(before: np.ndarray, after: np.ndarray, column: str) -> str:
    return histogram(ENGLISH, column, bars(before, after)).__html__()


def error_chart(before: np.ndarray, after: np.ndarray, column: str) -> str:
    return errors(ENGLISH, column, error_curve(before, after)).__html__()


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
