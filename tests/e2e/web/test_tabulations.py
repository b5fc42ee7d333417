"""Tables of counts and sums by REST: jobs that may die, drafts that are handed out, and what the library makes too."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import antifaz as az
from e2e.web.rest import Served, served

TEXT = "who,town,job,pay\n" + "".join(
    f"p{i},{'abcd'[i % 4]},{('x', 'y', 'z')[i * i % 3]},{100 + 13 * i % 97}\n" for i in range(90)
)
BY = [{"column": "town"}, {"column": "job"}]
THRESHOLD = [{"rule": "threshold", "k": 9}]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    with served(folder, ANTIFAZ_LEDGER=str(folder / "ledger")) as found:
        yield found


@pytest.fixture(scope="module")
def project(service: Served) -> str:
    data = service.upload(TEXT, "people.csv")["id"]
    # A project without roles, models and method: a table needs none of them.
    return str(service.project("people", data, {"antifaz": 1})["id"])


def left(service: Served) -> list[str]:
    folders = ("aside", "releases", "results", "held")
    return [str(path) for name in folders for path in (service.work / name).iterdir()]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"rules": THRESHOLD}, {"rules": az.Threshold(9)}),
        ({"rules": [{"rule": "p-percent", "p": 10}], "measure": "pay"}, {"rules": az.PPercent(10), "measure": "pay"}),
        ({"protection": {"name": "rounding", "base": 5}}, {"protection": az.CellRounding(5)}),
    ],
)
def test_the_table_is_what_the_library_makes(
    service: Served, project: str, tmp_path: Path, asked: dict[str, Any], told: dict[str, Any]
) -> None:
    run = service.done(project, "tabulate", tabulation={"dimensions": BY, "person": ["who"], **asked})
    (tmp_path / "people.csv").write_text(TEXT)
    table = az.tabulate(az.open(tmp_path / "people.csv"), ["town", "job"], person="who", **told)
    folder = table.save(tmp_path / "out")
    place = f"/runs/{run['id']}/release"
    assert service.client.get(f"{place}/data", params={"to": "public"}).content == (folder / "release.csv").read_bytes()
    evidence = service.get(f"/runs/{run['id']}/result")
    for key in ("table", "rules", "protection", "audit"):
        assert evidence[key] == table.evidence[key]
    assert service.get(f"{place}/evidence") == evidence
    shown = service.get(f"/runs/{run['id']}/cells")
    assert (shown["columns"], shown["total"]) == (["town", "job"], evidence["table"]["cells"])
    between = {
        tuple(row[:2]): list(row[2:]) for row in zip(*(c.to_pylist() for c in table.intervals.columns), strict=True)
    }
    assert {tuple(cell["labels"]): cell["interval"] for cell in shown["cells"] if cell["interval"]} == between
    assert [cell["value"] for cell in shown["cells"]] == table.frame[
        "count" if "measure" not in told else "pay"
    ].to_pylist()


def test_it_is_a_draft_until_somebody_takes_it(service: Served, project: str) -> None:
    run = service.done(project, "tabulate", tabulation={"dimensions": BY, "rules": THRESHOLD})["id"]
    before = len(service.get("/ledger")["releases"])
    assert service.get(f"/runs/{run}/result")["state"] == "draft"
    assert service.client.get(f"/runs/{run}/release/data").status_code == 400  # nobody is named
    ready = service.post(f"/runs/{run}/release/data", {"format": "xlsx", "to": "the press"})
    assert ready["name"] == "release.xlsx"
    assert service.get(f"/runs/{run}/result")["ledger"]["recipient"] == "the press"
    assert len(service.get("/ledger")["releases"]) == before + 1
    spoken = service.client.get(f"/runs/{run}/release/report", params={"language": "ca"}).text
    assert 'lang="ca"' in spoken
    pdf = service.client.get(f"/runs/{run}/release/report", params={"format": "pdf"})
    assert pdf.content.startswith(b"%PDF")


def test_what_can_not_be_meant_is_refused_before_it_is_queued(service: Served, project: str) -> None:
    empty = service.project("without data", None, {"antifaz": 1})["id"]
    for id, tabulation, code in (
        (project, None, "service.tabulation-needed"),
        (project, {"dimensions": BY}, "tabulation.no-rules"),
        (project, {"dimensions": [*BY, *BY], "rules": THRESHOLD}, "tabulation.column-twice"),
        (project, {"dimensions": BY, "rules": [{"k": 3}]}, "declared.unknown-name"),
        (project, {"dimensions": BY, "rules": [{"rule": "threshold", "k": 1}]}, "declared.parameter-wrong"),
        (project, {"dimensions": BY, "protection": {"name": "cell-key"}}, "tabulation.protection-needs-person"),
        (empty, {"dimensions": BY, "rules": THRESHOLD}, "service.tabulation-needs-data"),
    ):
        answer = service.client.post(f"/projects/{id}/runs", json={"kind": "tabulate", "tabulation": tabulation})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["reason"]["code"] == code, answer.text
    wrong = {"kind": "run", "tabulation": {"dimensions": BY}}
    assert service.client.post(f"/projects/{project}/runs", json=wrong).status_code == 400


def test_a_column_that_is_not_there_fails_the_job_in_one_sentence(service: Served, project: str) -> None:
    told = service.start(project, "tabulate", tabulation={"dimensions": [{"column": "tow"}], "rules": THRESHOLD})
    ended = service.wait(told["id"])
    assert (ended["state"], "tow" in ended["message"]) == ("failed", True)
    assert service.client.get(f"/runs/{told['id']}/cells").status_code == 404


def test_a_table_whose_process_is_killed_leaves_nothing(service: Served) -> None:
    draw = random.Random(1)
    rows = "".join(f"{draw.randrange(40)},{draw.randrange(40)},{draw.randrange(12)}\n" for _ in range(6000))
    data = service.upload(f"a,b,c\n{rows}", "many.csv")["id"]
    many = service.project("many", data, {"antifaz": 1})["id"]
    before = left(service)
    asked = {"dimensions": [{"column": name} for name in "abc"], "rules": [{"rule": "threshold", "k": 3}]}
    run = service.start(many, "tabulate", tabulation=asked)["id"]
    until = time.monotonic() + 60
    while not any(step["name"] == "decide" for step in service.get(f"/runs/{run}")["steps"]):
        assert time.monotonic() < until
        time.sleep(0.05)
    os.kill(service.workers()[0], signal.SIGKILL)
    assert service.wait(run)["state"] == "interrupted"
    assert left(service) == before
    assert service.client.get(f"/runs/{run}/release").status_code == 404
    again = service.start(many, "tabulate", tabulation=asked)["id"]
    service.wait(again, ("running",))
    service.post(f"/runs/{again}/cancel")
    assert service.wait(again)["state"] == "cancelled"
    assert left(service) == before


def test_finishing_erases_the_table_or_says_where_it_stays(service: Served) -> None:
    data = service.upload(TEXT, "people.csv")["id"]
    own = service.project("to be finished", data, {"antifaz": 1})["id"]
    run = service.done(own, "tabulate", tabulation={"dimensions": BY, "rules": THRESHOLD})["id"]
    kept = service.post("/finish", {"project": own, "keep_release": True})
    assert {"release", "note for the ledger"} <= {
        one["what"] for one in kept["left"] if one["name"] == "table of counts"
    }
    erased = service.post("/finish", {"project": own, "keep_release": False})["erased"]
    assert all(one["gone"] for one in erased)
    assert not [path for path in left(service) if run in path]
