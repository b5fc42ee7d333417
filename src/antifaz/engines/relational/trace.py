"""Cells for the ledger: hashed where the rows are, as far as a database can do that as this program does.

A cell that is plain ASCII text, spelled in one way, is hashed there: key and text in lower case, SHA-256, of which the
first digits come out. A cell that needs more (letters beyond ASCII, blanks to be taken away, a number in another
spelling) comes out as it is, and so do short codes such as `17` or `C-017`, of which it must be seen that they prove
nothing; longer ones only where they follow each other. Either way the hash is the same.
"""

from collections.abc import Container, Sequence

from antifaz.core.types import DataType
from antifaz.counting.running_numbers import CODE, SHORT_CODE
from antifaz.engines.dialects.dialect import Relation, SQLDialect
from antifaz.engines.dialects.field import Field

#: What stands before a hash in hexadecimal digits, and before a text as it is.
HASHED, PLAIN = "h", "t"
#: How many hexadecimal digits of the hash are kept.
WIDTH = 16
_WORDS = "[!-~]+( [!-~]+)*"
_WHOLE = "0|-?[1-9][0-9]*"


def hash_key(key: bytes) -> str:
    """Return a key as it is laid before the text that is hashed."""
    return key[:16].hex()


def traced_cells(relation: Relation, names: Sequence[str], key: bytes | None, series: Container[str] = ()) -> list[str]:
    """Return some columns as the ledger takes them; without a key, or where the database has no hash, as text.

    Of the columns that are a `series`, codes of any length come out as they are.
    """
    dialect, schema = relation.dialect, relation.schema
    return [
        _cell(dialect, field, f"s.{place}", schema[field.name].type, key, CODE if field.name in series else SHORT_CODE)
        for field, place in relation.columns(names)
    ]


def _cell(dialect: SQLDialect, field: Field, place: str, kind: DataType, key: bytes | None, shown: str) -> str:
    text = dialect.text(field, place) or f"CAST({place} AS {dialect.text_type})"
    whole = dialect.concatenated.format(dialect.literal(PLAIN), text)
    if key is None or not dialect.sha256:
        return f"CASE WHEN {place} IS NULL THEN NULL ELSE {whole} END"
    simple = dialect.full_match(text, _WHOLE if kind.is_number else _WORDS)
    short = dialect.full_match(text, shown)
    keyed = dialect.concatenated.format(dialect.literal(hash_key(key)), dialect.lowered.format(text))
    hashed = f"substr({dialect.sha256.format(keyed)}, 1, {WIDTH})"
    marked = dialect.concatenated.format(dialect.literal(HASHED), hashed)
    return f"CASE WHEN {place} IS NULL THEN NULL WHEN {short} THEN {whole} WHEN {simple} THEN {marked} ELSE {whole} END"
