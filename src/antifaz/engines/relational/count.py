"""Counting: one GROUP BY where the rows are; only the distinct tuples come out, as dictionaries and codes.

Where nearly every row is a tuple of its own, rows come out as they are, and are grouped here.

Also what comes out row by row: records for methods that group them, and a window of rows to be looked at.

Each value is counted under the same text on every engine. A database spells what it spells alike; other numbers come
out as numbers and are spelled here.
"""

# Names of columns reach these statements quoted, or are ours.
# ruff: noqa: S608
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.counting.frequencies import Tuples, group, hardly_repeat
from antifaz.engines.dialects.dialect import Relation
from antifaz.engines.dialects.field import Field
from antifaz.sources.column_codes import encode, encode_all

#: So many rows are looked at to see whether tuples repeat.
_SAMPLE = 20_000


def count(relation: Relation, names: Sequence[str], arrived: Callable[[], object] = bool) -> Tuples:
    """Count the distinct tuples of some columns. Rows stay where they are; only the tuples come out.

    `arrived` is called when they are here, and are still to be encoded: whoever sent them is idle.
    """
    columns = relation.columns(names)
    if not columns:
        return Tuples(columns=(), values=(), codes=(), counts=np.array([relation.rows], np.int64))
    # Grouping on the stored type and spelling the few distinct tuples is cheaper than spelling every row.
    chosen = ", ".join(f"{place} AS k{i}" for i, (_, place) in enumerate(columns))
    by = ", ".join(place for _, place in columns)
    fetched = relation.dialect.fetched_value
    cells = ", ".join(f"{fetched(field, f'k{i}')} AS c{i}" for i, (field, _) in enumerate(columns))
    types = [*(relation.fetched_type(field) for field, _ in columns), pa.int64()]
    with relation.queries.errors(Message("table.counting-failed")):
        one_by_one = relation.rows <= relation.dialect.fetched_rows and _hardly_repeat(relation, by)
        grouped = f"SELECT {relation.dialect.grouping}{chosen}, count(*) AS n FROM {relation.source} AS s GROUP BY {by}"
        rows = f"SELECT {chosen}, 1 AS n FROM {relation.source} AS s" if one_by_one else grouped
        *found, counted = relation.queries.table(f"SELECT {cells}, n FROM ({rows}) AS g", types).columns
    arrived()
    coded = [encode(column, field.spell) for (field, _), column in zip(columns, found, strict=True)]
    values, codes = zip(*coded, strict=True)
    tuples = Tuples(columns=tuple(names), values=values, codes=codes, counts=counted.to_numpy().astype(np.int64))
    return group(tuples) if one_by_one else tuples


def _hardly_repeat(relation: Relation, by: str) -> bool:
    some = f"SELECT count(*) AS n FROM (SELECT {by} FROM {relation.source} AS s LIMIT {_SAMPLE}) AS f GROUP BY {by}"
    different, sampled = relation.one(f"SELECT count(*), coalesce(sum(n), 0) FROM ({some}) AS g")
    return hardly_repeat(int(different), int(sampled), relation.rows)


def records(relation: Relation, names: Sequence[str], threads: int = 1) -> Tuples:
    """Return some columns of all rows, in the order of the table: tuples of which each stands for one row."""
    columns = relation.columns(names)
    coded = encode_all([(partial(_fetch, relation, field, place), field.spell) for field, place in columns], threads)
    values, codes = zip(*coded, strict=True) if coded else ((), ())
    return Tuples(columns=tuple(names), values=values, codes=codes, counts=np.ones(relation.rows, np.int64))


def _fetch(relation: Relation, field: Field, place: str) -> pa.ChunkedArray:
    statement = f"SELECT {relation.dialect.fetched_value(field, place)} AS c FROM {relation.source} AS s"
    with relation.queries.errors(Message("engine.rows-not-readable")):
        return relation.queries.table(statement, [relation.fetched_type(field)]).column(0)


def window(
    relation: Relation,
    start: int,
    count: int,
    *,
    sort: str | None = None,
    descending: bool = False,
    ranks: Sequence[str] = (),
) -> list[list[str | None]]:
    """Return so many rows as text; in a column's order, or that of its values in `ranks`, missing comes last.

    Without a column to sort by, rows come in the order of the table; a server gives them in the order that it keeps to
    as long as nobody writes.
    """
    dialect, fields, order = relation.dialect, relation.fields, ""
    cells = map(dialect.fetched_value, fields, relation.places)
    shown = ", ".join(f"{cell} AS w{i}" for i, cell in enumerate(cells))
    if sort is not None:
        ((field, place),) = relation.columns([sort])
        key = dialect.ordered(field, relation.schema[sort].type, place) or place
        if ranks:
            cases = " ".join(f"WHEN {dialect.literal(value)} THEN {i}" for i, value in enumerate(ranks))
            key = f"CASE {place} {cases} END"
        keys = dict.fromkeys([key, place])
        order = ", ".join(dialect.ordering(key, descending) for key in keys)
    statement = dialect.page(relation.source, relation.places, shown, order, start, count)
    with relation.queries.errors(Message("table.rows-not-readable")):
        table = relation.queries.table(statement, [relation.fetched_type(field) for field in fields])
    columns = (map(field.spell, column.to_pylist()) for field, column in zip(fields, table.columns, strict=True))
    return [list(row) for row in zip(*columns, strict=True)]


def digest(relation: Relation) -> str:
    """Return the sum of the hashes of all rows, whatever their order; it never leaves this program."""
    with relation.queries.errors(Message("engine.rows-not-readable")):
        (total,) = relation.one(f"SELECT {relation.dialect.hash_sum(relation.places)} FROM {relation.source} AS s")
    return total.decode() if isinstance(total, bytes) else str(total)
