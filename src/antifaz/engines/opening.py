"""Opening a table where it lives, by the engine that the registry finds for it."""

from __future__ import annotations

from typing import Any

from antifaz.engines.engine import Auditor, Data
from antifaz.engines.registry import engine_named, engine_of


def open_data(place: Any, *, engine: str | None = None, **options: Any) -> Data:
    """Open a table where it lives: a path or frame on this machine, a table of a database, or what Spark opens.

    Without an engine's name it follows from the place: an address such as mariadb:// is a database's, a Spark frame
    or another path with a scheme, such as hdfs://, is Spark's; all else is opened on this machine. The options are the
    engine's; see `open_local`, `open_database` and `open_spark`.
    """
    if isinstance(place, Data):
        return place
    found = engine_of(place) if engine is None else engine_named(engine)
    return found.open(place, **options)


def to_audit(table: Any) -> tuple[Auditor, Any]:
    """Return who counts a table that is at hand, whoever made it, and what they are handed."""
    if isinstance(table, Data):
        return table.auditor(), table.whole()
    return engine_of(table).auditor(), table


def tables_of(place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
    """Return the names of the tables and views of a database, for somebody who has to choose one."""
    return engine_of(place).tables(place, schema=schema, password=password)
