"""What an engine does: the verbs that the rest of the program asks of wherever the rows live.

Rows stay where they are. Counts come out, a decision goes in, and the released rows are counted again in place. An
engine is a package with one file per verb; `registry.py` says which one opens what.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, cast, runtime_checkable

import pyarrow as pa

from antifaz.core.counted_people import KeyedRows
from antifaz.core.errors import ParameterError

if TYPE_CHECKING:
    from antifaz.core.changes import ColumnChange, Sampling
    from antifaz.core.profile import Profile
    from antifaz.core.recoding import Recoding
    from antifaz.core.recount import Recount
    from antifaz.core.schema import Schema
    from antifaz.core.types import DataType
    from antifaz.counting.frequencies import Tuples
    from antifaz.counting.remote import RemoteTuples
    from antifaz.sources.repairs import Repair
    from antifaz.sources.spellings import Spelling

Remote = TypeVar("Remote", bound="RemoteTuples")


@dataclass(frozen=True)
class WriteResult:
    """A written release, where the engine finds it again, and the fingerprint of the rows that it must hold."""

    path: Any
    fingerprint: int


@runtime_checkable
class TableTarget(Protocol):
    """What a stage has in the place of a folder where the rows become a table of a database."""

    def write_rows(self, applied: Any) -> WriteResult:
        """Write the rows to release into the table."""


class Stage(Protocol):
    """A private place beside the one that a release will have; `publish` moves all of it there at once."""

    folder: Any

    def write_text(self, name: str, text: str) -> None:
        """Write one of the documents that go with the rows."""

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write one of the documents that are no text."""

    def publish(self) -> None:
        """Move everything into place."""


class TableStage:
    """A stage whose rows become a table, and whose documents go where those of other releases go."""

    def __init__(self, target: Any, documents: Stage) -> None:
        """`target` is a `TableTarget` that can put itself in its place, with what goes with it."""
        self.folder, self.documents = target, documents
        self.write_text, self.write_bytes = documents.write_text, documents.write_bytes

    def publish(self) -> None:
        """Put the table and the documents in their places."""
        self.folder.publish(self.documents)


class NoDocuments:
    """A stage for rows that nothing goes with."""

    folder: Any = None

    def write_text(self, name: str, text: str) -> None:
        """Write nothing."""

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write nothing."""

    def publish(self) -> None:
        """Move nothing."""


class Auditor(ABC):
    """Counts released rows again, in plain SQL over what was written. It shares nothing with what made them."""

    @abstractmethod
    def recount(
        self,
        place: Any,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        *,
        classes: bool = False,
        fingerprint: bool = False,
        population: Applied | None = None,
        people: pa.Table | Sequence[str] | None = None,
    ) -> Recount:
        """Count the classes of a written release or of a table, and each sensitive attribute in them.

        `classes` asks for the values of every class as well, `fingerprint` for that of all rows (see `WriteResult`),
        and `population` for its people counted together with the released rows. `people` are the person keys of the
        rows, in their order, or the columns that hold them, which are then no part of the fingerprint: people are
        counted, too.
        """

    def count_unique(self, place: Any, combinations: Sequence[Sequence[str]]) -> list[int]:
        """Count, by each combination of columns, the rows that no other is like; of the last a value must be there."""
        counts = []
        for columns in combinations:
            counted = self.recount(place, columns, classes=True)
            counts.append(int(((counted.sizes == 1) & ((counted.classes or {})[columns[-1]] >= 0)).sum()))
        return counts

    @abstractmethod
    def describe(self, place: Any) -> dict[str, Any]:
        """Return the name, size and SHA-256 of what was written, for the evidence."""


class Applied(ABC):
    """A decision bound to rows: the rows to release, whenever they are asked for."""

    #: Whatever knows the schema of the rows, and the decision.
    data: Any
    recoding: Recoding

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are released, in the order of the source."""
        return tuple(name for name in self.data.schema.names if name not in self.recoding.dropped)

    @property
    def spellings(self) -> Mapping[str, Spelling]:
        """How columns were written that are released as they came, and read in a form of their own."""
        return {}

    def batches(self) -> AbstractContextManager[pa.RecordBatchReader]:
        """Yield the rows batch by batch, without holding them all, for another engine that writes them."""
        raise NotImplementedError

    def keyed(self, person: Sequence[str], place: Any) -> pa.Table | KeyedRows:
        """Return the person keys of what was written to a place: in its order, or with the rows where it has none."""
        ordered = isinstance(place, pa.Table | str | os.PathLike)
        with self.dropping(self.data.schema.names if ordered else self.recoding.dropped, person).batches() as rows:
            table = rows.read_all()
        return table if ordered else KeyedRows(table.select(self.columns), table.select(person))

    def collect_keyed(self, person: Sequence[str]) -> tuple[Any, Any]:
        """Make the rows to release, and their person keys as `keyed` returns them; None where there are none."""
        rows = self.collect()
        return rows, self.keyed(person, rows) if person else None

    def dropping(self, names: Sequence[str], but: Sequence[str]) -> Self:
        """Return the same rows with columns left out but some of them."""
        own, kept = cast("Any", self), tuple(name for name in names if name not in but)
        return cast("Self", replace(own, recoding=replace(self.recoding, dropped=kept)))

    @abstractmethod
    def collect(self) -> Any:
        """Make the rows to release, as a table that the auditor can count."""

    @abstractmethod
    def to_source_kind(self, table: Any) -> Any:
        """Return what `collect` made as the same kind of object that came in."""

    @abstractmethod
    def write(self, folder: Any, format: str, **text: Any) -> WriteResult:
        """Write the rows to release into a folder; of text, `name`, `delimiter` and the like may be told."""

    def traced(
        self, quasi_identifiers: Sequence[str], key: bytes, identifiers: Sequence[str]
    ) -> AbstractContextManager[pa.RecordBatchReader] | None:
        """Return the rows to release beside what they were made from, for the ledger; None where they stay away.

        In any order: all columns of the source as `relational.trace` marks them, hashed where the rows are under a key
        (in this process the identifiers alone, of which there are many); the released quasi-identifiers as text; and
        that by which rows are ordered.
        """
        return None


class Data(ABC):
    """One table, opened where it lives. Use it as a context manager, or call `close`."""

    #: The engine's name in project files.
    engine: ClassVar[str]
    #: Whether another engine can take over the rows of a release batch by batch (`Applied.batches`).
    streams_releases: ClassVar[bool] = True
    #: Whether this user may do nothing there but read, so that all rows are fetched for a run.
    select_only: bool = False
    #: Whether rows have an order, so that each can be decided on by itself.
    by_row: ClassVar[bool] = True
    #: How each column is understood.
    schema: Schema
    rows: int
    #: Where the data came from, and so as what it is handed back.
    kind: str
    #: What the reader found out and did, in sentences that can be shown.
    notes: list[str]
    #: The repairs that were made while the rows were read.
    repairs: Sequence[Repair] = ()
    #: The most memory and threads that what is done on this machine may use.
    limits: dict[str, Any]
    #: The most bytes that the whole process may take, where somebody said so; and what it takes before any row is read.
    memory: int | None = None
    program_memory: ClassVar[int] = 0

    @property
    def partitions(self) -> int:
        """In how many partitions the engine itself has put the rows."""
        return 1

    @abstractmethod
    def profile(self) -> Profile:
        """Describe every column without showing any rare value."""

    @abstractmethod
    def count(self, columns: Sequence[str]) -> Tuples:
        """Count the distinct tuples of some columns. Rows stay; only the tuples come out."""

    def estimate_tuples(self, columns: Sequence[str]) -> int:
        """Estimate how many distinct tuples `count` would bring out; 0 where the engine does not say."""
        return 0

    def remote(self, columns: Sequence[str], kind: type[Remote]) -> Remote | None:
        """Return tuples that are too many to come out, with the verbs of `kind`; None where the engine has none."""
        return None

    @abstractmethod
    def records(self, columns: Sequence[str]) -> Tuples:
        """Return some columns of all rows, in the order of the table, for methods that group rows."""

    @abstractmethod
    def totals(self, columns: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """Count the values of each column on its own, as the auditor will count the released ones."""

    @abstractmethod
    def digest(self) -> bytes:
        """Return a digest of all rows, whatever their order; it never leaves this program."""

    def expect_digest(self) -> None:
        """Say that the digest will be asked for after counting: it may be made while this process is busy."""
        return

    @abstractmethod
    def apply(self, recoding: Recoding, key: int) -> Applied:
        """Bind a decision to the rows; `key` is the secret from which the order of the released rows follows."""

    def changed(self, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> Data:
        """Return the table with some columns changed, and with the rows that are kept; this one must stay open."""
        raise ParameterError("engine.cannot-change-columns", engine=self.engine)

    def cells(self, columns: Sequence[str]) -> pa.Table:
        """Return whole columns as they are stored, in the order of the rows; all of their cells are then in memory."""
        raise ParameterError("engine.hands-out-no-whole-columns", engine=self.engine)

    def window(
        self, start: int, count: int, *, sort: str | None = None, descending: bool = False, ranks: Sequence[str] = ()
    ) -> list[list[str | None]]:
        """Return some rows as text, to be looked at: so many from a place of the table's order, or of a column's.

        `ranks` are all values of that column in an order that is not the alphabet's.
        """
        raise ParameterError("engine.shows-no-rows", engine=self.engine)

    def replaced(self, columns: pa.Table, types: Mapping[str, DataType]) -> Data:
        """Return the table with whole columns replaced, one cell for each row; `types` says how they are understood."""
        raise ParameterError("engine.takes-no-whole-columns", engine=self.engine)

    def standard_deviation(self, column: str) -> float:
        """Return the sample standard deviation of a column of numbers, where its cells can't be handed out."""
        raise ParameterError("engine.hands-out-whole-columns", engine=self.engine)

    @abstractmethod
    def auditor(self) -> Auditor:
        """Return who counts the released rows again."""

    @abstractmethod
    def another_table(self, place: str, types: Mapping[str, DataType]) -> Data:
        """Open another table on the same engine, its columns understood as told."""

    @abstractmethod
    def whole(self) -> Any:
        """Return all rows as a table that the auditor can count."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Let a run see one state of the rows; a server holds it only as long as the block lasts."""
        return nullcontext()

    def staging(self, folder: Any) -> AbstractContextManager[Stage] | None:
        """Return the stage of a release that goes where this machine's file system does not reach; else None."""
        return None

    def typed_rows(self) -> Any:
        """Return the rows in the types that their columns are understood as, for `TableTarget.write_rows`."""
        raise ParameterError("engine.hands-out-no-whole-columns", engine=self.engine)

    def download(self) -> Data:
        """Return the same rows where each can be decided on by itself; a new table belongs to this one."""
        return self

    def is_in(self, url: str) -> bool:
        """Say whether the rows are in the database at an address."""
        return False

    def refuse_table(self, table: str, schema: str | None, replace: bool) -> None:
        """Say early that a release can't become this table."""
        raise ParameterError("engine.release-to-table-needs-database")

    def into_table(
        self, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
    ) -> AbstractContextManager[Stage]:
        """Return the stage of a release whose rows become a table, and whose documents go to another stage."""
        raise ParameterError("engine.release-to-table-needs-database")

    def to_arrow(self) -> pa.Table:
        """Load all rows into this process."""
        raise ParameterError("engine.hands-out-no-whole-columns", engine=self.engine)

    def to_pandas(self) -> Any:
        """Load all rows into this process as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Load all rows into this process as a polars frame."""
        from antifaz.sources.frames import to_kind

        return to_kind(self.to_arrow(), "polars")

    @abstractmethod
    def close(self) -> None:
        """Forget the data and remove what was spilled to disk."""

    def __repr__(self) -> str:
        """Say how much data it is, and nothing of what is in it."""
        return f"<{type(self).__name__}: {self.rows} rows, {len(self.schema.columns)} columns, from {self.kind}>"

    def __enter__(self) -> Self:
        """Return the data itself."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close."""
        self.close()


class Engine(ABC):
    """Where rows may live: which places an engine opens, and how. It is made before anything of the engine is imported.

    An engine of another package is named under the entry point `antifaz.engines`.
    """

    #: The engine's names in project files, the usual one first.
    names: ClassVar[tuple[str, ...]]

    @abstractmethod
    def opens(self, place: Any) -> bool:
        """Say whether a place is this engine's, by an address, by a kind of frame or by a path."""

    @abstractmethod
    def open(self, place: Any, **options: Any) -> Data:
        """Open a table; the options are the engine's."""

    @abstractmethod
    def auditor(self, **limits: Any) -> Auditor:
        """Return who counts a table that is in memory, or a written release."""

    def tables(self, place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
        """Return the names of the tables and views there are, for somebody who has to choose one."""
        raise ParameterError("engine.no-tables-to-choose", names=self.names[0])

    def into_table(
        self, place: str, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False, **login: Any
    ) -> AbstractContextManager[Stage]:
        """Return a stage whose rows become a table of a database; `login` is its password or the variable with it."""
        raise ParameterError("engine.release-to-table-needs-database")

    def receive(
        self, tables: Iterable[pa.Table], arrow: pa.Schema, *, schema: Schema, origin: Data, notes: Sequence[str]
    ) -> Data:
        """Take over the rows of another engine's table, for a method that needs rows; releases may go back there."""
        raise ParameterError("engine.takes-no-rows", names=self.names[0])

    def fingerprinted(self, rows: Applied, **limits: Any) -> AbstractContextManager[tuple[Any, Any]]:
        """Yield rows of another engine batch by batch, and the fingerprint of those that were read."""
        raise ParameterError("engine.writes-no-foreign-rows", names=self.names[0])

    def write(self, rows: Applied, folder: Any, format: str, **options: Any) -> WriteResult:
        """Write rows of another engine to a file of a folder; the options are limits, and the text's."""
        raise ParameterError("engine.writes-no-foreign-rows", names=self.names[0])
