"""Columns that nobody named: refused, left out, or released with a warning."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.projects.loaded_project import load_project
from antifaz.projects.project_actions import table_request
from failing import failing, like

TABLE = pa.table({"age": [20, 20, 30, 30], "note": ["a", "b", "c", "d"], "city": ["x", "x", "y", "y"]})


def anonymize(**wanted: Any) -> az.Release:
    roles, hierarchies = {"age": "quasi-identifier"}, {"age": az.hierarchy.flat()}
    return az.anonymize(TABLE, roles=roles, hierarchies=hierarchies, privacy=[az.KAnonymity(2)], seed=1, **wanted)


def test_they_are_refused_by_their_names() -> None:
    with failing("plan.columns-not-named", columns=["note", "city"]):
        anonymize()


def test_they_are_left_out() -> None:
    release = anonymize(others="drop")
    assert release.frame.column_names == ["age"]


def test_they_are_released_with_a_warning() -> None:
    release = anonymize(others="release")
    assert release.frame.column_names == ["age", "note", "city"]


def test_another_word_is_an_error() -> None:
    with failing("plan.unknown-others", others="ignore"):
        anonymize(others="ignore")


def test_candidates_refuse_them_too() -> None:
    wanted: dict[str, Any] = {"roles": {"age": "quasi-identifier"}, "hierarchies": {"age": az.hierarchy.flat()}}
    with failing("plan.columns-not-named", columns=["note", "city"]):
        az.candidates(TABLE, **wanted, privacy=az.KAnonymity(2))
    assert az.candidates(TABLE, **wanted, privacy=az.KAnonymity(2), others="drop")[0].levels == {"age": 0}


def test_a_frontier_releases_nothing_and_needs_no_other_roles() -> None:
    wanted: dict[str, Any] = {"roles": {"age": "quasi-identifier"}, "hierarchies": {"age": az.hierarchy.flat()}}
    assert [point["k"] for point in az.frontier(TABLE, **wanted, k=[2])["points"]] == [2]


def test_columns_that_are_perturbed_together_are_named(tmp_path: Any) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,5\n4,4\n", encoding="utf-8")
    project = tmp_path / "p.yaml"
    project.write_text(
        "antifaz: 1\nkind: light\nsource: {path: t.csv}\nattributes: {}\nrelease: {path: out/}\nseed: 1\n"
        "perturbation:\n  - {name: shuffle, columns: [a, b]}\n",
        encoding="utf-8",
    )
    assert az.run(project)["rows"]["released"] == 3


@pytest.mark.parametrize("others", ["refuse", "drop", "release", None])
def test_a_project_file_says_it(tmp_path: Any, others: str | None) -> None:
    project = tmp_path / "p.yaml"
    said = "" if others is None else f"others: {others}\n"
    project.write_text(
        f"antifaz: 1\nname: p\nsource: {{path: t.csv}}\n{said}"
        "attributes:\n  age: {role: quasi-identifier}\nprivacy:\n  - {model: k-anonymity, k: 2}\n"
        "release: {path: out/}\n",
        encoding="utf-8",
    )
    assert table_request(load_project(project)).others == (others or "refuse")


def test_a_column_without_a_role_is_nobody_s_decision(tmp_path: Any) -> None:
    """What is said of its type or its levels decides nothing; what is done to its cells does."""
    rows = "age,note,city,code,extra\n" + "".join(f"{20 + i % 2 * 10},n{i},c{i},{i},{i}\n" for i in range(4))
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    project = tmp_path / "p.yaml"

    def run(others: str) -> dict[str, Any]:
        project.write_text(
            f"antifaz: 1\nsource: {{path: t.csv}}\nothers: {others}\nattributes:\n"
            "  age: {role: quasi-identifier, hierarchy: {flat: true}}\n"
            "  note: {type: text}\n  city: {hierarchy: {flat: true}}\n  code: {operation: {name: suppress}}\n"
            "privacy:\n  - {model: k-anonymity, k: 2}\nrelease: {path: out/}\nseed: 1\n",
            encoding="utf-8",
        )
        return dict(az.run(project, out=tmp_path / others))

    with failing("plan.columns-not-named", columns=["note", "city", "extra"]) as caught:
        run("refuse")
    place = like("project.place", file="p.yaml", line=6, column=3)
    assert caught.value.message == like("project.in-file", file=place, error=like("plan.in-table", table="t.csv"))
    assert not (tmp_path / "refuse").exists()
    assert [each["name"] for each in run("drop")["attributes"] if each["role"] == "identifier"] == [
        "note",
        "city",
        "extra",
    ]
    assert (tmp_path / "drop" / "release.csv").read_text("utf-8").splitlines()[0] == "age,code"
    assert any("note" in warning for warning in run("release")["warnings"])
