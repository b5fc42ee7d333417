"""Cells for the ledger: hashed where the rows are, as far as a database can do that as this program does.

A cell that is plain ASCII text, spelled in one way, is hashed there: key and text in lower case, SHA-256, of which the
first digits come out. A cell that needs more (letters beyond ASCII, blanks to be taken away, a number in another
spelling) comes out as it is, and so do short codes such as `17` or `C-017`, of which it must be seen that they prove
nothing; longer ones only where the database counts that they follow each other. Either way the hash is the same.
"""

# Names of columns and tables in these statements are ours or quoted.
# ruff: noqa: S608
from collections.abc import Iterable, Sequence

from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.dialects.dialect import Relation, SQLDialect
from antifaz.engines.dialects.field import Field

#: What stands before a hash in hexadecimal digits, and before a text as it is.
HASHED, PLAIN = "h", "t"
#: How many hexadecimal digits of the hash are kept.
WIDTH = 16
#: A number or a code that may be one of a running series; the letters before it are few. A longer one is only where
#: numbers follow each other.
SHORT_CODE = "[A-Za-z_.:/#-]{0,8}0*[0-9]{1,6}"
CODE = "[A-Za-z_.:/#-]{0,8}[0-9]{1,18}"
#: Numbers follow each other if at least one in so many that lie between them occurs, behind so many beginnings at most.
GAP, BEGINNINGS = 10, 3
#: More beginnings and lengths of codes than these are no series.
_MOST = 100
_WORDS = "[!-~]+( [!-~]+)*"
_WHOLE = "0|-?[1-9][0-9]*"


def hash_key(key: bytes) -> str:
    """Return a key as it is laid before the text that is hashed."""
    return key[:16].hex()


def traced_cells(relation: Relation, names: Sequence[str], key: bytes | None, series: Iterable[str] = ()) -> list[str]:
    """Return some columns as the ledger takes them; without a key, or where the database has no hash, as text.

    Of the columns that are a `series`, codes of any length come out as they are.
    """
    dialect, schema = relation.dialect, relation.schema
    return [
        _cell(dialect, field, f"s.{place}", schema[field.name].type, key, CODE if field.name in series else SHORT_CODE)
        for field, place in relation.columns(names)
    ]


def running_series(relation: Relation, names: Sequence[str]) -> list[str]:
    """Return the columns whose codes follow each other, as the database counts them: two codes of each leave it."""
    dialect = relation.dialect
    return [
        field.name
        for field, place in relation.columns(names)
        if dialect.sha256 and _follow(relation, dialect.text(field, f"s.{place}") or _cast(dialect, f"s.{place}"))
    ]


def _follow(relation: Relation, text: str) -> bool:
    dialect = relation.dialect
    beginning, length = dialect.without_number.format("t"), dialect.characters.format("t")
    codes = f"SELECT {text} AS t FROM {relation.source} AS s WHERE {dialect.full_match(text, CODE)}"
    counted = f"SELECT {beginning}, count(DISTINCT t), min(t), max(t) FROM ({codes}) AS c"
    with relation.queries.errors(Message("table.rows-not-traced")):
        rows = relation.queries.run(f"{counted} GROUP BY {beginning}, {length} LIMIT {_MOST}")
    # Text that is compared byte by byte comes as bytes from some.
    groups = [[own.decode() if isinstance(own, bytes) else own for own in row] for row in rows]
    if not groups or len({group[0] for group in groups}) > BEGINNINGS:
        return False
    ends = [int(end[len(group[0]) :]) for group in groups for end in group[2:]]
    return bool(max(ends) - min(ends) < GAP * sum(int(group[1]) for group in groups))


def _cast(dialect: SQLDialect, place: str) -> str:
    return f"CAST({place} AS {dialect.text_type})"


def _cell(dialect: SQLDialect, field: Field, place: str, kind: DataType, key: bytes | None, shown: str) -> str:
    text = dialect.text(field, place) or _cast(dialect, place)
    whole = dialect.concatenated.format(dialect.literal(PLAIN), text)
    if key is None or not dialect.sha256:
        return f"CASE WHEN {place} IS NULL THEN NULL ELSE {whole} END"
    simple = dialect.full_match(text, _WHOLE if kind.is_number else _WORDS)
    short = dialect.full_match(text, shown)
    keyed = dialect.concatenated.format(dialect.literal(hash_key(key)), dialect.lowered.format(text))
    hashed = f"substr({dialect.sha256.format(keyed)}, 1, {WIDTH})"
    marked = dialect.concatenated.format(dialect.literal(HASHED), hashed)
    return f"CASE WHEN {place} IS NULL THEN NULL WHEN {short} THEN {whole} WHEN {simple} THEN {marked} ELSE {whole} END"
