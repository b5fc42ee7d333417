"""The database engine: tables of PostgreSQL, MariaDB, MySQL, SQLite and whatever dialect is registered."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from antifaz.engines.addresses import is_address, parse
from antifaz.engines.database.errors import needed
from antifaz.engines.engine import Auditor, Data, Engine, Stage
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

    @contextmanager
    def into_table(
        self, place: str, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False,
        password: str | None = None, password_env: str | None = None,
    ) -> Iterator[Stage]:  # fmt: skip
        """Yield a stage whose rows become a table there; a file that is not there yet becomes a new database."""
        address = parse(place)
        file = Path(address.database) if address.in_file else None
        new = file is not None and not file.exists() and file.parent.is_dir()
        options: dict[str, Any] = {"schema": schema, "replace": replace}
        with ExitStack() as stack:
            if address.scheme == "duckdb":
                yield stack.enter_context(engine_named("local").into_table(place, stage, table, **options))
                return
            needed("sqlalchemy")
            from antifaz.engines.database.released_table import foreign_target

            if new and file is not None:
                file.touch(mode=0o600)
                stack.callback(lambda: file.unlink() if file.stat().st_size == 0 else None)
            secret: dict[str, Any] = {"password": password, "password_env": password_env}
            target = stack.enter_context(foreign_target(address, table, **options, **secret))
            yield stack.enter_context(target.staging(stage))

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
