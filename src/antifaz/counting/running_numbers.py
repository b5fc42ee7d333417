"""Identifiers that are running numbers or codes: they are the same in any two tables, and prove nothing."""

# Names of columns and tables in these statements are ours or quoted.
# ruff: noqa: S608
from collections.abc import Sequence
from typing import Any

from antifaz.core.messages import Message

#: A number or a code that may be one of a running series; the letters before it are few. A longer one is only where
#: numbers follow each other.
SHORT_CODE = "[A-Za-z_.:/#-]{0,8}0*[0-9]{1,6}"
CODE = "[A-Za-z_.:/#-]{0,8}[0-9]{1,18}"
#: Numbers follow each other if at least one in so many that lie between them occurs, behind so many beginnings at most.
GAP, BEGINNINGS = 10, 3
#: More beginnings and lengths of codes than these are no series.
_MOST = 100


def running_series(relation: Any, names: Sequence[str]) -> list[str]:
    """Return the columns of a relation whose codes follow each other, as the database that hashes them counts them.

    Two codes of each beginning and length leave the database.
    """
    with relation.queries.errors(Message("table.rows-not-traced")):
        return [
            f.name for f, place in relation.columns(names) if relation.dialect.sha256 and _follow(relation, f, place)
        ]


def _follow(relation: Any, field: Any, column: str) -> bool:
    dialect, place = relation.dialect, f"s.{column}"
    text = dialect.text(field, place) or f"CAST({place} AS {dialect.text_type})"
    beginning, length = dialect.without_number.format("t"), dialect.characters.format("t")
    codes = f"SELECT {text} AS t FROM {relation.source} AS s WHERE {dialect.full_match(text, CODE)}"
    counted = f"SELECT {beginning}, count(DISTINCT t), min(t), max(t) FROM ({codes}) AS c"
    rows = relation.queries.run(f"{counted} GROUP BY {beginning}, {length} LIMIT {_MOST}")
    # Text that is compared byte by byte comes as bytes from some.
    groups = [[own.decode() if isinstance(own, bytes) else own for own in row] for row in rows]
    if not groups or len({group[0] for group in groups}) > BEGINNINGS:
        return False
    ends = [int(end[len(group[0]) :]) for group in groups for end in group[2:]]
    return bool(max(ends) - min(ends) < GAP * sum(int(group[1]) for group in groups))
