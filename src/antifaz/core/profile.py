"""A profile: what is known of a table's columns after one look, with no raw rare value in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from antifaz.core.errors import SchemaError, hint
from antifaz.core.types import DataType

#: A value is shown to people only if at least this many records share it.
COMMON = 10


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """One column: how many values, how many missing, and an example of what is in it.

    `low` and `high` are the 5th and the 95th percentile of an ordered column, rounded, so that no extreme person shows;
    `common` are the most frequent values and their counts, each shared by at least `COMMON` records.
    """

    name: str
    type: DataType
    rows: int
    missing: int
    distinct: int
    low: str | None = None
    high: str | None = None
    common: tuple[tuple[str, int], ...] = ()
    #: Length in characters of the shortest and the longest value.
    shortest: int = 0
    longest: int = 0
    #: Share of the values that look like: email, phone, digits, code (letters and digits, one shape), words, iban, …
    patterns: tuple[tuple[str, float], ...] = ()

    def shown(self, common: int) -> dict[str, Any]:
        """Return what a person is shown of the column, with so many of its frequent values."""
        return {
            "name": self.name,
            "type": str(self.type),
            "distinct": self.distinct,
            "missing": self.missing,
            "longest": self.longest,
            "low": self.low,
            "high": self.high,
            "common": [value for value, _ in self.common[:common]],
        }


@dataclass(frozen=True, kw_only=True)
class Profile:
    """All columns of a table, in order."""

    rows: int
    columns: tuple[ColumnProfile, ...]

    def __iter__(self) -> Iterator[ColumnProfile]:
        """Go through the columns in order."""
        return iter(self.columns)

    def __getitem__(self, name: str) -> ColumnProfile:
        """Return the profile of that column, or say which name is nearest."""
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError("column.unknown", name=name, hint=hint(name, [c.name for c in self.columns]))
