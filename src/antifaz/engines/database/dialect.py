"""What each kind of database says in its own way. Everything else is said once, in plain SQL.

All statements work on columns called c0, c1, …; the names of the data are quoted once, where rows are taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from antifaz.engines.database.fields import Field

if TYPE_CHECKING:
    from antifaz.engines.database.apply import Released
    from antifaz.engines.database.link import Link


class Dialect(ABC):
    """The words of one kind of database."""

    name: ClassVar[str]
    #: Whether making and renaming tables is undone with everything else when a transaction ends badly.
    undoes_tables: ClassVar[bool] = True
    #: Digits of the hashes that are summed.
    text_type: ClassVar[str] = "TEXT"

    def quote(self, name: str) -> str:
        """Return a name as SQL writes it."""
        return '"' + name.replace('"', '""') + '"'

    def qualified(self, name: str, schema: str | None) -> str:
        """Return a table's name with its schema."""
        return f"{self.quote(schema)}.{self.quote(name)}" if schema else self.quote(name)

    def literal(self, text: str | None) -> str:
        """Return a text as SQL writes it."""
        return "NULL" if text is None else "'" + text.replace("'", "''") + "'"

    @abstractmethod
    def start(self, link: Link) -> None:
        """Set up a session, and begin the one view of the data that all of a run sees."""

    @abstractmethod
    def begin(self, link: Link) -> None:
        """Begin the view of the data anew, after what was done is kept."""

    def settle(self, link: Link, table: str, fields: Sequence[Field]) -> list[Field]:
        """Return the columns as they turn out to be held, where the declaration does not say all."""
        return list(fields)

    def rows(self, link: Link, table: str, fields: Sequence[Field]) -> str:
        """Return what all rows are taken from, with columns c0, c1, …, as it is now, whoever writes meanwhile."""
        parts = ", ".join(f"{self.read(field)} AS c{i}" for i, field in enumerate(fields))
        return f"(SELECT {parts} FROM {table})"  # noqa: S608 - names are quoted

    def taken(self, field: Field) -> str:
        """Return a column as rows have it."""
        return self.quote(field.name)

    def read(self, field: Field) -> str:
        """Return a column as rows have it, without the texts that mean missing."""
        value = self.taken(field)
        if not field.missing or field.kind != "text":
            return value
        words = ", ".join(self.literal(word) for word in field.missing)
        return f"CASE WHEN {value} IN ({words}) THEN NULL ELSE {value} END"

    @abstractmethod
    def text(self, field: Field, column: str) -> str | None:
        """Return a value as the local engine spells it; None where a number comes out and is spelled here."""

    def key(self, field: Field, column: str) -> str:
        """Return that by which a value is found in a mapping."""
        if field.kind in ("text", "integer"):
            return column
        return self.text(field, column) or column

    def key_type(self, field: Field, longest: int) -> str:
        """Return the type of a mapping's values; `longest` are the bytes of the longest text."""
        return {"integer": "BIGINT", "float": "DOUBLE PRECISION", "single": "DOUBLE PRECISION"}.get(
            field.kind, self.label_type(longest)
        )

    def to_key(self, field: Field, text: str) -> Any:
        """Return a value that was counted as its mapping has it."""
        if field.kind == "integer":
            return int(text)
        return float(text) if field.kind in ("float", "single") else text

    def label_type(self, longest: int) -> str:
        """Return the type of labels; `longest` are the bytes of the longest."""
        return self.text_type

    def as_label(self, field: Field, label: str) -> str:
        """Return a label as a value of the column's own type."""
        return f"CAST({label} AS {self.declared(field)})"

    @abstractmethod
    def declared(self, field: Field) -> str:
        """Return the type with which a released table declares a column that keeps it."""

    def out(self, field: Field, column: str) -> str:
        """Return a column as a released table has it."""
        return column

    def fetched(self, field: Field, column: str) -> str:
        """Return a column as it comes to this process."""
        return self.text(field, column) or column

    def characters(self, column: str) -> str:
        """Return the number of characters of a value."""
        return f"length(CAST({column} AS {self.text_type}))"

    def trimmed(self, column: str) -> str:
        """Return a text without blanks around it."""
        return f"trim({column})"

    def spoken(self, kind: Any, column: str) -> str:
        """Return a column so that the driver gives what Arrow takes for this type."""
        return column

    def inline_key(self, columns: Mapping[str, str], keys: Sequence[str]) -> str:
        """Return what is said of an index where a private table is made; nothing where it is made afterwards."""
        return ""

    def unmatched(self, column: str) -> str:
        """Return whether an outer join found nothing."""
        return f"{column} IS NULL"

    @abstractmethod
    def total(self, cells: Sequence[str]) -> str:
        """Return the sum of the hashes of rows, given their cells; as text, because it is larger than any integer."""

    def fill(self, link: Link, table: str, released: Released) -> int:
        """Write the rows into a table, and return the sum of the hashes of what is handed to it."""
        link.run(f"CREATE TABLE {table} ({released.declared})")
        link.run(f"INSERT INTO {table} {released.ordered}")
        (noted,) = link.one(f"SELECT {self.total(released.chosen)} FROM {released.rest}")  # noqa: S608 - names of ours
        return int(noted)

    @abstractmethod
    def order(self, cells: Sequence[str], key: int) -> str:
        """Return by what rows are ordered: a hash that nobody without the key can repeat."""

    def exact(self, column: str, kind: Any) -> str:
        """Return a column so that it is compared byte by byte, whatever its collation; `kind` is the driver's type."""
        return column

    def plain(self, column: str, kind: Any) -> str:
        """Return the text of a value for the auditor, who folds it."""
        return f"CAST({column} AS {self.text_type})"

    @abstractmethod
    def matches(self, column: str, form: str) -> str:
        """Return whether a text has a form, which is a regular expression without backslashes."""

    def temporary(self, name: str, columns: str, rows: int = 0, key: str = "") -> list[str]:
        """Return the statements that make a private table which goes with the connection."""
        return [f"CREATE TEMPORARY TABLE {name} ({columns})"]

    def inline(self, name: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> str:
        """Return a small mapping as a part of a statement, where that is quicker than a table; else nothing."""
        return ""

    def indexed(self, name: str, columns: Sequence[str]) -> list[str]:
        """Return what makes a private table quick to look into, once it is filled."""
        return []

    @abstractmethod
    def rename(self, staged: str, target: str, schema: str | None, previous: str | None) -> list[str]:
        """Return the statements that put the staged table in the target's place; an old one becomes `previous`."""
