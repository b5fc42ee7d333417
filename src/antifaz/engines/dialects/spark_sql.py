"""How Spark SQL says it. Floating-point numbers, which Java spells otherwise, are spelled by Python."""

# Names of columns are ours: c0, c1, ….
# ruff: noqa: S608
import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from antifaz.core.types import DataType
from antifaz.engines.dialects.dialect import SQLDialect
from antifaz.engines.dialects.field import Field, Kind

_KINDS: dict[str, Kind] = {
    "string": "text", "tinyint": "integer", "smallint": "integer", "int": "integer", "bigint": "integer",
    "boolean": "boolean", "date": "date", "float": "single", "double": "float", "timestamp": "moment",
    "timestamp_ntz": "datetime",
}  # fmt: skip
#: The functions by which floating-point numbers are spelled; whoever runs statements registers them.
SPELL: dict[Kind, str] = {"single": "antifaz_spell_float", "float": "antifaz_spell_double"}
_EPOCH = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
#: The zone behind the time of a text, which is left aside: the month is what is shown.
_ZONE = r"(?<=:[0-9]{2}(?:\.[0-9]{0,9})?)(Z|[+-][0-9:]+)$"


def field_of(name: str, native: str) -> Field:
    """Return a column from Spark's type."""
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", native)
    if decimal:
        return Field(name=name, kind="decimal", type=native, precision=int(decimal[1]), scale=int(decimal[2]))
    return Field(name=name, kind=_KINDS.get(native, "other"), type=native)


class SparkSQL(SQLDialect):
    """Spark SQL, 4 or newer."""

    name: ClassVar[str] = "spark"
    text_type: ClassVar[str] = "STRING"
    characters: ClassVar[str] = "length(CAST({} AS STRING))"
    #: Hundreds of columns at once make code that Java does not compile.
    batch: ClassVar[int] = 50
    few_rows: ClassVar[int] = 10_000
    profile_batch: ClassVar[int] = 16
    name_quote: ClassVar[str] = "`"
    search: ClassVar[str] = "{} RLIKE {}"
    replace_all: ClassVar[str] = "regexp_replace({}, {}, {})"
    every: ClassVar[str] = "bool_and({})"
    matches: ClassVar[str] = "{} RLIKE {}"
    whole_pattern: ClassVar[str] = r"\A(?:{})\z"
    without_number: ClassVar[str] = "trim(TRAILING '0123456789' FROM {})"
    sha256: ClassVar[str] = "sha2({}, 256)"
    trimmed: ClassVar[str] = "btrim({}, ' \t')"

    def literal(self, text: str | None) -> str:
        """Return a text; a backslash begins an escape there."""
        return "NULL" if text is None else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def text(self, field: Field, column: str) -> str:
        """Return a value as the local engine spells it."""
        if field.kind == "text":
            return column
        if field.kind in SPELL:
            return f"{SPELL[field.kind]}({column})"
        if field.kind == "moment":  # in UTC, whatever zone the session is in
            moment = f"timestampadd(MICROSECOND, unix_micros({column}), {_EPOCH})"
            return f"concat(CAST({moment} AS STRING), '+00')"
        return f"CAST({column} AS STRING)"

    def mapping_key(self, field: Field, column: str) -> str:
        """Return a floating-point number as it is: spelling every row is slow."""
        return f"CAST({column} AS DOUBLE)" if field.kind in SPELL else super().mapping_key(field, column)

    def mapping_keys_of(self, field: Field, texts: Iterable[str]) -> Iterable[Any]:
        """Return values as their mapping has them; a number of single precision is the nearest one."""
        keys = super().mapping_keys_of(field, texts)
        return (float(np.float32(key)) for key in keys) if field.kind == "single" else keys

    def day_exists(self, column: str, kind: DataType) -> str:
        """Return whether a day exists; the calendar has no year 0."""
        day = f"try_cast(substring({self.trimmed.format(column)}, 1, 10) AS DATE)"
        return f"coalesce({day} >= DATE'0001-01-01', false)"

    def sample(self, source: str, places: Sequence[str], step: int) -> str:
        """Return rows chosen by what is in them, so that the choice does not depend on partitions."""
        return f"(SELECT * FROM {source} WHERE pmod(xxhash64({', '.join(places)}), {step}) = 0)"

    def percentiles(self, field: Field, kind: DataType, column: str) -> str:
        """Return the 5th and the 95th percentile in a list."""
        trimmed = f"btrim({column})"
        if kind.is_number:
            number = f"try_cast({trimmed} AS DOUBLE)" if field.kind == "text" else f"CAST({column} AS DOUBLE)"
            value = f"CASE WHEN {number} < double('inf') AND {number} > double('-inf') THEN {number} END"
        else:
            plain = self.replace_all.format(trimmed, self.literal(_ZONE), "''")
            moment = f"{f'try_cast({plain}' if field.kind == 'text' else f'CAST({column}'} AS TIMESTAMP_NTZ)"
            value = f"CAST(timestampdiff(SECOND, {_EPOCH}, {moment}) AS DOUBLE)"
        return f"array({', '.join(f'percentile_approx({value}, {share}, 1000000)' for share in ('0.05D', '0.95D'))})"
