"""Which engine opens what: the one place that knows them all. Those with extras are imported only when asked for."""

from __future__ import annotations

from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.engines.database.address import is_address
from antifaz.engines.engine import Auditor, Data

ENGINES = ("local", "database", "spark")


def open_data(place: Any, *, engine: str | None = None, **options: Any) -> Data:
    """Open a table where it lives: a path or frame on this machine, a table of a database, or what Spark opens.

    Without an engine's name it follows from the place: an address such as mariadb:// is a database's, a Spark frame
    or another path with a scheme, such as hdfs://, is Spark's; all else is opened on this machine. The options are the
    engine's; see `open_local`, `open_database` and `open_spark`.
    """
    if isinstance(place, Data):
        return place
    name = engine or ("database" if is_address(place) else "spark" if _is_spark(place) else "local")
    if name == "local":
        from antifaz.engines.local.data import open_local

        return open_local(place, **options)
    if name in ("database", "sql"):
        from antifaz.engines.database.data import open_database

        return open_database(place, **options)
    if name == "spark":
        from antifaz.engines.spark.data import open_spark

        return open_spark(place, **options)
    raise ParameterError("engine.unknown", name=name, hint=hint(name, ENGINES))


def to_audit(table: Any) -> tuple[Auditor, Any]:
    """Return who counts a table that is at hand, whoever made it, and what they are handed."""
    if isinstance(table, Data):
        return table.auditor(), table.whole()
    if _is_spark(table):
        from antifaz.engines.spark.auditor import SparkAuditor

        return SparkAuditor(), table
    from antifaz.engines.local.auditor import LocalAuditor

    return LocalAuditor(), table


def _is_spark(place: Any) -> bool:
    """Say whether something is Spark's, without importing Spark."""
    if isinstance(place, str):
        return "://" in place
    return type(place).__module__.startswith("pyspark.")
