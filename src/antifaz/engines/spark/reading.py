"""Any path that Spark opens as a frame of exact values: delimited text, JSON and Parquet; files, folders, patterns.

Text is read by Spark as lines and cut by executors as on one machine (see `lines`): all columns are text, exactly as
written. It is cut once and kept, encrypted where it is spilled, because every verb reads it again. Parquet keeps its
types; all its files must have the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.spark.errors import spark_errors
from antifaz.engines.spark.frames import is_text, persist_counted, quoted
from antifaz.engines.spark.lines import KEYS, NAME, cut_objects, cut_records, find_keys
from antifaz.engines.spark.sending import map_batches
from antifaz.engines.spark.store import StoredFile, absolute, head, list_files
from antifaz.sources.column_names import check_names
from antifaz.sources.csv_dialect import HEAD, Dialect, check_signs, sniff_head
from antifaz.sources.encodings import byte_order_mark, codec_name, refuse_binary, wide_encoding
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import format_of

#: The largest file that is read in one piece, which line breaks in quotes, UTF-16 and JSON arrays need.
LARGEST_WHOLE = 512 << 20
_FORMATS = ("csv", "json", "jsonl", "parquet")
_NESTED = re.compile(r"(array|map|struct|binary|variant|interval|void|time\(|geometry|geography)|.* interval")
_UTF8 = ("utf-8", "utf-8-sig", "ascii")
_WIDE = re.compile(r"utf[-_]?(16|32|7)")


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A frame and its number of rows, the types that the files settle, what was found out, and whether it is kept."""

    frame: DataFrame
    rows: int
    settled: Mapping[str, DataType] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kept: bool = False


def load(session: SparkSession, place: str, options: ReadOptions) -> Loaded:
    """Open a place; text is cut and checked to its last line, and kept."""
    if options.format is not None and options.format not in _FORMATS:
        raise ParameterError("file.unknown-format", format=options.format, hint=hint(options.format, _FORMATS))
    place = absolute(session, place)
    files, partitioned = list_files(session, place)
    kind = options.format or _format(files, place)
    if kind == "parquet":
        return _load_parquet(session, place, files, options)
    if partitioned:
        raise DataError("spark.partitioned-folders-need-parquet", place=place)
    try:
        if kind == "csv":
            return _load_csv(session, place, files, options)
        return _load_json(session, place, files, options, lines=kind == "jsonl")
    except DataError as error:
        raise _named(session, error, files) from None


def prepared(frame: DataFrame, missing: Sequence[str], what: str) -> DataFrame:
    """Return a frame as it can be counted: single values, plain text, these spellings made missing."""
    check_names(what, frame.columns)
    chosen = []
    for name, kind in frame.dtypes:
        value = fn.col(quoted(name))
        if _NESTED.match(kind):
            raise DataError("column.holds-no-single-values", column=name)
        if is_text(kind):
            # Other collations would take different texts for one.
            value = value if kind == "string" else value.cast("string")
            if missing:
                value = fn.when(~value.isin(list(missing)), value)
        chosen.append(value.alias(name))
    return frame.select(chosen)


def _format(files: tuple[StoredFile, ...], place: str) -> str:
    """Say by their names in which format the files are; names that say nothing are text."""
    named = {format_of(file.suffix) for file in files}
    kinds = {kind if kind in _FORMATS else "csv" for kind in named}
    if len(kinds) > 1:
        raise DataError("spark.files-of-several-formats", place=place, kinds=sorted(kinds))
    return kinds.pop()


def _load_csv(session: SparkSession, place: str, files: tuple[StoredFile, ...], options: ReadOptions) -> Loaded:
    delimiter = options.delimiter or ("\t" if files[0].suffix in (".tsv", ".tab") else None)
    dialect, names = _dialect(session, files[0], options, delimiter)
    cut = partial(cut_records, tuple(names), dialect, tuple(options.missing))
    # Spark ends lines at LF; where none is, the file is one line anyway.
    in_lines = dialect.newline != "\r" and not _WIDE.match(dialect.encoding)
    frame, rows = _cut(session, place, files, cut, names, in_lines=in_lines)
    return Loaded(frame=frame, rows=rows, notes=(f"{_label(place)}: {dialect.describe()}.",), kept=True)


def _cut(
    session: SparkSession, place: str, files: tuple[StoredFile, ...], cut: Any, names: Sequence[str], *, in_lines: bool
) -> tuple[DataFrame, int]:
    """Cut all files and keep the result; those that can't be cut in parts are cut whole, which also tells the line."""
    if in_lines:
        try:
            return _kept(_lines(session, place), cut, names)
        except DataError as error:
            # Whatever is wrong in the middle of a large file is found again, with its line, from its beginning.
            if " after byte " not in str(error) and "never closed" not in str(error):
                raise
            largest = max(files, key=lambda file: file.size)
            if largest.size > LARGEST_WHOLE or largest.packed:
                most = LARGEST_WHOLE >> 20
                named = _named(session, error, files)
                raise DataError("spark.line-break-in-quotes", named=named, most=most) from None
    return _kept(_whole(session, place, files), cut, names)


def _kept(lines: DataFrame, cut: Any, names: Sequence[str]) -> tuple[DataFrame, int]:
    """Cut all lines and keep the result; return it and its number of rows."""
    schema = ", ".join(f"{quoted(name)} string" for name in names)
    with spark_errors(Message("spark.data-not-readable")):
        return persist_counted(map_batches(lines, cut, schema))


def _lines(session: SparkSession, place: str) -> DataFrame:
    """Return the lines of all files as bytes, each with its file's hash and its block's offset."""
    with spark_errors(Message("source.not-opened", address=place)):
        # Only LF ends a line here: a CR stays, so the bytes of a block are those of the file.
        return session.read.option("lineSep", "\n").text(place).selectExpr(
            "xxhash64(_metadata.file_path) AS file", "_metadata.file_block_start AS start",
            "cast(value AS binary) AS line",
        )  # fmt: skip


def _whole(session: SparkSession, place: str, files: tuple[StoredFile, ...]) -> DataFrame:
    for file in files:
        if file.size > LARGEST_WHOLE:
            raise DataError("spark.file-too-large-for-one-piece", file=file.name, most=LARGEST_WHOLE >> 20)
        if file.packed:
            raise DataError("file.compressed", file=file.name)
    with spark_errors(Message("source.not-opened", address=place)):
        return session.read.format("binaryFile").load(place).where("length > 0").selectExpr(
            "xxhash64(_metadata.file_path) AS file", "cast(-1 AS bigint) AS start", "content AS line"
        )  # fmt: skip


def _named(session: SparkSession, error: DataError, files: tuple[StoredFile, ...]) -> DataError:
    """Return the error with the name of the file in the place of its hash."""
    text = str(error)
    if "«" not in text:
        return error
    for number, file in _hashes(session, files).items():
        text = text.replace(NAME.format(number), file.name)
    return DataError("text", text=re.sub("«-?[0-9]+»", "A file", text))


def _hashes(session: SparkSession, files: tuple[StoredFile, ...]) -> dict[int, StoredFile]:
    """Return the files, in order, by the hash that stands for each on the executors."""
    with spark_errors():
        paths = fn.explode(fn.array(*(fn.lit(file.path) for file in files))).alias("path")
        rows = session.range(1).select(paths).select("path", fn.xxhash64("path")).collect()
    hashes = {str(path): int(number) for path, number in rows}
    return {hashes[file.path]: file for file in files}


def _dialect(
    session: SparkSession, file: StoredFile, options: ReadOptions, delimiter: str | None
) -> tuple[Dialect, list[str]]:
    """Find how the first file is written, and the names in it; only its beginning is looked at."""
    check_signs(delimiter, options.quote)
    data = head(session, file, HEAD)
    label = Path(file.name)
    refuse_binary(label, data)
    encoding = _encoding(data, options.encoding)
    dialect, records = sniff_head(data, encoding, delimiter=delimiter, quote=options.quote, header=options.header)
    first = records[0] if records else []
    names = first if dialect.header else [f"column_{i + 1}" for i in range(len(first))]
    return dialect, check_names(file.name, names)


def _encoding(data: bytes, given: str | None) -> str:
    """Return the encoding that is told or marked; without either it must be UTF-8, which executors check."""
    name = codec_name(given) if given else (byte_order_mark(data) or wide_encoding(data) or "utf-8")
    return "utf-8-sig" if name == "utf-8" and data.startswith(b"\xef\xbb\xbf") else name


def _load_json(
    session: SparkSession, place: str, files: tuple[StoredFile, ...], options: ReadOptions, *, lines: bool
) -> Loaded:
    start = head(session, files[0], HEAD)
    refuse_binary(Path(files[0].name), start)
    encoding = _encoding(start, options.encoding)
    encoding = "utf-8" if encoding in _UTF8 else encoding
    # Spark writes one object per line into files called .json; an array begins with a bracket.
    lines = lines or not start.decode(encoding, "ignore").removeprefix("\ufeff").lstrip().startswith("[")
    if lines and _WIDE.match(encoding):
        raise DataError("spark.json-not-utf-8", name=files[0].name, encoding=encoding)
    source = _lines(session, place) if lines else _whole(session, place, files)
    with spark_errors(Message("spark.data-not-readable")):
        found = map_batches(source, partial(find_keys, encoding), KEYS).toArrow().to_pylist()
    names, settled = _keys(session, found, files)
    frame, rows = _kept(source, partial(cut_objects, tuple(names), encoding, tuple(options.missing)), names)
    return Loaded(frame=frame, rows=rows, settled=settled, notes=(f"{_label(place)}: JSON.",), kept=True)


def _keys(
    session: SparkSession, found: list[dict[str, Any]], files: tuple[StoredFile, ...]
) -> tuple[list[str], dict[str, DataType]]:
    """Return the keys in the order of the files, and which of them JSON itself says are text."""
    if not sum(row["records"] for row in found):
        raise DataError("json.no-records", name=files[0].name)
    order = {number: i for i, number in enumerate(_hashes(session, files))}
    kinds: dict[str, str] = {}
    dates: dict[str, bool] = {}
    for row in sorted(found, key=lambda row: (order.get(row["file"], 0), row["start"], row["place"])):
        key, kind = row["key"], row["kind"]
        if key is None:
            continue
        dates[key] = dates.get(key, True) and row["dates"]
        if kind is not None and kinds.setdefault(key, kind) != kind:
            raise DataError(
                "spark.json-key-changes-type", format=NAME.format(row["file"]), key=key, kind=kind, kinds=kinds[key]
            )
    names = check_names(files[0].name, list(dates))
    return names, {name: DataType.TEXT for name in names if kinds.get(name) == "text" and not dates[name]}


def _load_parquet(session: SparkSession, place: str, files: tuple[StoredFile, ...], options: ReadOptions) -> Loaded:
    with spark_errors(Message("spark.not-readable-as-parquet", label=_label(place))):
        _same_columns(session, files)
        frame = prepared(session.read.parquet(place), options.missing, _label(place))
        return Loaded(frame=frame, rows=frame.count(), notes=(f"{_label(place)}: Parquet.",))


def _same_columns(session: SparkSession, files: tuple[StoredFile, ...]) -> None:
    """Raise unless all files have the same columns: Spark would take those of one of them for all."""
    java: Any = session.sparkContext._jvm
    settings = session.sparkContext._jsc.hadoopConfiguration()

    def columns(file: StoredFile) -> list[str]:
        path = java.org.apache.hadoop.fs.Path(file.path)
        footer = java.org.apache.parquet.hadoop.ParquetFileReader.readFooter(settings, path)
        lines = str(footer.getFileMetaData().getSchema().toString()).splitlines()[1:]
        # Whether a file has missing values makes no other column of it.
        return [re.sub(r"^\s*(optional|required) ", "", line) for line in lines]

    with ThreadPoolExecutor(8) as workers:
        found = list(workers.map(columns, files))
    for file, other in zip(files, found, strict=True):
        if other != found[0]:
            raise DataError("spark.files-have-different-columns", file=file.name, name=files[0].name)


def _label(place: str) -> str:
    """Return the last part of a place, for notes and messages."""
    return place.rstrip("/").rsplit("/", 1)[-1] or place
