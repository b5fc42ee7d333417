"""A table on this machine, loaded and described: what the verbs of the local engine work on."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pyarrow as pa

from antifaz.core import memory as budget
from antifaz.core.changes import ColumnChange, Sampling
from antifaz.core.machine import processors
from antifaz.core.messages import Message
from antifaz.core.profile import Profile
from antifaz.core.recoding import Recoding
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.counting.frequencies import SOME_ROWS, Tuples, estimate_distinct
from antifaz.engines.engine import Auditor, Data, Remote, Stage
from antifaz.engines.local.apply import LocalApplied, TypedRows
from antifaz.engines.local.auditor import LocalAuditor
from antifaz.engines.local.change import changed, replaced
from antifaz.engines.local.remote_boxes import LocalBoxedTuples
from antifaz.engines.local.table import SOURCE, LocalTable, store
from antifaz.engines.relational import count as counting
from antifaz.engines.relational.profile import profile
from antifaz.engines.relational.types import infer
from antifaz.sources import duckdb_connection as duck
from antifaz.sources import frames
from antifaz.sources.file_format import FileReader, ReadOptions, blank_missing
from antifaz.sources.missing_codes import Missing, MissingCodes
from antifaz.sources.place_address import is_place
from antifaz.sources.places import RemotePath
from antifaz.sources.reading import read
from antifaz.sources.repairs import Repair, check_repairs
from antifaz.sources.spellings import Spelling, except_of, spelling_notes
from antifaz.sources.types_file import resolve_types
from antifaz.sources.written_forms import plain, plain_where_written, split_forms


@dataclass(eq=False, repr=False, kw_only=True)
class LocalData(LocalTable, Data):
    """One table in a private database; after `close` the rows, and the key of what was spilled to disk, are gone."""

    engine: ClassVar[str] = "local"
    program_memory: ClassVar[int] = budget.PROGRAM

    notes: list[str] = field(default_factory=list)
    #: How the file was read, as the options of `open_local` name it.
    understood: Mapping[str, Any] = field(default_factory=dict)
    repairs: Sequence[Repair] = ()
    #: The table of another place that the rows came from, which can receive releases.
    origin: Data | None = None
    _closed: bool = field(default=False, init=False)
    _profile: Profile | None = field(default=None, init=False)

    def profile(self) -> Profile:
        """Describe every column without showing any rare value; the rows stay as they are, so once is enough."""
        self._profile = self._profile or profile(self.relation)
        return self._profile

    def count(self, columns: Sequence[str]) -> Tuples:
        """Count the distinct tuples of some columns; only the tuples come out."""
        return counting.count(self.relation, columns)

    def estimate_tuples(self, columns: Sequence[str]) -> int:
        """Estimate how many distinct tuples some columns have; with a limit of memory from all rows, else from some."""
        names, relation = ", ".join(duck.quote(name) for name in columns), self.relation
        with duck.duckdb_errors(Message("table.counting-failed")):
            if self.memory is None:
                some = relation.dialect.sample(relation.source, relation.places, max(self.rows // SOME_ROWS, 1))
                asked = f"SELECT count(*), count(DISTINCT hash({names})) FROM {some}"  # noqa: S608
                return estimate_distinct(self.rows, *duck.first_row(self.db, asked))
            asked = f"SELECT approx_count_distinct(hash({names})) FROM {relation.source}"  # noqa: S608
            return min(int(duck.first_row(self.db, asked)[0]), self.rows)

    def remote(self, columns: Sequence[str], kind: type[Remote]) -> Remote | None:
        """Return all records, box by box, if somebody said how much memory may be used."""
        self.schema.require(columns)
        tuples = None if self.memory is None else LocalBoxedTuples(self, columns)
        return tuples if isinstance(tuples, kind) else None

    def records(self, columns: Sequence[str]) -> Tuples:
        """Return some columns of all rows, in the order of the table."""
        return counting.records(
            self.relation, columns, 1 if self.memory else self.limits.get("threads") or processors()
        )

    def totals(self, names: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """Count the values of each column on its own, as the auditor will count the released ones."""
        cells = self.auditor().recount(self.cells(names), (), names).cells if names else {}
        return {name: cells[name].totals for name in names}

    def digest(self) -> bytes:
        """Return a digest of all rows, whatever their order."""
        return counting.digest(self.relation).encode()

    def apply(self, recoding: Recoding, key: int) -> LocalApplied:
        """Bind a decision to the rows."""
        return LocalApplied(data=self, recoding=recoding, key=key)

    def typed_rows(self) -> TypedRows:
        """Return the rows in the types that their columns are understood as; text with its length."""
        told = {c.name: c.length for c in self.schema if c.length}
        found = {c.name: max(c.longest, 1) for c in self.profile() if c.type is DataType.TEXT}
        return TypedRows(self, found | told)

    def is_in(self, url: str) -> bool:
        """Say whether the rows came from the database at an address."""
        return self.origin is not None and self.origin.is_in(url)

    def refuse_table(self, table: str, schema: str | None, replace: bool) -> None:
        """Say early that a release can't become this table."""
        refuse = super().refuse_table if self.origin is None else self.origin.refuse_table
        return refuse(table, schema, replace)

    def into_table(
        self, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
    ) -> AbstractContextManager[Stage]:
        """Return the stage of a release whose rows become a table where these came from."""
        into = super().into_table if self.origin is None else self.origin.into_table
        return into(stage, table, schema=schema, replace=replace)

    def changed(self, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> "LocalData":
        """Return the table with some columns changed, in the same private database."""
        kept = except_of(self.spellings, (change.column for change in changes))
        return replace(self, **changed(self, changes, keep), spellings=kept, notes=[*self.notes], understood={})

    def replaced(self, columns: pa.Table, types: Mapping[str, DataType]) -> "LocalData":
        """Return the table with whole columns replaced, in the same private database."""
        kept = except_of(self.spellings, columns.column_names)
        return replace(self, **replaced(self, columns, types), spellings=kept, notes=[*self.notes], understood={})

    def cells(self, names: Sequence[str]) -> pa.Table:
        """Return whole columns as they are stored, in the order of the rows."""
        self.schema.require(names)
        if not names:
            return pa.table({})
        chosen = ", ".join(duck.quote(name) for name in names)
        with duck.duckdb_errors(Message("engine.columns-not-readable")):
            return self.db.sql(f"SELECT {chosen} FROM {self.table}").to_arrow_table()  # noqa: S608 - names are quoted

    def window(
        self, start: int, count: int, *, sort: str | None = None, descending: bool = False, ranks: Sequence[str] = ()
    ) -> list[list[str | None]]:
        """Return some rows as text, without touching the others."""
        return counting.window(self.relation, start, count, sort=sort, descending=descending, ranks=ranks)

    def auditor(self) -> Auditor:
        """Return who counts the released rows again, in a file or where these came from."""
        return LocalAuditor(**self.limits) if self.origin is None else self.origin.auditor()

    def whole(self) -> pa.Table:
        """Return all rows as a table that the auditor can count."""
        return self.to_arrow()

    def another_table(self, place: str, types: Mapping[str, DataType]) -> "LocalData":
        """Open another table, its columns understood as told."""
        memory = None if self.memory is None else f"{self.memory}B"
        return open_local(place, types=types, memory=memory, threads=self.limits.get("threads"))

    def to_arrow(self) -> pa.Table:
        """Return all rows, in their order and in the types they came in."""
        with duck.duckdb_errors():
            return self.db.table(self.table).to_arrow_table().cast(self.arrow)

    def close(self) -> None:
        """Forget the data and remove what was spilled to disk; a changed table leaves the database to its source."""
        if self._closed:
            return
        self._closed = True
        if self.table == SOURCE:
            duck.close(self.db)
            return
        with suppress(duckdb.Error):  # where the connection is closed, the table is forgotten already
            self.db.execute(f"DROP TABLE IF EXISTS {duck.quote(self.table)}")


def open_local(
    place: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    missing: Missing = (),
    sheet: str | int | None = None,
    format: str | None = None,
    repair: Sequence[str] | str = (),
    widths: Mapping[str, int] | None = None,
    written: Mapping[str, str] | None = None,
    types: Mapping[str, DataType | str] | Path | str | None = None,
    memory: str | None = None,
    threads: int | None = None,
) -> LocalData:
    """Load a file or a frame.

    Args:
        place: A path, an address (s3://, gs://, hdfs://, https://), or a pandas, polars or pyarrow table.
        delimiter: One or more characters; found out when not told.
        encoding: As Python names it; found out when not told.
        quote: The quote character, '' if quotes mean nothing; '"' when not told.
        header: Whether the first record holds the names; found out when not told.
        missing: Spellings that mean missing, such as "?" or "NA", or a mapping of columns to theirs; an empty field
            without quotes always does.
        types: How columns are to be understood, or the file of `save_types`; found from all values where not told.
            Of a file or frame also how they are written: "date(d/m/Y)", "decimal(comma)".
        sheet: The sheet of a spreadsheet, by name or place from 0; the first when not told.
        format: csv, json, jsonl, parquet or xlsx; by the file's name when not told.
        repair: The names of the repairs that may be made, such as "short-rows"; none when not told.
        widths: Of text of fixed width, its columns in order and how many characters each has.
        written: Of a release, the forms in which cells of columns may be written, as its evidence says.
        memory: The most memory that the whole process is to use, e.g. "2GB"; see `memory.py` for how it is shared.
        threads: The most threads to use.
    """
    given, forms = split_forms(resolve_types(types))
    spellings = {name: Spelling(form) for name, form in forms.items()}
    codes = MissingCodes.of(missing)
    most, limits = budget.database_limits(memory, threads)
    with duck.database(stay_open=True, **limits) as db:
        if isinstance(place, (str, Path)):
            path, kind, categories = RemotePath.of(str(place)) if is_place(place) else Path(place), "path", {}
            options = ReadOptions(
                delimiter=delimiter, encoding=encoding, quote=quote, header=header, missing=codes.words, sheet=sheet,
                format=format, widths=widths, repair=check_repairs(repair), folded=not forms and not codes.by_column,
                **({} if most is None else {"chunk": budget.read_chunk(most), "memory": most}),
            )  # fmt: skip
            with duck.duckdb_errors(Message("source.not-read", address=path.name)):
                reader = read(path, options)
                codes.require_columns(reader.schema.names)
                tables = plain_where_written(reader.tables, written) if written else reader.tables
                rows = store(db, reader.schema, plain(codes.blanked(tables), forms, spellings))
        else:
            path, kind = None, frames.kind_of(place) or "pyarrow"
            table = blank_missing(frames.to_arrow(place), codes.words)
            reader = FileReader(schema=table.schema, tables=(), understood={})
            categories = frames.categories_of(table) if kind == "pandas" else {}
            with duck.duckdb_errors(Message("frame.not-readable")):
                codes.require_columns(table.schema.names)
                rows = store(db, table.schema, plain(codes.blanked([table]), forms, spellings))
        reader.notes.extend((*codes.notes(), *spelling_notes(spellings)))
        known: dict[str, Any] = {"kind": kind, "place": path, "categories": categories}
        known["spellings"] = {**reader.spellings, **spellings}
        return described(db, reader, rows, most, limits, given, **known)


def described(
    db: duckdb.DuckDBPyConnection,
    reader: FileReader,
    rows: int,
    most: int | None,
    limits: Mapping[str, Any],
    given: Mapping[str, DataType | str] | None,
    make: type[LocalData] = LocalData,
    **known: Any,
) -> LocalData:
    """Return rows that were stored, with the types that are given, settled by the file, native, or found."""
    if most is not None:
        # What the reader gave back stays with Arrow, for its next table; here others need it more.
        budget.trim_allocators()
    data = make(
        db=db, schema=Schema(()), rows=rows, arrow=reader.schema, notes=list(reader.notes), memory=most,
        limits=budget.second_database_limits(most, limits), understood=dict(reader.understood),
        repairs=tuple(reader.repairs), **known,
    )  # fmt: skip
    data.schema = infer(data.relation, settled=reader.settled, given=given)
    return data


def receive(
    tables: Iterable[pa.Table], arrow: pa.Schema, *, schema: Schema, origin: Data, notes: Sequence[str]
) -> LocalData:
    """Take over the rows of a table of another engine, whose types are known; releases may go back there."""
    with duck.database(stay_open=True, **origin.limits) as db:
        return LocalData(
            db=db, rows=store(db, arrow, tables), schema=Schema(schema.columns), kind="path", arrow=arrow,
            limits=dict(origin.limits), memory=origin.memory, notes=list(notes), origin=origin,
        )  # fmt: skip
