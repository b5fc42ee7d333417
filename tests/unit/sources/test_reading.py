"""A file of any format, by its name."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import DataError, ParameterError
from antifaz.engines.local.data import open_local
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import FORMATS, format_of, read


def write(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_missing_file_and_folder(tmp_path: Path) -> None:
    write(tmp_path, b"a\n1\n", "people.csv")
    with pytest.raises(DataError, match=r"no file .*did you mean 'people.csv'"):
        open_local(tmp_path / "peple.csv")
    with pytest.raises(DataError, match="is a folder"):
        open_local(tmp_path)
    with pytest.raises(DataError, match="compressed"):
        open_local(write(tmp_path, b"x", "a.csv.gz"))


def test_check_21_absurd_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="100001 columns"):
        open_local(write(tmp_path, b"," * 100_000 + b"\n"), header=False)


def test_a_format_is_named_or_follows_from_the_ending(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "t.bin")
    assert read(tmp_path / "t.bin", ReadOptions(format="parquet")).understood == {"format": "parquet"}
    with pytest.raises(DataError, match="Parquet file"):
        read(tmp_path / "t.bin", ReadOptions())
    with pytest.raises(ParameterError, match=r"no format 'parqet'.*did you mean 'parquet'"):
        read(tmp_path / "t.bin", ReadOptions(format="parqet"))


def test_no_two_formats_have_one_name_or_ending() -> None:
    for marks in ([each.name for each in FORMATS], [suffix for each in FORMATS for suffix in each.suffixes]):
        assert len(set(marks)) == len(marks)
    assert (format_of(".NDJSON"), format_of(".ods"), format_of(".whatever")) == ("jsonl", "xlsx", "csv")
