"""How far the cells of a sheet reach: a kilobyte that would be gigabytes is refused before a cell is read."""

import re
import zipfile

import pytest

from antifaz.core.errors import DataError
from antifaz.sources.workbook_extent import check_extent
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
