"""How a delimited file is written: found out, or given."""

from __future__ import annotations

from pathlib import Path

from antifaz.core.errors import ParameterError
from antifaz.engines.local.data import open_local
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
    with failing("csv.delimiter-not-one-character", ParameterError):
        open_local(path, delimiter="ab")
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
