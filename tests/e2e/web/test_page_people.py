"""Patients and their visits, by clicking: the page finds whose rows they are, and counts people."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyreadstat

from e2e.web.browsing import PATIENCE, visiting


def _visits() -> str:
    draw = random.Random(1)
    lines = ["patient_id,age,sex,town,diagnosis"]
    for patient in range(120):
        who = f"P-{7_000 + 13 * patient},{draw.randrange(20, 80)},{draw.choice('FM')},{draw.choice(('Vic', 'Olot'))}"
        lines += [f"{who},{draw.choice(('flu', 'asthma', 'cough'))}" for _ in range(draw.randrange(1, 6))]
    return "\n".join(lines) + "\n"


def test_patients_with_several_visits_are_counted_as_people(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(_visits(), encoding="utf-8")
    (tmp_path / "served").mkdir()
    with visiting(chromium, tmp_path / "served", accept_downloads=True) as visit:
        page = visit.page
        visit.click("Start with my data")
        visit.heading("Choose the data")
        page.locator("input[type=file]").first.set_input_files(tmp_path / "visits.csv")
        visit.click("Yes, go on")
        visit.role_of("patient_id", "Person").wait_for()
        assert visit.role_of("patient_id", "Person").is_checked()
        visit.sees("395 rows are of 120 people")
        visit.click("Next: Hierarchies")
        visit.click("Next: Privacy")
        visit.click("Take it")
        visit.click("Next: Run")
        visit.click("Anonymize now")
        page.locator("[data-kind=run][data-state=done]").wait_for(timeout=3 * PATIENCE)
        visit.click("Judge it")
        visit.sees("People released")
        visit.sees("told apart by patient_id; classes and risks count them")
        (run,) = visit.service.get("/runs")
        evidence = visit.service.get(f"/runs/{run['id']}/release/evidence")
        assert evidence["people"]["read"] == 120 and "patient_id" not in evidence["released"]["columns"]
        # Alone before are people, of whom somebody has five rows.
        assert evidence["risk"]["singled_out_before"] <= 120 < evidence["rows"]["read"]
        assert visit.violations() == []
        visit.go(f"/p/{run['project']}/release")
        page.get_by_label("Who gets it?").fill("the archive")
        with page.expect_download(timeout=PATIENCE) as started:
            visit.click("SPSS (SAV)", role="link", exact=True)
        started.value.save_as(tmp_path / "taken.sav")
    taken, _ = pyreadstat.read_sav(tmp_path / "taken.sav")
    assert sorted(taken.columns) == ["age", "diagnosis", "sex", "town"] and len(taken) == evidence["rows"]["released"]
