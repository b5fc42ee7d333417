"""The engines of this package: local, database and Spark. Nothing of one is imported before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from antifaz.core.errors import MissingExtra, ParameterError
from antifaz.core.schema import Schema
from antifaz.engines.addresses import is_address, parse
from antifaz.engines.database.errors import needed
from antifaz.engines.engine import Applied, Auditor, Data, Engine, Stage, WriteResult
from antifaz.engines.registry import engine_named
from antifaz.sources.place_address import is_place

if TYPE_CHECKING:
    import pyarrow as pa


class LocalEngine(Engine):
    """Files and frames on this machine, and tables of DuckDB files: whatever no other engine opens."""

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
        self, place: str, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False, **login: Any
    ) -> AbstractContextManager[Stage]:
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

    def fingerprinted(self, rows: Applied, **limits: Any) -> AbstractContextManager[tuple[Any, Any]]:
        """Return rows of another engine batch by batch, and the fingerprint of those that were read."""
        from antifaz.engines.local.write import fingerprinted

        return fingerprinted(rows.batches(), limits)

    def write(self, rows: Applied, folder: Any, format: str, **options: Any) -> WriteResult:
        """Write rows of another engine to a file of a folder."""
        from antifaz.engines.local.write import write

        return write(rows, folder, format, **options)


class DatabaseEngine(Engine):
    """Tables of PostgreSQL, MariaDB, MySQL, SQLite and whatever dialect is registered, by their addresses."""

    names: ClassVar[tuple[str, ...]] = ("database", "sql")

    def opens(self, place: Any) -> bool:
        """Take an address such as mariadb://user@host/name; the tables of a DuckDB file are the local engine's."""
        return is_address(place) and parse(place).scheme != "duckdb"

    def open(self, place: Any, *, password: str | None = None, password_env: str | None = None, **options: Any) -> Data:
        """Open a table on its server."""
        if not self.opens(place):
            return engine_named("local").open(place, **options)
        needed("sqlalchemy")
        from antifaz.engines.database.data import open_database

        return open_database(place, password=password, password_env=password_env, **options)

    @contextmanager
    def into_table(
        self, place: str, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False, **login: Any
    ) -> Iterator[Stage]:
        """Yield a stage whose rows become a table there; a file that is not there yet becomes a new database."""
        needed("sqlalchemy")
        from antifaz.engines.database.apply import foreign_target

        address = parse(place)
        file = Path(address.database) if address.in_file else None
        with ExitStack() as stack:
            if file is not None and not file.exists() and file.parent.is_dir():
                file.touch(mode=0o600)
                stack.callback(lambda: file.unlink() if file.stat().st_size == 0 else None)
            target = foreign_target(address, table, schema=schema, replace=replace, **login)
            yield stack.enter_context(stack.enter_context(target).staging(stage))

    def auditor(self, **limits: Any) -> Auditor:
        """Return who counts tables on a server."""
        needed("sqlalchemy")
        from antifaz.engines.database.auditor import DatabaseAuditor

        return DatabaseAuditor(engine_named("local").auditor(**limits))

    def tables(self, place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
        """Return the names of the tables and views there are, in order."""
        needed("sqlalchemy")
        from antifaz.engines.database.data import tables_of

        return tables_of(place, schema=schema, password=password)


class SparkEngine(Engine):
    """Spark frames, and paths of any store that Hadoop knows."""

    names: ClassVar[tuple[str, ...]] = ("spark",)

    def opens(self, place: Any) -> bool:
        """Take a path with a scheme, such as hdfs:// and not s3://, or a Spark frame; nothing of Spark is imported."""
        if isinstance(place, str):
            return "://" in place and not is_address(place) and (not is_place(place) or place.startswith("hdfs"))
        return type(place).__module__.startswith("pyspark.")

    def open(self, place: Any, **options: Any) -> Data:
        """Open a Spark frame, or any path that Spark opens."""
        _require_pyspark()
        from antifaz.engines.spark.data import open_spark

        return open_spark(place, **options)

    def auditor(self, **limits: Any) -> Auditor:
        """Return who counts Spark frames and written parts."""
        _require_pyspark()
        from antifaz.engines.spark.auditor import SparkAuditor

        return SparkAuditor()


def _require_pyspark() -> None:
    try:
        import pyspark.sql  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in ("pyspark", "py4j"):
            raise MissingExtra("spark.needs-pyspark") from None
        raise
