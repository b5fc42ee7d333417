"""A release in other formats: the same cells, numbers as numbers where none loses its value, nothing that runs."""

from __future__ import annotations

import fastexcel
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import CheckFailed, InputError, ParameterError
from antifaz.engines.local import convert as module
from antifaz.engines.local.convert import convert
from antifaz.sources import workbook_writer
from failing import failing, like

TEXT = """\
age,code,rate,exact,born,yes,said
31,007,0.10,12345678901234567.5,1999-12-31,true,"a ""b"" c"
-4,010,2.5,0.1,2000-01-01,false,"line
break"
,"",,,,,'=1+1
9007199254740993,x,1,3,2001-02-03,true,é;ü
"""


@pytest.fixture
def release(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_parquet_has_types_only_where_every_cell_keeps_its_value(release, tmp_path):
    convert(release, tmp_path / "release.parquet", "parquet")
    table = pq.read_table(tmp_path / "release.parquet")
    kinds = {field.name: field.type for field in table.schema}
    assert kinds["age"] == pa.int64()
    assert kinds["code"] == pa.string()
    assert kinds["rate"] == pa.float64()
    assert kinds["exact"] == pa.string()  # no double holds its digits
    assert kinds["born"] == pa.date32()
    assert kinds["yes"] == pa.bool_()
    assert table["age"].to_pylist() == [31, -4, None, 9007199254740993]
    assert table["code"].to_pylist() == ["007", "010", "", "x"]


@pytest.mark.parametrize(("format", "between"), [("tsv", "\t"), ("txt", ";")])
def test_text_formats_hold_the_same_text(release, tmp_path, format, between):
    import csv

    convert(release, tmp_path / f"release.{format}", format)
    with (tmp_path / f"release.{format}").open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file, delimiter=between))
    with release.open(encoding="utf-8", newline="") as file:
        assert found == list(csv.reader(file))


def test_check_37_a_workbook_holds_numbers_as_numbers_and_runs_nothing(release, tmp_path):
    convert(release, tmp_path / "release.xlsx", "xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "release.xlsx").active
    rows = list(sheet.iter_rows())
    assert [cell.value for cell in rows[1]] == [31, "007", 0.1, "12345678901234567.5", "1999-12-31", True, 'a "b" c']
    assert rows[4][0].value == "9007199254740993"  # more than a sheet can hold as a number
    assert rows[3][6].value == "'=1+1"
    assert not any(cell.data_type == "f" for row in rows for cell in row)


def test_text_from_parquet_that_would_run_is_made_harmless(tmp_path):
    pq.write_table(pa.table({"a": ["=cmd()", "-5", "x"], "n": [-1, 2, 3]}), tmp_path / "release.parquet")
    for format in ("csv", "xlsx"):
        convert(tmp_path / "release.parquet", tmp_path / f"release.{format}", format)
    assert (tmp_path / "release.csv").read_text("utf-8").splitlines() == ["a,n", "'=cmd(),-1", "-5,2", "x,3"]
    sheet = openpyxl.load_workbook(tmp_path / "release.xlsx").active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert cells == [["a", "n"], ["'=cmd()", -1], ["-5", 2], ["x", 3]]
    assert not any(cell.data_type == "f" for row in sheet.iter_rows() for cell in row)


def test_a_workbook_keeps_what_xml_and_sheets_would_take_for_something_else(tmp_path):
    names = ["a & <b>", "n", "_x0041_"]
    given = [
        ["x\ry", 1.5, "_x0041_"],
        ["l\nm", None, "  blanks "],
        ["&lt;", float("inf"), "é 漢字 😀"],
        [None, None, None],
        [None, None, None],
    ]
    table = pa.table(dict(zip(names, map(list, zip(*given, strict=True)), strict=True)))
    pq.write_table(table, tmp_path / "release.parquet")
    convert(tmp_path / "release.parquet", tmp_path / "release.xlsx", "xlsx")
    read = fastexcel.read_excel(str(tmp_path / "release.xlsx")).load_sheet(0, dtypes="string").to_arrow()
    assert read.schema.names == names
    told = [[None if cell is None else str(cell) for cell in row] for row in given]
    assert [list(row.values()) for row in read.to_pylist()] == told[:3]  # the empty rows at the end are nothing


def test_a_workbook_of_more_columns_than_letters(tmp_path):
    names = [f"column {i}" for i in range(800)]
    pq.write_table(pa.table({name: [i, -i] for i, name in enumerate(names)}), tmp_path / "release.parquet")
    convert(tmp_path / "release.parquet", tmp_path / "release.xlsx", "xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "release.xlsx").active
    assert [cell.value for cell in sheet[1]] == names
    assert [cell.value for cell in sheet[2]] == list(range(800))
    assert sheet[3][701].coordinate == "ZZ3" and sheet[3][702].coordinate == "AAA3"


def test_what_differs_is_not_left(release, tmp_path, monkeypatch):
    nothing = ", ".join(f"NULL AS c{i}" for i in range(7))
    monkeypatch.setattr(module, "written_rows", lambda place, between, columns: f"(SELECT {nothing})")
    with pytest.raises(CheckFailed):
        convert(release, tmp_path / "release.parquet", "parquet")
    monkeypatch.setattr(workbook_writer, "_escaping", lambda cell: f"upper({cell})")
    with pytest.raises(CheckFailed):
        convert(release, tmp_path / "release.xlsx", "xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["release.csv"]


def test_what_a_sheet_can_not_hold_is_said(tmp_path, monkeypatch):
    path = tmp_path / "release.csv"
    path.write_text("a\n" + "x" * 40_000 + "\n", encoding="utf-8")
    with failing("workbook.cell-too-long", InputError):
        convert(path, tmp_path / "release.xlsx", "xlsx")
    path.write_text('a\n"\x01"\n', encoding="utf-8")
    with failing("workbook.cell-has-control-character", InputError):
        convert(path, tmp_path / "release.xlsx", "xlsx")
    monkeypatch.setattr(module.workbook, "MOST_ROWS", 2)
    path.write_text("a\n1\n2\n", encoding="utf-8")
    with failing("workbook.too-many-rows-or-columns", InputError):
        convert(path, tmp_path / "release.xlsx", "xlsx")
    with failing(
        "release.unknown-download-format",
        ParameterError,
        hint=like("hint.known", names=["csv", "dta", "excel.csv", "parquet", "sav", "tsv", "txt", "xlsx", "xpt"]),
    ):
        convert(path, tmp_path / "release.doc", "doc")


def test_text_for_excel_has_semicolons_decimal_commas_and_a_mark(tmp_path):
    (tmp_path / "release.csv").write_text('age,weight,note\n"[20, 30)",61.5,"1.5, or so"\n*,-2.0,3.5\n')
    convert(tmp_path / "release.csv", tmp_path / "release.excel.csv", "excel.csv")
    text = (tmp_path / "release.excel.csv").read_bytes().decode("utf-8-sig")
    assert (tmp_path / "release.excel.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert text.splitlines() == ["age;weight;note", "[20, 30);61,5;1.5, or so", "*;-2,0;3.5"]


def test_cells_in_a_form_are_what_they_mean_in_parquet_and_as_they_are_in_text(tmp_path):
    (tmp_path / "release.csv").write_text("day;weight\n16/11/2016;61,5\n17/11/2016;62,5\n")
    reading = {"delimiter": ";", "header": True, "written": {"day": "date(d/m/Y)", "weight": "decimal(comma)"}}
    convert(tmp_path / "release.csv", tmp_path / "release.parquet", "parquet", reading)
    assert pq.read_table(tmp_path / "release.parquet").column("weight").to_pylist() == [61.5, 62.5]
    convert(tmp_path / "release.csv", tmp_path / "release.tsv", "tsv", reading)
    assert (tmp_path / "release.tsv").read_text().splitlines()[1] == "16/11/2016\t61,5"
