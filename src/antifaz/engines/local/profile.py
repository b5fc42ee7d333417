"""Describe every column in a few statements, without showing a value that fewer than ten records share.

`low` and `high` are the 5th and the 95th percentile, rounded to a step of about a hundredth of their distance; they
are left out of a column with fewer than 200 values, where a percentile is a single person, and out of columns whose
values are nearly all different and small in number. `common` are shared by at least `COMMON` records each.
"""

# Names of columns go through `quote`; all else that makes up a statement is ours.
# ruff: noqa: S608

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from antifaz.core.profile import COMMON, ColumnProfile, Profile
from antifaz.core.types import DataType
from antifaz.engines.local.duck import guard, quote
from antifaz.engines.local.types import BATCH

if TYPE_CHECKING:
    from antifaz.engines.local.data import LocalData

#: Most frequent values that are shown.
SHOWN = 5
#: Values needed so that at least ten of them lie beyond each of the two percentiles.
ENOUGH = 20 * COMMON
#: Values looked at for patterns: shares need no more.
_LOOKED_AT = 20_000
_PATTERNS = {
    "email": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "phone": r"(\+|00)?[0-9][0-9 ()./-]{6,18}[0-9]",
    "digits": r"[0-9]+",
    "words": r"\p{L}+([ '.,-]+\p{L}+)*\.?",
}
_ORDER = {
    DataType.INTEGER: "TRY_CAST({0} AS DOUBLE)",
    DataType.DECIMAL: "TRY_CAST({0} AS DOUBLE)",
    DataType.DATE: "epoch(TRY_CAST({0} AS TIMESTAMP))",
    DataType.DATETIME: "epoch(TRY_CAST({0} AS TIMESTAMP))",
}


def profile(data: LocalData) -> Profile:
    """Describe every column of the data."""
    columns = data.schema.columns
    found: list[ColumnProfile] = []
    with guard():
        for start in range(0, len(columns), BATCH):
            batch = columns[start : start + BATCH]
            pairs = [(column.name, column.type) for column in batch]
            found.extend(_describe(data, pairs))
    return Profile(rows=data.rows, columns=tuple(found))


def _describe(data: LocalData, columns: Sequence[tuple[str, DataType]]) -> list[ColumnProfile]:
    asked = ", ".join(part for name, kind in columns for part in _numbers(name, kind))
    answer = list(data.db.execute(f"SELECT {asked} FROM {quote(data.table)}").fetchone() or ())
    patterns = _patterns(data, [name for name, _ in columns])
    found = []
    for i, (name, kind) in enumerate(columns):
        present, distinct, shortest, longest, ends = answer[5 * i : 5 * i + 5]
        low, high = _ends(ends, kind) if present >= ENOUGH else (None, None)
        found.append(
            ColumnProfile(
                name=name,
                type=kind,
                rows=data.rows,
                missing=data.rows - present,
                distinct=distinct,
                low=low,
                high=high,
                common=_common(data, name, present, distinct),
                shortest=shortest or 0,
                longest=longest or 0,
                patterns=patterns[i],
            )
        )
    return found


def _numbers(name: str, kind: DataType) -> list[str]:
    column, text = quote(name), f"{quote(name)}::VARCHAR"
    value = _ORDER[kind].format(column) if kind in _ORDER else None
    return [
        f"count({column})",
        f"count(DISTINCT {column})",
        f"min(length({text}))",
        f"max(length({text}))",
        f"quantile_disc({value}, [0.05, 0.95]) FILTER (WHERE isfinite({value}))" if value else "NULL",
    ]


def _common(data: LocalData, name: str, present: int, distinct: int) -> tuple[tuple[str, int], ...]:
    # With fewer than this many records per value on the average a common value is possible, but not worth a pass
    # over a column of identifiers.
    if not distinct or distinct == present:
        return ()
    column = quote(name)
    rows = data.db.execute(
        f"SELECT {column}::VARCHAR, count(*) AS n FROM {quote(data.table)} WHERE {column} IS NOT NULL "
        f"GROUP BY 1 HAVING n >= {COMMON} ORDER BY n DESC, 1 LIMIT {SHOWN}"
    ).fetchall()
    return tuple((str(value), int(n)) for value, n in rows)


def _patterns(data: LocalData, names: Sequence[str]) -> list[tuple[tuple[str, float], ...]]:
    """Return for each column the share of its values that looks like each pattern, those that never occur left out."""
    texts = ", ".join(f"trim({quote(name)}::VARCHAR) AS c{i}" for i, name in enumerate(names))
    asked: list[str] = []
    for i in range(len(names)):
        asked.append(f"count(c{i})")
        asked.extend(
            f"count_if(regexp_full_match(c{i}, '{form.replace(chr(39), chr(39) * 2)}'))" for form in _PATTERNS.values()
        )
        shape = f"regexp_replace(regexp_replace(c{i}, '[0-9]', '9', 'g'), '\\p{{L}}', 'A', 'g')"
        mixed = (
            f"regexp_matches(c{i}, '[0-9]') AND regexp_full_match(c{i}, '[\\p{{L}}0-9._/-]*\\p{{L}}[\\p{{L}}0-9._/-]*')"
        )
        asked.append(f"CASE WHEN count(DISTINCT {shape}) FILTER (WHERE {mixed}) = 1 THEN count_if({mixed}) ELSE 0 END")
    rows = f"(SELECT {texts} FROM {quote(data.table)} USING SAMPLE {_LOOKED_AT} ROWS (reservoir, 1))"
    answer = data.db.execute(f"SELECT {', '.join(asked)} FROM {rows}").fetchone() or ()
    keys = (*_PATTERNS, "code")
    width = 1 + len(keys)
    found = []
    for i in range(len(names)):
        present, *counts = answer[width * i : width * (i + 1)]
        found.append(tuple((k, round(n / present, 3)) for k, n in zip(keys, counts, strict=True) if present and n))
    return found


def _ends(ends: Any, kind: DataType) -> tuple[str | None, str | None]:
    """Round the two percentiles outwards to a step of about a hundredth of their distance."""
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
