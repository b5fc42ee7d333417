"""Opening a table where it lives. Engines are ours, or those of other packages under the entry point of `_GROUP`."""

from contextlib import AbstractContextManager
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.core.registry import plugins
from antifaz.engines.engine import Auditor, Data, Engine, Stage

_GROUP = "antifaz.engines"
#: Ours; the last one opens what no other does.
_OWN = tuple(f"antifaz.engines.builtin:{name}" for name in ("DatabaseEngine", "SparkEngine", "LocalEngine"))


@cache
def engines() -> tuple[Engine, ...]:
    """Return all engines, those of other packages first."""
    entries = (*plugins(_GROUP), *(EntryPoint("own", name, _GROUP) for name in _OWN))
    return tuple(entry.load()() for entry in entries)


def engine_named(name: str) -> Engine:
    """Return the engine that project files call so."""
    for engine in engines():
        if name in engine.names:
            return engine
    raise ParameterError(
        "engine.unknown", name=name, hint=hint(name, [n for engine in engines() for n in engine.names])
    )


def engine_of(place: Any) -> Engine:
    """Return the engine that opens a place."""
    return next(engine for engine in engines() if engine.opens(place))


def open_data(place: Any, *, engine: str | None = None, **options: Any) -> Data:
    """Open a table where it lives: a path or frame on this machine, a table of a database, or what Spark opens.

    Without an engine's name it follows from the place: an address such as mariadb:// is a database's, a Spark frame
    or another path with a scheme, such as hdfs://, is Spark's; all else is opened on this machine. The options are the
    engine's; see `open_local`, `open_database` and `open_spark`.
    """
    if isinstance(place, Data):
        return place
    return (engine_of(place) if engine is None else engine_named(engine)).open(place, **options)


def into_table(
    data: Data,
    stage: Stage,
    *,
    url: str | None = None,
    password: str | None = None,
    password_env: str | None = None,
    **table: Any,
) -> AbstractContextManager[Stage]:
    """Return the stage of a release whose rows become a table, of the database at `url` or of the source's own."""
    if url is None or data.is_in(url):
        return data.into_table(stage, **table)
    if not data.streams_releases:
        raise ParameterError("engine.releases-files-only", engine=data.engine)
    return engine_of(url).into_table(url, stage, **table, password=password, password_env=password_env)


def to_audit(table: Any) -> tuple[Auditor, Any]:
    """Return who counts a table that is at hand, whoever made it, and what they are handed."""
    if isinstance(table, Data):
        return table.auditor(), table.whole()
    return engine_of(table).auditor(), table


def tables_of(place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
    """Return the names of the tables and views of a database, for somebody who has to choose one."""
    return engine_of(place).tables(place, schema=schema, password=password)
