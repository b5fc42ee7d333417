"""Types of columns in a file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from antifaz.core.errors import DataError, SchemaError
from antifaz.core.types import DataType
from antifaz.engines.local.data import open_local
from antifaz.sources.types_file import load_types, save_types
from failing import failing, like, near


def test_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    table = pa.table({"zip": ["12345"], "ñ": ["1.5"]})
    with open_local(table, types={"zip": "text"}) as data:
        save_types(data.schema, path)
    assert load_types(path) == {"zip": DataType.TEXT, "ñ": DataType.DECIMAL}
    with open_local(table, types=path) as data:
        assert data.schema["zip"].type is DataType.TEXT
    path.write_text('{"zip": "text"}')
    assert load_types(path) == {"zip": DataType.TEXT}
    for broken, code in (
        ("{", "types.file-not-json"),
        ("[1]", "types.file-holds-none"),
        ('{"types": {"a": 1}}', "types.file-holds-none"),
    ):
        path.write_text(broken)
        with failing(code, DataError):
            load_types(path)
    path.write_text('{"zip": "texx"}')
    with failing("column.unknown-type", SchemaError, hint=near("text")):
        load_types(path)
    with failing("source.failed", DataError, reason=like("source.system-says", reason="No such file or directory")):
        load_types(tmp_path / "none.json")
