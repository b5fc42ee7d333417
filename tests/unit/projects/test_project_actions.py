"""What a run would do is told from its project file alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from antifaz.projects.actions import explain

QI = {"role": "quasi-identifier", "hierarchy": {"masking": 1}}
PROJECT: dict[str, Any] = {
    "antifaz": 1,
    "name": "people",
    # Nothing is opened, so it need not be there.
    "source": {"path": "missing.csv"},
    "attributes": {"id": {"role": "identifier"}, "zip": QI, "ill": {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 3}],
    "engine": {"name": "local", "memory": "1GB"},
    "report": {"attacks": 7, "recipient": "the board"},
}


def _explained(folder: Path, project: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump(project), encoding="utf-8")
    found = explain(path, **options)
    assert found["project"] == project["name"]
    assert [each.name for each in folder.iterdir()] == ["project.yaml"]
    return found["steps"]


def test_one_table(tmp_path, monkeypatch):
    monkeypatch.delenv("ANTIFAZ_LEDGER", raising=False)
    steps = {each["step"]: each["with"] for each in _explained(tmp_path, PROJECT, ledger=True, hardened=True)}
    assert steps["plan"] == {"source": str(tmp_path / "missing.csv"), "engine": "local", "memory": "1GB"}
    assert steps["prepare"]["quasi_identifiers"] == ["zip"]
    assert steps["decide"]["method"]["name"] == "full-domain"
    assert steps["decide"]["hardened"] is True
    assert steps["verify"]["privacy"][0]["model"] == "k-anonymity"
    assert steps["apply"] == {"identifiers": ["id"]}
    assert steps["attack"] == {"attempts": 7}
    assert steps["describe"]["recipient"] == "the board"
    assert steps["publish"] == {"folder": str(tmp_path / "out"), "ledger": True}


@pytest.mark.parametrize(
    ("said", "asked", "used"), [(None, None, False), ({"keep": False}, True, False), ({}, None, True)]
)
def test_whether_the_ledger_is_asked(tmp_path, said, asked, used, monkeypatch):
    monkeypatch.delenv("ANTIFAZ_LEDGER", raising=False)
    project = PROJECT | ({} if said is None else {"ledger": said})
    assert _explained(tmp_path, project, ledger=asked)[-1]["with"]["ledger"] is used


def test_a_light_project_decides_nothing(tmp_path):
    project = {key: value for key, value in PROJECT.items() if key not in ("privacy", "attributes")}
    operation = {"name": "suppress"}
    steps = _explained(tmp_path, project | {"kind": "light", "attributes": {"zip": {"operation": operation}}})
    assert [each["step"] for each in steps] == ["plan", "apply", "write", "verify", "attack", "describe", "publish"]
    assert steps[0]["with"]["operations"] == {"zip": ["suppress"]}


def test_several_tables(tmp_path):
    table = {"source": {"path": "missing.csv"}, "attributes": {"zip": {"role": "quasi-identifier"}}}
    project = {
        "antifaz": 1,
        "name": "two",
        "tables": {"one": table, "other": table},
        "privacy": PROJECT["privacy"],
        "repeated": [{"name": "zip", "columns": {"one": "zip", "other": "zip"}, "hierarchy": {"masking": 1}}],
    }
    steps = _explained(tmp_path, project)
    assert [each.get("table") for each in steps if each["step"] == "decide"] == ["one", "other"]
    assert steps[-2] == {
        "step": "join",
        "does": "Check that joins of repeated attributes still hold.",
        "with": {"zip": {"one": "zip", "other": "zip"}},
    }
    assert [each["step"] for each in steps].count("publish") == 1
