"""Redaction of texts: by patterns and by the same row, in frames and in projects; never called safe."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import InputError, ParameterError, SchemaError
from antifaz.projects.actions import redactions_of
from antifaz.testing import check
from failing import failing

TABLE = pa.table(
    {
        "name": ["Marta Soler", "Jordi Puig", None],
        "age": [34, 61, 5],
        "note": ["SOLER llamó al 600123456", "Soler no vino con jordi", None],
    }
)


def test_it_keeps_what_every_operation_promises() -> None:
    check(az.mask.OPERATIONS["redact"])


def test_each_row_is_redacted_by_its_own_values() -> None:
    made = az.mask.redact(TABLE, "note", by=["name", "age"], patterns=["phone"])
    # Soler is another's name in the second row, and no pattern was asked for names.
    assert made["note"].to_pylist() == ["[person] llamó al [phone]", "Soler no vino con [person]", None]
    assert made.drop_columns(["note"]) == TABLE.drop_columns(["note"])
    frame = az.mask.redact(TABLE.to_pandas(), "note", by=[], patterns=["phone"])
    assert isinstance(frame, pd.DataFrame)
    assert frame["note"][0] == "SOLER llamó al [phone]"


def test_a_frame_has_no_roles_so_the_columns_must_be_said() -> None:
    with failing("redact.by-is-needed", ParameterError):
        az.mask.redact(TABLE, "note")
    with failing("column.unknown", SchemaError, name="nombre"):
        az.mask.redact(TABLE, "note", by=["nombre"])


PROJECT = """
antifaz: 1
name: visits
source: {path: visits.csv}
attributes:
  id:   {role: identifier}
  name: {role: identifier}
  town: {role: quasi-identifier, hierarchy: {flat: true}}
  note: {operation: {name: redact}}
privacy: [{model: k-anonymity, k: 2}]
report: {attacks: 0}
release: {path: out/}
seed: 1
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    towns = ["Vic", "Reus"]
    rows = {
        "id": [f"A-{1000 + i}" for i in range(12)],
        "name": [f"Zulema{chr(97 + i)} Quirós" for i in range(12)],
        "town": [towns[i % 2] for i in range(12)],
        "note": [f"zulema{chr(97 + i)} (A1{i:03}) de {towns[i % 2]}, tel. 600123456" for i in range(11)] + ["nada"],
    }
    rows["note"][0] = "su prima Ixchel, de VIC"
    pd.DataFrame(rows).to_csv(tmp_path / "visits.csv", index=False)
    (tmp_path / "project.yaml").write_text(PROJECT, encoding="utf-8")
    return tmp_path / "project.yaml"


def test_in_a_project_identifiers_and_quasi_identifiers_of_the_row_are_found_and_counted(project: Path) -> None:
    evidence = az.run(project)
    written = pd.read_csv(project.parent / "out" / evidence["released"]["file"])["note"].str.lower().str.cat(sep=" ")
    assert not [word for word in ("zulema", "quir", "600123456", "vic", "reus", "a10") if word in written]
    (finding,) = [each for each in evidence["verdict"]["findings"] if each["code"] == "text-released"]
    assert finding["weight"] == "with care"
    # Eleven towns; ten names and ten numbers of the row, and ten phones.
    assert finding["measured"]["redacted"] == {"person": 31, "phone": 10}
    assert "not safe" in finding["words"]
    assert "ixchel" in written, "what is not found is released, which is why nobody calls it safe"
    # No cell of the text is in the evidence.
    assert "prima" not in json.dumps(evidence, ensure_ascii=False)


def test_a_look_shows_cells_before_and_after_also_where_nothing_was_found(project: Path) -> None:
    (column,) = redactions_of(project, rows=4, seed=1)
    assert (column["column"], column["cells"], column["changed"]) == ("note", 12, 11)
    assert column["redacted"] == {"person": 31, "phone": 10}
    assert len(column["sample"]) == 4
    assert {"before": "nada", "after": "nada"} in column["sample"]
    assert not (project.parent / "out").exists()


def test_a_project_without_texts_has_nothing_to_look_at(project: Path) -> None:
    project.write_text(PROJECT.replace("{operation: {name: redact}}", "{role: identifier}"), encoding="utf-8")
    with failing("project.redacts-nothing", InputError):
        redactions_of(project)
