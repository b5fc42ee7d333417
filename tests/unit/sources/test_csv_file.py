"""Delimited text: exact, or refused with the place; never a silent change, never a cell in a message."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antifaz.core.errors import AntifazError, DataError
from antifaz.core.types import DataType
from antifaz.engines.local.data import open_local
from antifaz.sources import csv_file
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import read
from failing import failing, like

CANARY = "Kanarienvogel"


def rows(path: Path, **options: object) -> list[tuple[str | None, ...]]:
    with open_local(path, **options) as data:
        names = data.schema.names
        return [names, *(tuple(row[name] for name in names) for row in data.to_arrow().to_pylist())]


def write(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


EXACT = {
    "plain": (b"a,b\n1,2\n3,4\n", [("a", "b"), ("1", "2"), ("3", "4")]),
    "no last newline": (b"a,b\n1,2\n3,4", [("a", "b"), ("1", "2"), ("3", "4")]),
    "CRLF": (b"a,b\r\n1,2\r\n", [("a", "b"), ("1", "2")]),
    "CR only": (b"a,b\r1,2\r3,4\r", [("a", "b"), ("1", "2"), ("3", "4")]),
    "CR only, no last": (b"a,b\r1,2", [("a", "b"), ("1", "2")]),
    "LF and CRLF": (b"a,b\r\n1,2\n3,4\r\n", [("a", "b"), ("1", "2"), ("3", "4")]),
    "leading zeros": (b"zip,n\n08001,1.0\n00007,1.00\n", [("zip", "n"), ("08001", "1.0"), ("00007", "1.00")]),
    "NA and null are names": (b"n,m\nNA,null\nNone,NaN\n", [("n", "m"), ("NA", "null"), ("None", "NaN")]),
    "beyond 2**53": (b"id,x\n9007199254740993,1\n", [("id", "x"), ("9007199254740993", "1")]),
    "newlines inside": (b'a,b\n"x\ny","p\r\nq"\n', [("a", "b"), ("x\ny", "p\r\nq")]),
    "quotes inside": (b'a,b\n"say ""hi""",""""\n', [("a", "b"), ('say "hi"', '"')]),
    "quote in a plain field": (b'a,b\n5" pipe,x"y"\n', [("a", "b"), ('5" pipe', 'x"y"')]),
    "blank before a quote": (b'a,b\n1, "2"\n', [("a", "b"), ("1", ' "2"')]),
    "empty and quoted empty": (b'a,b\n,""\n"",\n', [("a", "b"), (None, ""), ("", None)]),
    "blank is not empty": (b"a,b\n ,x\n", [("a", "b"), (" ", "x")]),
    "trailing blank lines": (b"a,b\n1,2\n\n\r\n\n", [("a", "b"), ("1", "2")]),
    "one column": (b'a\nx\n\n""\ny\n', [("a",), ("x",), (None,), ("",), ("y",)]),
    "one column ends with missing": (b"a\nx\n\n", [("a",), ("x",), (None,)]),
    "header only": (b"a,b\n", [("a", "b")]),
    "header only, no newline": (b"a,b", [("a", "b")]),
    "header with a newline": (b'"a\nb",c\n1,2\n', [("a\nb", "c"), ("1", "2")]),
    "UTF-8 mark": (b"\xef\xbb\xbfa,b\n1,2\n", [("a", "b"), ("1", "2")]),
    "a second mark is data": ("\ufeff\ufeffa,b\n1,2\n".encode(), [("\ufeffa", "b"), ("1", "2")]),
    "UTF-16 LE": ("a,ñ\n1,€\n".encode("utf-16"), [("a", "ñ"), ("1", "€")]),
    "UTF-16 BE": (b"\xfe\xff" + "a,ñ\n1,€\n".encode("utf-16-be"), [("a", "ñ"), ("1", "€")]),
    "UTF-16 unmarked": ("name,n\nabc,1\ndef,2\n".encode("utf-16-le"), [("name", "n"), ("abc", "1"), ("def", "2")]),
    "cp1252": ("a,b\nPeña,€\n".encode("cp1252"), [("a", "b"), ("Peña", "€")]),
    "latin-1": (b"a,b\nPe\xf1a,\x81\n", [("a", "b"), ("Peña", "\x81")]),
    "astral": ("a,b\n😀,𝔘\n".encode(), [("a", "b"), ("😀", "𝔘")]),
    "NFD stays NFD": ("a,b\ne\u0301,é\n".encode(), [("a", "b"), ("e\u0301", "é")]),
    "semicolon": (b"a;b\n1,5;2\n", [("a", "b"), ("1,5", "2")]),
    "tab": (b"a\tb\n1\t2\n", [("a", "b"), ("1", "2")]),
    "pipe": (b"a|b\n1|2\n", [("a", "b"), ("1", "2")]),
    "colon": (b"a:b\n1:2\n", [("a", "b"), ("1", "2")]),
    "times are no fields": (b"time\n10:30\n11:45\n", [("time",), ("10:30",), ("11:45",)]),
    "comma inside quotes": (b'a;b\n"1,2,3";4\n"5,6,7";8\n', [("a", "b"), ("1,2,3", "4"), ("5,6,7", "8")]),
    "no header": (b"1,x\n2,y\n", [("column_1", "column_2"), ("1", "x"), ("2", "y")]),
    "odd names": (b'"a""b","select"\n1,2\n', [('a"b', "select"), ("1", "2")]),
}


@pytest.mark.parametrize("name", EXACT)
def test_check_22_read_exactly(name: str, tmp_path: Path) -> None:
    content, expected = EXACT[name]
    assert rows(write(tmp_path, content)) == expected


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_read_exactly_in_small_chunks(name: str, size: int, tmp_path: Path) -> None:
    content, expected = EXACT[name]
    reader = read(write(tmp_path, content), ReadOptions(chunk=size))
    table = pa.concat_tables(reader.tables)
    assert [tuple(table.column_names), *zip(*table.to_pydict().values(), strict=True)] == expected


REFUSED = {
    "short": (b"a,b\n1,2\n3\n", ["line 3", "column 1", "1 field where", "has 2"]),
    "long": (b"a,b\n1,2\nx,Kanarienvogel,z\n", ["line 3", "column 3", "3 fields"]),
    "long after a quoted newline": (b'a,b\n"1\n2",2\n3,4,5\n', ["line 4"]),
    "unclosed quote": (b'a,b\n1,2\n3,"Kanarienvogel\n5,6\n', ["line 3", "column 2", "never closed"]),
    "stray": (b'a,b\n1,"x"Kanarienvogel\n', ["line 2", "column 2", "closing quote"]),
    "backslash escape": (b'a,b\n"x\\"y",2\n', ["line 2", "column 1", "twice"]),
    "NUL": (b"a,b\n1,2\nKanarienvogel,x\0y\n", ["line 3", "column 2", "NUL"]),
    "CR among LF": (b"a,b\n1,2\r3,4\n", ["line 2", "CR"]),
    "LF among CR": (b"a,b\r1,2\r3,4\n5,6\n", ["LF", "CR"]),
    "blank line inside": (b"a,b\n1,2\n\n3,4\n", ["line 3", "blank line"]),
    "blank line first": (b"\na,b\n1,2\n", ["line 1", "blank line"]),
    "same name": (b"a,b,a\n1,2,3\n", ["columns 1, 3", "same name"]),
    "same name but for case": (b"a,b,A\n1,2,3\n", ["columns 1, 3"]),
    "no name": (b"a,,c\nx,y,z\n", ["column 2", "no name"]),
    "broken UTF-8": ("a,b\nPeña Núñez,é\nü".encode() + b"\xc3,x\n", ["line 3", "UTF-8", "offset"]),
    "PNG": (b"\x89PNG\r\n\x1a\n\0\0\0", ["PNG"]),
    "ZIP": (b"PK\x03\x04aaaa", ["ZIP"]),
    "gzip": (b"\x1f\x8b\x08\0abc", ["can't be unpacked"]),
    "garbage": (bytes(range(256)) * 20, ["not text"]),
    "empty": (b"", ["empty"]),
    "newlines only": (b"\n\n\n", ["line 1", "blank line"]),
    "mark only": (b"\xef\xbb\xbf", ["no columns"]),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_check_22_refused_with_the_place(name: str, size: int, tmp_path: Path) -> None:
    content, words = REFUSED[name]
    with pytest.raises(DataError) as caught:
        list(read(write(tmp_path, content), ReadOptions(chunk=size)).tables)
    message = str(caught.value)
    for word in words:
        assert word in message, message
    assert CANARY not in message
    assert "\n" not in message


def test_check_21_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_file, "LONGEST", 1 << 20)
    path = write(tmp_path, b"a,b\n1,2\n3," + b"x" * (3 << 20))
    with failing("csv.record-wrong", DataError, words=like("csv.record-too-long", line=3, longest=1)):
        list(read(path, ReadOptions(chunk=1 << 18)).tables)


def test_long_line_within_the_limit(tmp_path: Path) -> None:
    long = "x" * (5 << 20)
    path = write(tmp_path, f'a,b\n1,2\n3,"{long}\n"\n4,5\n')
    assert rows(path)[1:] == [("1", "2"), ("3", long + "\n"), ("4", "5")]


def test_check_21_ten_thousand_columns(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(10_000)]
    path = write(tmp_path, ",".join(names) + "\n" + ",".join(str(i) for i in range(10_000)) + "\n")
    with open_local(path) as data:
        assert data.schema.names == tuple(names)
        assert data.schema["c77"].type is DataType.INTEGER
        assert data.to_arrow().column("c9999")[0].as_py() == "9999"


def test_missing_words(tmp_path: Path) -> None:
    path = write(tmp_path, b'age,b\n39,?\n?,"?"\nNA,x\n')
    assert rows(path, missing=["?", "NA"]) == [("age", "b"), ("39", None), (None, "?"), (None, "x")]
    with open_local(path, missing=["?", "NA"]) as data:
        assert data.schema["age"].type is DataType.INTEGER


cell = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
    st.text(st.sampled_from('",;\n\r\t aé😀'), max_size=5),
)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str | None]]:
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=6))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(table=tables(), quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), size=st.sampled_from([3, 1 << 20]))
def test_check_22_what_python_writes_is_read_back(
    table: list[list[str | None]], quoting: int, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_file, "CHUNK", size)
    names = tuple(f"n{i}" for i in range(len(table[0])))
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=quoting)
    writer.writerow(names)
    writer.writerows(table)
    path = write(tmp_path, text.getvalue())
    found = rows(path, delimiter=",", header=True, encoding="utf-8")
    # Without quotes Python writes None and '' the same way; with quotes, both as ''.
    empty = "" if quoting == csv.QUOTE_ALL or len(names) == 1 else None
    assert found == [names, *(tuple(c or empty for c in row) for row in table)]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.binary(max_size=60))
def test_check_23_any_bytes_are_read_or_refused(content: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    try:
        open_local(path).close()
    except AntifazError as error:
        assert "\n" not in str(error)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.text(st.sampled_from('ab12",\n\r;é '), max_size=30))
def test_check_22_text_is_read_as_python_reads_it_or_refused(content: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    try:
        found = rows(path, delimiter=",", header=False)
    except DataError:
        return
    expected = [row for row in csv.reader(io.StringIO(content, newline=""), strict=True) if row]
    if len(found[0]) > 1:
        assert [[cell or "" for cell in row] for row in found[1:]] == expected
