"""What the verbs of the Spark engine know of a table: the session, the frame of all rows, its columns and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from antifaz.core.schema import Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkTable:
    """One frame on a Spark session."""

    def __init__(
        self, session: SparkSession, frame: DataFrame, *, schema: Schema, rows: int, kind: str,
        limits: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Take note of where the rows are."""
        self.session = session
        #: All rows; a text file's columns are all text, exactly as written, missing is null.
        self.frame = frame
        #: Spark's type of each column.
        self.native = {name: str(kind) for name, kind in frame.dtypes}
        #: How each column is understood; may be replaced by one with roles.
        self.schema = schema
        self.rows = rows
        #: "path", or "spark" for a frame that was handed in.
        self.kind = kind
        self.limits = dict(limits or {})
