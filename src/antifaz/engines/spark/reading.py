"""Any path that Spark opens as a frame of exact values: delimited text, JSON and Parquet; files, folders, patterns.

Text is read by Spark as lines and cut by executors as on one machine (`sources.blocks`): all columns are text, just as
written. It is cut once and kept, encrypted where it is spilled, because every verb reads it again. Parquet keeps its
types; all its files must have the same columns.
"""

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
from antifaz.core.messages import Message, with_changed_texts
from antifaz.core.types import DataType
from antifaz.engines.spark.frames import is_text, map_batches, persist_counted, quoted, spark_errors
from antifaz.engines.spark.store import StoredFile, absolute, head, list_files
from antifaz.sources.blocks import KEYS, NAME, cut_objects, cut_records, find_keys
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
    persisted: bool = False


def load(session: SparkSession, place: str, options: ReadOptions) -> Loaded:
    """Open a place; text is cut and checked to its last line, and kept."""
    if options.format is not None and options.format not in _FORMATS:
        raise ParameterError("file.unknown-format", format=options.format, hint=hint(options.format, _FORMATS))
    place = absolute(session, place)
    files, partitioned = list_files(session, place)
    # Names that say nothing are of text.
    kinds = {options.format} if options.format else {format_of(file.suffix) for file in files}
    kinds = {kind if kind in _FORMATS else "csv" for kind in kinds}
    if len(kinds) > 1:
        raise DataError("spark.files-of-several-formats", place=place, kinds=sorted(kinds))
    if partitioned and kinds != {"parquet"}:
        raise DataError("spark.partitioned-folders-need-parquet", place=place)
    return _Source(session, place, files, options).load(kinds.pop())


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


@dataclass(frozen=True)
class _Source:
    """The files at a place, and how they are to be read."""

    session: SparkSession
    place: str
    files: tuple[StoredFile, ...]
    options: ReadOptions

    @property
    def label(self) -> str:
        """The last part of the place, for notes and messages."""
        return self.place.rstrip("/").rsplit("/", 1)[-1] or self.place

    def load(self, kind: str) -> Loaded:
        if kind == "parquet":
            return self._parquet()
        try:
            return self._delimited() if kind == "csv" else self._json(lines=kind == "jsonl")
        except DataError as error:
            raise self._named(error) from None

    def _delimited(self) -> Loaded:
        file, options = self.files[0], self.options
        delimiter = options.delimiter or ("\t" if file.suffix in (".tsv", ".tab") else None)
        check_signs(delimiter, options.quote)
        start, encoding = self._start()
        # How the first file is written, and the names in it; only its beginning is looked at.
        dialect, records = sniff_head(start, encoding, delimiter=delimiter, quote=options.quote, header=options.header)
        first = records[0] if records else []
        names = check_names(file.name, first if dialect.header else [f"column_{i + 1}" for i in range(len(first))])
        frame, rows = self._cut(dialect, names)
        return Loaded(frame=frame, rows=rows, notes=(dialect.note(self.label),), persisted=True)

    def _start(self) -> tuple[bytes, str]:
        """Return the beginning of the first file, and the encoding that is told or marked.

        Without either it must be UTF-8, which executors check.
        """
        start, given = head(self.session, self.files[0], HEAD), self.options.encoding
        refuse_binary(Path(self.files[0].name), start)
        name = codec_name(given) if given else (byte_order_mark(start) or wide_encoding(start) or "utf-8")
        return start, "utf-8-sig" if name == "utf-8" and start.startswith(b"\xef\xbb\xbf") else name

    def _cut(self, dialect: Dialect, names: Sequence[str]) -> tuple[DataFrame, int]:
        """Cut all files; those that can't be cut in parts are cut whole, which also tells the line."""
        cut = partial(cut_records, tuple(names), dialect, tuple(self.options.missing))
        # Spark ends lines at LF; where none is, the file is one line anyway.
        if dialect.newline != "\r" and not _WIDE.match(dialect.encoding):
            try:
                return _persist_cut(self._lines(), cut, names)
            except DataError as error:
                # Whatever is wrong in the middle of a large file is found again, with its line, from its beginning.
                if " after byte " not in str(error) and "never closed" not in str(error):
                    raise
                largest = max(self.files, key=lambda file: file.size)
                if largest.size > LARGEST_WHOLE or largest.packed:
                    named, most = self._named(error).message, LARGEST_WHOLE >> 20
                    raise DataError("spark.line-break-in-quotes", named=named, most=most) from None
        return _persist_cut(self._whole(), cut, names)

    def _lines(self) -> DataFrame:
        """Return the lines of all files as bytes, each with its file's hash and its block's offset."""
        with spark_errors(Message("source.not-opened", address=self.place)):
            # Only LF ends a line here: a CR stays, so the bytes of a block are those of the file.
            return self.session.read.option("lineSep", "\n").text(self.place).selectExpr(
                "xxhash64(_metadata.file_path) AS file", "_metadata.file_block_start AS start",
                "cast(value AS binary) AS line",
            )  # fmt: skip

    def _whole(self) -> DataFrame:
        for file in self.files:
            if file.size > LARGEST_WHOLE:
                raise DataError("spark.file-too-large-for-one-piece", file=file.name, most=LARGEST_WHOLE >> 20)
            if file.packed:
                raise DataError("file.compressed", file=file.name)
        with spark_errors(Message("source.not-opened", address=self.place)):
            return self.session.read.format("binaryFile").load(self.place).where("length > 0").selectExpr(
                "xxhash64(_metadata.file_path) AS file", "cast(-1 AS bigint) AS start", "content AS line"
            )  # fmt: skip

    def _named(self, error: DataError) -> DataError:
        """Return the error with the name of the file in the place of its hash."""
        if "«" not in str(error):
            return error
        names = {NAME.format(number): file.name for number, file in self._hashes().items()}
        rename = partial(re.sub, "«-?[0-9]+»", lambda mark: names.get(mark[0], "A file"))
        return DataError(with_changed_texts(error.message, rename))

    def _hashes(self) -> dict[int, StoredFile]:
        """Return the files, in order, by the hash that stands for each on the executors."""
        with spark_errors():
            paths = fn.explode(fn.array(*(fn.lit(file.path) for file in self.files))).alias("path")
            rows = self.session.range(1).select(paths).select("path", fn.xxhash64("path")).collect()
        hashes = {str(path): int(number) for path, number in rows}
        return {hashes[file.path]: file for file in self.files}

    def _json(self, *, lines: bool) -> Loaded:
        start, encoding = self._start()
        encoding = "utf-8" if encoding in _UTF8 else encoding
        # Spark writes one object per line into files called .json; an array begins with a bracket.
        lines = lines or not start.decode(encoding, "ignore").removeprefix("\ufeff").lstrip().startswith("[")
        if lines and _WIDE.match(encoding):
            raise DataError("spark.json-not-utf-8", name=self.files[0].name, encoding=encoding)
        source = self._lines() if lines else self._whole()
        with spark_errors(Message("spark.data-not-readable")):
            found = map_batches(source, partial(find_keys, encoding), KEYS).toArrow().to_pylist()
        names, settled = self._keys(found)
        cut = partial(cut_objects, tuple(names), encoding, tuple(self.options.missing))
        frame, rows = _persist_cut(source, cut, names)
        return Loaded(frame=frame, rows=rows, settled=settled, notes=(f"{self.label}: JSON.",), persisted=True)

    def _keys(self, found: list[dict[str, Any]]) -> tuple[list[str], dict[str, DataType]]:
        """Return the keys in the order of the files, and which of them JSON itself says are text."""
        if not sum(row["records"] for row in found):
            raise DataError("json.no-records", name=self.files[0].name)
        order = {number: i for i, number in enumerate(self._hashes())}
        kinds: dict[str, str] = {}
        dates: dict[str, bool] = {}
        for row in sorted(found, key=lambda row: (order.get(row["file"], 0), row["start"], row["place"])):
            key, kind = row["key"], row["kind"]
            if key is None:
                continue
            dates[key] = dates.get(key, True) and row["dates"]
            if kind is not None and kinds.setdefault(key, kind) != kind:
                file = NAME.format(row["file"])
                raise DataError("spark.json-key-changes-type", format=file, key=key, kind=kind, kinds=kinds[key])
        names = check_names(self.files[0].name, list(dates))
        return names, {name: DataType.TEXT for name in names if kinds.get(name) == "text" and not dates[name]}

    def _parquet(self) -> Loaded:
        with spark_errors(Message("spark.not-readable-as-parquet", label=self.label)):
            # Spark would take the columns of one file for those of all.
            with ThreadPoolExecutor(8) as workers:
                columns = list(workers.map(self._parquet_columns, self.files))
            for file, own in zip(self.files, columns, strict=True):
                if own != columns[0]:
                    raise DataError("spark.files-have-different-columns", file=file.name, name=self.files[0].name)
            frame = prepared(self.session.read.parquet(self.place), self.options.missing, self.label)
            return Loaded(frame=frame, rows=frame.count(), notes=(f"{self.label}: Parquet.",))

    def _parquet_columns(self, file: StoredFile) -> list[str]:
        java: Any = self.session.sparkContext._jvm
        settings, path = self.session.sparkContext._jsc.hadoopConfiguration(), java.org.apache.hadoop.fs.Path(file.path)
        footer = java.org.apache.parquet.hadoop.ParquetFileReader.readFooter(settings, path)
        lines = str(footer.getFileMetaData().getSchema().toString()).splitlines()[1:]
        # Whether a file has missing values makes no other column of it.
        return [re.sub(r"^\s*(optional|required) ", "", line) for line in lines]


def _persist_cut(lines: DataFrame, cut: Any, names: Sequence[str]) -> tuple[DataFrame, int]:
    """Cut all lines and keep the result; return it and its number of rows."""
    schema = ", ".join(f"{quoted(name)} string" for name in names)
    with spark_errors(Message("spark.data-not-readable")):
        return persist_counted(map_batches(lines, cut, schema))
