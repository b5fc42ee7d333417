"""Releases that go to a store: whole or not at all, and only after they were judged."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from pyarrow import fs

import antifaz as az
from antifaz.cli.main import cli
from antifaz.core.errors import CheckFailed, InputError, ProjectError
from antifaz.pipeline import steps
from antifaz.projects import actions
from antifaz.releases import remote_staging as remote
from antifaz.sources.place_address import parse_place
from failing import failing

PEOPLE = az.datasets.people(200, seed=1).select(["name", "age", "sex", "diagnosis"])
ATTRIBUTES = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [20, 40]}},
    "sex": {"role": "quasi-identifier", "hierarchy": {"flat": True}},
    "diagnosis": {"role": "sensitive"},
}
FILES = {"release.csv", "evidence.json", "record.json", "report.html"}


@pytest.fixture
def project(bucket: tuple[Any, str], tmp_path: Path) -> Path:
    store, name = bucket
    with store.open_output_stream(f"{name}/in/people.csv") as file:
        file.write(PEOPLE.to_pandas().to_csv(index=False).encode())
    wanted = {
        "antifaz": 1, "source": {"path": f"s3://{name}/in/people.csv"}, "attributes": ATTRIBUTES,
        "privacy": [{"model": "k-anonymity", "k": 3}], "release": {"path": f"s3://{name}/out/"}, "seed": 1,
    }  # fmt: skip
    path = tmp_path / "project.yaml"
    path.write_text(yaml.safe_dump(wanted), encoding="utf-8")
    return path


def listed(store: Any, folder: str) -> set[str]:
    found = store.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
    return {info.path.removeprefix(f"{folder}/") for info in found if info.type.name == "File"}


def content(store: Any, path: str) -> bytes:
    with store.open_input_stream(path) as file:
        return bytes(file.read())


def test_a_project_goes_from_a_store_to_a_store(bucket: tuple[Any, str], project: Path) -> None:
    store, name = bucket
    for _ in range(2):  # the second replaces the first
        done = CliRunner().invoke(cli, ["run", str(project), "--json"])
        assert done.exit_code == 0, done.output
    assert listed(store, f"{name}/out") == FILES
    evidence = json.loads(content(store, f"{name}/out/evidence.json"))
    rows = content(store, f"{name}/out/release.csv")
    assert evidence["released"]["sha256"] == hashlib.sha256(rows).hexdigest()
    assert evidence["verdict"]["hand_over"]
    everything = b"".join(content(store, f"{name}/out/{file}") for file in FILES) + done.output.encode()
    assert b"very/secret" not in everything
    assert b"somebody" not in everything
    # Whoever gets it can check it where it is.
    checked = CliRunner().invoke(cli, ["verify", f"s3://{name}/out/release.csv", "--qi", "age,sex", "--k", "3"])
    assert checked.exit_code == 0, checked.output
    # Another format takes the place of the first, and the old rows go.
    done = CliRunner().invoke(cli, ["run", str(project), "--out", f"s3://{name}/out/people.parquet"])
    assert done.exit_code == 0, done.output
    assert listed(store, f"{name}/out") == FILES - {"release.csv"} | {"people.parquet"}


def test_a_draft_in_a_store_is_handed_out(
    bucket: tuple[Any, str], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, name = bucket
    monkeypatch.delenv("ANTIFAZ_LEDGER")
    ledger = tmp_path / "ledger.sqlite"
    assert az.run(project, ledger=ledger)["state"] == "draft"
    done = az.hand_out(f"s3://{name}/out", to="partner", ledger=ledger)
    assert (done["state"], done["folder"]) == ("handed out", f"s3://{name}/out")
    # With a recipient the run does both, and the evidence that is uploaded says so.
    text = project.read_text().replace("release:", "release:\n  to: another")
    project.write_text(text)
    assert az.run(project, ledger=ledger, out=f"s3://{name}/second")["state"] == "handed out"
    assert json.loads(content(store, f"{name}/second/evidence.json"))["state"] == "handed out"


def test_nothing_is_sent_before_the_gate_has_judged(
    bucket: tuple[Any, str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, name = bucket

    def refused(*_: Any, **__: Any) -> Any:
        raise CheckFailed("gate.rows-differ")

    seen: list[set[str]] = []
    judge = steps.judge_hand_over
    monkeypatch.setattr(
        steps, "judge_hand_over", lambda *given: (seen.append(listed(store, f"{name}/out")), judge(*given))[1]
    )
    az.run(project)
    assert seen == [set()]
    monkeypatch.setattr(steps, "admit", refused)
    with pytest.raises(CheckFailed):
        az.run(project, out=f"s3://{name}/refused")
    assert listed(store, f"{name}/refused") == set()


def test_of_an_upload_that_fails_nothing_stays(
    bucket: tuple[Any, str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, name = bucket
    send = remote._send

    def damaged(path: Path, stream: Any) -> None:
        send(path, stream)
        if path.name == "report.html":
            stream.write(b"x")

    def broken(path: Path, stream: Any) -> None:
        if path.name == "report.html":
            raise OSError("connection lost")
        send(path, stream)

    for function, code in ((damaged, "place.arrived-otherwise"), (broken, "place.not-reached")):
        monkeypatch.setattr(remote, "_send", function)
        with failing(code):
            az.run(project)
        assert listed(store, f"{name}/out") == set()


def test_a_place_that_is_not_free_is_refused_before_the_work(bucket: tuple[Any, str], project: Path) -> None:
    store, name = bucket
    with failing("release.target-not-free", InputError, name=f"s3://{name}/in"):
        az.run(project, out=f"s3://{name}/in")
    with store.open_output_stream(f"{name}/plain") as file:
        file.write(b"x")
    with failing("release.target-is-a-file", InputError):
        az.run(project, out=f"s3://{name}/plain/")
    with failing("place.not-found", InputError, place="s3://no-such-bucket"):
        az.run(project, out="s3://no-such-bucket/out")
    with failing("place.only-read", InputError, scheme="https"):
        az.run(project, out="https://host/out")
    assert listed(store, name) == {"in/people.csv", "plain"}


def test_the_library_saves_to_a_store(bucket: tuple[Any, str]) -> None:
    store, name = bucket
    roles = {column: own["role"] for column, own in ATTRIBUTES.items()}
    hierarchies = {"age": az.hierarchy.intervals(20, 40), "sex": az.hierarchy.flat()}
    release = az.anonymize(PEOPLE, roles=roles, hierarchies=hierarchies, privacy=az.KAnonymity(3), seed=1)
    assert release.save(f"s3://{name}/out", attacks=0) == f"s3://{name}/out"
    assert listed(store, f"{name}/out") == FILES


def test_init_writes_the_address_and_no_secret(bucket: tuple[Any, str], project: Path, tmp_path: Path) -> None:
    address = yaml.safe_load(project.read_text())["source"]["path"]
    made = CliRunner().invoke(cli, ["init", address, "-o", str(tmp_path / "new.yaml")])
    assert made.exit_code == 0, made.output
    new = yaml.safe_load((tmp_path / "new.yaml").read_text())
    assert new["source"] == {"path": address}
    assert new["release"]["path"] == "out/people/"
    with failing("place.secret-in-project", InputError):
        actions.init("https://host/people.csv?sig=abc", tmp_path / "other.yaml")
    project.write_text(project.read_text().replace("s3://", "s3://AKIA:very@"))
    with failing("project.key-wrong", ProjectError) as caught:
        az.run(project)
    assert "AKIA" not in str(caught.value)


def test_where_folders_can_be_renamed_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # HDFS itself is not there: its way is taken on a file system of this machine.
    place = parse_place(f"hdfs://host{tmp_path}/out")
    made = tmp_path / "made"
    made.mkdir()
    stage = remote.RemoteStaging(made, place, fs.LocalFileSystem())
    for number in range(2):
        for file in ("release.csv", "evidence.json"):
            (made / file).write_text(f"{number}")
        stage.published = False
        stage.publish()
        stage.publish()
        assert {path.name: path.read_text() for path in (tmp_path / "out").iterdir()} == {
            "release.csv": f"{number}", "evidence.json": f"{number}",
        }  # fmt: skip
    monkeypatch.setattr(
        remote, "_compare", lambda *_: (_ for _ in ()).throw(CheckFailed("place.arrived-otherwise", place="x"))
    )
    stage.published = False
    with pytest.raises(CheckFailed):
        stage.publish()
    assert (tmp_path / "out" / "release.csv").read_text() == "1"
    assert {path.name for path in tmp_path.iterdir()} == {"made", "out"}
