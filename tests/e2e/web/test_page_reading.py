"""How a file is read, by clicking: separators of several characters, lengths of texts; and curves of two methods."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from e2e.web.browsing import PATIENCE, Visit, visiting

ROWS = [("A-1", "Ana", 31), ("A-2", "Eva | Mar", 34), ("B-12", "Leo", 38), ("B-3", "Teo", 33)]
TEXT = "code||name||age\n" + "".join(f"{code}||{name}||{age}\n" for code, name, age in ROWS * 5)


def test_a_separator_and_the_lengths_of_texts_are_told(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "people.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "served").mkdir()
    with visiting(chromium, tmp_path / "served") as visit:
        visit.click("Start with my data")
        visit.heading("Choose the data")
        visit.page.locator("input[type=file]").first.set_input_files(tmp_path / "people.txt")
        page = visit.page
        # It can't be read without being told how; that is asked for where it is refused.
        page.locator(".notice.bad").wait_for()
        page.get_by_text("Separator, encoding, header, missing values").click()
        page.get_by_label("Separator of columns", exact=True).select_option("other")
        which = page.get_by_label("Which separator", exact=True)
        which.fill("||")
        visit.click("Try it")
        visit.click("Open it like this")
        preview = page.get_by_role("region", name="Preview")
        preview.get_by_text("Eva | Mar").first.wait_for()
        assert headings(preview) == ["Row", "code", "name", "age"]
        page.get_by_text("Does it look wrong?").click()
        assert which.input_value() == "||"
        tell_a_length(visit)
        (made,) = visit.service.get("/projects")
        document = visit.service.get(f"/projects/{made['id']}")["document"]
        assert document["source"]["delimiter"] == "||"


def headings(preview: Any) -> list[str]:
    return [text.split("\n")[0] for text in preview.locator("thead th").all_inner_texts() if text.strip()]


def tell_a_length(visit: Visit) -> None:
    page = visit.page
    page.get_by_text("What the columns hold").click()
    length = page.get_by_label("Longest value of code, in characters")
    assert length.input_value() == "4"
    length.fill("10")
    length.press("Tab")
    page.get_by_text("The data was read again.").wait_for(state="attached")
    (dataset,) = visit.service.get("/datasets")
    assert dataset["options"]["types"] == {"code": "text(10)"}
    assert length.input_value() == "10"
    # Shorter than what is there is refused, and said.
    length.fill("2")
    length.press("Tab")
    page.locator(".notice.bad").wait_for()
    (dataset,) = visit.service.get("/datasets")
    assert dataset["options"]["types"] == {"code": "text(10)"}
    assert length.input_value() == "10"


@pytest.mark.parametrize("width", [1280, 390])
def test_several_curves_are_drawn_and_the_recommended_one_is_taken(chromium: Any, tmp_path: Path, width: int) -> None:
    compared = [{"name": "mondrian", "split": "median"}, {"name": "full-domain"}]
    document = {
        "antifaz": 1,
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20]}},
            "income": {"role": "quasi-identifier", "hierarchy": {"intervals": [10000, 50000]}},
        },
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "full-domain"},
        "frontier": compared,
        "seed": 1,
    }
    text = "age,income\n" + "".join(f"{20 + i % 30},{1000 * (i % 40)}\n" for i in range(400))
    with visiting(chromium, tmp_path, viewport={"width": width, "height": 800}) as visit:
        made = visit.service.project("curves", visit.service.upload(text, "people.csv")["id"], document)
        visit.service.done(made["id"])
        visit.go(f"/p/{made['id']}/judge")
        visit.click("Try every k")
        chart = visit.page.locator("figure.chart", has_text="Loss and risk against k")
        chart.wait_for(timeout=3 * PATIENCE)
        chart.get_by_text("Show the numbers as a table").click()
        lines = [re.split(r"\s*\t\s*", line) for line in chart.locator("tbody tr").all_inner_texts()]
        methods = {cell for line in lines for cell in line if "mondrian" in cell or "full-domain" in cell}
        assert len(methods) == 2, lines[:3]
        assert len(lines) == 2 * 19
        assert visit.overflow() <= 0
        take = visit.page.get_by_role("button", name=re.compile(r"^Take k = "))
        k = int(take.inner_text().split("=")[1])
        take.click()
        visit.heading("Run the anonymization")
        said = visit.service.get(f"/projects/{made['id']}")["document"]
        assert said["privacy"] == [{"model": "k-anonymity", "k": k}]
        assert said["method"]["name"] in ("mondrian", "full-domain")
