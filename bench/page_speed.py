"""How long a person waits on the page: `python -m bench.page_speed`, in a real Chromium, after warm workers.

Seconds are of this machine as loaded as it is, which is said beside them; take them on one that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow.csv as pacsv

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

#: What was promised, in seconds.
PROMISED = {
    "example, what holds": 1.0, "example, with attacks and documents": None, "1,200 own rows, what holds": 1.5,
    "1,200 own rows, with attacks and documents": None, "candidates listed": 1.0, "300,000 rows on the table": 2.0,
    "an answer of the explorer": 0.1,
}  # fmt: skip


def main() -> int:
    """Measure, and print the seconds as JSON."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=300_000, help="rows of the large table")
    rows = asked.parse_args().rows
    from playwright.sync_api import sync_playwright

    from e2e.conftest import CHROMIUM
    from e2e.web.browsing import visiting

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        place = Path(folder)
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        (place / "served").mkdir()
        with visiting(browser, place / "served") as visit:
            took: dict[str, float] = {}
            for part in (_runs(visit, place), _explored(visit), _large(visit, place, rows)):
                took |= part
        browser.close()
    load = os.getloadavg()[0]
    print(json.dumps({"seconds": took, "promised": PROMISED, "load": load, "processors": os.cpu_count()}, indent=1))
    return 0


def _runs(visit: Any, place: Path) -> dict[str, float]:
    from antifaz.datasets import people

    own = place / "own.csv"
    pacsv.write_csv(people(1200, seed=5), own)
    example = visit.service.post("/projects/example")
    visit.service.done(example["id"])  # what is compiled late is compiled now
    uploaded = visit.service.upload(own.read_text("utf-8"), "own.csv")["id"]
    document = {key: value for key, value in example["document"].items() if key != "source"}
    mine = visit.service.project("own", uploaded, document)
    took = {}
    for name, project in (("example", example["id"]), ("1,200 own rows", mine["id"])):
        visit.go(f"/p/{project}/run")
        visit.page.get_by_role("button", name="Anonymize now").or_(
            visit.page.get_by_role("button", name="Run again")
        ).first.wait_for()
        # The list of runs comes after the button: what was done before must be in sight before anything is counted.
        before = len(visit.service.get("/runs", project=project))
        visit.page.wait_for_function("(n) => document.querySelectorAll('.work.is-done').length === n", arg=before)
        began = perf_counter()
        visit.page.locator(".proposal .button.primary, .proposal .button").first.click()
        shown = visit.page.locator(".work.is-running .notice.good").or_(visit.page.locator(".work.is-done").nth(before))
        shown.first.wait_for()
        took[f"{name}, what holds"] = perf_counter() - began
        visit.page.locator(".work.is-done").nth(before).wait_for()
        took[f"{name}, with attacks and documents"] = perf_counter() - began
    return took


def _explored(visit: Any) -> dict[str, float]:
    project = visit.service.post("/projects/example")["id"]
    visit.go(f"/p/{project}/explore")
    began = perf_counter()
    visit.click("List them")
    visit.page.locator("table.candidates").wait_for(state="attached")
    took = {"candidates listed": perf_counter() - began}
    visit.page.locator(".outcome").wait_for()
    visit.page.get_by_label("How many must look the same (k)").focus()
    visit.page.evaluate("performance.clearResourceTimings()")
    for _ in range(12):
        visit.page.keyboard.press("ArrowRight")
        visit.page.wait_for_timeout(250)
    answers = visit.page.evaluate(
        "performance.getEntriesByType('resource')"
        ".filter((one) => one.name.endsWith('/explore')).map((one) => one.duration)"
    )
    return took | {"an answer of the explorer": sorted(answers)[len(answers) // 2] / 1000}


def _large(visit: Any, place: Path, rows: int) -> dict[str, float]:
    from antifaz.datasets import people

    large = place / "large.csv"
    pacsv.write_csv(people(rows, seed=6), large)
    visit.go("/")
    visit.click("Start with my data")
    visit.heading("Choose the data")
    began = perf_counter()
    visit.page.locator("input[type=file]").first.set_input_files(large)
    visit.page.locator("table.data tbody td:not(:has(.ghost))").first.wait_for()
    return {f"{rows:,} rows on the table": perf_counter() - began}


if __name__ == "__main__":
    sys.exit(main())
