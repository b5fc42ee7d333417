"""How far the cells of a sheet reach: a kilobyte that would be gigabytes is refused before a cell is read."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from antifaz.core.errors import DataError
from antifaz.sources.workbook_extent import binary_reach, check_extent, check_other_extents, open_document_reaches
from antifaz.sources.workbook_reader import read_sheet
from antifaz.sources.workbook_writer import write_archive
from failing import failing


def workbook(tmp_path, *cells):
    """Write a workbook whose cells are at given places."""
    path = tmp_path / "book.xlsx"
    write_archive(path, ["a"], [f'<row r="2">{"".join(cells)}</row>'.encode()], 100)
    return path


def cell(place, value="7"):
    return f'<c r="{place}"><v>{value}</v></c>'


def test_check_21_two_cells_far_apart_are_refused_in_a_kilobyte(tmp_path):
    path = workbook(tmp_path, cell("XFD1048576"))
    assert path.stat().st_size < 2_000
    with failing("workbook.too-large-for-memory", DataError, file="book.xlsx"):
        read_sheet(path)


@pytest.mark.parametrize("place", ["XFE2", "AAAA2", "A1048577", "A99999999999999999999", "ZZZZZZZZZZZZZZZZZZZZZ2"])
def test_check_23_a_cell_outside_of_the_sheet_is_refused_in_words(tmp_path, place):
    with failing("workbook.cell-outside-sheet", DataError, file="book.xlsx"):
        read_sheet(workbook(tmp_path, cell("A2"), cell(place)), memory=10**8)


def test_what_fits_is_read(tmp_path):
    made = read_sheet(workbook(tmp_path, cell("A2"), cell("A3")), memory=10**9)
    assert made.table.column(0).to_pylist()[0] == 7


def test_the_size_is_that_of_the_rectangle(tmp_path):
    path = workbook(tmp_path, cell("C2"), cell("D1001"))  # A1 holds the name: 4 columns, 1,001 rows
    check_extent(path, 0, 4 * 1001 * 32)
    with failing("workbook.too-large-for-memory"):
        check_extent(path, 0, 4 * 1001 * 32 - 1)


def test_other_spellings_of_a_place_are_places(tmp_path):
    path = tmp_path / "odd.xlsx"
    with zipfile.ZipFile(workbook(tmp_path, cell("B2"))) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if "sheet1" in name:
                text = re.sub(rb'<c r="B2">', b"<c t='n' r = 'xfd1048576'>", text)
            new.writestr(name, text)
    with failing("workbook.too-large-for-memory"):
        check_extent(path, 0, 10**9)


def test_what_is_no_archive_is_left_to_the_reader(tmp_path):
    (tmp_path / "a.xls").write_bytes(b"nothing")
    check_extent(tmp_path / "a.xls", 0, 1)


def test_check_23_a_reader_that_panics_is_a_worded_error(tmp_path, monkeypatch):
    PanicException = type("PanicException", (BaseException,), {})

    def panic(*_):
        raise PanicException("CANARY")

    monkeypatch.setattr("antifaz.sources.workbook_reader._read", panic)
    with failing("workbook.not-readable", DataError) as caught:
        read_sheet(workbook(tmp_path, cell("A2")))
    assert "CANARY" not in str(caught.value)


NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)
VALUE = 'office:value-type="float" office:value="7"'


def content(*rows: str) -> str:
    body = f'<table:table table:name="a">{"".join(rows)}</table:table>'
    body = f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
    return f'<?xml version="1.0"?><office:document-content {NAMES}>{body}</office:document-content>'


def open_document(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "book.ods"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("META-INF/manifest.xml", "<manifest:manifest/>")
        archive.writestr("content.xml", content(*rows))
    return path


def row(*cells: str, repeated: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{repeated}">{"".join(cells)}</table:table-row>'


def text(value: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'


def number(repeated: int = 1) -> str:
    return f'<table:table-cell table:number-columns-repeated="{repeated}" {VALUE}/>'


def empty(repeated: int) -> str:
    return f'<table:table-cell table:number-columns-repeated="{repeated}"/>'


def test_check_21_a_repeated_cell_of_an_open_document_is_refused_in_a_kilobyte(tmp_path: Path) -> None:
    path = open_document(tmp_path, row(text("a")), row(number(16_384), repeated=1_048_575))
    assert path.stat().st_size < 2_000
    with failing("workbook.too-large-for-memory", DataError, file="book.ods"):
        read_sheet(path)


@pytest.mark.parametrize(
    "rows", [[row(number(16_385))], [row(empty(99_999_999_999), number())], [row(number(), repeated=2**31)]]
)
def test_check_23_a_cell_outside_of_an_open_document_is_refused_in_words(tmp_path: Path, rows: list[str]) -> None:
    with failing("workbook.cell-outside-sheet", DataError, file="book.ods"):
        read_sheet(open_document(tmp_path, *rows))


def test_empty_cells_at_the_end_are_none(tmp_path: Path) -> None:
    # As LibreOffice writes them: to the end of the sheet in both directions.
    filled = [row(text("a"), empty(16_383)), row(number(), empty(16_383), repeated=3)]
    path = open_document(tmp_path, *filled, row(empty(16_384), repeated=1_048_572))
    assert list(open_document_reaches(iter([content(*filled, row(empty(16_384), repeated=9)).encode()]))) == [(4, 1)]
    assert read_sheet(path).table.column("a").to_pylist() == [7, 7, 7]


def test_signs_in_attributes_and_pieces_hide_no_cell() -> None:
    odd = f"<table:table-cell x='>' table:number-columns-repeated = ' 900' {VALUE}/>"
    whole = content(row(odd), row(empty(4), text("b"))).encode()
    pieces = [b"<" + piece for piece in whole.split(b"<")[1:]]
    assert list(open_document_reaches(iter(pieces))) == list(open_document_reaches(iter([whole]))) == [(2, 900)]


def record(kind: int, content: bytes) -> bytes:
    return bytes([kind, len(content)]) + content


def binary_cell(row: int, column: int) -> bytes:
    places = (number.to_bytes(4, "little") for number in (row, column))
    return record(0, next(places) + bytes(13)) + record(5, next(places) + bytes(12))


def binary_workbook(tmp_path: Path, *cells: tuple[int, int]) -> Path:
    path = tmp_path / "book.xlsb"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.bin", b"")
        # A record of two bytes for its kind, and one that is long, come before.
        before = b"\x81\x01\x00" + b"\x93\x01" + b"\x80\x02" + bytes(256)
        archive.writestr("xl/worksheets/sheet1.bin", before + b"".join(binary_cell(*cell) for cell in cells))
    return path


def test_check_21_two_cells_of_a_binary_workbook_far_apart_are_refused_in_a_kilobyte(tmp_path: Path) -> None:
    path = binary_workbook(tmp_path, (0, 0), (1_048_575, 16_383))
    assert path.stat().st_size < 2_000
    with failing("workbook.too-large-for-memory", DataError, file="book.xlsb"):
        read_sheet(path)
    with failing("workbook.cell-outside-sheet", DataError, file="book.xlsb"):
        read_sheet(binary_workbook(tmp_path, (0, 16_384)))


def test_the_size_of_a_binary_sheet_is_that_of_its_rectangle(tmp_path: Path) -> None:
    path = binary_workbook(tmp_path, (0, 3), (1000, 0))
    check_other_extents(path, 4 * 1001 * 32)
    with failing("workbook.too-large-for-memory"):
        check_other_extents(path, 4 * 1001 * 32 - 1)
    assert binary_reach(b"\x00\xff") == binary_reach(b"") == (0, 0)


def test_what_is_neither_is_left_to_the_reader(tmp_path: Path) -> None:
    (tmp_path / "a.xls").write_bytes(b"nothing")
    check_other_extents(tmp_path / "a.xls", 1)
