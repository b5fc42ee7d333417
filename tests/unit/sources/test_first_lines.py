"""The first lines of a file, whatever is wrong with it: numbers of lines, cells, and the lines around a fault."""

import gzip

import openpyxl
import pytest

from antifaz.sources.file_format import ReadOptions
from antifaz.sources.first_lines import AROUND, FIRST, MOST_CELLS, MOST_CHARACTERS, first_lines, header_line, sheets_of


def shown(path, fault=None, **options):
    return [(line.number, line.cells) for line in first_lines(path, ReadOptions(**options), fault)]


def test_each_line_is_split_by_itself(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes('Informe\r\n\r\nname;age\r\n"Ána;x";31\r\n"open;40\r\nEva;2;3\r\n'.encode("cp1252"))
    assert shown(path) == [
        (1, ["Informe"]), (2, []), (3, ["name", "age"]), (4, ["Ána;x", "31"]), (5, ["open;40"]), (6, ["Eva", "2", "3"]),
    ]  # fmt: skip
    assert header_line(path, ReadOptions()) == 1
    assert header_line(path, ReadOptions(repair=frozenset({"title-lines"}))) == 3


def test_lines_around_a_fault_far_down_are_shown_too(tmp_path):
    path = tmp_path / "long.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(1, 500))))
    numbers = [number for number, _ in shown(path, fault=300)]
    assert numbers == [*range(1, FIRST + 1), *range(300 - AROUND, 300 + AROUND + 1)]
    assert shown(path, fault=300)[-1] == (302, ["301", "x"])
    assert [number for number, _ in shown(path, fault=5)] == [*range(1, FIRST + 1)]


def test_long_lines_and_cells_are_cut(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join("x" * 500 for _ in range(100)) + "\n" + "y" * 100_000 + "\nz,1\n", encoding="utf-8")
    first, second, third = first_lines(path, ReadOptions(delimiter=","))
    assert (len(first.cells), first.more) == (MOST_CELLS, True) or len(first.cells) == 33  # as far as a line is read
    assert first.cells[0] == "x" * MOST_CHARACTERS + "…"
    assert second.number == 2 and len(second.cells[0]) == MOST_CHARACTERS + 1
    assert (third.number, third.cells) == (3, ["z", "1"])


def test_lines_of_fixed_width_are_whole_until_widths_are_told(tmp_path):
    path = tmp_path / "f.dat"
    path.write_text("ana  31M\nleo  40Mx\n", encoding="utf-8")
    assert shown(path, format="fixed") == [(1, ["ana  31M"]), (2, ["leo  40Mx"])]
    told = shown(path, widths={"name": 5, "age": 2, "sex": 1})
    assert told == [(1, ["ana  ", "31", "M"]), (2, ["leo  ", "40", "M", "x"])]


def test_other_separators_and_other_formats(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("a||b\n1||2\n", encoding="utf-8")
    assert shown(path, delimiter="||") == [(1, ["a", "b"]), (2, ["1", "2"])]
    (tmp_path / "a.json").write_text('[{"a": 1},\n {"a": 2}]', encoding="utf-8")
    assert shown(tmp_path / "a.json") == [(1, ['[{"a": 1},']), (2, [' {"a": 2}]'])]
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    assert shown(tmp_path / "a.parquet") == []


def test_sheets_have_sizes_and_the_largest_is_shown_where_none_is_named(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "notes"
    book.active.append(["made in June"])
    people = book.create_sheet("people")
    for row in (["name", "age"], ["Ana", 31], ["Leo", None]):
        people.append(row)
    book.save(tmp_path / "a.xlsx")
    assert sheets_of(tmp_path / "a.xlsx", ReadOptions()) == {"notes": (1, 1), "people": (3, 2)}
    assert shown(tmp_path / "a.xlsx") == [(1, ["name", "age"]), (2, ["Ana", "31"]), (3, ["Leo", ""])]
    assert shown(tmp_path / "a.xlsx", sheet="notes") == [(1, ["made in June"])]
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    assert sheets_of(tmp_path / "a.csv", ReadOptions()) == {}


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way(tmp_path, ends):
    path = tmp_path / "a.csv"
    path.write_bytes(f"\ufeffa,b{ends}1,2{ends}".encode())
    assert shown(path) == [(1, ["a", "b"]), (2, ["1", "2"])]
