"""A file of any format, by its name."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from antifaz.core.errors import DataError, ParameterError
from antifaz.engines.local.data import open_local
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import FORMATS, format_of, read
from failing import failing, near


def write(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_missing_file_and_folder(tmp_path: Path) -> None:
    write(tmp_path, b"a\n1\n", "people.csv")
    with failing("file.not-found-near", DataError, more=near("people.csv")):
        open_local(tmp_path / "peple.csv")
    with failing("file.is-a-folder", DataError):
        open_local(tmp_path)
    with failing("compressed.damaged", DataError):
        open_local(write(tmp_path, b"x", "a.csv.gz"))


def test_json_lines_are_known_by_their_content(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"a": 1}\n{"a": 2}\n', "records.txt")
    assert read(path, ReadOptions()).understood == {"format": "jsonl"}
    assert read(write(tmp_path, b"{a},b\n1,2\n"), ReadOptions()).schema.names == ["{a}", "b"]


def test_check_21_absurd_columns_are_refused(tmp_path: Path) -> None:
    with failing("header.too-many-columns", DataError, names=100001):
        open_local(write(tmp_path, b"," * 100_000 + b"\n"), header=False)


def test_a_format_is_named_or_follows_from_the_ending(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "t.bin")
    assert read(tmp_path / "t.bin", ReadOptions(format="parquet")).understood == {"format": "parquet"}
    with failing("encoding.file-of-another-kind", DataError, what="a Parquet file"):
        read(tmp_path / "t.bin", ReadOptions())
    with failing("file.unknown-format", ParameterError, format="parqet", hint=near("parquet")):
        read(tmp_path / "t.bin", ReadOptions(format="parqet"))


def test_no_two_formats_have_one_name_or_ending() -> None:
    for marks in ([each.name for each in FORMATS], [suffix for each in FORMATS for suffix in each.suffixes]):
        assert len(set(marks)) == len(marks)
    assert (format_of(".NDJSON"), format_of(".ods"), format_of(".whatever")) == ("jsonl", "xlsx", "csv")
