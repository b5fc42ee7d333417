"""Columns that nobody named: refused, left out, or released with a warning."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.projects.project import load_project
from antifaz.projects.project_actions import table_request
from failing import failing

TABLE = pa.table({"age": [20, 20, 30, 30], "note": ["a", "b", "c", "d"], "city": ["x", "x", "y", "y"]})


def anonymize(**wanted: Any) -> az.Release:
    roles, hierarchies = {"age": "quasi-identifier"}, {"age": az.hierarchy.flat()}
    return az.anonymize(TABLE, roles=roles, hierarchies=hierarchies, privacy=[az.KAnonymity(2)], seed=1, **wanted)


def test_they_are_refused_by_their_names() -> None:
    with failing("plan.columns-not-named", columns=["note", "city"]):
        anonymize(others="refuse")


def test_they_are_left_out() -> None:
    release = anonymize(others="drop")
    assert release.frame.column_names == ["age"]


def test_they_are_released_with_a_warning() -> None:
    release = anonymize(others="release")
    assert release.frame.column_names == ["age", "note", "city"]


def test_another_word_is_an_error() -> None:
    with failing("plan.unknown-others", others="ignore"):
        anonymize(others="ignore")


@pytest.mark.parametrize("others", ["refuse", "drop", "release"])
def test_a_project_file_says_it(tmp_path: Any, others: str) -> None:
    project = tmp_path / "p.yaml"
    project.write_text(
        f"antifaz: 1\nname: p\nsource: {{path: t.csv}}\nothers: {others}\n"
        "attributes:\n  age: {role: quasi-identifier}\nprivacy:\n  - {model: k-anonymity, k: 2}\n"
        "release: {path: out/}\n",
        encoding="utf-8",
    )
    assert table_request(load_project(project)).others == others
