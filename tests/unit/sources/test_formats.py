"""JSON, Parquet and spreadsheets: exact, or refused with the place."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import DataError, MissingExtra, ParameterError
from antifaz.core.types import DataType
from antifaz.engines.local.data import open_local

CANARY = "Kanarienvogel"


def write(folder: Path, text: str | bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_json_numbers_stay_as_written(tmp_path: Path) -> None:
    first = '{"a": 1.10, "b": 9007199254740993, "z": "007", "d": "2020-01-02", "t": true}'
    text = f'[{first},\n {{"b": 2, "c": null, "t": false}}]'
    with open_local(write(tmp_path, text, "t.json")) as data:
        assert data.to_arrow().to_pylist() == [
            {"a": "1.10", "b": "9007199254740993", "z": "007", "d": "2020-01-02", "t": "true", "c": None},
            {"a": None, "b": "2", "z": None, "d": None, "t": "false", "c": None},
        ]
        assert [c.type.value for c in data.schema] == ["decimal", "integer", "text", "date", "boolean", "text"]


def test_json_text_is_never_a_number(tmp_path: Path) -> None:
    with open_local(write(tmp_path, '[{"a": "12"}, {"a": "13"}]', "t.json")) as data:
        assert data.schema["a"].type is DataType.TEXT


def test_json_lines(tmp_path: Path) -> None:
    for name in ("t.jsonl", "t.ndjson"):
        with open_local(write(tmp_path, '\ufeff{"a": 1}\n\n{"a": -0.50, "b": "x\\ny"}\r\n', name)) as data:
            assert data.to_arrow().to_pylist() == [{"a": "1", "b": None}, {"a": "-0.50", "b": "x\ny"}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"a": 1}, {"a": Kanarienvogel}]', "line 1, column 18: this is not JSON"),
        ('{"a": 1}', "must be an array"),
        ("[1, 2]", "record 1: every record must be an object"),
        ('[{"a": 1}, {"a": "Kanarienvogel"}]', "record 2, key 'a': a text where earlier records have a number"),
        ('[{"a": {"b": "Kanarienvogel"}}]', "record 1, key 'a': a list or object"),
        ('[{"a": 1, "a": 2}]', "same key twice"),
        ('[{"a": 1, "A": 2}]', "columns 1, 2 have the same name"),
        ('[{"a": NaN}]', "NaN"),
        ("[]", "no records"),
        ("[" * 100_000, "nested too deeply|not JSON"),
        ('[{"a": "\\ud800"}]', "could not be read"),
    ],
)
def test_json_refused(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=words) as caught:
        open_local(write(tmp_path, text, "t.json"))
    assert CANARY not in str(caught.value)


def test_json_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 3, column 7"):
        open_local(write(tmp_path, '{"a": 1}\n\n{"a": }\n', "t.jsonl"))


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i": pa.array([1, None, 3], pa.int16()),
            "s": ["NA", None, "?"],
            "d": pa.array([datetime.date(2020, 1, 1), None, None]),
            "c": pa.array(["u", "v", "u"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    with open_local(tmp_path / "t.parquet") as data:
        assert data.to_arrow().equals(table)
    with open_local(tmp_path / "t.parquet", missing=["?"]) as data:
        assert data.to_arrow().column("s").to_pylist() == ["NA", None, None]
    (tmp_path / "t.bin").write_bytes((tmp_path / "t.parquet").read_bytes())
    with open_local(tmp_path / "t.bin", format="parquet") as data:
        assert data.rows == 3
    with pytest.raises(DataError, match="Parquet file"):
        open_local(tmp_path / "t.bin")
    with pytest.raises(ParameterError, match=r"no format 'parqet'.*did you mean 'parquet'"):
        open_local(tmp_path / "t.bin", format="parqet")


def test_parquet_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="could not be read") as caught:
        open_local(write(tmp_path, f"PAR1{CANARY}PAR1", "t.parquet"))
    assert CANARY not in str(caught.value)
    pq.write_table(pa.table({"a": [[1]]}), tmp_path / "n.parquet")
    with pytest.raises(DataError, match="'a' holds lists"):
        open_local(tmp_path / "n.parquet")


def book(folder: Path, *rows: list[Any], **sheets: list[list[Any]]) -> Path:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    for name, content in sheets.items():
        sheet = made.create_sheet(name)
        for row in content:
            sheet.append(row)
    made.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def test_spreadsheet(tmp_path: Path) -> None:
    day, moment = datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5)
    path = book(
        tmp_path,
        ["age", "zip", "weight", "born", "seen", "member", "code"],
        [39, "08001", 70.5, day, moment, True, "A1"],
        [None, "00007", 80, None, moment, False, 7],
        other=[["x"], ["y"]],
    )
    with open_local(path) as data:
        assert data.to_arrow().to_pylist() == [
            {"age": 39, "zip": "08001", "weight": 70.5, "born": day, "seen": moment, "member": True, "code": "A1"},
            {"age": None, "zip": "00007", "weight": 80.0, "born": None, "seen": moment, "member": False, "code": "7"},
        ]
        assert [c.type.value for c in data.schema] == [
            "integer", "text", "decimal", "date", "datetime", "boolean", "text",
        ]  # fmt: skip
        assert any("'code' mixes" in note for note in data.notes)
    with open_local(path, sheet="other") as data:
        assert data.to_arrow().to_pydict() == {"x": ["y"]}
    with open_local(path, sheet=1, header=False) as data:
        assert data.to_arrow().to_pydict() == {"column_1": ["x", "y"]}


def test_spreadsheet_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="columns 1, 2 have the same name"):
        open_local(book(tmp_path, ["a", "a"], [1, 2]))
    with pytest.raises(DataError, match="no name for column 2"):
        open_local(book(tmp_path, ["a", None, "c"], [1, 2, 3]))
    with pytest.raises(DataError, match="is empty"):
        open_local(book(tmp_path))
    path = book(tmp_path, ["a"], [1], other=[["x"]])
    with pytest.raises(DataError, match=r"no sheet 'othr'.*did you mean 'other'"):
        open_local(path, sheet="othr")
    with pytest.raises(DataError, match="none at place 5"):
        open_local(path, sheet=5)
    with pytest.raises(DataError, match="can't be read as a spreadsheet"):
        open_local(write(tmp_path, b"hello", "u.xlsx"))
    made = openpyxl.Workbook()
    for row in (["a"], [1], ["#DIV/0!"]):
        made.active.append(row)
    made.active["A3"].data_type = "e"
    made.save(path)
    with pytest.raises(DataError, match="row 3, column 1: the cell holds an error"):
        open_local(path)
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(MissingExtra, match=r"antifaz\[excel\]"):
        open_local(path)


def test_check_21_a_workbook_that_would_unpack_to_more_than_memory_is_refused(tmp_path, monkeypatch):
    import zipfile

    from antifaz.sources import workbook_reader as sheets

    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 5_000_000)
    monkeypatch.setattr(sheets, "available_memory", lambda: 9_000_000)
    with pytest.raises(DataError, match="does not fit in memory"):
        sheets.read_sheet(tmp_path / "bomb.xlsx")
