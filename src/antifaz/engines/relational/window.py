"""A window of rows, to be looked at: as text, in the order of the table or of one column; the others stay."""

from __future__ import annotations

from antifaz.core.messages import Message
from antifaz.engines.relational.relation import Relation


def window(
    relation: Relation, start: int, count: int, *, sort: str | None = None, descending: bool = False
) -> list[list[str | None]]:
    """Return so many rows as text; in a column's order missing comes last.

    Without a column to sort by, rows come in the order of the table; a server gives them in the order that it keeps to
    as long as nobody writes.
    """
    dialect = relation.dialect
    columns = list(zip(relation.fields, relation.places, strict=True))
    shown = ", ".join(f"{dialect.fetched_value(field, place)} AS w{i}" for i, (field, place) in enumerate(columns))
    order = ""
    if sort is not None:
        ((field, place),) = relation.columns([sort])
        keys = dict.fromkeys([dialect.ordered(field, relation.schema[sort].type, place) or place, place])
        order = ", ".join(dialect.ordering(key, descending) for key in keys)
    statement = dialect.page(relation.source, relation.places, shown, order, start, count)
    with relation.queries.errors(Message("table.rows-not-readable")):
        table = relation.queries.table(statement, [relation.fetched_type(field) for field, _ in columns])
    cells = [
        [field.spell(value) for value in column.to_pylist()]
        for (field, _), column in zip(columns, table.columns, strict=True)
    ]
    return [list(row) for row in zip(*cells, strict=True)]
