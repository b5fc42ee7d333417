"""Files of SPSS, Stata and SAS: labels, missing codes, dates."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import pytest

from antifaz.core.errors import DataError, MissingExtra
from antifaz.core.types import DataType
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import read
from failing import failing

pyreadstat = pytest.importorskip("pyreadstat")
pd = pytest.importorskip("pandas")

FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, 9.0],
        "age": [34.0, 99.0, 31.0, 40.0],
        "weight": [70.5, 60.0, None, 81.25],
        "town": ["Vigo", "", "Lugo", "Vigo"],
        "born": [datetime.date(1990, 1, 31)] * 4,
    }
)


def columns_of(path: Path) -> dict[str, list[object]]:
    (table,) = read(path, ReadOptions()).tables
    return {name: table.column(name).to_pylist() for name in table.column_names}


def test_spss_labels_and_missing_codes(tmp_path: Path) -> None:
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(
        FRAME,
        str(path),
        variable_value_labels={"sex": {1: "man", 2: "woman"}, "age": {99: "unknown"}},
        missing_ranges={"sex": [9], "age": [{"lo": 98, "hi": 99}]},
    )
    assert columns_of(path) == {
        "sex": ["man", "woman", "man", None],
        "age": [34, None, 31, 40],
        "weight": [70.5, 60.0, None, 81.25],
        "town": ["Vigo", None, "Lugo", "Vigo"],
        "born": [datetime.date(1990, 1, 31)] * 4,
    }
    reader = read(path, ReadOptions())
    assert reader.settled == {"sex": DataType.TEXT}
    notes = [dict(note.values) for note in reader.notes if hasattr(note, "values")]
    assert notes == [{"name": "sex", "count": 1}, {"name": "age", "count": 1}]


def test_stata_and_sas(tmp_path: Path) -> None:
    plain = FRAME[["age", "weight", "town"]]
    expected = {"age": [34, 99, 31, 40], "weight": [70.5, 60.0, None, 81.25], "town": ["Vigo", None, "Lugo", "Vigo"]}
    pyreadstat.write_dta(plain, str(tmp_path / "people.dta"), variable_value_labels={"age": {99: "unknown"}})
    assert columns_of(tmp_path / "people.dta") == expected
    pyreadstat.write_xport(plain, str(tmp_path / "people.xpt"))
    assert columns_of(tmp_path / "people.xpt") == expected


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.sav").write_bytes(b"$FL2 nothing of the kind" * 10)
    with failing("statistical.not-readable", DataError, file="people.sav"):
        columns_of(tmp_path / "people.sav")


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.dta").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with failing("statistical.pyreadstat-missing", MissingExtra):
        columns_of(tmp_path / "people.dta")
