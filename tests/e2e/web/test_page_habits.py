"""What must hold of the page whatever one does: nothing lost, nothing run, nothing sent away, readable by everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.web.browsing import PATIENCE, Visit, visiting
from e2e.web.rest import SIX, SIX_PROJECT

STEPS = ("data", "roles", "hierarchies", "privacy", "run", "explore", "judge", "release", "finish")
PEOPLE = {
    "antifaz": 1,
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
        "sex": {"role": "quasi-identifier", "hierarchy": {"flat": True}},
        "id_number": {"role": "identifier"},
        "name": {"role": "identifier"},
    },
    "privacy": [{"model": "k-anonymity", "k": 3}],
    "method": {"name": "full-domain", "quality": "loss"},
    "others": "release",
}


@pytest.fixture(scope="module")
def visit(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    options = {"accept_downloads": True, "reduced_motion": "no-preference"}
    with visiting(chromium, tmp_path_factory.mktemp("habits"), **options) as found:
        yield found


@pytest.fixture(autouse=True)
def nothing_bad_happened(visit: Visit) -> Iterator[None]:
    yield
    problems, visit.problems[:] = list(visit.problems), []
    assert not problems


@pytest.fixture(scope="module")
def six(visit: Visit) -> str:
    """The project of the six people, run, with its candidates."""
    project = str(visit.service.six_people("six people")["id"])
    visit.service.done(project, "candidates")
    visit.service.done(project)
    return project


def people(visit: Visit, name: str, rows: int) -> str:
    data = visit.service.post("/datasets/example", {"name": "people", "rows": rows})
    return str(visit.service.project(name, data["id"], PEOPLE)["id"])


def test_a_reload_in_the_middle_of_a_run_comes_back_to_it(visit: Visit) -> None:
    project = people(visit, "reloaded", 20_000)
    visit.go(f"/p/{project}/run")
    visit.click("Anonymize now")
    visit.page.locator("[data-state=running], [data-state=queued]").wait_for()
    visit.page.reload()
    visit.page.locator("[data-state=running], [data-state=queued]").wait_for()
    visit.page.locator("[data-kind=run][data-state=done]").wait_for(timeout=3 * PATIENCE)
    assert visit.page.locator(".work").count() == 1


def test_what_one_tab_cancels_is_cancelled_in_the_other(visit: Visit) -> None:
    project = people(visit, "two tabs", 50_000)
    visit.go(f"/p/{project}/run")
    visit.click("Anonymize now")
    second = visit.another()
    try:
        second.go(f"/p/{project}/run")
        second.click("Cancel", within=second.page.get_by_role("article"))
        visit.page.locator("[data-state=cancelled]").wait_for()
        second.page.locator("[data-state=cancelled]").wait_for()
    finally:
        second.page.close()


def test_a_file_that_is_no_table_is_refused_with_a_sentence(visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "photo.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe" + bytes(range(256)) * 20)
    visit.go("/")
    visit.click("Start with my data")
    visit.heading("Choose the data")
    visit.page.locator("input[type=file]").first.set_input_files(tmp_path / "photo.csv")
    notice = visit.page.locator(".notice.bad").first
    notice.wait_for()
    said = notice.inner_text()
    assert "photo.csv" in said and "Traceback" not in said and "IHDR" not in said
    assert visit.page.get_by_role("button", name="Yes, go on").count() == 0


def test_a_k_that_can_not_be_reached_is_answered_with_the_nearest(visit: Visit) -> None:
    document = {**SIX_PROJECT, "privacy": [{"model": "k-anonymity", "k": 7}]}
    data = visit.service.upload(
        "fnac,sexo,cod_postal,dolencia\n" + "1986,M,53715,a\n" * 6,
        "like.csv",
        types={"fnac": "text", "cod_postal": "text"},
    )
    project = visit.service.project("too much", data["id"], document)["id"]
    visit.go(f"/p/{project}/run")
    visit.click("Anonymize now")
    visit.page.locator("[data-state=failed]").wait_for(timeout=2 * PATIENCE)
    visit.click("Take k = 6 and run again")
    visit.page.locator("[data-state=done]").wait_for(timeout=2 * PATIENCE)
    assert visit.service.get(f"/projects/{project}")["document"]["privacy"][0]["k"] == 6
    # The list of projects says how the last run ended, not the first.
    visit.go("/")
    card = visit.page.locator(".project-card").filter(has=visit.page.get_by_role("link", name="too much", exact=True))
    card.locator(".badge.good").wait_for()


def test_what_earlier_releases_speak_against_needs_a_reason(visit: Visit) -> None:
    """Years with masked postcodes, then postcodes with masked years: both are 2-anonymous, together they are not."""
    data = visit.service.upload(SIX, "again.csv", types={"fnac": "text", "cod_postal": "text"})
    document = {**SIX_PROJECT, "ledger": {"dataset": "six", "person": ["dolencia"]}}
    project = visit.service.project("released before", data["id"], document)["id"]
    first = visit.service.done(project, levels={"fnac": 0, "cod_postal": 2})
    assert visit.service.client.get(f"/runs/{first['id']}/release/data?to=public").is_success  # it leaves
    second = visit.service.done(project, levels={"fnac": 2, "cod_postal": 0})  # a draft is never refused
    visit.go(f"/p/{project}/release")
    visit.page.get_by_label("Who gets it?").fill("the board")
    visit.click("CSV", role="link", exact=True)
    visit.page.get_by_label("Why should it be released all the same?").fill("The first one never left the house.")
    with visit.page.expect_download(timeout=PATIENCE):
        visit.click("CSV", role="link", exact=True)
    told = visit.service.get(f"/runs/{second['id']}/result")
    assert (told["state"], told["ledger"]["recipient"]) == ("handed out", "the board")
    assert told["ledger"]["despite"]["reason"] == "The first one never left the house."


def test_check_38_scripts_in_names_and_values_do_not_run(visit: Visit) -> None:
    bad = '<img src=x onerror="window.ran=1">'
    rows = "".join(
        f'"{v}",{n}\n' for n, v in enumerate(["<script>window.ran=1</script>", "<b onclick=window.ran=1>x</b>"] * 3)
    )
    name = bad.replace('"', '""')
    data = visit.service.upload(f'"{name}",n\n{rows}', "<i>x</i>.csv")
    document = {
        "antifaz": 1,
        "attributes": {bad: {"role": "quasi-identifier", "hierarchy": {"flat": True}}, "n": {"role": "insensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "full-domain"},
    }
    project = visit.service.project("<script>window.ran=1</script>", data["id"], document)["id"]
    visit.service.done(project, "candidates")
    visit.service.done(project)
    for step in STEPS:
        visit.go(f"/p/{project}/{step}")
        visit.page.wait_for_load_state("networkidle")
        assert visit.page.evaluate("window.ran") is None, step
    visit.go("/")
    assert visit.page.evaluate("window.ran") is None


def test_names_with_commas_are_asked_for_whole(visit: Visit) -> None:
    rows = "".join(f"{x},{y},{x % 2}\n" for x in range(20, 40) for y in range(1, 9))
    data = visit.service.upload(f'"age, years","a&b=c+d #1",sex\n{rows}', "odd.csv")
    roles = {name: {"role": "quasi-identifier"} for name in ("age, years", "a&b=c+d #1", "sex")}
    project = visit.service.project("odd names", data["id"], {"antifaz": 1, "attributes": roles})["id"]
    visit.go(f"/p/{project}/roles")
    visit.sees("age, years + a&b=c+d #1")
    assert visit.page.locator(".notice.bad").count() == 0


@pytest.mark.parametrize("step", STEPS)
def test_no_step_has_a_serious_barrier_or_is_wider_than_a_phone(visit: Visit, six: str, step: str) -> None:
    visit.go(f"/p/{six}/{step}")
    visit.page.wait_for_load_state("networkidle")
    if step == "hierarchies":
        visit.click("Edit")
        visit.page.get_by_role("radiogroup", name="View").wait_for()
    assert visit.violations() == []
    visit.page.set_viewport_size({"width": 390, "height": 844})
    try:
        visit.page.wait_for_timeout(150)
        assert visit.overflow() <= 0
    finally:
        visit.page.set_viewport_size({"width": 1280, "height": 800})


def test_dark_is_dark_and_has_no_serious_barrier(visit: Visit, six: str) -> None:
    visit.go(f"/p/{six}/judge")
    visit.page.locator("figure canvas").first.wait_for()
    light = background(visit)
    # Without motion: half-way from light to dark, colours have no contrast.
    visit.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    try:
        visit.page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
        assert sum(background(visit)) < 150 < sum(light)
        assert visit.violations() == []
        visit.go(f"/p/{six}/explore")
        visit.page.locator(".lattice").wait_for()
        assert visit.violations() == []
    finally:
        visit.page.emulate_media(color_scheme="light", reduced_motion="no-preference")


def background(visit: Visit) -> tuple[int, ...]:
    said = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return tuple(map(int, re.findall(r"\d+", said)[:3]))


def test_the_language_is_switched_on_the_page_and_kept(visit: Visit, six: str) -> None:
    visit.go(f"/p/{six}/release")
    try:
        for tag, title in {"es": "Llévese la publicación", "ca": "Emporteu-vos la publicació"}.items():
            visit.page.get_by_role("banner").get_by_role("combobox").select_option(tag)
            visit.heading(title)
            assert visit.page.evaluate("document.documentElement.lang") == tag
            visit.page.reload()
            visit.heading(title)
        # A key instead of words would look like this; names of files do too.
        keys = r"\b(?:run|explore|judge|release|finish|tree|app)\.(?!csv|json|html)[a-z]+"
        assert not re.findall(keys, visit.page.locator("body").inner_text())
    finally:
        visit.page.get_by_role("banner").get_by_role("combobox").select_option("en")


def test_a_language_is_kept_though_one_goes_on_before_its_words_are_there(visit: Visit, six: str) -> None:
    visit.go(f"/p/{six}/release")
    banner = visit.page.get_by_role("banner")
    late: list[Any] = []
    visit.page.route("**/page/words/es.json", lambda route: late.append(route), times=1)
    try:
        banner.get_by_role("combobox").select_option("es")
        visit.go(f"/p/{six}/release")
        assert (len(late), visit.page.evaluate("document.documentElement.lang")) == (1, "es")
    finally:
        banner.get_by_role("combobox").select_option("en")
