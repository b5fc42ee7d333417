"""Rows of a database brought to this machine, for methods that decide for single rows. They can go back as a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from antifaz.core.recoding import Recoding
from antifaz.core.schema import Schema
from antifaz.engines.database.faults import guard
from antifaz.engines.engine import Auditor, Stage, Written
from antifaz.engines.local import duck, store
from antifaz.engines.local.apply import LocalApplied
from antifaz.engines.local.data import LocalData
from antifaz.engines.local.types import native_types
from antifaz.sources.column_names import check_names

if TYPE_CHECKING:
    from antifaz.engines.database.data import DatabaseData


@dataclass(frozen=True, kw_only=True)
class HandApplied(LocalApplied):
    """A recoding bound to rows on this machine, which may become a table."""

    def write(self, folder: Any, format: str) -> Written:
        """Write the rows into a folder, or into the table that the stage is of."""
        return folder.take(self) if hasattr(folder, "take") else super().write(cast("Path", folder), format)


class HandData(LocalData):
    """Rows that were brought here; their types are those that were found on the server."""

    origin: DatabaseData

    def apply(self, recoding: Recoding, key: int) -> HandApplied:
        """Bind a decision to the rows."""
        return HandApplied(data=self, recoding=recoding, key=key)

    def auditor(self) -> Auditor:
        """Return who counts the released rows again, in a file or on the server."""
        return self.origin.auditor()

    def refuse_table(self, table: str, schema: str | None, replace: bool) -> None:
        """Say early that a release can't become this table."""
        self.origin.refuse_table(table, schema, replace)

    def into_table(
        self, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
    ) -> AbstractContextManager[Stage]:
        """Return the stage of a release whose rows become a table beside the source."""
        return self.origin.into_table(stage, table, schema=schema, replace=replace)


def bring(data: DatabaseData) -> HandData:
    """Fetch all rows into the local engine's private store."""
    schema = pa.schema([(field.name, field.arrow) for field in data.fields])
    check_names(f"The table {data.table!r}", schema.names)
    db = duck.connect(**data.limits)
    try:
        with guard("The rows could not be fetched"):
            rows = store.store(db, schema, _tables(data, schema))
        made = HandData(
            db, schema=Schema(data.schema.columns), rows=rows, kind="path", arrow=schema,
            native=native_types(db, store.SOURCE), limits=data.limits, memory=data.memory,
            notes=[*data.notes, "Single rows are needed: all rows were fetched from the database to this machine."],
        )  # fmt: skip
        made.origin = data
        return made
    except BaseException:
        duck.close(db)
        raise


def _tables(data: DatabaseData, schema: pa.Schema) -> Iterator[pa.Table]:
    dialect = data.link.dialect
    parts = [dialect.spoken(f.arrow, dialect.out(f, f"c{i}")) for i, f in enumerate(data.fields)]
    statement = f"SELECT {', '.join(parts)} FROM {data.source} AS s"  # noqa: S608 - names of ours
    for batch in data.link.batches(statement, schema.types):
        yield pa.Table.from_batches([pa.record_batch(batch.columns, schema=schema)])
