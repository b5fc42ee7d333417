"""How the cells of a column were written before they were read as plain ones, so that they can be written so again.

Of a column that was told as `date(d/m/Y)` only the cells are noted that its usual spelling would not give back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.messages import Message

if TYPE_CHECKING:
    import duckdb

#: More spellings than this of one column are not noted; all of its cells then get the usual one.
MOST = 200_000
_COMMA = "decimal(comma)"
_WITH_POINT = r"^[+-]?[0-9]+[.][0-9]+([eE][+-]?[0-9]{1,3})?$"
_DAYS = {
    "date(d/m/Y)": "{2}/{1}/{0}",
    "date(m/d/Y)": "{1}/{2}/{0}",
    "date(Y/m/d)": "{0}/{1}/{2}",
    "date(Ymd)": "{0}{1}{2}",
}


@dataclass(eq=False)
class Spelling:
    """How one column is written: its form, and the cells that are written otherwise than is usual for it."""

    #: '' of a column that is written as it is.
    form: str
    #: From a plain cell to what was written.
    unusual: dict[str, str] = field(default_factory=dict)
    #: Whether more cells than can be noted were written in an unusual way.
    too_many: bool = False
    #: Of labels that a file of SPSS or Stata has, the code of each; and what the file says that the column is.
    codes: Mapping[str, Any] = field(default_factory=dict)
    title: str | None = None

    def note(self, written: str, plain: str) -> None:
        """Take note of a cell; of several spellings of one value the first in order is taken."""
        if self.too_many or written == self.usual(plain):
            return
        self.unusual[plain] = min(written, self.unusual.get(plain, written))
        if len(self.unusual) > MOST:
            self.unusual, self.too_many = {}, True

    def usual(self, plain: str) -> str:
        """Return the usual spelling of a plain cell."""
        if self.form == _COMMA:
            return plain.replace(".", ",")
        if self.form not in _DAYS:
            return plain
        day, time, clock = plain.partition("T")
        return _DAYS[self.form].format(*day.split("-")) + (f" {clock}" if time else "")

    def written(self, column: pa.Array) -> pa.Array:
        """Return a column of text as it is to be written; a cell that is no plain one stays."""
        if self.form == _COMMA:
            numbers = pc.match_substring_regex(column, _WITH_POINT)
            usual = pc.if_else(numbers, pc.replace_substring(column, ".", ","), column)
            if not self.unusual:
                return usual
        encoded = column.dictionary_encode()
        cells = [self.unusual.get(plain) or self.usual(plain) for plain in encoded.dictionary.to_pylist()]
        return pa.array(cells, pa.string()).take(encoded.indices)


def respelled(table: pa.Table, spellings: Mapping[str, Spelling]) -> pa.Table:
    """Return a table with the cells of these columns as they are to be written."""
    for name, spelling in spellings.items():
        if name in table.column_names and spelling.form:
            cells = spelling.written(table.column(name).combine_chunks().cast(pa.string()))
            table = table.set_column(table.column_names.index(name), name, cells)
    return table


def respelled_rows(
    connection: duckdb.DuckDBPyConnection, rows: pa.RecordBatchReader, chosen: str, spellings: Mapping[str, Spelling]
) -> pa.RecordBatchReader:
    """Return what is chosen of rows, in SQL, with its cells as they are to be written; rows pass as they are taken."""

    def written(batch: pa.RecordBatch) -> pa.Table:
        connection.register("batch", pa.Table.from_batches([batch]))
        table = connection.sql(f"SELECT {chosen} FROM batch").to_arrow_table()  # noqa: S608 - names are quoted
        connection.unregister("batch")
        return respelled(table, spellings)

    schema = written(pa.RecordBatch.from_pylist([], schema=rows.schema)).schema
    pieces = (piece for batch in rows for piece in written(batch).to_batches())
    return pa.RecordBatchReader.from_batches(schema, pieces)


def except_of(spellings: Mapping[str, Spelling], names: Iterable[str]) -> dict[str, Spelling]:
    """Return the spellings of other columns than these."""
    left_out = set(names)
    return {name: spelling for name, spelling in spellings.items() if name not in left_out}


def spelling_notes(spellings: Mapping[str, Spelling]) -> Iterable[str]:
    """Say of which columns the cells can't all be written as they came."""
    for name, spelling in spellings.items():
        if spelling.too_many:
            yield Message("note.spelled-in-usual-form", name=name, form=spelling.form)
