"""A rule on the page: it fills in columns and models as the command does, and is judged clause by clause."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from antifaz.projects import actions
from antifaz.projects.yaml_file import parse_yaml
from e2e.web.browsing import PATIENCE, Visit, visiting

ZIPS = ("10001", "10025", "03601", "94103")
TEXT = "name,zip,age,admission_date,sex,diagnosis\n" + "".join(
    f"Patient {i},{ZIPS[i % 4]},{20 + 7 * i % 79},2024-{1 + i % 12:02}-{1 + i % 28:02},{'FM'[i % 2]},"
    f"{('flu', 'asthma', 'gout')[i % 3]}\n"
    for i in range(240)
)
RULE = "hipaa-safe-harbor"


def test_a_rule_is_chosen_run_and_judged(chromium: Any, tmp_path: Path) -> None:
    with visiting(chromium, tmp_path) as visit:
        data = visit.service.upload(TEXT, "patients.csv")["id"]
        made = visit.service.project("patients", data, {"antifaz": 1})["id"]
        choose(visit, made, by_command(tmp_path))
        leave_and_come_back(visit, made)
        judge(visit, made)


def by_command(folder: Path) -> dict[str, Any]:
    """What `antifaz init --preset` writes for the same file."""
    (folder / "patients.csv").write_text(TEXT, encoding="utf-8")
    path = actions.init(folder / "patients.csv", folder / "command.yaml", preset=RULE)
    return dict(parse_yaml(path.read_text(encoding="utf-8"), path).data)


def document(visit: Visit, project: str) -> dict[str, Any]:
    return dict(visit.service.get(f"/projects/{project}")["document"])


def filled(visit: Visit) -> None:
    visit.page.get_by_role("heading", name="Columns and models are filled in by the rule").wait_for()
    visit.page.get_by_text("Saved", exact=True).wait_for()


def choose(visit: Visit, project: str, wanted: dict[str, Any]) -> None:
    page = visit.page
    visit.go(f"/p/{project}/roles")
    rule = page.get_by_label("Rule", exact=True)
    rule.select_option(RULE)
    page.get_by_role("heading", name="By HIPAA Safe Harbor we propose").wait_for()
    visit.sees("The rule itself speaks of 4 columns. The project asks for k = 5.")
    assert visit.violations() == []
    assert "preset" not in document(visit, project)  # nothing is filled in before it is taken
    visit.click("Fill in by this rule")
    filled(visit)
    said = document(visit, project)
    for key in ("preset", "attributes", "privacy", "method"):
        assert said[key] == wanted[key], key
    assert said["release"]["audience"] == wanted["release"]["audience"]


def leave_and_come_back(visit: Visit, project: str) -> None:
    page = visit.page
    rule = page.get_by_label("Rule", exact=True)
    visit.role_of("diagnosis", "Insensitive").check()
    page.get_by_role("heading", name=re.compile("^Your roles differ from the proposal in 1 column")).wait_for()
    rule.select_option("")
    page.get_by_role("heading", name="We propose a role for every column").wait_for()
    visit.click("Accept all")
    page.get_by_role("heading", name="The proposed roles are taken").wait_for()
    page.get_by_text("Saved", exact=True).wait_for()
    said = document(visit, project)
    assert "preset" not in said
    assert all("operation" not in own for own in said["attributes"].values())
    assert said["attributes"]["diagnosis"]["role"] == "sensitive"
    rule.select_option(RULE)
    visit.click("Fill in by this rule")
    filled(visit)


def judge(visit: Visit, project: str) -> None:
    page = visit.page
    changed = document(visit, project) | {"method": {"name": "full-domain", "suppression": 0.1}, "seed": 1}
    visit.service.client.put(f"/projects/{project}", json={"document": changed}).raise_for_status()
    run = visit.service.done(project)
    clauses = visit.service.get(f"/runs/{run['id']}/result")["preset"]["clauses"]
    holding = sum(one["answer"] == "holds" for one in clauses)
    assert (len(clauses), holding) == (19, 18)
    visit.go(f"/p/{project}/judge")
    panel = page.get_by_role("region", name="Clause by clause: HIPAA Safe Harbor")
    panel.wait_for(timeout=3 * PATIENCE)
    panel.get_by_text("18 clauses hold. 0 do not hold. 1 is for a person to say.").wait_for()
    person = panel.get_by_role("listitem").filter(has_text="No actual knowledge that somebody can be identified")
    person.get_by_text("for a person to say", exact=True).wait_for()
    places = panel.get_by_role("listitem").filter(has_text="Places smaller than a state")
    assert "(b)(2)(i)(B)" in places.inner_text() and "three-digit ZIP codes" in places.inner_text()
    panel.get_by_text("16 more clauses hold").click()
    panel.get_by_text("Telephone numbers", exact=True).wait_for()
    assert visit.violations() == []
    page.set_viewport_size({"width": 390, "height": 844})
    for language, word in {"es": "Se cumplen 18 cláusulas.", "ca": "Es compleixen 18 clàusules."}.items():
        page.get_by_role("banner").get_by_role("combobox").select_option(language)
        page.get_by_text(re.compile(f"^{word}")).wait_for()
        assert (visit.violations(), visit.overflow()) == ([], 0)
