"""The REST service from upload to a verified release, as a program sees it."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

import antifaz as az
from antifaz.core.messages import Message
from e2e.web.rest import SIX, SIX_PROJECT, Served, served


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture(scope="module")
def six(service: Served):
    return service.six_people()


@pytest.fixture(scope="module")
def run(service: Served, six):
    return service.done(six["id"])


def test_the_six_people_have_exactly_the_five_candidates_of_the_document(service, six):
    found = service.get(f"/runs/{service.done(six['id'], 'candidates')['id']}/result")
    levels = [tuple(one["levels"][name] for name in ("fnac", "cod_postal")) for one in found["candidates"]]
    assert sorted(levels) == [(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]
    best = {tuple(one["levels"].values()) for one in found["candidates"] if one["best"]}
    assert best == {(0, 2), (2, 0)}
    lattice = found["lattice"]
    assert (lattice["size"], len(lattice["nodes"]), lattice["heights"]) == (9, 9, [2, 2])
    # Of a 3 by 3 grid, 12 pairs are neighbours, and of each the first is below the second.
    sums = [sum(node["levels"].values()) for node in lattice["nodes"]]
    assert len(lattice["edges"]) == 12
    assert all(sums[high] == sums[low] + 1 for low, high in lattice["edges"])
    assert sum(node["satisfies"] for node in lattice["nodes"]) == 5


def test_a_release_is_downloaded_and_verified_from_its_bytes(service, six, run, tmp_path):
    assert (run["number"], run["kind"], run["share"], run["error"]) == (1, "run", 1.0, None)
    assert [step["name"] for step in run["steps"]][:2] == ["read", "count"]
    assert all(step["done"] for step in run["steps"])
    path = tmp_path / "release.csv"
    path.write_bytes(service.client.get(f"/runs/{run['id']}/release/data?to=public").content)
    (verdict,) = az.verify(path, ["fnac", "cod_postal"], az.KAnonymity(2))
    assert verdict.holds
    evidence = service.get(f"/runs/{run['id']}/result")
    assert evidence["privacy"][0]["holds"]
    assert service.get(f"/runs/{run['id']}/release/evidence") == evidence
    told = service.get(f"/runs/{run['id']}/release")
    assert told["rows"] == 6
    assert {file["kind"] for file in told["files"]} >= {"data", "evidence", "record"}
    assert sum(one["records"] for one in told["class_sizes"]) == 6
    assert next(file["sha256"] for file in told["files"] if file["kind"] == "data") == evidence["released"]["sha256"]


def test_fingerprints_are_those_of_the_files_that_were_handed_out_in_every_format_and_language(service, six):
    run = service.done(six["id"])
    place = f"/runs/{run['id']}/release"
    assert not [one for one in service.get(place)["files"] if one["kind"] == "report"]
    taken = {}
    for format in ("csv", "txt", "tsv", "parquet", "xlsx"):
        ready = service.post(f"{place}/data", {"format": format, "to": "public"})
        taken[f"release.{format}"] = service.client.get(
            f"{place}/data", params={"format": format, "to": "public"}
        ).content
        assert ready["sha256"] == sha256(taken[f"release.{format}"]).hexdigest()
    for language, format in (("en", "html"), ("es", "html"), ("ca", "pdf")):
        query = {"language": language, "format": format, "download": True}
        taken[f"report-{language}.{format}"] = service.client.get(f"{place}/report", params=query).content
    taken |= {f"{name}.json": service.client.get(f"{place}/{name}").content for name in ("evidence", "record")}
    printed = {one["name"]: one["sha256"] for one in service.get(place)["files"]}
    assert printed == {name: sha256(content).hexdigest() for name, content in taken.items()}
    again = service.client.get(f"{place}/report", params={"language": "ca", "format": "pdf"}).content
    assert again == taken["report-ca.pdf"]


def test_a_change_of_the_project_makes_its_runs_out_of_date_and_changing_back_does_not(service):
    project = service.six_people("changing")
    run = service.done(project["id"])["id"]

    def outdated(**change):
        answer = service.client.put(f"/projects/{project['id']}", json=change).json()
        return next(one["outdated"] for one in answer["runs"] if one["id"] == run)

    document = project["document"]
    assert not outdated(step="judge")
    assert outdated(document=document | {"privacy": [{"model": "k-anonymity", "k": 3}]})
    assert not outdated(document=document | {"name": "another name"})
    roles = document["attributes"] | {"sexo": {"role": "quasi-identifier", "hierarchy": {"flat": True}}}
    assert outdated(document=document | {"attributes": roles})
    assert not outdated(document=document)
    # The same name, but other data.
    other = service.upload(SIX, "six.csv", types={"fnac": "text", "cod_postal": "text"})["id"]
    assert outdated(dataset=other)


def test_what_a_run_does_is_told_in_the_language_of_the_reader(service, run):
    spanish = service.client.get(f"/runs/{run['id']}", headers={"accept-language": "es"}).json()
    events = service.client.get(f"/runs/{run['id']}/events", params={"language": "es"}).text
    assert run["steps"][0]["message"] == "reading the data"
    assert spanish["steps"][0]["message"] == Message("progress.reading").text("es")
    assert Message("progress.reading").text("es") in events


def test_any_candidate_can_be_applied(service, six):
    told = service.done(six["id"], levels={"fnac": 2, "cod_postal": 1})
    assert service.get(f"/runs/{told['id']}/result")["method"]["levels"] == {"fnac": 2, "cod_postal": 1}


def test_two_runs_are_compared_by_their_numbers(service):
    project = service.six_people("compared")["id"]
    service.done(project)
    service.client.put(f"/projects/{project}", json={"document": SIX_PROJECT | {"seed": 3}}).raise_for_status()
    service.done(project)
    found = service.get(f"/projects/{project}/compare", first=1, second=2)
    assert found["parameters"]["seed"] == [None, 3]
    assert found["measures"]["rows.released"] == [6, 6]


def test_rows_come_in_windows(service, run):
    first = service.get(f"/runs/{run['id']}/release/rows", start=0, count=4)
    last = service.get(f"/runs/{run['id']}/release/rows", start=4, count=100)
    assert (first["total"], len(first["rows"]), len(last["rows"])) == (6, 4, 2)
    assert first["columns"] == ["fnac", "sexo", "cod_postal", "dolencia"]


@pytest.mark.parametrize("format", ["csv", "tsv", "txt", "parquet", "xlsx"])
def test_every_format_holds_the_same_cells(service, run, tmp_path, format):
    answer = service.client.get(f"/runs/{run['id']}/release/data", params={"format": format, "to": "public"})
    assert answer.status_code == 200, answer.text
    assert f"release.{format}" in answer.headers["content-disposition"]
    path = tmp_path / f"release.{format}"
    path.write_bytes(answer.content)
    shown = service.get(f"/runs/{run['id']}/release/rows")
    with az.open(path) as data:
        cells = [[None if cell is None else str(cell) for cell in row.values()] for row in data.to_arrow().to_pylist()]
        assert list(data.schema.names) == shown["columns"]
    assert cells == shown["rows"]


@pytest.mark.parametrize(("language", "word"), [("en", "records"), ("es", "registros"), ("ca", "registres")])
def test_the_report_speaks_three_languages_and_runs_no_script(service, run, language, word):
    answer = service.client.get(f"/runs/{run['id']}/release/report", params={"language": language})
    assert answer.status_code == 200
    assert word in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "<script" not in answer.text


def test_the_report_is_had_as_pdf(service, run):
    pytest.importorskip("typst")
    answer = service.client.get(f"/runs/{run['id']}/release/report", params={"language": "es", "format": "pdf"})
    assert (answer.status_code, answer.content[:5]) == (200, b"%PDF-")


def test_the_frontier_and_the_assessment_come_out_as_the_contract_says(service, six, run):
    found = service.get(f"/runs/{service.done(six['id'], 'frontier', k=[2, 3])['id']}/result")
    assert [point["k"] for point in found["points"]] == [2, 3]
    judged = service.get(f"/runs/{service.done(six['id'], 'assess', attacks=20, run=run['id'])['id']}/result")
    assert judged["risk"]["singled_out_after"] == 0
    assert judged["rows"]["released"] == 6


def test_events_tell_the_steps_and_end(service, six):
    run = service.start(six["id"])
    events = []
    with service.client.stream("GET", f"/runs/{run['id']}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("event: "):
                events.append([line.removeprefix("event: ")])
            elif line.startswith("data: "):
                events[-1].append(json.loads(line.removeprefix("data: ")))
    assert [name for name, _ in events[:-1]] == ["progress"] * (len(events) - 1)
    assert events[-1][0] == "end"
    assert events[-1][1]["state"] == "done"
    # Whoever comes later, as a page that was loaded anew, hears the end at once.
    with service.client.stream("GET", f"/runs/{run['id']}/events") as answer:
        assert next(answer.iter_lines()) == "event: end"


def test_privacy_that_can_not_be_reached_is_said_in_one_sentence(service):
    wanted = SIX_PROJECT | {"privacy": [{"model": "k-anonymity", "k": 7}]}
    dataset = service.six_people("unreachable")["dataset"]
    run = service.start(service.project("too much", dataset, wanted)["id"])
    told = service.wait(run["id"])
    assert (told["state"], told["error"]["code"]) == ("failed", "privacy-not-reached")
    assert "k = 6" in told["error"]["message"]
    assert service.client.get(f"/runs/{run['id']}/result").status_code == 404
    assert service.client.get(f"/runs/{run['id']}/release").status_code == 404


def test_what_can_not_be_run_is_not_queued(service, six):
    before = len(service.get("/runs"))
    draft = service.project("draft", six["dataset"], {"attributes": {"fnac": {"role": "quasi-identifier"}}})
    assert "privacy" in draft["problems"][0]["message"]
    answer = service.client.post(f"/projects/{draft['id']}/runs", json={"kind": "run"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
    for body in (
        {"kind": "frontier", "k": [5, 2]},
        {"kind": "candidates", "levels": {}},
        {"kind": "strange"},
        {"x": 1},
    ):
        assert service.client.post(f"/projects/{six['id']}/runs", json=body).status_code == 400, body
    assert service.client.post("/projects/nothing/runs", json={}).status_code == 404
    assert len(service.get("/runs")) == before


def test_the_example_is_one_click(service):
    project = service.post("/projects/example")
    assert project["problems"] == []
    told = service.done(project["id"])
    evidence = service.get(f"/runs/{told['id']}/result")
    assert evidence["privacy"][0]["achieved"] >= 5
    again = service.post("/projects/example")
    assert again["name"] != project["name"]


def test_a_project_is_the_same_as_on_the_command_line(service, six, run):
    text = service.client.get(f"/projects/{six['id']}/file").text
    path = Path(service.folder) / "downloaded"
    path.mkdir()
    (path / "project.yaml").write_text(text, encoding="utf-8")
    (path / "six.csv").write_text("fnac,sexo,cod_postal,dolencia\n1986,M,53715,a\n1986,M,53715,b\n", encoding="utf-8")
    assert az.run(path / "project.yaml", out=path / "out")["rows"]["released"] == 2
    from antifaz.projects.store_actions import runs_of

    kept = runs_of("six", store=Path(service.folder) / "projects.sqlite")
    assert kept[0]["state"] == "done"
    assert kept[0]["k"] == 2
