"""Describe every column of a table in a database, without showing a value that fewer than ten records share.

Counts, distinct and common values are exact. The shares of patterns come from the most frequent values, of which a few
thousand are looked at here; the local engine looks at some rows, so the two may differ there in the last digit shown.
"""

# Names of columns are c0, c1, …; no name of the data is in these statements.
# ruff: noqa: S608
from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from antifaz.core.profile import COMMON, ColumnProfile, Profile
from antifaz.core.types import DataType
from antifaz.engines.database.faults import guard
from antifaz.engines.local.profile import PATTERNS, SHOWN, one_column

if TYPE_CHECKING:
    from antifaz.engines.database.data import DatabaseData

#: Values looked at for patterns: shares need no more.
_LOOKED_AT = 20_000
# The patterns of `engines.local.profile` in Python's dialect.
_LETTER = r"[^\W\d_]"
_CODE = re.compile(rf"(?:{_LETTER}|[0-9._/-])*{_LETTER}(?:{_LETTER}|[0-9._/-])*")
_FORMS = [re.compile(form.replace(r"\p{L}", _LETTER)) for form in PATTERNS.values()]


def profile(data: DatabaseData) -> Profile:
    """Describe every column of the data."""
    with guard("The columns could not be described"):
        found = tuple(_describe(data, name) for name in data.schema.names)
    return Profile(rows=data.rows, columns=found)


def _describe(data: DatabaseData, name: str) -> ColumnProfile:
    field, place = data.field(name), data.place(name)
    grouped = f"SELECT {place} AS v, count(*) AS n FROM {data.source} AS s WHERE {place} IS NOT NULL GROUP BY {place}"
    distinct, present = data.link.one(f"SELECT count(*), coalesce(sum(n), 0) FROM ({grouped}) AS g")
    text = data.link.dialect.fetched(field, "v")
    # Ties in the order of the values, so that the answer is always the same.
    top = f"SELECT {text} AS t, n FROM ({grouped}) AS g ORDER BY n DESC, v LIMIT {_LOOKED_AT}"
    table = data.link.table(top, [data.fetched_type(name), pa.int64()])
    texts = [data.spell(name, value) or "" for value in table.column(0).to_pylist()]
    counts = table.column(1).to_pylist()
    common = tuple((value, n) for value, n in list(zip(texts, counts, strict=True))[:SHOWN] if n >= COMMON)
    lengths = _lengths(data, place, texts, int(distinct))
    ends = _ends(data, name, int(present))
    return one_column(
        data.schema[name], data.rows, (int(present), *lengths), (int(distinct), common), [ends], _shapes(texts, counts)
    )


def _lengths(data: DatabaseData, place: str, texts: Sequence[str], distinct: int) -> tuple[int | None, int | None]:
    if distinct <= len(texts):
        return min(map(len, texts), default=None), max(map(len, texts), default=None)
    value = data.link.dialect.characters(place)
    low, high = data.link.one(f"SELECT min({value}), max({value}) FROM {data.source} AS s")
    return int(low), int(high)


def _ends(data: DatabaseData, name: str, present: int) -> tuple[float, float] | None:
    """Return the 5th and the 95th percentile as numbers; dates as seconds since 1970."""
    kind = data.schema[name].type
    value = data.ordered(name)
    if value is None or not present:
        return None
    found: list[float] = []
    for share in (0.05, 0.95):
        place = max(-(-int(share * 100) * present // 100) - 1, 0)
        rows = data.link.run(
            f"SELECT v FROM (SELECT {value} AS v FROM {data.source} AS s) AS g WHERE v IS NOT NULL "
            f"ORDER BY v LIMIT 1 OFFSET {place}"
        )
        if not rows:
            return None
        found.append(_number(rows[0][0], kind))
    return (found[0], found[1]) if all(abs(one) != float("inf") for one in found) else None


def _number(value: Any, kind: DataType) -> float:
    if kind.is_number:
        return float(value)
    text = value.decode() if isinstance(value, bytes) else str(value)
    return datetime.fromisoformat(text.strip()[:10]).replace(tzinfo=UTC).timestamp()


def _shapes(texts: Sequence[str], counts: Sequence[int]) -> list[int]:
    """Count values, those of each pattern, and those that are codes if all codes have one shape."""
    trimmed = [(text.strip(" "), n) for text, n in zip(texts, counts, strict=True)]
    found = [sum(n for text, n in trimmed if form.fullmatch(text)) for form in _FORMS]
    codes = [(text, n) for text, n in trimmed if re.search("[0-9]", text) and _CODE.fullmatch(text)]
    shapes = {re.sub(_LETTER, "A", re.sub("[0-9]", "9", text)) for text, _ in codes}
    return [max(sum(counts), 1), *found, sum(n for _, n in codes) if len(shapes) == 1 else 0]
