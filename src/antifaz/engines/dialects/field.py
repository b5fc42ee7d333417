"""One column of a table, wherever it is: how its values are held, and the text that every engine counts them under."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from antifaz.core.types import DataType

#: How values are held: `single` and `float` are floating-point numbers, `moment` is a time with a zone, `other` is
#: a type of the database's own, whose values are understood as the text they are written as.
Kind = Literal["text", "integer", "decimal", "single", "float", "boolean", "date", "datetime", "moment", "other"]
_TYPES: dict[str, DataType] = {
    "integer": DataType.INTEGER, "decimal": DataType.DECIMAL, "single": DataType.DECIMAL, "float": DataType.DECIMAL,
    "boolean": DataType.BOOLEAN, "date": DataType.DATE, "datetime": DataType.DATETIME, "moment": DataType.DATETIME,
    "other": DataType.TEXT,
}  # fmt: skip
_ARROW = {
    "text": pa.string(), "integer": pa.int64(), "single": pa.float32(), "float": pa.float64(), "boolean": pa.bool_(),
    "date": pa.date32(), "datetime": pa.timestamp("us"), "moment": pa.timestamp("us", "UTC"), "other": pa.string(),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Field:
    """One column: its name, how it is held, and the type with which a released table declares it."""

    name: str
    kind: Kind
    #: The engine's own type: SQLAlchemy's for a database, the name of the type for DuckDB and Spark.
    type: Any
    #: Digits before and after the point of a decimal number, where the type says so; of seconds for a time.
    precision: int | None = None
    scale: int | None = None
    #: Whether the type is the one that the source declares.
    own: bool = False
    #: Texts that mean missing.
    missing: tuple[str, ...] = ()

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type in which the column comes out."""
        if self.kind == "decimal":
            return pa.decimal128(min(self.precision or 38, 38), self.scale if self.scale is not None else 10)
        return _ARROW[self.kind]

    @property
    def understood(self) -> DataType | None:
        """The type that the database itself settles; None for text."""
        if self.kind == "decimal" and self.scale == 0:
            return DataType.INTEGER
        return _TYPES.get(self.kind)

    @property
    def number(self) -> pa.DataType:
        """The Arrow type in which a number comes out that is spelled in this process."""
        if self.kind in ("float", "single"):
            return pa.float64()
        return pa.uint64() if getattr(self.type, "unsigned", False) else pa.int64()

    def spell(self, value: Any) -> str | None:
        """Return a value that came out as the text that every engine counts it under."""
        if value is None or isinstance(value, str):
            return value
        if self.kind == "single":
            return _spell_single(np.float32(value))
        # Python and DuckDB both take the fewest digits that tell a number, and an exponent from 1e16 on.
        return repr(float(value) + 0.0) if self.kind == "float" else str(value)


def _spell_single(value: np.float32) -> str:
    if not math.isfinite(value) or value == 0:
        return repr(float(value) + 0.0)
    if 1e-4 <= abs(value) < 1e16:
        fewest = str(np.format_float_positional(value, unique=True, trim="0"))
    else:
        fewest = str(np.format_float_scientific(value, unique=True, trim="-", exp_digits=2))
    # Where two texts with the fewest digits are equally near, DuckDB takes neither but the one between them.
    exact = repr(float(value))
    between = len(exact) == len(fewest) + 1 and exact.partition("e")[0].endswith("5")
    return exact if between else fewest
