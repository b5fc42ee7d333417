"""Check 23: whatever stands in a project file or a hierarchy file, the error is one of ours."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import AntifazError
from antifaz.projects.loaded_project import load_project

PROJECT = {
    "antifaz": 1, "source": {"path": "people.csv"},
    "attributes": {"age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}}, "s": {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2, "attribute": "s"}],
    "method": {"name": "full-domain", "suppression": 0.1}, "release": {"path": "out"}, "seed": 1,
}  # fmt: skip
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(PLAIN, lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=6), x, max_size=3))


def places(document: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value of a document."""
    keys = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    return [before, *(place for key in keys for place in places(document[key], (*before, key)))]


@settings(max_examples=150)
@given(st.sampled_from(places(PROJECT)[1:]), ANYTHING, st.booleans())
def test_check_23_a_project_with_anything_anywhere_is_taken_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[Any, ...], value: Any, beside: bool
) -> None:
    document = json.loads(json.dumps(PROJECT))
    part = document
    for key in place[:-1]:
        part = part[key]
    if beside and isinstance(part, dict):
        part[str(value)[:8]] = value
    else:
        part[place[-1]] = value
    path = tmp_path_factory.getbasetemp() / "project.yaml"
    path.write_text(json.dumps(document), encoding="utf-8")
    _taken_or_refused(path)


def _taken_or_refused(path: Path) -> None:
    try:
        load_project(path)
    except AntifazError as error:
        assert str(error)
        assert "\n" not in str(error).strip()


@settings(max_examples=100)
@given(st.binary(max_size=200) | st.text(alphabet="antifz:{}[]&*!|>-'\"#%@ \n\t,1", max_size=60).map(str.encode))
def test_check_23_any_bytes_are_no_project_or_one(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(content)
    _taken_or_refused(path)


@settings(max_examples=150)
@given(
    st.binary(max_size=200) | st.text(alphabet='ab;,*"\n\r\t|[]{}:', max_size=60).map(str.encode),
    st.sampled_from(["h.csv", "h.json", "h.txt"]),
)
def test_check_23_any_bytes_are_no_hierarchy_or_one(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)
    with suppress(AntifazError):
        az.hierarchy.from_file(path)
