"""Releases as files of SPSS, Stata and SAS: numbers, dates and labels where every cell comes back as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import InputError, ParameterError
from antifaz.sources.spellings import Spelling
from antifaz.sources.statistical_writer import read_texts, write_statistical
from failing import failing

pyreadstat = pytest.importorskip("pyreadstat")
pd = pytest.importorskip("pandas")

COLUMNS: dict[str, list[str | None]] = {
    "age": ["34", None, "7"],
    "weight": ["72.0", "71.25", None],
    "price": ["1.50", "20.00", "-3.25"],
    "mixed": ["1", "2.5", "3"],
    "single": ["8.518514633178711", "2.142241954803467", "40.0"],
    "tiny": ["0.00000000000000000001", "1.00000000000000000001", None],
    "postcode": ["08001", "28001", None],
    "long": ["1234567890123456789", None, "1"],
    "born": ["1990-01-31", None, "2020-02-29"],
    "early": ["0900-01-31", None, "2020-02-29"],
    "no day": ["2020-02-30", None, "2020-02-29"],
    "label": ["[20, 30)", "*", "é, “ñ”"],
    "nothing": [None, None, None],
}
KINDS = {
    "age": "integer", "weight": "float", "price": "decimal(2)", "mixed": "number", "single": "float", "born": "date",
}  # fmt: skip


def table(columns: dict[str, list[str | None]]) -> pa.Table:
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})


@pytest.mark.parametrize("format", ["sav", "dta", "xpt"])
def test_every_cell_comes_back(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"release.{format}"
    kinds = write_statistical(path, table(COLUMNS), {})
    assert kinds == KINDS
    assert read_texts(path, kinds).to_pydict() == COLUMNS
    # As others read it.
    columns, meta = getattr(pyreadstat, {"xpt": "read_xport"}.get(format, f"read_{format}"))(str(path))
    assert columns["age"].dropna().tolist() == [34.0, 7.0]
    assert columns["price"].tolist() == [1.5, 20.0, -3.25]
    assert meta.column_names_to_labels["no_day"] == "no day"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("columns", "error"),
    [
        ({"a": ["", "x"]}, "statistical.column-not-kept"),
        ({"a": ["x ", "x"]}, "statistical.column-not-kept"),
        ({"a b": ["x"], "a_b": ["y"]}, "statistical.names-alike"),
    ],
)
def test_what_would_not_come_back_is_refused(tmp_path: Path, columns: dict[str, Any], error: str) -> None:
    with failing(error, (InputError, ParameterError), format="sav"):
        write_statistical(tmp_path / "release.sav", table(columns), {})


def test_codes_with_labels_stay_what_they_were(tmp_path: Path) -> None:
    sex = Spelling("", codes={"man": 1.0, "woman": 2.0}, title="Sex of the person")
    path = tmp_path / "release.dta"
    assert write_statistical(path, table({"sex": ["man", None, "woman"]}), {"sex": sex}) == {"sex": "labels"}
    columns, meta = pyreadstat.read_dta(str(path))
    assert columns["sex"].dropna().tolist() == [1, 2]
    assert meta.variable_value_labels == {"sex": {1: "man", 2: "woman"}}
    assert meta.column_names_to_labels == {"sex": "Sex of the person"}
    assert read_texts(path, {"sex": "labels"}).to_pydict() == {"sex": ["man", None, "woman"]}
    # A value without a code makes it text.
    assert write_statistical(path, table({"sex": ["man", "other"]}), {"sex": sex}) == {}


@pytest.mark.parametrize("format", ["sav", "dta"])
def test_a_survey_goes_in_and_out(tmp_path: Path, format: str) -> None:
    people = az.datasets.people(300, seed=1).to_pandas()
    frame = pd.DataFrame({"age": people.age.astype(float), "sex": people.sex.astype("category").cat.codes + 1.0})
    frame["satisfied"] = [float(i % 3 + 1) for i in range(300)]
    sexes = dict(enumerate(people.sex.astype("category").cat.categories, start=1))
    words = {1: "no", 2: "a little", 3: "yes"}
    write = getattr(pyreadstat, f"write_{format}")
    labels = {"sex": sexes, "satisfied": words}
    write(frame, str(tmp_path / f"in.{format}"), column_labels={"satisfied": "Are you?"}, variable_value_labels=labels)
    with az.open(tmp_path / f"in.{format}") as data:
        roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "satisfied": "sensitive"}
        hierarchies = {"age": az.hierarchy.intervals(20, 40), "sex": az.hierarchy.flat()}
        release = az.anonymize(data, roles=roles, hierarchies=hierarchies, privacy=az.KAnonymity(5), seed=1)
        release.save(tmp_path / "out", format)
    columns, meta = getattr(pyreadstat, f"read_{format}")(str(tmp_path / "out" / f"release.{format}"))
    # What is released unchanged has its codes and labels, what is generalized is text.
    assert sorted(columns["satisfied"].unique()) == [1, 2, 3]
    assert meta.variable_value_labels["satisfied"] == words
    assert meta.column_names_to_labels["satisfied"] == "Are you?"
    assert not any(str(label).isdecimal() for label in columns["age"])
    assert release.evidence["released"]["kinds"]["satisfied"] == "labels"
    # And anybody can check it.
    assert all(
        verdict.holds for verdict in az.verify(tmp_path / "out" / f"release.{format}", ["age", "sex"], az.KAnonymity(5))
    )


def test_text_options_are_not_for_such_files(tmp_path: Path) -> None:
    people, roles = az.datasets.people(30, seed=1).select(["sex"]), {"sex": "quasi-identifier"}
    hierarchies = {"sex": az.hierarchy.flat()}
    release = az.anonymize(people, roles=roles, hierarchies=hierarchies, privacy=az.KAnonymity(2), seed=1)
    with failing("release.text-options-of-no-text", ParameterError, format="sav"):
        release.save(tmp_path / "out", "sav", encoding="cp1252")
