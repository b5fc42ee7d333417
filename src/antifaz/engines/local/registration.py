"""The local engine: files and frames on this machine, and tables of DuckDB files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from antifaz.core.schema import Schema
from antifaz.engines.addresses import is_address, parse
from antifaz.engines.engine import Auditor, Data, Engine, ReleasedRows, Written

if TYPE_CHECKING:
    import pyarrow as pa


class LocalEngine(Engine):
    """Opens whatever no other engine does."""

    names: ClassVar[tuple[str, ...]] = ("local",)

    def opens(self, place: Any) -> bool:
        """Take every place."""
        return True

    def open(self, place: Any, **options: Any) -> Data:
        """Load a file, a frame or a table of a DuckDB file."""
        if is_address(place):
            from antifaz.engines.local.duckdb_file import open_duckdb

            return open_duckdb(parse(place), **options)
        from antifaz.engines.local.data import open_local

        return open_local(place, **options)

    def auditor(self, **limits: Any) -> Auditor:
        """Return who counts files and tables in memory."""
        from antifaz.engines.local.auditor import LocalAuditor

        return LocalAuditor(**limits)

    def tables(self, place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
        """Return the names of the tables and views of a DuckDB file."""
        from antifaz.engines.local.duckdb_file import tables_in

        return sorted(tables_in(parse(place), schema))

    def receive(
        self, tables: Iterable[pa.Table], arrow: pa.Schema, *, schema: Schema, origin: Data, notes: Sequence[str]
    ) -> Data:
        """Take over the rows of another engine's table."""
        from antifaz.engines.local.data import receive

        return receive(tables, arrow, schema=schema, origin=origin, notes=notes)

    def write(self, rows: ReleasedRows, folder: Any, format: str, **options: Any) -> Written:
        """Write rows of another engine to a file of a folder."""
        from antifaz.engines.local.write import write

        return write(rows, folder, format, **options)
