"""Stored projects as people use them, and as machines break them: two at once, killed, stopped."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest

from antifaz.projects.store_actions import add_project, run_stored, runs_of
from e2e.conftest import COMMAND, PROJECT, changed, contents, write_people


@pytest.fixture
def project(antifaz, tmp_path):
    """Run `antifaz project …` with a store of the test's own."""
    return lambda *args, **env: antifaz("project", *args, **{"ANTIFAZ_STORE": str(tmp_path / "store.sqlite"), **env})


@pytest.fixture
def kept(folder):
    """A folder whose project is in the test's store already."""
    add_project(folder / "project.yaml", store=folder / "store.sqlite")
    return folder


def test_from_a_file_to_runs_that_can_be_compared(project, folder):
    assert project("add", "project.yaml").out.startswith("kept as 'people'")
    done = project("run", "people")
    assert done.code == 0
    assert "released and verified" in done.out
    assert "kept as run 1" in done.err
    changed(folder, "k: 5", "k: 10")
    assert project("add", "project.yaml", "--replace").code == 0
    told = json.loads(project("run", "people", "--json").out)
    assert told["run"] == 2
    assert told["privacy"][0]["achieved"] >= 10

    runs = json.loads(project("runs", "people", "--json").out)
    assert [(run["run"], run["state"]) for run in runs] == [(1, "done"), (2, "done")]
    assert runs[1]["k"] == told["privacy"][0]["achieved"]
    found = json.loads(project("compare", "people", 1, 2, "--json").out)
    assert found["parameters"] == {"privacy.1.k": [5, 10]}
    assert "privacy.1.k" in project("compare", "people", 1, 2).out
    one = json.loads(project("runs", "people", 2, "--json").out)
    assert one["evidence"]["privacy"] == told["privacy"]
    assert "released and verified" in project("runs", "people", 2).out
    (listed,) = json.loads(project("list", "--json").out)
    assert (listed["name"], listed["runs"], listed["last_state"]) == ("people", 2, "done")


def test_show_prints_the_text_and_nothing_else(project, kept):
    shown = project("show", "people")
    assert shown.out == PROJECT
    assert "made by" in shown.err
    assert json.loads(project("show", "people", "--json").out)["text"] == PROJECT


def test_a_stored_project_runs_where_it_came_from_wherever_the_command_is_given(antifaz, kept, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (kept / "project.yaml").unlink()
    done = antifaz("project", "run", "people", cwd=elsewhere, ANTIFAZ_STORE=str(kept / "store.sqlite"))
    assert done.code == 0, done.err
    assert (kept / "out" / "release.csv").exists()
    assert contents(elsewhere) == {}


def test_copy_rename_export_delete(project, kept):
    assert project("copy", "people", "Año 2024").code == 0
    assert project("rename", "people", "clients").code == 0
    assert project("export", "Año 2024", "--runs").code == 0
    assert (kept / "Año 2024.yaml").read_text(encoding="utf-8") == PROJECT
    assert (kept / "Año 2024.yaml").stat().st_mode & 0o777 == 0o600
    assert project("export", "Año 2024").code == 2
    unsure = project("delete", "clients")
    assert unsure.code == 2
    assert "would erase 'clients' and 0 runs" in unsure.err
    assert json.loads(project("delete", "clients", "--yes", "--json").out) == {"deleted": "clients", "runs": 0}
    assert [row["name"] for row in json.loads(project("list", "--json").out)] == ["Año 2024"]


@pytest.mark.parametrize(("answer", "code", "left"), [(b"n\n", 130, 1), (b"y\n", 0, 0)])
def test_delete_asks_on_a_terminal(project, kept, answer, code, left):
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    done = subprocess.run(
        [str(COMMAND), "project", "delete", "people"],
        cwd=kept,
        env={**os.environ, "ANTIFAZ_STORE": str(kept / "store.sqlite")},
        stdin=theirs,
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == code
    assert "This erases 'people' and 0 runs" in done.stderr
    assert len(json.loads(project("list", "--json").out)) == left


def test_what_is_wrong_is_said_in_one_sentence(project, kept):
    (kept / "leaky.yaml").write_text(f"{PROJECT}# mariadb://ana:geheim@host/db\n", encoding="utf-8")
    add_project(changed(kept, "k: 5", "k: 301"), name="high", store=kept / "store.sqlite")
    for args, code, said in (
        ("show peple", 2, "There is no stored project 'peple' (did you mean 'people'?)."),
        ("shwo people", 2, "There is no command 'shwo' (did you mean 'show'?)"),
        ("add project.yaml", 2, "A project 'people' is there already; choose another name, or --replace its text."),
        ("add nothing.yaml", 2, "There is no file 'nothing.yaml'."),
        ("add leaky.yaml", 2, "leaky.yaml holds a password in clear"),
        ("runs people 7", 2, "The project 'people' has no run 7; it has none yet."),
        ("run high", 1, "k = 300 could be reached"),
    ):
        done = project(*args.split())
        assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), done.err
        assert said in done.err
        assert "geheim" not in done.err
    assert b"geheim" not in (kept / "store.sqlite").read_bytes()
    assert "k = 300" in project("runs", "high", 1).out


def test_a_damaged_store_is_one_sentence(project, folder):
    (folder / "store.sqlite").write_bytes(b"nothing of the kind\n" * 1000)
    done = project("list")
    assert (done.code, done.out) == (2, "")
    assert "is damaged or no SQLite file" in done.err
    assert done.err.count("\n") == 1


def _start(folder: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(COMMAND), "project", *args],
        cwd=folder,
        env={**os.environ, "ANTIFAZ_STORE": str(folder / "store.sqlite")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_that_add_one_name_have_one_winner(project, folder):
    for i in range(3):
        (folder / f"{i}.yaml").write_text(f"{PROJECT}# {i}\n", encoding="utf-8")
    started = [_start(folder, "add", f"{i}.yaml") for i in range(3)]
    ended = [process.communicate() for process in started]
    codes = [process.returncode for process in started]
    assert sorted(codes) == [0, 2, 2], ended
    assert project("show", "people").out == f"{PROJECT}# {codes.index(0)}\n"


def test_check_26_two_runs_at_once_are_both_kept_and_the_release_is_one_of_them(project, folder):
    # Every run draws a seed of its own, so that their files differ.
    add_project(changed(folder, "seed: 1\n", ""), store=folder / "store.sqlite")
    started = [_start(folder, "run", "people", "--json") for _ in range(2)]
    said = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    assert sorted(json.loads(out)["run"] for out, _ in said) == [1, 2]
    runs = {run["run"]: run for run in json.loads(project("runs", "people", "--json").out)}
    assert [run["state"] for run in runs.values()] == ["done", "done"]
    released = json.loads((folder / "out" / "evidence.json").read_text(encoding="utf-8"))["released"]
    told = [json.loads(project("runs", "people", n, "--json").out)["evidence"]["released"] for n in (1, 2)]
    assert told[0] != told[1]
    assert released in told


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_check_25_a_run_that_is_killed_is_never_stuck(project, kept, sign):
    store = kept / "store.sqlite"
    write_people(kept / "people.csv", 60_000)
    process = _start(kept, "run", "people")
    while not any(kept.glob(".out.antifaz-partial-*/release.csv")) and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGSTOP)
    # While it goes on, others see that it does.
    going = runs_of("people", store=store)
    refused = project("delete", "people", "--yes")
    process.send_signal(signal.SIGCONT)
    process.send_signal(sign)
    said = process.communicate()
    assert [run["state"] for run in going] == ["running"], said
    assert refused.code == 2 and "is going on" in refused.err
    state = "interrupted" if sign == signal.SIGKILL else "cancelled"
    assert [run["state"] for run in json.loads(project("runs", "people", "--json").out)] == [state]
    assert not (kept / "out").exists()
    assert list((kept / "store.sqlite.running").iterdir()) == []

    write_people(kept / "people.csv", 300)
    assert run_stored("people", store=store)["run"] == 2
    assert [run["state"] for run in runs_of("people", store=store)] == [state, "done"]
    assert not list(kept.glob(".out.antifaz-*"))
