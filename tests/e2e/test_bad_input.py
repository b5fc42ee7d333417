"""Bad input: one sentence that says what, where and what would be right; no traceback; nothing written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from e2e.conftest import PROJECT, changed, contents


def _refused(antifaz, folder, *args, code=2, words=(), lines=1):
    """Run a command that must fail in words and leave the folder as it was; return what it said."""
    before = contents(folder)
    done = antifaz(*args)
    assert done.code == code, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    assert "internal" not in done.err
    assert done.err.startswith("Error: ")
    assert len(done.err.splitlines()) == lines, done.err
    for word in words:
        assert word in done.err
    assert contents(folder) == before
    return done.err


#: What is changed in a project that runs, and what must be said about it.
CHANGES = {
    "unknown column": ("  age: {role", "  agee: {role", ["project.yaml:8:3", "'agee'", "did you mean 'age'"]),
    "unknown key of an attribute": ("  income: {role", "  income: {rol", ["project.yaml:15:12", "did you mean 'role'"]),
    "unknown key at the top": ("seed: 1", "sed: 1", ["project.yaml:23:1", "'sed'", "did you mean 'seed'"]),
    "unknown key of the source": ("{path: people.csv}", "{path: people.csv, delimeter: ','}", ["'delimiter'"]),
    "unknown role": ("id_number: {role: identifier}", "id_number: {role: identifyer}", ["'quasi-identifier'"]),
    "unknown parameter of a model": ("k: 5}", "k: 5, kk: 2}", ["project.yaml:18:32", "'kk'"]),
    "unknown model": ("model: k-anonymity", "model: k-anonimity", ["did you mean 'k-anonymity'", ":18:"]),
    "unknown method": ("name: full-domain", "name: fulldomain", ["did you mean 'full-domain'", ":20:"]),
    "unknown quality": ("quality: loss", "quality: los", ["'loss'", "project.yaml:20:29"]),
    "unknown builder": ("{masking: 1}", "{maskin: 1}", ["did you mean 'masking'", ":10:"]),
    "unknown format": (
        "release: {path: out/}",
        "release: {format: xml}",
        ["'csv', 'tsv', 'txt', 'parquet', 'sav', 'dta' or 'xpt'", ":22:"],
    ),
    "k = 0": ("k: 5}", "k: 0}", ["project.yaml:18:26", "greater than or equal to 1"]),
    "k is a word": ("k: 5}", "k: five}", ["project.yaml:18:26", "'five'"]),
    "suppression of 200 %": ("suppression: 0.02", "suppression: 2", ["less than or equal to 1"]),
    "no hierarchy": (", hierarchy: {masking: 1}", "", ["'postcode' has no hierarchy", "project.yaml:10:3"]),
    "hierarchy file that is not there": ("file: sex.csv", "file: sexes.csv", ["sexes.csv"]),
    "data file that is not there": ("people.csv", "peopel.csv", ["peopel.csv", "did you mean 'people.csv'"]),
    "data file is a folder": ("people.csv", "empty", ["is a folder"]),
    "key that stands twice": ("seed: 1", "seed: 1\nname: again", [":24:1", "'name' stands twice", "line 2"]),
    "invalid YAML": ("attributes:", "attributes: [", ["project.yaml:"]),
    "no memory size": ("threads: 2", "memory: much", ["2GB"]),
    "attribute of a model that is not sensitive": ("attribute: diagnosis", "attribute: income", ["'income'"]),
    "numbers where there are none": ("{file: sex.csv}", "{intervals: [5]}", ["not numbers", "'sex'"]),
    "folder with other files": ("path: out/", "path: taken", ["taken", "did not write"]),
    "target is a file": ("path: out/", "path: project.yaml", ["is a file"]),
    "target is the data": ("path: out/", "path: people.csv", ["holds files that antifaz did not write"]),
    "target below a file": ("path: out/", "path: people.csv/out", ["people.csv"]),
    "version of the future": ("antifaz: 1", "antifaz: 2", ["project.yaml:1:1", "should be 1"]),
    "list where a mapping belongs": ("source: {path: people.csv}", "source: people.csv", [":3:1", "a mapping"]),
}


@pytest.fixture
def prepared(folder: Path) -> Path:
    (folder / "empty").mkdir()
    (folder / "taken").mkdir()
    (folder / "taken/mine.txt").write_text("keep me", encoding="utf-8")
    return folder


@pytest.mark.parametrize("case", CHANGES)
def test_a_project_that_is_wrong_in_one_place(antifaz, prepared, case):
    old, new, words = CHANGES[case]
    changed(prepared, old, new)
    lines = 2 if case == "numbers where there are none" else 1
    _refused(antifaz, prepared, "run", "project.yaml", words=words, lines=lines)


def test_a_k_that_can_not_be_reached_ends_in_1_and_names_the_largest(antifaz, folder):
    changed(folder, "k: 5}", "k: 301}")
    _refused(antifaz, folder, "run", "project.yaml", code=1, words=["301", "k = 300"])


def test_a_hierarchy_that_misses_a_value_names_it(antifaz, folder):
    (folder / "sex.csv").write_text("male;*\n", encoding="utf-8")
    said = _refused(antifaz, folder, "run", "project.yaml", words=["'sex' misses 1 value", ":9:3"], lines=2)
    assert "values: 'female'" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"antifaz: 1\nname: \xff\xfe\n", ["not UTF-8"]),
        (b"", ["antifaz: 1"]),
        (b"just a word", ["antifaz: 1"]),
        (b"- a\n- b\n", ["antifaz: 1"]),
        (b"\x00\x01", ["project.yaml"]),
        (b"{\"antifaz\": 1, ", ["project.yaml"]),
        (b"&a [*a]", ["project.yaml"]),
        (b"? [a, b]\n: c\n", ["a key is text"]),
        (b"[" * 5000, ["project.yaml"]),
        (b"name: !!python/object/apply:os.system ['true']\n", ["project.yaml:1:"]),
        (
            b"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
            + b"".join(b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 10)) for n in range(98, 106)),
            ["aliases"],
        ),
    ],
    ids=lambda part: str(part)[:30],
)  # fmt: skip
def test_files_that_are_no_project(antifaz, folder, text, words):
    (folder / "project.yaml").write_bytes(text)
    _refused(antifaz, folder, "run", "project.yaml", words=words)


@pytest.mark.parametrize(
    "args",
    [
        ("run", "nothing.yaml"),
        ("run", "."),
        ("inspect", "nothing.csv"),
        ("inspect", "."),
        ("init", "nothing.csv", "-o", "new.yaml"),
        ("init", "people.csv", "-o", "people.csv/new.yaml"),
        ("init", "people.csv", "-o", ".", "--force"),
        ("verify", "nothing.csv", "--qi", "a", "--k", "2"),
        ("verify", "people.csv", "--qi", "agee", "--k", "2"),
        ("verify", "people.csv", "--qi", "age", "--k", "0"),
        ("verify", "people.csv", "--qi", "age", "--k", "two"),
        ("verify", "people.csv", "--qi", "age"),
        ("verify", "people.csv", "--k", "2"),
        ("verify", "people.csv", "--qi", "age", "--l", "2"),
        ("verify", "people.csv", "--qi", "age", "--l", "2", "--sensitive", "nothing"),
        ("verify", "people.csv", "--qi", "age", "--model", "k-anonymity"),
        ("verify", "people.csv", "--qi", "age", "--model", "{model: [}"),
        ("verify", "people.csv", "--qi", "age", "--model", "{model: k-anonymity, kk: 1}"),
        ("verify", "people.csv", "--qi", "", "--k", "2"),
        ("inspect", "people.csv", "--encoding", "nothing"),
        ("inspect", "people.csv", "--delimiter", "ab"),
        ("demo", "--rows", "0"),
        ("rnu", "project.yaml"),
        ("run", "project.yaml", "--nothing"),
        ("run",),
    ],
    ids=" ".join,
)
def test_commands_that_can_not_be_carried_out(antifaz, folder, args):
    _refused(antifaz, folder, *args)


def test_the_nearest_command_is_named(antifaz, folder):
    _refused(antifaz, folder, "rnu", words=["did you mean 'run'"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", ["people.csv is empty"]),
        (b"age,sex\n1,male\n2\n", ["3"]),
        (b"age,age\n1,2\n", ["same name"]),
        (b"age,sex\n1,\"male\n", ["people.csv"]),
        (b"\x89PNG\r\n\x1a\n\x00\x00", ["people.csv"]),
    ],
    ids=["empty", "ragged", "same names", "open quote", "a picture"],
)  # fmt: skip
def test_data_that_can_not_be_read_exactly(antifaz, folder, text, words):
    (folder / "people.csv").write_bytes(text)
    for command in (("inspect", "people.csv"), ("run", "project.yaml")):
        _refused(antifaz, folder, *command, words=words)


def test_data_without_rows(antifaz, folder):
    header = PROJECT.split("attributes:\n")[1].split("privacy:")[0]
    names = [line.split(":")[0].strip() for line in header.splitlines()]
    (folder / "people.csv").write_text(",".join(names) + "\n", encoding="utf-8")
    changed(folder, "source: {path: people.csv}", "source: {path: people.csv, header: true}")
    before = contents(folder)
    done = antifaz("run", "project.yaml")
    assert done.code in (1, 2)
    assert "internal" not in done.err
    assert contents(folder) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(antifaz, folder):
    (folder / "locked").mkdir(mode=0o500)
    changed(folder, "path: out/", "path: locked/out")
    _refused(antifaz, folder, "run", "project.yaml", words=["may not write"])
    _refused(antifaz, folder, "init", "people.csv", "-o", "locked/new.yaml")


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a file system that can't be written")
def test_a_place_that_nobody_may_write(antifaz, folder):
    changed(folder, "path: out/", "path: /sys/kernel/antifaz")
    _refused(antifaz, folder, "run", "project.yaml", words=["/sys/kernel/antifaz"])
    _refused(antifaz, folder, "init", "people.csv", "-o", "/sys/kernel/antifaz.yaml")
