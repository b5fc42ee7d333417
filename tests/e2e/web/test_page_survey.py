"""A survey on the page: weight, household and strata are said where roles are, and households change places."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from e2e.web.browsing import PATIENCE, Visit, visiting

NAMES = {"en": "Is this a survey?", "es": "¿Es una encuesta?", "ca": "És una enquesta?"}


def survey() -> str:
    """Households in two regions with towns."""
    draw, lines = random.Random(1), ["hh_id,region,town,age,sex,sampling_weight"]
    for home in range(120):
        region, town = draw.choice("ns"), draw.randrange(3)
        for _ in range(draw.randint(1, 4)):
            person = f"{draw.randrange(0, 90, 10)},{draw.choice('fm')}"
            lines.append(f"{home},{region},{region}{town},{person},{80.5 if region == 'n' else 12.25}")
    return "\n".join(lines) + "\n"


def document(visit: Visit, project: str) -> dict[str, Any]:
    return dict(visit.service.get(f"/projects/{project}")["document"])


def test_a_survey_is_said_on_the_page_and_its_households_change_places(chromium: Any, tmp_path: Path) -> None:
    with visiting(chromium, tmp_path) as visit:
        data = visit.service.upload(survey(), "survey.csv")["id"]
        made = visit.service.project("survey", data, {"antifaz": 1})["id"]
        say_survey(visit, made)
        swap(visit, made)
        look(visit, made, tmp_path)


def say_survey(visit: Visit, project: str) -> None:
    page = visit.page
    visit.go(f"/p/{project}/roles")
    # The names of the columns say what they may be, so the question is open.
    visit.sees("sampling_weight looks like it.")
    visit.sees("hh_id looks like it.")
    page.get_by_label("Sampling weight").select_option("sampling_weight")
    page.get_by_label("Household", exact=True).select_option("hh_id")
    page.get_by_role("group", name="Strata").get_by_label("region", exact=True).check()
    rest = {"household": "hh_id", "strata": ["region"]}
    wait_until_saved(visit, project, lambda told: told["survey"] == {"weight": "sampling_weight"} | rest)
    assert visit.violations() == []
    page.get_by_label("Sampling weight").select_option("")
    wait_until_saved(visit, project, lambda told: told["survey"] == rest)
    page.get_by_label("Sampling weight").select_option("sampling_weight")
    wait_until_saved(visit, project, lambda told: "weight" in told["survey"])


def wait_until_saved(visit: Visit, project: str, expected: Callable[[dict[str, Any]], bool]) -> None:
    """Wait until the server has it: whoever leaves before is asked to stay."""
    for _ in range(PATIENCE // 100):
        with suppress(KeyError):
            if expected(document(visit, project)):
                break
        visit.page.wait_for_timeout(100)
    else:
        raise AssertionError(document(visit, project))
    visit.page.get_by_text("Saved", exact=True).wait_for()


def swap(visit: Visit, project: str) -> None:
    """Choose record swapping with two profiles, as a person would, and run it."""
    page = visit.page
    roles = {"hh_id": "identifier", "region": "quasi-identifier", "town": "insensitive", "age": "insensitive"}
    roles |= {"sex": "quasi-identifier", "sampling_weight": "insensitive"}
    told = document(visit, project) | {
        "attributes": {name: {"role": role} for name, role in roles.items()},
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "local-suppression"},
        "seed": 1,
    }
    project = visit.service.project("swapped", visit.service.get(f"/projects/{project}")["dataset"], told)["id"]
    visit.go(f"/p/{project}/privacy")
    page.locator("summary", has_text="Change single columns").first.click()
    page.get_by_label("Add a perturbation").select_option("record-swap")
    card = page.get_by_role("article").filter(has_text="Record swapping")
    card.get_by_role("group", name="Columns to change").get_by_label("town", exact=True).check()
    card.locator("summary").click()
    card.get_by_role("group", name="Known of a person").get_by_label("age", exact=True).check()
    card.get_by_role("group", name="Number 1").get_by_label("sex", exact=True).check()
    card.get_by_label("Household", exact=True).select_option("hh_id")
    wait_until_saved(visit, project, lambda told: told["perturbation"][0].get("household") == "hh_id")
    (step,) = document(visit, project)["perturbation"]
    assert step["columns"] == ["town"] and step["risk"] == ["age"] and step["similar"] == [["sex"]]
    run = visit.service.done(project)["id"]
    (counted,) = visit.service.get(f"/runs/{run}/release/evidence")["perturbation"]
    assert counted["counts"]["swapped"] > 0 and counted["parameters"]["strata"] == ["region"]


def look(visit: Visit, project: str, folder: Path) -> None:
    """In three languages, on a desk and on a phone: the question is there, and nothing is wider than the window."""
    page = visit.page
    for language, title in NAMES.items():
        page.set_viewport_size({"width": 1280, "height": 900})
        page.get_by_role("banner").get_by_role("combobox").select_option(language)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            visit.go(f"/p/{project}/roles")
            panel = page.locator("section.panel", has_text=title)
            panel.first.scroll_into_view_if_needed(timeout=PATIENCE)
            assert visit.overflow() == 0
            page.screenshot(path=str(folder / f"survey-{language}-{width}.png"))
