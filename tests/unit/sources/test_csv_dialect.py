"""How a delimited file is written: found out, or given."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import DataError, ParameterError
from antifaz.engines.local.data import open_local
from antifaz.sources.csv_dialect import sniff
from antifaz.sources.csv_file import DelimitedFile
from failing import failing


def write(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(path: Path, **options: object) -> list[tuple[str | None, ...]]:
    with open_local(path, **options) as data:
        names = data.schema.names
        return [names, *(tuple(row[name] for name in names) for row in data.to_arrow().to_pylist())]


def test_a_given_dialect(tmp_path: Path) -> None:
    path = write(tmp_path, "a#b\n'x#y'#2\n")
    assert rows(path, delimiter="#", quote="'") == [("a", "b"), ("x#y", "2")]
    path = write(tmp_path, b'a,b\n"x,y"\n')
    assert rows(path, quote="") == [("a", "b"), ('"x', 'y"')]
    assert rows(path, quote="", header=False) == [("column_1", "column_2"), ("a", "b"), ('"x', 'y"')]
    for wrong in ("a\n", '"', ';"'):
        with failing("csv.delimiter-wrong", ParameterError):
            open_local(path, delimiter=wrong)
    with failing("csv.quote-not-one-character", ParameterError):
        open_local(path, quote="''")


def test_numeric_names_need_to_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, b"id,2019\n7,1\n8,2\n")
    assert rows(path)[0] == ("id", "2019")
    path = write(tmp_path, b"2018,2019\n7,1\n8,2\n")
    assert rows(path)[0] == ("column_1", "column_2")
    assert rows(path, header=True)[0] == ("2018", "2019")


def test_notes_say_the_dialect(tmp_path: Path) -> None:
    with open_local(write(tmp_path, b"a;b\r\n1;2\n")) as data:
        assert data.notes == [
            't.csv: delimiter ;, quote ", encoding utf-8, with a header, lines end with CRLF.',
            "t.csv: some lines end with LF, others with CRLF.",
        ]


@pytest.mark.parametrize("delimiter", ["||", "::", "<->", "\t|\t", "§", " ; ", "ab"])
@pytest.mark.parametrize("chunk", [1, 3, 7, 1 << 20])
def test_a_delimiter_of_several_characters(tmp_path: Path, delimiter: str, chunk: int) -> None:
    cells = [("name", "note"), ("Ana", "x"), ("a|:<b", 'say "hi"'), (f"in{delimiter}side", "two\nlines"), (None, "é§")]
    quoted = ["" if cell is None else '"' + cell.replace('"', '""') + '"' for row in cells for cell in row]
    lines = [delimiter.join(pair) for pair in zip(quoted[::2], quoted[1::2], strict=True)]
    path = write(tmp_path, "\r\n".join(lines), "t.txt")
    dialect = sniff(path, delimiter=delimiter)
    file = DelimitedFile(path, dialect, chunk=chunk)
    read = [row for table in file.tables() for row in zip(*(c.to_pylist() for c in table.columns), strict=True)]
    assert [tuple(file.names), *read] == cells
    assert rows(path, delimiter=delimiter) == cells


def test_delimiters_overlap_and_are_refused_where_they_hide(tmp_path: Path) -> None:
    path = write(tmp_path, "a||b||c\n1||||3\n1|||2|||\n")
    assert rows(path, delimiter="||") == [("a", "b", "c"), ("1", None, "3"), ("1", "|2", "|")]
    with failing("csv.record-wrong", DataError):
        rows(write(tmp_path, "a||b\n1||2||3\n"), delimiter="||")
    with failing("csv.control-character", DataError):
        rows(write(tmp_path, "a||b\n1||\x1f\n"), delimiter="||")
    with failing("csv.encoding-wrong", DataError, line=3):
        rows(write(tmp_path, b"a||b\n1||2\n3||\xe9\n"), delimiter="||", encoding="utf-8")
    assert rows(write(tmp_path, "año§b\n1§2\n".encode("latin-1")), delimiter="§") == [("año", "b"), ("1", "2")]
