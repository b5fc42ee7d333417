"""Open delimited text: find how it is written, read it strictly, and name the repairs that would make it readable."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.sources.csv_dialect import HEAD, Dialect, has_sep_line, sniff
from antifaz.sources.csv_file import DelimitedFile
from antifaz.sources.csv_repair import survey
from antifaz.sources.csv_text import utf8_text
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions
from antifaz.sources.repairs import Repair, is_total, offering, repair_notes

#: Errors that a repair may answer.
_REPAIRABLE = ("csv.record-wrong", "header.column-without-name", "header.column-name-twice")


def open_csv(path: Path, options: ReadOptions) -> FileReader:
    """Open delimited text; how it is written is found out where the options don't say."""
    try:
        dialect = dialect_of(path, options)
        file = _file(path, dialect, options)
    except DataError as error:
        raise _offering(error, path, options) from None
    notes: list[str] = [dialect.note(path.name)]
    if dialect.seems_fixed:
        notes.append(Message("note.fixed-width", name="widths"))
    if dialect.seems_second:
        notes.append(Message("note.second-header", line=dialect.above + 2, name="second-header"))
    repairs: list[Repair] = []
    names = ("delimiter", "quote", "encoding", "header", "newline")
    return FileReader(
        schema=pa.schema([(name, pa.string()) for name in file.names]),
        tables=_counted(file, options, notes, repairs),
        understood={"format": CSV.name} | {name: getattr(dialect, name) for name in names},
        notes=notes,
        repairs=repairs,
    )


def dialect_of(path: Path, options: ReadOptions) -> Dialect:
    """Return how a file is written: as the options say, the rest found from its first bytes."""
    delimiter = options.delimiter or ("\t" if path.suffix.lower() in (".tsv", ".tab") else None)
    return sniff(
        path, delimiter=delimiter, quote=options.quote, encoding=options.encoding, header=options.header,
        repair=options.repair,
    )  # fmt: skip


def _file(path: Path, dialect: Dialect, options: ReadOptions) -> DelimitedFile:
    return DelimitedFile(path, dialect, options.missing, options.chunk, options.repair)


def _counted(file: DelimitedFile, options: ReadOptions, notes: list[str], repairs: list[Repair]) -> Iterator[pa.Table]:
    rows, last = 0, None
    try:
        for table in file.tables():
            yield table
            rows += table.num_rows
            last = table.slice(table.num_rows - 1) if table.num_rows else last
    except DataError as error:
        raise _offering(error, file.path, options) from None
    if rows != file.records:
        raise DataError("csv.not-all-records-read", file=file.path.name, count=file.records, rows=rows)
    if file.mixed_newlines:
        notes.append(Message("note.mixed-line-ends", file=file.path.name))
    repairs.extend(file.repairs())
    notes.extend(repair_notes(repairs))
    if last is not None and is_total([column[0].as_py() for column in last.columns]):
        notes.append(Message("note.totals-line", name="totals-line"))


def _offering(error: DataError, path: Path, options: ReadOptions) -> DataError:
    return offering(error, needed_repairs(path, options) if error.code in _REPAIRABLE else [])


def needed_repairs(path: Path, options: ReadOptions) -> list[Repair]:
    """Return the repairs with which a file can be read, each with what it would do; none where nothing helps.

    Those that were asked for already are among them, if there is something for them to do.
    """
    try:
        wanted = set(options.repair)
        with path.open("rb") as file:
            head = file.read(HEAD).decode(dialect_of(path, options).encoding, "ignore")
        wanted |= {"sep-line"} if has_sep_line(head.removeprefix("\ufeff")) else set()
        dialect = dialect_of(path, _with(options, wanted | {"title-lines", "second-header", "unnamed-column"}))
        wanted |= survey(partial(utf8_text, path, dialect, options.chunk), dialect)
        options = _with(options, wanted | {"title-lines", "second-header", "unnamed-column", "duplicate-names"})
        tried = _file(path, dialect_of(path, options), options)
        tried.scan()
    except DataError:
        return []
    return [repair for repair in tried.repairs() if repair.count]


def _with(options: ReadOptions, repair: set[str]) -> ReadOptions:
    return replace(options, repair=frozenset(repair))


CSV = FileFormat("csv", (".csv", ".txt", ".tsv", ".tab", ".data", ".dat"), open_csv)
