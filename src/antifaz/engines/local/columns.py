"""Columns of the local engine's table, for those who need rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.engines.local.duck import duckdb_errors, quote

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable


def columns(data: LocalTable, names: Sequence[str]) -> pa.Table:
    """Return some columns of all rows, in their order."""
    data.schema.require(names)
    if not names:
        return pa.table({})
    chosen = ", ".join(quote(name) for name in names)
    with duckdb_errors(Message("engine.columns-not-readable")):
        return data.db.sql(f"SELECT {chosen} FROM {data.table}").to_arrow_table()  # noqa: S608 - names are quoted
