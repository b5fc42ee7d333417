"""Blocks of lines, as executors get them, read as whole files are; without Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from antifaz.core.errors import DataError
from antifaz.engines.local.data import open_local
from antifaz.sources.blocks import cut_records
from antifaz.sources.csv_dialect import sniff_head
from failing import failing

TEXTS = {
    "plain": ("a,b\n1,x\n2,\n", "utf-8", ","),
    "with a mark": ("a,b\n1,x\n2,\n", "utf-8-sig", ","),
    "quotes": ('a,b\n"1","x, ""y"""\n2,""\n', "utf-8", ","),
    "latin": ("a;b\n1;ñ\n2;ü\n", "latin-1", ";"),
    "long delimiter": ("a||b\n1||x\n2||y\n", "utf-8", "||"),
}


def block(content: bytes, start: int) -> pa.RecordBatch:
    """Return lines of a file as Spark hands them over: the file's hash, where the block begins, and the line."""
    lines = content.split(b"\n")[:-1]
    columns = [pa.array([7] * len(lines)), pa.array([start] * len(lines)), pa.array(lines, pa.binary())]
    return pa.record_batch(columns, names=["file", "start", "line"])


@pytest.mark.parametrize("case", TEXTS)
def test_a_block_is_read_as_the_file_is(tmp_path: Path, case: str) -> None:
    text, encoding, delimiter = TEXTS[case]
    content = text.encode(encoding)
    (tmp_path / "t.csv").write_bytes(content)
    told = {"delimiter": delimiter, "header": True}
    with open_local(tmp_path / "t.csv", encoding=encoding, types={"a": "text"}, **told) as data:
        expected = data.to_arrow()
    dialect, _ = sniff_head(content, encoding, quote=None, **told)
    found = pa.Table.from_batches(cut_records(("a", "b"), dialect, (), iter([block(content, 0)])))
    assert found.to_pydict() == expected.to_pydict()
    # A later block has no header, and the bytes of its lines are those of the file.
    later = "".join(text.splitlines(keepends=True)[1:]).encode(encoding.removesuffix("-sig"))
    found = pa.Table.from_batches(cut_records(("a", "b"), dialect, (), iter([block(later, 99)])))
    assert found.to_pydict() == expected.to_pydict()


def test_what_is_wrong_names_the_file_by_its_hash() -> None:
    dialect, _ = sniff_head(b"a,b\n1,x\n", "utf-8", delimiter=",", quote=None, header=True)
    with failing("spark.cannot-cut-records-after-byte", DataError, file="«7»", start=99):
        list(cut_records(("a", "b"), dialect, (), iter([block(b"1,x\n2,y,z\n", 99)])))
    with failing("spark.files-have-different-headers", DataError, file="«7»"):
        list(cut_records(("a", "b"), dialect, (), iter([block(b"a,c\n1,x\n", 0)])))
