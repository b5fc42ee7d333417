"""Spreadsheets: exact, or refused with the place."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from antifaz.core.errors import DataError, MissingExtra
from antifaz.engines.local.data import open_local
from failing import failing, near


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
    with failing("header.column-name-twice", DataError, columns=[1, 2]):
        open_local(book(tmp_path, ["a", "a"], [1, 2]))
    with failing("header.column-without-name", DataError, columns=[2]):
        open_local(book(tmp_path, ["a", None, "c"], [1, 2, 3]))
    with failing("workbook.sheet-empty", DataError):
        open_local(book(tmp_path))
    path = book(tmp_path, ["a"], [1], other=[["x"]])
    with failing("workbook.unknown-sheet", DataError, sheet="othr", hint=near("other")):
        open_local(path, sheet="othr")
    with failing("workbook.no-such-sheet", DataError, place=5):
        open_local(path, sheet=5)
    with failing("workbook.not-readable", DataError):
        (tmp_path / "u.xlsx").write_bytes(b"hello")
        open_local(tmp_path / "u.xlsx")
    made = openpyxl.Workbook()
    for row in (["a"], [1], ["#DIV/0!"]):
        made.active.append(row)
    made.active["A3"].data_type = "e"
    made.save(path)
    with failing("workbook.cell-holds-error", DataError, row=3, column=1):
        open_local(path)
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with failing("workbook.fastexcel-missing", MissingExtra):
        open_local(path)


def test_check_21_a_workbook_that_would_unpack_to_more_than_memory_is_refused(tmp_path, monkeypatch):
    import zipfile

    from antifaz.sources import workbook_reader as sheets

    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 5_000_000)
    monkeypatch.setattr(sheets, "available_memory", lambda: 9_000_000)
    with failing("workbook.too-large-for-memory", DataError):
        sheets.read_sheet(tmp_path / "bomb.xlsx")


def test_a_sheet_is_repaired_by_name(tmp_path: Path) -> None:
    rows = [["Survey"], [], ["id", None, "age", "age"], [1, 2, 34, 35], [], [3, 4, 31, 32], ["Total", 6, 65, 67]]
    path = book(tmp_path, *rows)
    with pytest.raises(DataError) as caught:
        open_local(path)
    offered = {o.values["name"]: o.values["what"].values["count"] for o in caught.value.message.values["repairs"]}
    assert offered == {"title-lines": 2, "unnamed-column": 1, "duplicate-names": 1, "blank-lines": 1}
    with open_local(path, repair=[*offered, "totals-line"]) as data:
        # The word 'Total' stands in the first column, which is therefore taken as text.
        assert data.to_arrow().to_pydict() == {"id": ["1", "3"], "column_2": [2, 4], "age": [34, 31], "age 2": [35, 32]}
        done = {repair.name: (repair.count, repair.line) for repair in data.repairs}
    assert done["title-lines"] == (2, 1)
    assert (done["blank-lines"], done["totals-line"]) == ((1, 5), (1, 7))


def test_two_lines_of_a_header_are_joined(tmp_path: Path) -> None:
    path = book(
        tmp_path,
        ["Survey"],
        ["Person", None, "Visit"],
        ["age", "sex", "cost"],
        [31, "m", 2.5],
        [42, "f", 3],
        [50, "f", 4],
    )
    with pytest.raises(DataError) as caught:
        open_local(path)
    offered = {offer.values["name"] for offer in caught.value.message.values["repairs"]}
    assert offered == {"title-lines", "second-header"}
    with open_local(path, repair=["title-lines", "second-header"]) as data:
        assert data.to_arrow().to_pydict() == {
            "Person age": [31, 42, 50], "Person sex": ["m", "f", "f"], "Visit cost": [2.5, 3.0, 4.0],
        }  # fmt: skip
        assert [repair.line for repair in data.repairs if repair.name == "second-header"] == [3]


def test_of_several_tables_in_a_sheet_the_first_is_read(tmp_path: Path) -> None:
    path = book(tmp_path, ["a", "b"], [1, 2], [3, 4], [], ["x", "y"], [5, 6])
    with open_local(path, repair="several-tables") as data:
        assert data.to_arrow().num_rows == 2
        (done,) = data.repairs
    assert (done.count, done.line, done.left_out) == (2, 5, 2)


def test_where_another_sheet_is_larger_the_person_is_asked(tmp_path: Path) -> None:
    path = book(tmp_path, ["read me"], people=[["age", "sex"], [34, "f"], [31, "m"]])
    with failing("workbook.which-sheet", DataError) as caught:
        open_local(path)
    assert "'people' (3 rows, 2 columns)" in str(caught.value)
    assert "--repair largest-sheet " in str(caught.value)
    with open_local(path, repair=["largest-sheet"]) as data:
        assert data.schema.names == ("age", "sex")
        assert [note.code for note in data.notes if hasattr(note, "code")] == ["note.sheets", "note.repaired"]
    with open_local(path, sheet="people") as data:
        assert data.rows == 2
    with open_local(path, sheet=0) as data:
        assert data.rows == 0
