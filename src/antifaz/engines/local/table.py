"""What the verbs of the local engine know of a table: the private database that holds it, its columns and limits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from antifaz.core.schema import Schema
from antifaz.engines.dialects.duckdb import field_of
from antifaz.engines.local.duck import quote
from antifaz.engines.local.queries import DuckDBQueries
from antifaz.engines.relational.relation import Relation


class LocalTable:
    """One table in a private DuckDB database."""

    def __init__(
        self, db: duckdb.DuckDBPyConnection, table: str, *, schema: Schema, rows: int, kind: str, arrow: pa.Schema,
        native: Mapping[str, str], place: Path | None = None, limits: Mapping[str, Any] | None = None,
        memory: int | None = None,
    ) -> None:  # fmt: skip
        """Take note of where the rows are."""
        self.db = db
        self.table = table
        #: How each column is understood; may be replaced by one with roles.
        self.schema = schema
        self.rows = rows
        #: Where the data came from, and so as what it is handed back: path, pandas, polars or pyarrow.
        self.kind = kind
        #: The type in which the database holds each column.
        self.native = dict(native)
        #: The types in which the data came, with the description that its library attached.
        self.arrow = arrow
        self.place = place
        #: The most memory and threads that reading, writing and checking may use.
        self.limits = dict(limits or {})
        self.memory = memory

    @property
    def queries(self) -> DuckDBQueries:
        """Who runs statements on the private database."""
        return DuckDBQueries(self.db)

    @property
    def relation(self) -> Relation:
        """The table as the verbs see it that all engines share."""
        fields = tuple(field_of(name, kind) for name, kind in self.native.items())
        places = tuple(quote(name) for name in self.native)
        return Relation(self.queries, quote(self.table), fields, places, self.schema, self.rows)
