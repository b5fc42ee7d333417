"""Arrow files, which Feather files are too: tables in their own types, batch by batch."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc

from antifaz.core.errors import DataError, silence
from antifaz.sources.column_names import check_names
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, blank_missing


def open_arrow(path: Path, options: ReadOptions) -> FileReader:
    """Open a file or a stream of Arrow batches."""
    with pa.OSFile(str(path)) as file:
        schema = _reader(path, file).schema
    check_names(path.name, schema.names)
    tables, notes = _tables(path, options), [f"{path.name}: Arrow."]
    return FileReader(schema=schema, tables=tables, understood={"format": ARROW.name}, notes=notes)


def _reader(path: Path, file: pa.NativeFile) -> pa.RecordBatchFileReader | pa.RecordBatchStreamReader:
    try:
        return pa.ipc.open_file(file)
    except pa.ArrowException as error:
        silence(error)
    file.seek(0)
    try:
        return pa.ipc.open_stream(file)
    except pa.ArrowException as error:
        silence(error)
        raise DataError("arrow.not-readable", file=path.name) from None


def _tables(path: Path, options: ReadOptions) -> Iterator[pa.Table]:
    with pa.OSFile(str(path)) as file:
        reader = _reader(path, file)
        seekable = hasattr(reader, "get_batch")
        batches = map(reader.get_batch, range(reader.num_record_batches)) if seekable else iter(reader)
        for batch in batches:
            yield blank_missing(pa.Table.from_batches([batch]), options.missing)


ARROW = FileFormat("arrow", (".arrow", ".feather", ".ipc", ".arrows"), open_arrow)
