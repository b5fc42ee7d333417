"""Arrow and Feather files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pytest

from antifaz.core.errors import DataError
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import read
from failing import failing

TABLE = pa.table({"age": pa.array([34, 31, None], pa.int16()), "town": ["Vigo", "?", None]})


@pytest.mark.parametrize("kind", ["file", "stream", "feather"])
def test_every_kind_keeps_its_types(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("people.feather" if kind == "feather" else "people.arrow")
    if kind == "feather":
        pyarrow.feather.write_feather(TABLE, path, compression="zstd")
    else:
        new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
        with new(str(path), TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=2)
    reader = read(path, ReadOptions())
    assert pa.concat_tables(reader.tables).cast(TABLE.schema) == TABLE
    assert reader.schema.field("age").type == pa.int16()
    told = pa.concat_tables(read(path, ReadOptions(missing=("?",))).tables)
    assert told.column("town").null_count == 2


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.arrow").write_bytes(b"name,age\n" * 10)
    with failing("arrow.not-readable", DataError, file="people.arrow"):
        read(tmp_path / "people.arrow", ReadOptions())
