"""A profile: what is known of a table's columns after one look, with no raw rare value in it."""

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from antifaz.core.errors import SchemaError, hint
from antifaz.core.schema import Column
from antifaz.core.types import DataType

#: A value is shown to people only if at least this many records share it.
COMMON = 10
#: Values needed so that at least ten of them lie beyond each of the two percentiles.
ENOUGH = 20 * COMMON
CODE = r"[\p{L}0-9._/-]*\p{L}[\p{L}0-9._/-]*"
PATTERNS = {
    "email": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "phone": r"(\+|00)?[0-9][0-9 ()./-]{6,18}[0-9]",
    "digits": r"[0-9]+",
    "words": r"\p{L}+([ '.,-]+\p{L}+)*\.?",
    # What follows names a person or a machine; written so that every engine reads it alike: no look-ahead.
    "url": r"(https?://|www\.)\S+",
    "ip": r"([0-9]{1,3}\.){3}[0-9]{1,3}|([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|[0-9A-Fa-f:]*::[0-9A-Fa-f:]*",
    "mac": r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    "uuid": r"[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    "iban": r"[A-Z]{2}[0-9]{2}( ?[A-Z0-9]){11,30}",
    "dni": r"([0-9]{8}|[XYZxyz][ -]?[0-9]{7})[ -]?[A-Za-z]",
    "rut": r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-[0-9Kk]",
    "card": r"[0-9]([ -]?[0-9]){12,18}",
    "ssn": r"[0-9]{3}-[0-9]{2}-[0-9]{4}",
    "plate": r"[0-9]{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}",
}
# The patterns in Python's dialect.
_LETTER = r"[^\W\d_]"
_CODE = re.compile(rf"(?:{_LETTER}|[0-9._/-])*{_LETTER}(?:{_LETTER}|[0-9._/-])*")
FORMS = {name: re.compile(form.replace(r"\p{L}", _LETTER)) for name, form in PATTERNS.items()}
_FORMS = list(FORMS.values())


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """One column: how many values, how many missing, and an example of what is in it.

    `low` and `high` are the 5th and the 95th percentile of an ordered column, rounded outwards to a power of ten
    between a hundredth and a tenth of their distance (dates to their month), so that no extreme person shows; a column
    with fewer than 200 values has none, because fewer than ten people would lie beyond them. `common` are the most
    frequent values and their counts, each shared by at least `COMMON` records.
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
        return iter(self.columns)

    def __getitem__(self, name: str) -> ColumnProfile:
        """Return the profile of that column, or say which name is nearest."""
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError("column.unknown", name=name, hint=hint(name, [c.name for c in self.columns]))


def make_profile(
    column: Column,
    rows: int,
    counts: Sequence[Any],
    distinct: int,
    common: tuple[tuple[str, int], ...],
    ends: Any,
    shapes: Sequence[Any],
) -> ColumnProfile:
    """Put together what was found of a column; few values of it say nothing about its ends.

    `shapes` counts values, those of each pattern, and codes; patterns that never occur are left out.
    """
    present, shortest, longest = counts
    low, high = _rounded(ends, column.type) if present >= ENOUGH else (None, None)
    looked_at, *matches = shapes
    shares = zip((*PATTERNS, "code"), matches, strict=True)
    return ColumnProfile(
        name=column.name, type=column.type, rows=rows, missing=rows - present, distinct=distinct, low=low, high=high,
        common=common, shortest=shortest or 0, longest=longest or 0,
        patterns=tuple((pattern, round(n / looked_at, 3)) for pattern, n in shares if n),
    )  # fmt: skip


def counted_shapes(texts: Sequence[str], counts: Sequence[int]) -> list[int]:
    """Count values, those of each pattern, and those that are codes if all codes have one shape."""
    trimmed = [(text.strip(" "), n) for text, n in zip(texts, counts, strict=True)]
    matches = [sum(n for text, n in trimmed if form.fullmatch(text)) for form in _FORMS]
    codes = [(text, n) for text, n in trimmed if re.search("[0-9]", text) and _CODE.fullmatch(text)]
    shapes = {re.sub(_LETTER, "A", re.sub("[0-9]", "9", text)) for text, _ in codes}
    return [max(sum(counts), 1), *matches, sum(n for _, n in codes) if len(shapes) == 1 else 0]


def _rounded(ends: Any, kind: DataType) -> tuple[str | None, str | None]:
    """Round the two percentiles outwards."""
    if not ends or ends[0] is None:
        return None, None
    low, high = float(ends[0]), float(ends[1])
    if kind.is_number:
        step = 10.0 ** math.floor(math.log10((high - low) / 10)) if high > low else 1.0
        step = max(step, 1.0) if kind is DataType.INTEGER else step
        digits = max(0, -math.floor(math.log10(step)))
        return f"{math.floor(low / step) * step:.{digits}f}", f"{math.ceil(high / step) * step:.{digits}f}"
    # A date is rounded to its month.
    first, last = (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=end) for end in (low, high))
    return f"{first.year:04d}-{first.month:02d}", f"{last.year:04d}-{last.month:02d}"
