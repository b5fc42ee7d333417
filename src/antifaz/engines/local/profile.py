"""Describe every column in a few statements, without showing a value that fewer than ten records share.

`low` and `high` are the 5th and the 95th percentile, rounded outwards to a power of ten between a hundredth and
a tenth of their distance (dates to their month); a column with fewer than 200 values has none, because fewer than ten
people would lie beyond them. `common` are shared by at least `COMMON` records each.
"""

# Names of columns go through `quote`; all else that makes up a statement is ours.
# ruff: noqa: S608

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from antifaz.core.profile import COMMON, ColumnProfile, Profile
from antifaz.core.schema import Column
from antifaz.core.types import DataType
from antifaz.engines.local.duck import duckdb_errors, first_row, quote
from antifaz.engines.local.window import has_own_rowid

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable

#: Columns looked at in one statement.
BATCH = 64
#: Most frequent values that are shown.
SHOWN = 5
#: Values needed so that at least ten of them lie beyond each of the two percentiles.
ENOUGH = 20 * COMMON
#: Values looked at for patterns: shares need no more.
LOOKED_AT = 20_000
#: Values looked at for the percentiles, which are rounded anyway.
ORDERED = 200_000
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
_ORDER = {
    DataType.INTEGER: "TRY_CAST({0} AS DOUBLE)",
    DataType.DECIMAL: "TRY_CAST({0} AS DOUBLE)",
    DataType.DATE: "epoch(TRY_CAST({0} AS TIMESTAMP))",
    DataType.DATETIME: "epoch(TRY_CAST({0} AS TIMESTAMP))",
}


def profile(data: LocalTable) -> Profile:
    """Describe every column of the data."""
    columns = data.schema.columns
    found: list[ColumnProfile] = []
    with duckdb_errors():
        for start in range(0, len(columns), BATCH):
            batch = columns[start : start + BATCH]
            pairs = [(column.name, column.type) for column in batch]
            found.extend(_describe(data, pairs))
    return Profile(rows=data.rows, columns=tuple(found))


def _describe(data: LocalTable, columns: Sequence[tuple[str, DataType]]) -> list[ColumnProfile]:
    counts = _ask(data, [_counts(name) for name, _ in columns], data.table)
    ends = _ask(data, [[_percentiles(name, kind)] for name, kind in columns], _some(data, ORDERED))
    shapes = _ask(data, [_shapes(name) for name, _ in columns], _some(data, LOOKED_AT))
    return [
        one_column(data.schema[name], data.rows, counts[i], _values(data, name), ends[i], shapes[i])
        for i, (name, _) in enumerate(columns)
    ]


def one_column(
    column: Column,
    rows: int,
    counts: Sequence[Any],
    values: tuple[int, tuple[tuple[str, int], ...]],
    ends: Sequence[Any],
    shapes: Sequence[Any],
) -> ColumnProfile:
    """Put together what was found of a column, whoever asked: few values of it say nothing about its ends."""
    present, shortest, longest = counts
    low, high = _ends(ends[0], column.type) if present >= ENOUGH else (None, None)
    return ColumnProfile(
        name=column.name,
        type=column.type,
        rows=rows,
        missing=rows - present,
        distinct=values[0],
        low=low,
        high=high,
        common=values[1],
        shortest=shortest or 0,
        longest=longest or 0,
        patterns=_shares(shapes),
    )


def _ask(data: LocalTable, questions: Sequence[Sequence[str]], rows: str) -> list[tuple[Any, ...]]:
    """Put the questions about all columns in one statement; return the answers by column."""
    asked = ", ".join(question for column in questions for question in column)
    answer = first_row(data.db, f"SELECT {asked} FROM {rows}")
    width = len(questions[0])
    return [tuple(answer[width * i : width * (i + 1)]) for i in range(len(questions))]


def _some(data: LocalTable, wanted: int) -> str:
    """Return about that many rows, evenly spread: a choice by chance would depend on the number of threads."""
    step = max(data.rows // wanted, 1)
    if step == 1 or has_own_rowid(data):  # then all of them
        return quote(data.table)
    return f"(SELECT * FROM {quote(data.table)} WHERE rowid % {step} = 0)"


def _counts(name: str) -> list[str]:
    column, text = quote(name), f"{quote(name)}::VARCHAR"
    return [f"count({column})", f"min(length({text}))", f"max(length({text}))"]


def _percentiles(name: str, kind: DataType) -> str:
    if kind not in _ORDER:
        return "NULL"
    value = _ORDER[kind].format(quote(name))
    return f"quantile_disc({value}, [0.05, 0.95]) FILTER (WHERE isfinite({value}))"


def _values(data: LocalTable, name: str) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Return the number of distinct values, and the common ones. (A grouping can spill, count(DISTINCT) can't.)"""
    column = quote(name)
    grouped = f"SELECT {column} AS v, count(*) AS n FROM {quote(data.table)} WHERE {column} IS NOT NULL GROUP BY 1"
    distinct, shared = first_row(data.db, f"SELECT count(*), count_if(n >= {COMMON}) FROM ({grouped})")
    if not shared:
        return int(distinct), ()
    rows = data.db.execute(
        f"SELECT v::VARCHAR, n FROM ({grouped}) WHERE n >= {COMMON} ORDER BY n DESC, v LIMIT {SHOWN}"
    ).fetchall()
    return int(distinct), tuple((str(value), int(n)) for value, n in rows)


def _shapes(name: str) -> list[str]:
    """Count values, those of each pattern, and those that are codes if all codes have one shape (A for letters, 9)."""
    text = f"trim({quote(name)}::VARCHAR)"
    forms = [form.replace("'", "''") for form in PATTERNS.values()]
    shape = f"regexp_replace(regexp_replace({text}, '[0-9]', '9', 'g'), '\\p{{L}}', 'A', 'g')"
    code = f"regexp_matches({text}, '[0-9]') AND regexp_full_match({text}, '{CODE}')"
    return [
        f"count({text})",
        *(f"count_if(regexp_full_match({text}, '{form}'))" for form in forms),
        f"CASE WHEN count(DISTINCT {shape}) FILTER (WHERE {code}) = 1 THEN count_if({code}) ELSE 0 END",
    ]


def _shares(counts: Sequence[int]) -> tuple[tuple[str, float], ...]:
    """Return the share of each pattern; those that never occur are left out."""
    present, *found = counts
    keys = (*PATTERNS, "code")
    return tuple((key, round(n / present, 3)) for key, n in zip(keys, found, strict=True) if n)


def _ends(ends: Any, kind: DataType) -> tuple[str | None, str | None]:
    """Round the two percentiles outwards."""
    if not ends or ends[0] is None:
        return None, None
    low, high = float(ends[0]), float(ends[1])
    if kind.is_number:
        step = 10.0 ** math.floor(math.log10((high - low) / 10)) if high > low else 1.0
        digits = max(0, -math.floor(math.log10(step)))
        step = max(step, 1.0) if kind is DataType.INTEGER else step
        digits = 0 if kind is DataType.INTEGER else digits
        return f"{math.floor(low / step) * step:.{digits}f}", f"{math.ceil(high / step) * step:.{digits}f}"
    # A date is rounded to its month.
    return _month(low), _month(high)


def _month(seconds: float) -> str:
    day = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return f"{day.year:04d}-{day.month:02d}"
