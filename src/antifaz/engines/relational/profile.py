"""Describe every column in a few statements; `core.profile` says what of it may be shown.

Counts, distinct and common values are exact. The rest is asked in one of two ways. Where the database finds patterns
and percentiles of many columns in one statement (DuckDB, Spark SQL), it is asked about some of the rows. Elsewhere the
most frequent values of a column are brought and looked at here. Shares may differ between the two in the last digit.
"""

# Names of columns reach these statements quoted, or are ours.
# ruff: noqa: S608
import datetime
import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.core.profile import CODE, COMMON, PATTERNS, ColumnProfile, Profile, counted_shapes, make_profile
from antifaz.core.types import DataType
from antifaz.engines.dialects.dialect import Relation
from antifaz.engines.dialects.field import Field

#: Most frequent values that are shown.
SHOWN = 5
#: Values looked at for patterns: shares need no more.
LOOKED_AT = 20_000
#: Values looked at for the percentiles, which are rounded anyway.
ORDERED = 200_000
_Placed = Sequence[tuple[Field, str]]


def profile(relation: Relation) -> Profile:
    """Describe every column."""
    profiles: list[ColumnProfile] = []
    batch = relation.dialect.profile_batch
    columns = list(zip(relation.fields, relation.places, strict=True))
    with relation.queries.errors(Message("engine.columns-not-described")):
        if not batch:
            profiles = [_by_values(relation, field, place) for field, place in columns]
        for start in range(0, len(columns) if batch else 0, batch or 1):
            profiles.extend(_by_statement(relation, columns[start : start + batch]))
    return Profile(rows=relation.rows, columns=tuple(profiles))


def _by_statement(relation: Relation, columns: _Placed) -> list[ColumnProfile]:
    """Describe several columns, asking about all of them at once."""
    dialect, rows = relation.dialect, relation.rows
    texts = [dialect.text(field, place) or place for field, place in columns]
    kinds = [relation.schema[field.name].type for field, _ in columns]
    lengths = [
        [f"count({place})", f"min(length({text}))", f"max(length({text}))"]
        for (_, place), text in zip(columns, texts, strict=True)
    ]
    counts = _ask(relation, lengths, relation.source)
    ordered = [i for i, kind in enumerate(kinds) if kind.is_ordered]
    percentiles = [[dialect.percentiles(columns[i][0], kinds[i], columns[i][1])] for i in ordered]
    answers = _ask(relation, percentiles, _some(relation, ORDERED)) if ordered else []
    ends = {i: answer for i, (answer,) in zip(ordered, answers, strict=True)}
    shapes = _ask(relation, [_shapes(relation, text) for text in texts], _some(relation, LOOKED_AT))
    profiles = []
    for i, (field, place) in enumerate(columns):
        *matches, codes, least, greatest = shapes[i]
        # Codes count only if all have one shape (A for letters, 9): then the least and the greatest are the same.
        matches.append(codes if least == greatest else 0)
        column = relation.schema[field.name]
        profiles.append(make_profile(column, rows, counts[i], *_values(relation, field, place), ends.get(i), matches))
    return profiles


def _ask(relation: Relation, questions: Sequence[Sequence[str]], rows: str) -> list[tuple[Any, ...]]:
    """Put the questions about all columns in one statement; return the answers by column."""
    asked = ", ".join(question for column in questions for question in column)
    answer = relation.one(f"SELECT {asked} FROM {rows} AS s")
    width = len(questions[0])
    return [tuple(answer[width * i : width * (i + 1)]) for i in range(len(questions))]


def _some(relation: Relation, wanted: int) -> str:
    """Return about that many rows, the same ones whenever asked."""
    step = max(relation.rows // wanted, 1)
    return relation.source if step == 1 else relation.dialect.sample(relation.source, relation.places, step)


def _values(relation: Relation, field: Field, place: str) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Return the number of distinct values, and the common ones. (A grouping can spill, count(DISTINCT) can't.)"""
    grouped = _grouped(relation, place)
    distinct, shared = relation.one(f"SELECT count(*), count_if(n >= {COMMON}) FROM ({grouped}) AS g")
    if not shared:
        return int(distinct), ()
    text = relation.dialect.fetched_value(field, "v")
    rows = relation.queries.run(
        f"SELECT {text} AS t, n FROM ({grouped}) AS g WHERE n >= {COMMON} ORDER BY n DESC, v LIMIT {SHOWN}"
    )
    return int(distinct), tuple((str(field.spell(value)), int(n)) for value, n in rows)


def _grouped(relation: Relation, place: str) -> str:
    return f"SELECT {place} AS v, count(*) AS n FROM {relation.source} AS s WHERE {place} IS NOT NULL GROUP BY {place}"


def _shapes(relation: Relation, text: str) -> list[str]:
    """Count values, those of each pattern, those that are codes, and the least and greatest shape that codes have."""
    dialect, value = relation.dialect, f"trim({text})"
    digit, letter = dialect.literal("[0-9]"), dialect.literal(r"\p{L}")
    shape = dialect.replace_all.format(dialect.replace_all.format(value, digit, "'9'"), letter, "'A'")
    code = f"{dialect.search.format(value, digit)} AND {dialect.full_match(value, CODE)}"
    coded = f"CASE WHEN {code} THEN {shape} END"
    matches = [f"count_if({dialect.full_match(value, form)})" for form in PATTERNS.values()]
    return [f"count({value})", *matches, f"count_if({code})", f"min({coded})", f"max({coded})"]


def _by_values(relation: Relation, field: Field, place: str) -> ColumnProfile:
    """Describe a column from its most frequent values."""
    grouped = _grouped(relation, place)
    distinct, present = relation.one(f"SELECT count(*), coalesce(sum(n), 0) FROM ({grouped}) AS g")
    # Ties in the order of the values, so that the answer is always the same.
    text = relation.dialect.fetched_value(field, "v")
    top = f"SELECT {text} AS t, n FROM ({grouped}) AS g ORDER BY n DESC, v LIMIT {LOOKED_AT}"
    table = relation.queries.table(top, [relation.fetched_type(field), pa.int64()])
    texts = [field.spell(value) or "" for value in table.column(0).to_pylist()]
    counts = table.column(1).to_pylist()
    common = tuple((value, n) for value, n in list(zip(texts, counts, strict=True))[:SHOWN] if n >= COMMON)
    shortest, longest = min(map(len, texts), default=0), max(map(len, texts), default=0)
    if distinct > len(texts):
        size = relation.dialect.characters.format(place)
        shortest, longest = relation.one(f"SELECT min({size}), max({size}) FROM {relation.source} AS s")
    ends = _ends(relation, field, place, int(present))
    lengths, shapes = (int(present), int(shortest), int(longest)), counted_shapes(texts, counts)
    return make_profile(relation.schema[field.name], relation.rows, lengths, int(distinct), common, ends, shapes)


def _ends(relation: Relation, field: Field, place: str, present: int) -> tuple[float, float] | None:
    """Return the 5th and the 95th percentile as numbers; dates as seconds since 1970."""
    kind = relation.schema[field.name].type
    value = relation.dialect.ordered(field, kind, place)
    if value is None or not present:
        return None
    ends: list[float] = []
    for percent in (5, 95):
        at = max(-(-percent * present // 100) - 1, 0)
        rows = relation.queries.run(
            f"SELECT v FROM (SELECT {value} AS v FROM {relation.source} AS s) AS g WHERE v IS NOT NULL "
            f"ORDER BY v LIMIT 1 OFFSET {at}"
        )
        if not rows:
            return None
        ends.append(_number(rows[0][0], kind))
    return None if any(map(math.isinf, ends)) else (ends[0], ends[1])


def _number(value: Any, kind: DataType) -> float:
    if kind.is_number:
        return float(value)
    text = value.decode() if isinstance(value, bytes) else str(value)
    return datetime.datetime.fromisoformat(text.strip()[:10]).replace(tzinfo=datetime.UTC).timestamp()
