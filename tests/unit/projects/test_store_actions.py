"""The store of projects: what is kept, who may read it, and what becomes of runs whose process is gone."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import subprocess
import sys
import threading
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest

from antifaz.core.errors import InputError, MissingExtra, PrivacyNotReached, ProjectError
from antifaz.core.machine import current_user
from antifaz.projects import actions, store_actions
from antifaz.projects.store import VERSIONS, default_place, open_store
from failing import failing, like, near

SERVER = "postgresql://postgres@127.0.0.1:5432/test"
PROJECT = """\
# Six people \N{EM DASH} and a comment that must not be lost.
antifaz: 1
name: people
source: {path: people.csv}
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: [10, 100]}}
  town: {role: insensitive}
privacy: [{model: k-anonymity, k: 2}]
release: {path: out/}
seed: 1
"""
PEOPLE = "age,town\n21,Kanarienort\n22,Kanarienort\n31,b\n35,b\n44,b\n47,b\n"


def _server_store():
    """Make a schema of its own on the server; give the URL that leads into it, and how to drop it."""
    psycopg = pytest.importorskip("psycopg") if not os.environ.get("CI") else __import__("psycopg")
    try:
        connection = psycopg.connect(SERVER, autocommit=True)
    except psycopg.OperationalError:
        if os.environ.get("CI"):
            raise
        pytest.skip("needs PostgreSQL at 127.0.0.1:5432 with a database 'test' that trusts the user postgres")
    schema = f"antifaz_{secrets.token_hex(6)}"
    connection.execute(f"CREATE SCHEMA {schema}")
    return f"{SERVER}?options=-csearch_path%3D{schema}", connection, schema


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """A new store, of either kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "data" / "projects.sqlite")
        return
    url, connection, schema = _server_store()
    yield url
    connection.execute(f"DROP SCHEMA {schema} CASCADE")
    connection.close()


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "work" / "project.yaml").write_text(PROJECT, encoding="utf-8")
    return tmp_path / "work"


def _add(folder, place, **more):
    return store_actions.add_project(folder / "project.yaml", store=place, **more)


def test_a_project_is_kept_as_it_was_written(folder, place):
    text = "\ufeff" + PROJECT.replace("\n", "\r\n")
    (folder / "project.yaml").write_bytes(text.encode())
    kept = _add(folder, place)
    assert kept["text"] == text
    assert (kept["name"], kept["owner"], kept["folder"], kept["runs"]) == ("people", current_user(), str(folder), [])
    store_actions.export_project("people", folder / "again.yaml", store=place)
    assert (folder / "again.yaml").read_bytes() == text.encode()
    assert (folder / "again.yaml").stat().st_mode & 0o777 == 0o600


def test_the_name_is_what_is_given_or_what_the_file_says_or_that_of_the_file(folder, place):
    assert _add(folder, place, name="  other ")["name"] == "other"
    assert _add(folder, place)["name"] == "people"
    (folder / "nameless.yaml").write_text(PROJECT.replace("name: people\n", ""), encoding="utf-8")
    assert store_actions.add_project(folder / "nameless.yaml", store=place)["name"] == "nameless"
    assert [row["name"] for row in store_actions.list_projects(store=place)] == ["nameless", "other", "people"]


@pytest.mark.parametrize("name", ["Año [bold] 'x\"; DROP TABLE antifaz_run; --", "患者 🏥", "%s ? {0}", "a/b"])
def test_any_name_that_can_be_seen_will_do(folder, place, name):
    assert _add(folder, place, name=name)["name"] == name
    assert store_actions.show_project(name, store=place)["text"] == PROJECT


def test_one_name_in_two_spellings_is_one_name(folder, place):
    composed, apart = unicodedata.normalize("NFC", "Clínica"), unicodedata.normalize("NFD", "Clínica")
    assert composed != apart
    _add(folder, place, name=apart)
    assert store_actions.show_project(composed, store=place)["name"] == composed
    with failing("store.project-exists-already", InputError):
        _add(folder, place, name=composed)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00b", "a\u200bb", "x" * 201, "\ud800"])
def test_a_name_that_can_not_be_seen_is_refused(folder, place, name):
    with failing("store.project-name-wrong", InputError):
        _add(folder, place, name=name)


def test_a_name_that_is_there_is_refused_and_nothing_changes(folder, place):
    _add(folder, place)
    _add(folder, place, name="second")
    (folder / "project.yaml").write_text(PROJECT + "# more\n", encoding="utf-8")
    for taken in (
        lambda: _add(folder, place),
        lambda: store_actions.copy_project("people", "second", store=place),
        lambda: store_actions.rename_project("people", "second", store=place),
    ):
        with failing("store.project-exists-already", InputError):
            taken()
    assert {store_actions.show_project(name, store=place)["text"] for name in ("people", "second")} == {PROJECT}


def test_a_project_that_is_not_there_is_told_with_the_nearest(folder, place):
    _add(folder, place)
    for name in ("show_project", "delete_project", "runs_of", "run_stored"):
        with failing("store.unknown-project", InputError, name="peple", hint=near("people")):
            getattr(store_actions, name)("peple", store=place)


def test_what_could_not_be_run_is_not_kept(folder, place):
    (folder / "project.yaml").write_text(PROJECT.replace("seed", "sed"), encoding="utf-8")
    with failing("project.unknown-key", ProjectError, place="project.yaml:10:1", key="sed"):
        _add(folder, place)
    assert store_actions.list_projects(store=place) == []


def test_every_owner_has_names_of_their_own(folder, place):
    _add(folder, place, owner="ana")
    _add(folder, place, owner="berta")
    assert [row["owner"] for row in store_actions.list_projects(store=place, owner="ana")] == ["ana"]
    store_actions.delete_project("people", store=place, owner="ana")
    assert len(store_actions.list_projects(store=place, owner="berta")) == 1


def test_a_run_is_kept_with_the_evidence_of_the_same_run_from_its_file(folder, place):
    _add(folder, place)
    evidence = store_actions.run_stored("people", store=place)
    (run,) = store_actions.runs_of("people", store=place)
    # By hand: [20, 30), [30, 40) and [40, 50) hold two people each.
    assert (run["run"], run["state"], run["k"], run["place"]) == (1, "done", 2, str(folder / "out"))
    kept = store_actions.show_run("people", 1, store=place)
    assert kept["evidence"] == {key: value for key, value in evidence.items() if key != "run"}
    assert kept["text"] == PROJECT
    released = (folder / "out" / "release.csv").read_bytes()
    assert json.loads((folder / "out" / "evidence.json").read_text())["privacy"] == kept["evidence"]["privacy"]
    actions.run(folder / "project.yaml")
    assert (folder / "out" / "release.csv").read_bytes() == released


def test_a_run_that_fails_is_kept_with_what_was_said(folder, place):
    (folder / "project.yaml").write_text(PROJECT.replace("k: 2", "k: 7"), encoding="utf-8")
    _add(folder, place)
    with pytest.raises(PrivacyNotReached) as said:
        store_actions.run_stored("people", store=place)
    (run,) = store_actions.runs_of("people", store=place)
    assert (run["state"], run["error"], run["k"], run["loss"]) == ("failed", str(said.value), None, None)


@pytest.mark.parametrize(
    ("error", "state", "words"),
    [
        (ValueError("Kanarienort"), "failed", "antifaz stopped on an internal ValueError."),
        (KeyboardInterrupt(), "cancelled", "Stopped by the user."),
        (RuntimeError("Query interrupted"), "cancelled", "Stopped by the user."),
    ],
)
def test_words_of_somebody_else_are_not_kept(folder, place, error, state, words):
    from antifaz.core.progress import Progress

    def failing(*_):
        raise error

    _add(folder, place)
    with pytest.raises(type(error)):
        store_actions.run_stored("people", store=place, progress=Progress(failing))
    (run,) = store_actions.runs_of("people", store=place)
    assert (run["state"], run["error"]) == (state, words)


def test_copies_begin_without_runs_and_renamed_projects_keep_theirs(folder, place):
    _add(folder, place)
    store_actions.run_stored("people", store=place)
    assert store_actions.copy_project("people", "copy", store=place)["runs"] == []
    renamed = store_actions.rename_project("people", "renamed", store=place)
    assert [run["run"] for run in renamed["runs"]] == [1]
    assert [row["name"] for row in store_actions.list_projects(store=place)] == ["copy", "renamed"]
    assert store_actions.run_stored("copy", store=place)["rows"]["released"] == 6


def test_an_edited_project_keeps_its_runs_and_they_can_be_compared(folder, place):
    _add(folder, place)
    store_actions.run_stored("people", store=place)
    (folder / "project.yaml").write_text(PROJECT.replace("k: 2", "k: 3"), encoding="utf-8")
    assert len(_add(folder, place, replace=True)["runs"]) == 1
    store_actions.run_stored("people", store=place)
    found = store_actions.compare_runs("people", 1, 2, store=place)
    assert found["parameters"] == {"privacy.1.k": [2, 3]}
    # By hand: with k = 3 all six fall together.
    assert found["measures"]["privacy.k-anonymity"] == [2, 6]
    assert found["measures"]["levels.age"] == [1, 2]
    assert found["measures"]["risk.prosecutor"] == [1 / 2, 1 / 6]
    with failing("store.unknown-run", InputError, number=3, known=like("store.runs-so-far", number=2)):
        store_actions.compare_runs("people", 1, 3, store=place)


def test_what_is_deleted_is_gone_from_the_bytes_of_the_store(folder, tmp_path):
    place = tmp_path / "projects.sqlite"
    (folder / "project.yaml").write_text(PROJECT.replace("name: people", "name: canary"), encoding="utf-8")
    _add(folder, place)
    store_actions.run_stored("canary", store=place)
    assert b"canary" in place.read_bytes()
    assert store_actions.delete_project("canary", store=place) == {"deleted": "canary", "runs": 1}
    assert b"canary" not in place.read_bytes()
    assert [path.name for path in tmp_path.glob("projects.sqlite-*")] == []


def test_check_13_no_row_of_the_data_is_in_the_store(folder, tmp_path):
    place = tmp_path / "projects.sqlite"
    _add(folder, place)
    store_actions.run_stored("people", store=place)
    assert b"Kanarienort" in (folder / "out" / "release.csv").read_bytes()
    assert b"Kanarienort" not in place.read_bytes()


def test_runs_can_be_exported_and_nothing_is_overwritten(folder, place):
    _add(folder, place)
    store_actions.run_stored("people", store=place)
    done = store_actions.export_project("people", folder / "x.yaml", runs=True, store=place)
    assert [Path(file).name for file in done["files"]] == ["x.yaml", "x.runs.json"]
    (told,) = json.loads((folder / "x.runs.json").read_text(encoding="utf-8"))["runs"]
    assert told["evidence"]["rows"]["released"] == 6
    assert {path.stat().st_mode & 0o777 for path in folder.glob("x.*")} == {0o600}
    (folder / "x.yaml").unlink()
    (folder / "x.runs.json").write_text("mine", encoding="utf-8")
    with failing("store.file-exists-already", InputError):
        store_actions.export_project("people", folder / "x.yaml", runs=True, store=place)
    assert [path.name for path in folder.glob("x.*")] == ["x.runs.json"]
    store_actions.export_project("people", folder / "x.yaml", runs=True, force=True, store=place)
    assert (folder / "x.yaml").read_text(encoding="utf-8") == PROJECT
    assert not list(folder.glob(".*"))


def test_an_export_to_where_nothing_can_be_written_is_one_sentence(folder, place):
    _add(folder, place)
    with failing("release.target-not-writable", InputError, why=like("release.path-has-a-file")):
        store_actions.export_project("people", folder / "people.csv" / "x.yaml", store=place)


def test_many_at_once_have_one_winner(folder, place):
    """Threads here, processes in the end-to-end tests: each has a connection of its own."""
    _add(folder, place)  # the tables are there
    ended: list[str] = []

    def attempt(i: int) -> None:
        try:
            store_actions.add_text(PROJECT + f"# {i}\n", name="same", folder=folder, store=place)
            ended.append(f"# {i}\n")
        except InputError as error:
            ended.append(str(error))

    threads = [threading.Thread(target=attempt, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [said for said in ended if said.startswith("#")]
    assert sum("is there already" in said for said in ended) == 7
    assert store_actions.show_project("same", store=place)["text"] == PROJECT + winner


def test_who_comes_second_waits_and_sees_what_the_first_did(folder, place):
    ended: list[str] = []

    def attempt() -> None:
        try:
            store_actions.add_text(PROJECT, name="same", folder=folder, store=place)
        except InputError as error:
            ended.append(str(error))

    with open_store(place) as first:
        with first._database.writing():
            assert first.names() == []
            second = threading.Thread(target=attempt)
            second.start()
            second.join(0.3)
            first._insert("same", "the first", str(folder), "project.yaml")
        second.join()
        assert first.project("same")["text"] == "the first"
    assert ["is there already" in said for said in ended] == [True]


def test_a_new_store_that_many_open_at_once_is_made_once(place):
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            store_actions.list_projects(store=place)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_run_whose_process_is_gone_is_interrupted_and_one_that_lives_is_not(folder, place):
    _add(folder, place)
    # A process that begins a run and is killed by itself in the middle.
    dying = (
        "import os, sys; from antifaz.projects.store import open_store\n"
        "with open_store(sys.argv[1]) as store, store.held() as held:\n"
        "    store.begin(store.project('people'), held)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", dying, place], check=False).returncode == -9
    with open_store(place) as store, store.held() as held:
        row = store.project("people")
        number = store.begin(row, held)
        states = [run["state"] for run in store_actions.runs_of("people", store=place)]
        assert (number, states) == (2, ["interrupted", "running"])
        with failing("store.run-going-on", InputError, run="2", name="people"):
            store_actions.delete_project("people", store=place)
        store.finish(row["id"], number, "done", seconds=1.0, evidence={"rows": {}})
    assert [run["state"] for run in store_actions.runs_of("people", store=place)] == ["interrupted", "done"]
    if "://" not in place:
        assert list(Path(f"{place}.running").iterdir()) == []


def test_check_19_a_change_that_was_killed_did_not_happen_and_leaves_nothing(folder, tmp_path):
    place = tmp_path / "projects.sqlite"
    _add(folder, place)
    dying = (
        "import os, sys; from antifaz.projects.store import open_store\n"
        "with open_store(sys.argv[1]) as store, store._database.writing():\n"
        "    store._database.rows('DELETE FROM antifaz_project')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", dying, place], check=False).returncode == -9
    assert (tmp_path / "projects.sqlite-journal").exists()
    assert [row["name"] for row in store_actions.list_projects(store=place)] == ["people"]
    assert not (tmp_path / "projects.sqlite-journal").exists()


def test_a_project_deleted_before_its_run_begins_does_not_run(folder, place):
    _add(folder, place)
    with open_store(place) as store, store.held() as held:
        row = store.project("people")
        store_actions.delete_project("people", store=place)
        with failing("store.project-deleted-meanwhile", InputError):
            store.begin(row, held)


def test_check_33_only_the_owner_can_read_the_store(tmp_path, monkeypatch, folder):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    monkeypatch.delenv("ANTIFAZ_STORE", raising=False)
    before = os.umask(0)
    try:
        store_actions.add_project(folder / "project.yaml")
        store_actions.run_stored("people")
    finally:
        os.umask(before)
    place = tmp_path / "home" / "data" / "antifaz"
    assert default_place() == str(place / "projects.sqlite")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (place, *place.iterdir())}
    assert modes == {"antifaz": 0o700, "projects.sqlite": 0o600, "projects.sqlite.running": 0o700}


def test_a_store_that_others_could_read_is_closed_to_them(tmp_path):
    place = tmp_path / "projects.sqlite"
    store_actions.list_projects(store=place)
    place.chmod(0o644)
    store_actions.list_projects(store=place)
    assert place.stat().st_mode & 0o777 == 0o600


def test_the_place_comes_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIFAZ_STORE", str(tmp_path))
    store_actions.list_projects()
    assert (tmp_path / "projects.sqlite").exists()
    monkeypatch.delenv("ANTIFAZ_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", "/nowhere")
    assert default_place() == "/nowhere/.local/share/antifaz/projects.sqlite"


@pytest.mark.parametrize("damage", [b"this is no database" * 100, None])
def test_a_damaged_store_is_one_sentence(folder, tmp_path, damage):
    place = tmp_path / "projects.sqlite"
    _add(folder, place)
    whole = place.read_bytes()
    place.write_bytes(damage or whole[:4096] + b"\xff" * (len(whole) - 4096))
    with failing("store.not-a-sqlite-file", InputError):
        store_actions.list_projects(store=place)


def test_a_database_of_another_program_is_left_alone(tmp_path):
    place = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(place)) as theirs, theirs:
        theirs.execute("CREATE TABLE accounts (id INTEGER)")
    theirs.close()
    before = place.read_bytes()
    with failing("store.database-of-something-else", InputError):
        store_actions.list_projects(store=place)
    assert place.read_bytes() == before


def test_a_store_of_a_newer_version_is_refused(place):
    with open_store(place) as store, store._database.writing():
        store._database.rows("UPDATE antifaz_store SET version = ?", len(VERSIONS) + 1)
    with failing("store.newer-antifaz", InputError):
        store_actions.list_projects(store=place)


def test_a_store_that_can_not_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with failing("store.not-makeable", InputError, why="not a directory"):
        store_actions.list_projects(store=tmp_path / "file" / "projects.sqlite")


def test_a_store_that_is_busy_for_long_is_one_sentence(tmp_path, monkeypatch, folder):
    place = tmp_path / "projects.sqlite"
    store_actions.list_projects(store=place)
    monkeypatch.setattr("antifaz.storage.sqlite.PATIENCE", 0.05)
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with failing("store.not-usable", InputError, get=like("store.in-use")):
        _add(folder, place)
    other.close()


def test_a_server_that_is_not_there_or_not_known_is_one_sentence():
    with failing("store.server-not-reachable", (InputError, MissingExtra)):
        store_actions.list_projects(store="postgresql://nobody@127.0.0.1:1/test")
    with failing("store.place-not-a-path", InputError):
        store_actions.list_projects(store="mysql://nobody@127.0.0.1/test")


def test_the_url_of_the_server_holds_no_password():
    with failing("store.password-in-clear", InputError) as said:
        store_actions.list_projects(store="postgresql://nobody:geheim@127.0.0.1:1/test")
    assert "geheim" not in str(said.value)
