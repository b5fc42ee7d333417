"""The database engine: tables of PostgreSQL, MariaDB, MySQL, SQLite and whatever dialect is registered."""

from typing import Any, ClassVar

from antifaz.engines.addresses import is_address, parse
from antifaz.engines.database.errors import needed
from antifaz.engines.engine import Auditor, Data, Engine
from antifaz.engines.opening import engine_named


class DatabaseEngine(Engine):
    """Opens addresses of databases."""

    names: ClassVar[tuple[str, ...]] = ("database", "sql")

    def opens(self, place: Any) -> bool:
        """Take an address such as mariadb://user@host/name."""
        return is_address(place)

    def open(self, place: Any, *, password: str | None = None, password_env: str | None = None, **options: Any) -> Data:
        """Open a table on its server; the tables of a DuckDB file are the local engine's."""
        if parse(place).scheme == "duckdb":
            return engine_named("local").open(place, **options)
        needed("sqlalchemy")
        from antifaz.engines.database.data import open_database

        return open_database(place, password=password, password_env=password_env, **options)

    def auditor(self, **limits: Any) -> Auditor:
        """Return who counts tables on a server."""
        needed("sqlalchemy")
        from antifaz.engines.database.auditor import DatabaseAuditor

        return DatabaseAuditor(engine_named("local").auditor(**limits))

    def tables(self, place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
        """Return the names of the tables and views there are, in order."""
        if parse(place).scheme == "duckdb":
            return engine_named("local").tables(place, schema=schema)
        needed("sqlalchemy")
        from antifaz.engines.database.reflection import tables_of

        return tables_of(place, schema=schema, password=password)
