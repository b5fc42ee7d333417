"""When the ledger knows of a release: not when it is made on the page, but when its rows are taken away."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import antifaz as az
from e2e.web.rest import COMMAND, SIX, SIX_PROJECT, Served, served

#: Years with masked postcodes, and postcodes with masked years: both are 2-anonymous, together they are not.
BY_YEAR, BY_PLACE = {"fnac": 0, "cod_postal": 2}, {"fnac": 2, "cod_postal": 0}


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A service for all tests, which is dear to start, and where its ledger is."""
    folder = tmp_path_factory.mktemp("service")
    place = folder / "ledger.sqlite"
    with served(folder, ANTIFAZ_LEDGER=str(place)) as found:
        yield found, place


@pytest.fixture
def place(started) -> Path:
    """An empty ledger."""
    found = started[1]
    for path in found.parent.glob("ledger.sqlite*"):
        path.unlink()
    return found


@pytest.fixture
def service(started) -> Served:
    """The service without projects."""
    found = started[0]
    for project in found.get("/projects"):
        assert found.client.delete(f"/projects/{project['id']}").is_success
    return found


def registered(place: Path) -> list[dict[str, Any]]:
    return az.Ledger(place).releases()


def taken(service: Served, run: Any, format: str = "csv", to: str = "the board") -> Any:
    return service.client.get(f"/runs/{run['id']}/release/data", params={"format": format, "to": to})


def test_runs_are_tried_freely_and_only_what_is_taken_counts(service, place):
    project = service.six_people()["id"]
    first = service.done(project, levels=BY_YEAR)
    second = service.done(project, levels=BY_PLACE)
    assert registered(place) == []
    # Looking at it, and at the papers, is not taking it.
    for path in ("release", "release/rows", "release/evidence", "release/report", "result"):
        assert service.client.get(f"/runs/{first['id']}/{path}").is_success
    assert registered(place) == []
    assert taken(service, first).is_success
    (known,) = registered(place)
    assert (known["state"], known["k"], known["records"]) == ("handed out", 2, 6)
    told = service.get(f"/runs/{first['id']}/result")
    assert (known["release"], told["state"]) == (told["ledger"]["release"], "handed out")
    assert [one["recipient"] for one in known["recipients"]] == ["the board"]
    # The same again, in whatever format, is the same release.
    assert taken(service, first, "xlsx").is_success
    assert taken(service, first).is_success
    assert len(registered(place)) == 1
    # To somebody else too, which is one more recipient; nothing leaves without saying to whom.
    assert taken(service, first, to="the press").is_success
    for nobody in ("", " "):
        assert taken(service, first, to=nobody).status_code == 400
        refused = service.client.post(f"/runs/{first['id']}/release/data", json={"format": "csv", "to": nobody})
        assert refused.status_code == 400
    assert service.client.get(f"/runs/{first['id']}/release/data").status_code == 400
    assert service.client.post(f"/runs/{first['id']}/release/table", json={"table": "x"}).status_code == 400
    assert [one["recipient"] for one in registered(place)[0]["recipients"]] == ["the board", "the press"]
    # What was made before the other left does not leave beside it.
    answer = taken(service, second)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "privacy-not-reached")
    message = answer.json()["error"]["message"]
    assert known["release"] in message
    assert "--" not in message
    assert len(registered(place)) == 1


def test_a_reason_given_at_the_hand_out_lets_it_leave(service, place):
    project = service.six_people()["id"]
    assert taken(service, service.done(project, levels=BY_YEAR)).is_success
    second = service.done(project, levels=BY_PLACE)
    warned = service.get(f"/runs/{second['id']}/result")
    assert warned["state"] == "draft" and any("would be refused" in one for one in warned["warnings"])
    wanted = {"format": "csv", "to": "the board"}
    refused = service.client.post(f"/runs/{second['id']}/release/data", json=wanted)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "privacy-not-reached")
    assert "reason" in refused.json()["error"]["message"]
    assert "--" not in refused.json()["error"]["message"]
    service.post(f"/runs/{second['id']}/release/data", wanted | {"despite": "The board wants both."})
    assert registered(place)[-1]["despite"]["reason"] == "The board wants both."


def test_a_release_that_was_changed_on_the_disk_does_not_leave(service, place):
    run = service.done(service.six_people()["id"])
    rows = service.work / "releases" / run["id"] / "release.csv"
    rows.write_bytes(rows.read_bytes().replace(b"gripe", b"tifus"))
    answer = taken(service, run)
    assert answer.status_code == 400 and "not what was checked" in answer.json()["error"]["message"]
    assert registered(place) == []


def test_what_is_prepared_is_registered_too_and_what_was_erased_is_not(service, place):
    project = service.six_people()["id"]
    first, second = service.done(project), service.done(project)
    ready = service.post(f"/runs/{first['id']}/release/data", {"format": "parquet", "to": "public"})
    assert (ready["name"], len(registered(place))) == ("release.parquet", 1)
    assert ready["bytes"] == len(taken(service, first, "parquet").content)
    assert (service.work / "held" / second["id"]).is_dir()
    service.client.delete(f"/runs/{second['id']}").raise_for_status()
    assert list((service.work / "held").iterdir()) == []
    assert len(registered(place)) == 1


def test_no_cell_is_kept_for_the_ledger(service, place):
    service.done(service.six_people()["id"])
    kept = [path for path in (service.work / "held").rglob("*") if path.is_file()]
    assert kept
    for path in kept:
        assert path.stat().st_mode & 0o077 == 0
        assert not any(word.encode() in path.read_bytes() for word in ("gripe", "bronquitis", "53703"))


def test_the_command_line_and_the_page_share_the_ledger(service, place, tmp_path):
    # The other way round than above: what the command line hands out counts on the page.
    project = service.six_people()["id"]
    text = service.client.get(f"/projects/{project}/file").content
    (tmp_path / "project.yaml").write_bytes(text)
    (tmp_path / "six.csv").write_text(SIX, encoding="utf-8")
    command = [str(COMMAND), "run", "project.yaml", "--levels", "fnac=0,cod_postal=2", "--out", "out"]
    env = {**os.environ, "ANTIFAZ_LEDGER": str(place)}
    for each in (command, [str(COMMAND), "hand-out", "out", "--to", "the press"]):
        subprocess.run(each, cwd=tmp_path, check=True, capture_output=True, env=env)
    assert len(registered(place)) == 1
    assert taken(service, service.done(project, levels=BY_PLACE)).status_code == 422


def test_a_project_that_keeps_no_ledger_leaves_unregistered(service, place):
    dataset = service.upload(SIX, "six.csv", types={"fnac": "text", "cod_postal": "text"})["id"]
    project = service.project("quiet", dataset, SIX_PROJECT | {"ledger": {"keep": False}})["id"]
    assert taken(service, service.done(project)).is_success
    assert not place.exists()


def test_another_format_is_made_by_another_process_while_the_service_answers(service: Served, place: Path) -> None:
    data = service.post("/datasets/example", {"name": "people", "rows": 20_000})["id"]
    attributes = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 40]}},
        "id_number": {"role": "identifier"},
        "name": {"role": "identifier"},
    }
    document = {"antifaz": 1, "attributes": attributes, "privacy": [{"model": "k-anonymity", "k": 3}]}
    document["others"] = "release"
    run = service.done(service.project("large", data, document)["id"])
    with ThreadPoolExecutor(1) as other, httpx.Client(headers=service.client.headers, timeout=300) as client:
        where = f"{service.client.base_url}runs/{run['id']}/release/data?format=xlsx&to=somebody"
        making = other.submit(client.get, where)
        seen = 0
        while not making.done():
            seen += bool(service.workers())
            if seen:  # asking all the time would slow it down before it begins
                assert service.get("/projects")
                assert service.get(f"/runs/{run['id']}/release/rows", count=5)["total"] == 20_000
        assert making.result().is_success
    assert seen > 0
    assert list((service.work / "aside").iterdir()) == []
