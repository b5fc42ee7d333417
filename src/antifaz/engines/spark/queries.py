"""Statements on a frame, for the verbs that all engines share: Spark SQL over a view that lasts as long as the verb."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from antifaz.core.schema import Schema
from antifaz.engines.dialects.dialect import Field, Relation
from antifaz.engines.dialects.spark_sql import SPELL, SparkSQL, field_of
from antifaz.engines.spark.errors import spark_errors

_SINGLE = Field(name="", kind="single", type="float")
_DOUBLE = Field(name="", kind="float", type="double")


class SparkQueries:
    """Runs statements on one session."""

    dialect = SparkSQL()
    errors = staticmethod(spark_errors)

    def __init__(self, session: SparkSession) -> None:
        """Take the session; whoever opened it stops it."""
        self._session = session

    def driver(self) -> SparkSession:
        """Return the session itself."""
        return self._session

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        return [tuple(row) for row in self._session.sql(statement).collect()]

    def table(self, statement: str, types: Sequence[pa.DataType]) -> pa.Table:
        """Return the rows of a statement as an Arrow table; Spark's text may be of another width than ours."""
        table = self._session.sql(statement).toArrow()
        return table.cast(pa.schema(list(zip(table.schema.names, types, strict=True))))


@contextmanager
def frame_relation(session: SparkSession, frame: DataFrame, schema: Schema, rows: int) -> Iterator[Relation]:
    """Yield a frame as the verbs see it that all engines share; its columns are c0, c1, … there."""
    # Names of our own, because Spark would take `Age` and `age` for one column.
    fields = tuple(field_of(name, str(kind)) for name, kind in frame.dtypes)
    places = tuple(f"c{i}" for i in range(len(fields)))
    view = f"antifaz_{secrets.token_hex(8)}"
    with spark_errors():
        if any(field.kind in SPELL for field in fields):
            session.udf.register(SPELL["single"], spell_single)
            session.udf.register(SPELL["float"], spell_double)
        frame.toDF(*places).createOrReplaceTempView(view)
    try:
        yield Relation(SparkQueries(session), view, fields, places, schema, rows)
    finally:
        with spark_errors():
            session.catalog.dropTempView(view)


def spell_double(value: float | None) -> str | None:
    """Return a number as the text that every engine counts it under."""
    return _DOUBLE.spell(value)


def spell_single(value: float | None) -> str | None:
    """Return a number of single precision as the text that every engine counts it under."""
    return _SINGLE.spell(value)
