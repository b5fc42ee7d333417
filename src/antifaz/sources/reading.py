"""Read a file of any format into Arrow tables, each cell exactly or not at all.

A format is one module of this package with a `FileFormat`, and its line in `FORMATS`.
"""

from pathlib import Path

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.sources import csv_file, json_file, parquet_file, workbook_reader
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, refuse_nested

FORMATS: tuple[FileFormat, ...] = (
    csv_file.CSV,
    json_file.JSON,
    json_file.JSON_LINES,
    parquet_file.PARQUET,
    workbook_reader.WORKBOOK,
)
_BY_NAME = {format.name: format for format in FORMATS}
_BY_SUFFIX = {suffix: format for format in FORMATS for suffix in format.suffixes}
_COMPRESSED = (".gz", ".zip", ".bz2", ".xz", ".zst")


def read(path: Path, options: ReadOptions) -> FileReader:
    """Open a file; its rows are read as the tables are taken."""
    check_path(path)
    reader = _format(path, options.format).open(path, options)
    refuse_nested(reader.schema)
    return reader


def check_path(path: Path) -> None:
    """Raise where there is no file with something in it, and name one that may be meant."""
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
    return _BY_SUFFIX.get(suffix.lower(), csv_file.CSV).name


def _format(path: Path, name: str | None) -> FileFormat:
    if name is not None:
        if name not in _BY_NAME:
            raise ParameterError("file.unknown-format", format=name, hint=hint(name, _BY_NAME))
        return _BY_NAME[name]
    if path.suffix.lower() in _COMPRESSED:
        raise DataError("file.compressed", file=path.name)
    return _BY_NAME[format_of(path.suffix)]
