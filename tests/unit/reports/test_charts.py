"""Charts: the numbers in them are the numbers given."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from antifaz.reports.charts import AttackMarks, attack_groups, class_size_bins, class_sizes, edges, levels, risks
from antifaz.reports.templating import ENGLISH


def test_edges() -> None:
    assert edges(1) == [1]
    assert edges(4) == [1, 2, 3]
    assert edges(120) == [1, 2, 3, 5, 10, 20, 50, 100]
    assert edges(12, k=7) == [1, 2, 3, 5, 7, 10]
    assert edges(12, k=5) == [1, 2, 3, 5, 10]
    assert edges(3, k=50) == [1, 2, 3]


def test_bins_count_records_not_classes() -> None:
    before = [[1, 10], [2, 5], [3, 2], [4, 1], [9, 1]]
    after = [[5, 2], [12, 3]]
    bins = class_size_bins(before, after)
    assert [b.label(ENGLISH) for b in bins] == ["1", "2", "3–4", "5–9", "10–19"]
    assert [b.before for b in bins] == [10, 10, 10, 9, 0]
    assert [b.after for b in bins] == [0, 0, 0, 10, 36]


@pytest.mark.parametrize("k", [None, 1, 2, 4, 7, 1000])
def test_no_record_is_lost(k: int | None) -> None:
    sizes = [[size, 3] for size in (1, 2, 3, 4, 5, 6, 7, 9, 10, 19, 20, 99, 100, 999, 1000, 12_345)]
    bins = class_size_bins(sizes, [], k)
    assert sum(b.before for b in bins) == sum(size * classes for size, classes in sizes)
    assert all(low.high + 1 == high.low for low, high in pairwise(bins))
    if k is not None:
        assert any(b.low == k for b in bins)


def test_nothing_to_show() -> None:
    assert class_size_bins([], []) == []


def test_class_sizes_are_drawn_in_proportion() -> None:
    chart = class_sizes(ENGLISH, class_size_bins([[1, 100]], [[5, 10]], 5), 5).__html__()
    root = ET.fromstring(chart)
    widths = {bar.attrib["class"]: float(bar.attrib["width"].rstrip("%")) for bar in root.iter("rect")}
    assert widths["before"] == pytest.approx(2 * widths["after"])
    assert "k = 5" in chart
    assert root.attrib["role"] == "img"
    assert "groups of 1: 100 before, 0 after" in root.findtext("desc", "")


def test_levels() -> None:
    root = ET.fromstring(levels(ENGLISH, [("age", 2, 4), ("<b>", 0, 3), ("city", 3, 3), ("flat", 0, 0)]).__html__())
    kinds = [bar.attrib["class"] for bar in root.iter("rect")]
    assert kinds == ["after"] * 2 + ["track"] * 2 + ["track"] * 3 + ["after"] * 3 + ["track"]
    assert root.findtext("desc") == (
        "age: level 2 of 4; <b>: as it was; city: level 3 of 3 (nothing left); flat: no levels"
    )


def test_risks_above_the_limit_look_different() -> None:
    root = ET.fromstring(risks(ENGLISH, [("highest", 0.2), ("average", 0.01), ("none", 0.0)], 0.09).__html__())
    bars = [bar for bar in root.iter("rect") if bar.attrib["class"] != "track"]
    assert [bar.attrib["class"] for bar in bars] == ["above", "after", "after"]
    assert float(bars[0].attrib["width"].rstrip("%")) == pytest.approx(
        20 * float(bars[1].attrib["width"].rstrip("%")), rel=1e-3
    )
    assert bars[2].attrib["width"] == "0.000%"


def test_attacks_are_drawn_where_their_shares_are() -> None:
    tried = AttackMarks(name="exact", success=0.5, low=0.25, high=0.75, control=0.1, chance=None)
    root = ET.fromstring(attack_groups(ENGLISH, [("Linkability", [tried])]).__html__())
    dots = {dot.attrib["class"]: float(dot.attrib["cx"].rstrip("%")) for dot in root.iter("circle")}
    # The line runs from 1 % to 99 % of the width.
    assert dots == {"control": pytest.approx(10.8), "after": pytest.approx(50.0)}
    reach = next(line for line in root.iter("line") if line.attrib["class"] == "reach")
    assert (reach.attrib["x1"], reach.attrib["x2"]) == ("25.500%", "74.500%")
    said = root.findtext("desc", "").replace("\u00a0", " ")
    assert said == "Linkability, exact: 50.0 % (25.0 % to 75.0 %); Control 10.0 %"
