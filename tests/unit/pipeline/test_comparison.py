"""Comparing two tables: every figure as hand and NumPy find it, and a page that nobody can be read off."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from antifaz.core.errors import DataError, InputError, SchemaError
from antifaz.pipeline.comparison import compare
from antifaz.reports.report import comparison_html
from failing import failing, like

BEFORE = {"a": [1.0, 2.0, 3.0, 4.0], "b": [10, 20, 40, 30], "word": ["x", "y", "x", "z"]}
AFTER = {"a": [2.0, 2.0, 3.0, 5.0], "b": [10, 20, 40, 30], "word": ["x", "x", "x", "x"]}


def test_figures_of_a_small_table_by_hand() -> None:
    found = compare(pa.table(BEFORE), pa.table(AFTER))
    assert found["rows"] == 4 and list(found["columns"]) == ["a", "b"]
    a, b = found["columns"]["a"], found["columns"]["b"]
    assert a["mean"] == {"original": 2.5, "released": 3.0, "change": pytest.approx(0.2)}
    # Squares of the distances to the mean: 5 before, 6 after; n - 1 is 3.
    assert a["sd"]["original"] == pytest.approx(math.sqrt(5 / 3))
    assert a["sd"]["released"] == pytest.approx(math.sqrt(2))
    assert a["sd"]["change"] == pytest.approx(math.sqrt(6 / 5) - 1)
    assert a["il1s"] == pytest.approx(2 / (math.sqrt(2) * math.sqrt(5 / 3)))
    assert a["il1s_per_record"] == pytest.approx(a["il1s"] / 4)
    assert a["il1_per_record"] == pytest.approx((100 + 25) / 4)
    assert a["interval_risk"] == 0.5 and b["interval_risk"] == 1.0
    assert a["ks"]["statistic"] == 0.25
    assert b["il1s"] == 0.0 and b["mean"]["change"] == 0.0 and b["ks"] == {"statistic": 0.0, "p": 1.0}
    together = found["together"]
    assert together["interval_risk"] == 0.5
    assert together["linkage"]["chance"] == 0.25
    # In steps of one width, (2, 1) is as far from (1, 1), its own, as from (2, 2); the others are nearest their own.
    assert together["linkage"]["share"] == (0.5 + 3) / 4
    correlation = [np.corrcoef(side["a"], side["b"])[0, 1] for side in (BEFORE, AFTER)]
    moved = abs(correlation[0] - correlation[1])
    # Of three pairs (a a, a b, b b) one moved.
    assert together["moments"]["correlations"]["mean_absolute"] == pytest.approx(moved / 3)
    assert together["moments"]["means"]["mean_absolute"] == pytest.approx(0.25)


@pytest.mark.parametrize("kind", [pa.table, pd.DataFrame, pl.DataFrame])
def test_every_kind_of_frame_gives_the_same(kind: Any) -> None:
    assert compare(kind(BEFORE), kind(AFTER)) == compare(pa.table(BEFORE), pa.table(AFTER))


def test_one_column_may_be_named_and_the_width_given() -> None:
    found = compare(pa.table(BEFORE), pa.table(AFTER), "a", k=0)
    assert list(found["columns"]) == ["a"]
    assert found["interval"] == 0.0
    assert found["together"]["interval_risk"] == 0.5
    assert compare(pa.table(BEFORE), pa.table(AFTER), "a", k=1)["together"]["interval_risk"] == 1.0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": [5.0, 5.0, 5.0], "b": [1.0, 2.0, 3.0]}, {"a": [5.0, 6.0, 5.0], "b": [1.0, 2.0, 3.0]}),
        ({"a": [0.0, 0.0], "b": [0.0, 0.0]}, {"a": [0.0, 0.0], "b": [1.0, 1.0]}),
        ({"a": [1.0, None, 3.0], "b": [None, 2.0, 3.0]}, {"a": [1.0, None, 3.0], "b": [None, 2.0, None]}),
        ({"a": pa.array([None, None], pa.float64())}, {"a": pa.array([None, None], pa.float64())}),
        ({"a": [1]}, {"a": [2]}),
    ],
    ids=["a constant that changed", "nothing but zero", "no row complete", "nothing there", "one row"],
)
def test_what_does_not_exist_is_none_and_all_of_it_is_json(before: Any, after: Any, tmp_path: Path) -> None:
    found = compare(pa.table(before), pa.table(after), html=tmp_path / "page.html")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    ET.fromstring((tmp_path / "page.html").read_text(encoding="utf-8"))


def test_a_constant_has_no_il1s_and_a_table_without_complete_rows_no_moments() -> None:
    constant = compare(pa.table({"a": [5.0, 5.0]}), pa.table({"a": [5.0, 6.0]}))
    assert constant["columns"]["a"]["il1s"] is None and constant["columns"]["a"]["sd"]["change"] is None
    assert constant["together"]["moments"]["correlations"]["mean_absolute"] is None
    gaps = pa.table({"a": [1.0, None, 3.0], "b": [None, 2.0, None]})
    assert compare(gaps, gaps)["together"]["moments"] is None


def test_missing_values_are_left_out_of_means(tmp_path: Path) -> None:
    found = compare(pa.table({"a": [1.0, None, 3.0, 9.0]}), pa.table({"a": [2.0, 7.0, 4.0, None]}))["columns"]["a"]
    assert found["compared"] == 2
    assert found["mean"] == {"original": 2.0, "released": 3.0, "change": 0.5}


def test_the_page_is_written_with_its_title_into_a_new_folder(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    before = pa.table({"a": random.normal(0, 1, 100)})
    after = pa.table({"a": random.normal(0, 1, 100)})
    place = tmp_path / "new" / "page.html"
    assert compare(before, after, html=str(place), title="a <title>", k=0.3) == compare(before, after, k=0.3)
    text = place.read_text(encoding="utf-8")
    assert text == comparison_html(compare(before, after, k=0.3), title="a <title>")
    root = ET.fromstring(text)
    assert root.findtext("head/title") == "a <title>: Perturbation"
    assert len(list(root.iter("svg"))) == 2


def test_bad_input_is_said_in_a_sentence(tmp_path: Path) -> None:
    with failing("pair.rows-differ", DataError, what="compare", before=4, after=3):
        compare(pa.table(BEFORE), pa.table(AFTER).slice(0, 3))
    with failing("pair.column-not-numbers", SchemaError, what="compare", name="word", side=like("pair.original")):
        compare(pa.table(BEFORE), pa.table(AFTER), "word")
    with failing("pair.column-missing", SchemaError, name="c"):
        compare(pa.table(BEFORE), pa.table(AFTER), ["a", "c"])
    (tmp_path / "file").write_text("mine")
    with failing("file.not-writable", InputError):
        compare(pa.table(BEFORE), pa.table(AFTER), html=tmp_path / "file" / "page.html")


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
