"""Compressed text is read as if it were unpacked; what is damaged or too much is refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from antifaz.core.errors import DataError
from antifaz.sources import compressed
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import read
from failing import failing

TEXT = b"\xef\xbb\xbfname;age\nAna;34\nLuis;31\n"
ROWS = [{"name": "Ana", "age": "34"}, {"name": "Luis", "age": "31"}]


def packed(folder: Path, ending: str, content: bytes = TEXT, name: str = "people.csv") -> Path:
    path = folder / f"{name}{ending}"
    if ending == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)
        return path
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}.get(ending)
    path.write_bytes(pack(content) if pack else pa.Codec("zstd").compress(content, asbytes=True))
    return path


def rows_of(path: Path, **options: object) -> list[dict[str, str]]:
    return [row for table in read(path, ReadOptions(**options)).tables for row in table.to_pylist()]  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst", ".zip"])
def test_every_kind_is_read_and_nothing_is_written(tmp_path: Path, ending: str) -> None:
    path = packed(tmp_path, ending)
    assert rows_of(path) == ROWS
    assert rows_of(path, chunk=5) == ROWS
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_ending_below_says_the_format(tmp_path: Path) -> None:
    assert rows_of(packed(tmp_path, ".gz", b'{"a": "x"}\n', "a.jsonl")) == [{"a": "x"}]
    assert rows_of(packed(tmp_path, ".zip", b'[{"a": "x"}]', "a.json")) == [{"a": "x"}]
    assert rows_of(packed(tmp_path, ".gz", TEXT, "people")) == ROWS


def test_a_compressed_file_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(gzip.compress(TEXT))
    assert rows_of(tmp_path / "people.csv") == ROWS


def test_other_encodings_and_repairs_go_with_it(tmp_path: Path) -> None:
    path = packed(tmp_path, ".gz", "sep=;\nname;age\nJosé;34\nLuis\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"--repair sep-line .*--repair short-rows"):
        rows_of(path)
    repaired = rows_of(path, repair=frozenset({"sep-line", "short-rows"}))
    assert repaired == [{"name": "José", "age": "34"}, {"name": "Luis", "age": None}]


def test_what_is_damaged_is_refused(tmp_path: Path) -> None:
    whole = packed(tmp_path, ".gz", TEXT * 1000).read_bytes()
    for content in (b"x", whole[: len(whole) // 2], whole[:-8] + b"\0" * 8):
        (tmp_path / "people.csv.gz").write_bytes(content)
        with failing("compressed.damaged", DataError, file="people.csv.gz"):
            rows_of(tmp_path / "people.csv.gz")


def test_an_archive_holds_one_table(tmp_path: Path) -> None:
    path = packed(tmp_path, ".zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("__MACOSX/people.csv", b"")
        archive.writestr("data/.DS_Store", b"x")
    assert rows_of(path) == ROWS
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.csv", TEXT)
    with failing("compressed.not-one-table", DataError, count=2):
        rows_of(path)
    with failing("workbook.not-readable", DataError):
        rows_of(packed(tmp_path, ".zip", b"x", "book.xlsx"))


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "HARMLESS", 1 << 16)
    path = packed(tmp_path, ".gz", b"a,b\n" + b"1,2\n" * 1_000_000)
    with failing("compressed.mostly-repetition", DataError):
        rows_of(path)
