"""What each kind of database says in its own way, by what addresses begin with; others have an entry point.

Nothing of a dialect is imported before a database of it is opened.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

from antifaz.core.errors import ParameterError
from antifaz.core.registry import plugins

if TYPE_CHECKING:
    from antifaz.engines.dialects.dialect import SQLDialect

_GROUP = "antifaz.dialects"
BUILTIN = {
    "mariadb": "antifaz.engines.dialects.mariadb:MariaDB",
    "mysql": "antifaz.engines.dialects.mariadb:MariaDB",
    "postgresql": "antifaz.engines.dialects.postgresql:PostgreSQL",
    "postgres": "antifaz.engines.dialects.postgresql:PostgreSQL",
    "sqlite": "antifaz.engines.dialects.sqlite:SQLite",
    "duckdb": "antifaz.engines.dialects.duckdb:DuckDB",
}


@cache
def schemes() -> dict[str, str]:
    """Return what addresses of databases may begin with, and the class of each dialect as module:name."""
    return BUILTIN | {entry.name: entry.value for entry in plugins(_GROUP)}


@cache
def databases() -> dict[str, SQLDialect]:
    """Return the dialects that can be loaded, by what addresses of such databases begin with; the first of several."""
    places: dict[str, str] = {}
    for scheme, place in schemes().items():
        if place not in places.values():
            places[scheme] = place
    found = {}
    for scheme in places:
        with suppress(Exception):  # that of a plug-in may be broken, which whoever opens such a database is told
            found[scheme] = dialect_of(scheme)
    return found


@cache
def dialect_of(scheme: str) -> SQLDialect:
    """Return the dialect of addresses that begin so; raise if it lacks what every database has to say."""
    made: SQLDialect = EntryPoint(scheme, schemes()[scheme], _GROUP).load()()
    if lacking := [word for word in ("name", "sum_of_hashes", "keyed_hash") if not hasattr(made, word)]:
        raise ParameterError("database.dialect-incomplete", scheme=scheme, dialect=type(made).__name__, lacking=lacking)
    return made
