"""A Spanish table in and out: semicolons, decimal commas, d/m/Y, and what Excel opens by a double click."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import antifaz as az
from antifaz import InputError, ParameterError
from antifaz.projects import actions

HEADER = ["nombre", "edad", "alta", "importe", "peso"]


def rows(count: int = 60) -> list[list[str]]:
    """Return made-up patients; amounts have thousands, and one day is written without a zero."""
    made = []
    for i in range(count):
        day = f"{i % 28 + 1:02}/{i % 12 + 1:02}/2016" if i else "3/4/2016"
        made.append([f"Núñez {i}", str(20 + i % 3), day, f"{i + 1}.{i:03},50", f"{60 + i % 5}.{i % 10}"])
    return made


def project(folder: Path, release: str, method: str = "") -> Path:
    """Write the table as latin-1, and a project of it."""
    lines = [";".join(record) for record in (HEADER, *rows())]
    (folder / "pacientes.csv").write_bytes("\r\n".join(lines).encode("latin-1"))
    (folder / "p.yaml").write_text(f"""
antifaz: 1
name: pacientes
source: {{path: pacientes.csv, delimiter: ";", encoding: latin-1}}
attributes:
  nombre: {{role: identifier}}
  edad: {{role: quasi-identifier, hierarchy: {{intervals: [10, 20]}}}}
  alta: {{role: insensitive, type: date(d/m/Y)}}
  importe: {{role: sensitive, type: decimal(comma)}}
  peso: {{role: insensitive}}
privacy:
  - {{model: k-anonymity, k: 3}}
  - {{model: l-diversity, l: 2, attribute: importe}}
release: {release}
seed: 1
""")
    return folder / "p.yaml"


def written(path: Path, encoding: str, delimiter: str) -> list[list[str]]:
    """Read a file back with another reader."""
    with path.open(encoding=encoding, newline="") as file:
        return sorted(csv.reader(file, delimiter=delimiter))


def test_columns_released_unchanged_are_written_as_they_came(tmp_path: Path) -> None:
    evidence = actions.run(project(tmp_path, "{path: out/}"))
    assert evidence["released"]["written"] == {"alta": "date(d/m/Y)", "importe": "decimal(comma)"}
    found = written(tmp_path / "out" / "release.csv", "utf-8", ",")
    assert sorted(record[1:] for record in found) == sorted(record[2:] for record in (HEADER, *rows()))


@pytest.mark.parametrize(
    ("release", "encoding", "delimiter"),
    [
        ("{path: out/, decimal: comma, bom: true}", "utf-8-sig", ";"),
        ("{path: out/, decimal: comma, encoding: cp1252}", "cp1252", ";"),
        ("{path: out/, delimiter: '|', encoding: utf-16}", "utf-16", "|"),
        ("{path: out/lista.txt, encoding: latin-1}", "latin-1", ";"),
    ],
)
def test_text_is_written_as_it_was_chosen(tmp_path: Path, release: str, encoding: str, delimiter: str) -> None:
    evidence = actions.run(project(tmp_path, release))
    told = evidence["released"]
    found = written(tmp_path / "out" / told["file"], encoding, delimiter)
    weights = {record[3] for record in found if record[3] != "peso"}
    sign = "," if "comma" in release else "."
    assert weights == {record[4].replace(".", sign) for record in rows()}
    assert {record[1] for record in found} == {"alta", *(record[2] for record in rows())}
    start = (tmp_path / "out" / told["file"]).read_bytes()[:3]
    assert (start == b"\xef\xbb\xbf") is ("bom" in release)
    assert told.get("encoding") == (None if "bom" in release else encoding)


def test_parquet_and_frames_keep_the_form(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    actions.run(project(tmp_path, "{path: out/, format: parquet}"))
    days = pq.read_table(tmp_path / "out" / "release.parquet").column("alta").to_pylist()
    assert set(days) == {record[2] for record in rows()}


def test_a_generalized_column_is_written_in_plain_form(tmp_path: Path) -> None:
    path = project(tmp_path, "{path: out/}")
    path.write_text(path.read_text().replace(
        "alta: {role: insensitive, type: date(d/m/Y)}",
        "alta: {role: quasi-identifier, type: date(d/m/Y), hierarchy: {dates: [year]}}",
    ))  # fmt: skip
    evidence = actions.run(path)
    assert evidence["released"]["written"] == {"importe": "decimal(comma)"}
    found = written(tmp_path / "out" / "release.csv", "utf-8", ",")
    assert {record[1] for record in found} == {"alta", "2016"}


def test_what_can_not_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="comma"):
        actions.run(project(tmp_path, "{path: out/, decimal: comma, delimiter: ','}"))
    with pytest.raises(ParameterError, match="byte order mark"):
        actions.run(project(tmp_path, "{path: out/, bom: true, encoding: cp1252}"))
    with pytest.raises(ParameterError, match="parquet"):
        actions.run(project(tmp_path, "{path: out/, format: parquet, decimal: comma}"))
    path = project(tmp_path, "{path: out/, encoding: latin-1}")
    text = (tmp_path / "pacientes.csv").read_bytes().decode("latin-1").replace(";60.0\r", ";Łódź\r")
    (tmp_path / "pacientes.csv").write_bytes(text.encode())
    path.write_text(path.read_text().replace("encoding: latin-1}\nattributes", "encoding: utf-8}\nattributes"))
    with pytest.raises(InputError, match="lacks"):
        actions.run(path)
    assert not (tmp_path / "out").exists()


def test_a_frame_comes_back_as_it_came() -> None:
    import pandas as pd

    frame = pd.DataFrame([record[1:] for record in rows()], columns=HEADER[1:])
    types: dict[str, Any] = {"alta": "date(d/m/Y)", "importe": "decimal(comma)"}
    roles = {"edad": "quasi-identifier"}
    with az.open(frame, types=types) as data:
        flat = {"edad": {"flat": True}}
        release = az.anonymize(data, roles=roles, hierarchies=flat, privacy=az.KAnonymity(3), seed=1, others="release")
        found = release.frame
    assert set(found["alta"]) == set(frame["alta"])
    assert set(found["importe"]) == set(frame["importe"])


def test_the_command_line_writes_for_excel(tmp_path: Path, antifaz: Any) -> None:
    project(tmp_path, "{path: out/}")
    done = antifaz("run", "p.yaml", "--out-decimal", "comma", "--out-bom", "--json")
    told = json.loads(done.out)["released"]
    assert (told["delimiter"], told["bom"], told["written"]["peso"]) == (";", True, "decimal(comma)")
