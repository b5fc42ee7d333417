"""The local engine: files and frames on this machine, and tables of DuckDB files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from antifaz.core.errors import ParameterError
from antifaz.core.schema import Schema
from antifaz.engines.addresses import is_address, parse
from antifaz.engines.engine import Auditor, Data, Engine, ReleasedRows, Stage, Written

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

    def into_table(
        self, place: str, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False,
        password: str | None = None, password_env: str | None = None,
    ) -> AbstractContextManager[Stage]:  # fmt: skip
        """Return a stage whose rows become a table of a DuckDB file."""
        if not is_address(place):
            raise ParameterError("engine.release-to-table-needs-database")
        from antifaz.engines.local.duckdb_file import into_file

        return into_file(parse(place), stage, table, schema=schema, replace=replace)

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

    @contextmanager
    def fingerprinted(self, rows: ReleasedRows, **limits: Any) -> Iterator[tuple[Any, Any]]:
        """Yield rows of another engine batch by batch, and the fingerprint of those that were read."""
        from antifaz.engines.local.duck import database
        from antifaz.engines.local.write import Fingerprint

        with database(**limits) as checker, rows.batches() as reader:
            noted = Fingerprint(checker)
            yield noted.passing(reader), noted

    def write(self, rows: ReleasedRows, folder: Any, format: str, **options: Any) -> Written:
        """Write rows of another engine to a file of a folder."""
        from antifaz.engines.local.write import write

        return write(rows, folder, format, **options)
