"""The project file that is downloaded reads the data as the page did: run by the command line, it releases the same."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from e2e.web.rest import Served, served

#: Written in an old encoding, without names, with words for what is missing, and with quotes that mean nothing.
ROWS = "".join(f"{i % 3 + 1};{'n/d' if i % 4 == 0 else 1980 + i % 3};0{i % 2};Peñ'a{i % 2}\n" for i in range(48))
OPTIONS = {
    "delimiter": ";", "quote": "", "encoding": "cp1252", "header": False, "missing": ["n/d"],
    "types": {"column_1": "text", "column_3": "text"},
}  # fmt: skip
PROJECT: dict[str, Any] = {
    "antifaz": 1,
    "attributes": {
        "column_1": {"role": "quasi-identifier", "hierarchy": {"flat": True}},
        "column_2": {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 10]}},
        "column_3": {"role": "quasi-identifier", "hierarchy": {"masking": 1}},
        "column_4": {"role": "insensitive"},
    },
    "privacy": [{"model": "k-anonymity", "k": 2}],
    "method": {"name": "full-domain", "quality": "height"},
    "seed": 1,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


def uploaded(service: Served, **options: Any) -> str:
    form = {"options": json.dumps(options)} if options else None
    answer = service.client.post("/datasets", files={"file": ("old.csv", ROWS.encode("cp1252"))}, data=form)
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


def reread(service: Served, dataset: str, **options: Any) -> Any:
    answer = service.client.patch(f"/datasets/{dataset}", json={"options": options})
    assert answer.is_success, answer.text
    return answer.json()


def put(service: Served, project: str, **said: Any) -> Any:
    answer = service.client.put(f"/projects/{project}", json=said)
    assert answer.is_success, answer.text
    return answer.json()


def released(text: str) -> list[list[str]]:
    return sorted(csv.reader(text.splitlines()))


def same_by_command(service: Served, project: str, folder: Path, antifaz: Any) -> list[list[str]]:
    """Run a project on the page and its downloaded file by command; return the released rows, which are the same."""
    run = service.done(project)
    page = released(service.client.get(f"/runs/{run['id']}/release/data?to=public").text)
    folder.mkdir(exist_ok=True)
    (folder / "project.yaml").write_bytes(service.client.get(f"/projects/{project}/file").content)
    (folder / "old.csv").write_bytes(ROWS.encode("cp1252"))
    done = antifaz("run", folder / "project.yaml", "--out", folder / "out")
    assert done.code == 0, done.err
    assert released((folder / "out" / "release.csv").read_text(encoding="utf-8")) == page
    return page


def test_what_was_told_when_the_data_was_opened(service, tmp_path, antifaz):
    project = service.project("told at once", uploaded(service, **OPTIONS), PROJECT)["id"]
    rows = same_by_command(service, project, tmp_path, antifaz)
    assert len(rows) == 49
    assert any("ñ" in cell for cell in rows[0])


def test_what_was_told_when_the_data_was_read_again(service, tmp_path, antifaz):
    dataset = uploaded(service)
    project = service.project("told later", dataset, PROJECT)["id"]
    reread(service, dataset, **OPTIONS)
    found = service.get(f"/projects/{project}")["document"]
    assert found["source"] == {"path": "old.csv", **{key: OPTIONS[key] for key in OPTIONS if key != "types"}}
    assert found["attributes"]["column_3"] == {**PROJECT["attributes"]["column_3"], "type": "text"}
    same_by_command(service, project, tmp_path, antifaz)
    # A page that still holds the older document does not undo it.
    put(service, project, document={**PROJECT, "source": {"path": "old.csv"}, "seed": 2})
    assert service.get(f"/projects/{project}")["document"]["source"]["missing"] == ["n/d"]
    # Nor does a type that was taken back stay.
    reread(service, dataset, **OPTIONS | {"types": {}})
    assert "type" not in service.get(f"/projects/{project}")["document"]["attributes"]["column_3"]


def test_proposals_for_a_data_set_keep_what_was_told(service, tmp_path, antifaz):
    made = service.project("proposed", uploaded(service, **OPTIONS))
    assert "# Roles:" in made["yaml"]
    assert made["document"]["source"]["missing"] == ["n/d"]
    assert made["document"]["attributes"]["column_3"]["type"] == "text"


def test_what_a_person_writes_into_the_text_is_how_the_data_is_read(service, tmp_path, antifaz):
    dataset = uploaded(service, **OPTIONS | {"missing": []})
    project = service.project("written", dataset, PROJECT)["id"]
    before = service.get(f"/datasets/{dataset}")["columns"][1]
    assert (before["type"], before["missing"]) == ("text", 0)
    text = service.get(f"/projects/{project}")["yaml"]
    assert "path: old.csv" in text
    put(service, project, yaml=text.replace("path: old.csv", "path: old.csv, missing: [n/d]"))
    after = service.get(f"/datasets/{dataset}")["columns"][1]
    assert (after["type"], after["missing"]) == ("integer", 12)
    same_by_command(service, project, tmp_path, antifaz)


def test_a_text_that_can_not_be_read_by_is_refused_and_changes_nothing(service):
    dataset = uploaded(service, **OPTIONS)
    project = service.project("refused", dataset, PROJECT)["id"]
    text = service.get(f"/projects/{project}")["yaml"]
    answer = service.client.put(f"/projects/{project}", json={"yaml": text.replace("cp1252", "nonsense")})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
    assert service.get(f"/projects/{project}")["yaml"] == text
    assert service.get(f"/datasets/{dataset}")["options"]["encoding"] == "cp1252"


def test_the_same_file_chosen_again_keeps_its_words_for_missing_values(service):
    project = service.project("again", uploaded(service, **OPTIONS), PROJECT)["id"]
    other = uploaded(service, encoding="cp1252", header=False)
    put(service, project, dataset=other)
    assert service.get(f"/datasets/{other}")["options"]["missing"] == ["n/d"]
    assert service.get(f"/projects/{project}")["document"]["source"]["missing"] == ["n/d"]
