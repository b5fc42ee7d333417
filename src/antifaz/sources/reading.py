"""Read a file of any format into Arrow tables, each cell exactly or not at all.

A format is one module of this package with a `FileFormat`, and its line in `FORMATS`.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.machine import available_memory
from antifaz.sources import (
    arrow_file,
    csv_opening,
    fixed_width,
    json_file,
    parquet_file,
    statistical_file,
    workbook_reader,
)
from antifaz.sources.compressed import SUFFIXES, PackedPath, copied_to_memory, kind_by_head, kind_of
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, refuse_nested
from antifaz.sources.places import RemotePath

FORMATS: tuple[FileFormat, ...] = (
    csv_opening.CSV,
    json_file.JSON,
    json_file.JSON_LINES,
    parquet_file.PARQUET,
    arrow_file.ARROW,
    workbook_reader.WORKBOOK,
    statistical_file.SPSS,
    statistical_file.STATA,
    statistical_file.SAS,
    fixed_width.FIXED,
)
#: Four times the most bytes that are unpacked into memory.
_MOST_UNPACKED = 32 << 30
#: A place with a scheme, of which a path keeps one slash: s3:/bucket/people.csv.
_SCHEME = re.compile(r"(s3|s3a|s3n|gs|abfss?|wasbs?|hdfs|https?|ftp):/", re.IGNORECASE)
_BY_NAME = {format.name: format for format in FORMATS}
_BY_SUFFIX = {suffix: format for format in FORMATS for suffix in format.suffixes}
#: Formats that are read from the beginning to the end, and so from a compressed file too.
_STREAMED = (csv_opening.CSV, fixed_width.FIXED, json_file.JSON, json_file.JSON_LINES)


def read(path: Path, options: ReadOptions) -> FileReader:
    """Open a file; its rows are read as the tables are taken."""
    if isinstance(path, RemotePath):
        return _read_remote(path, options)
    return _read_here(path, options)


def _read_here(path: Path, options: ReadOptions) -> FileReader:
    inner, format = located(path, options)
    if isinstance(inner, PackedPath) and format not in _STREAMED:
        return _read_in_memory(inner, options, format.open)
    return _opened(format.open, inner, options)


def located(path: Path, options: ReadOptions) -> tuple[Path, FileFormat]:
    """Return the path by which a file is read, unpacked where it is compressed, and the format that it has."""
    check_path(path)
    packed = path.suffix.lower() in SUFFIXES or kind_of(path) not in ("", ".zip")
    inner = PackedPath.of(path) if packed else path
    return inner, _format(inner, options)


def _read_remote(path: RemotePath, options: ReadOptions) -> FileReader:
    """Open a file elsewhere: plain text comes as it is read, all else is brought into memory, and never to the disk."""
    if path.web or path.suffix.lower() in SUFFIXES:
        return _read_in_memory(path, options, _read_here)
    with path.open("rb") as file:
        packed = kind_by_head(file.read(8))
    format = _format(path, options)
    if packed or format not in _STREAMED:
        return _read_in_memory(path, options, _read_here)
    return _opened(format.open, path, options)


def _read_in_memory(
    path: PackedPath | RemotePath, options: ReadOptions, read: Callable[[Path, ReadOptions], FileReader]
) -> FileReader:
    """Open a file that is read here and there, not from the beginning to the end."""
    most = min(bytes for bytes in (available_memory(), options.memory, _MOST_UNPACKED) if bytes) // 4
    copy, held = copied_to_memory(path, most)
    try:
        reader = _opened(read, copy, options)
    except BaseException:
        os.close(held)
        raise

    def tables() -> Iterator[pa.Table]:
        try:
            yield from reader.tables
        finally:
            os.close(held)

    return replace(reader, tables=tables())


def _opened(open: Callable[[Path, ReadOptions], FileReader], path: Path, options: ReadOptions) -> FileReader:
    reader = open(path, options)
    refuse_nested(reader.schema)
    return reader


def check_path(path: Path) -> None:
    """Raise where there is no file with something in it, and name one that may be meant."""
    if scheme := _SCHEME.match(str(path)):
        raise DataError("file.elsewhere", scheme=scheme[1])
    if path.is_dir():
        raise DataError("file.is-a-folder", path=path)
    if not path.exists():
        near = hint(path.name, [p.name for p in path.parent.iterdir()]) if path.parent.is_dir() else ""
        raise DataError("file.not-found-near", path=path, more=near if "did you mean" in near else "")
    if not path.is_file():
        raise DataError("file.not-readable-twice", path=path)
    if path.stat().st_size == 0:
        raise DataError("file.empty", file=path.name)


def format_of(suffix: str) -> str:
    """Return the name of the format that the ending of a file's name means; one that means nothing is text."""
    return _BY_SUFFIX.get(suffix.lower(), csv_opening.CSV).name


def _format(path: Path, options: ReadOptions) -> FileFormat:
    name = options.format or ("fixed" if options.widths else None)
    if name is not None:
        if name not in _BY_NAME:
            raise ParameterError("file.unknown-format", format=name, hint=hint(name, _BY_NAME))
        return _BY_NAME[name]
    found = _BY_NAME[format_of(path.suffix)]
    return json_file.JSON_LINES if found is csv_opening.CSV and _begins_with_record(path) else found


def _begins_with_record(path: Path) -> bool:
    """Say whether the first line of a file is a JSON object, whatever the file is called."""
    with path.open("rb") as file:
        first = file.readline(1 << 20).removeprefix(b"\xef\xbb\xbf").strip()
    if not (first.startswith(b"{") and first.endswith(b"}")):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except ValueError:
        return False
