"""The archive that a workbook is, read by another program."""

from __future__ import annotations

from pathlib import Path

import openpyxl

from antifaz.sources.workbook_writer import column_letters, escaped, write_archive


def test_another_program_reads_what_is_written(tmp_path: Path) -> None:
    row = b'<row r="2"><c r="A2"><v>7</v></c><c r="B2" t="inlineStr"><is><t>x</t></is></c></row>'
    write_archive(tmp_path / "t.xlsx", ["a<b", "c"], [row], len(row))
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx")["release"]
    assert list(sheet.values) == [("a<b", "c"), (7, "x")]


def test_columns_are_counted_in_letters() -> None:
    assert [column_letters(place) for place in (0, 25, 26, 51, 52, 701, 702, 16_383)] == [
        "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA", "XFD",
    ]  # fmt: skip


def test_names_are_escaped_as_workbooks_read_them() -> None:
    assert escaped("a&b\r_x0041_") == "a&amp;b_x000D__x005F_x0041_"
