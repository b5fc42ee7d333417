"""Reading rows on the local engine, for methods that group them: one dictionary per column, one code per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from antifaz.counting.tuples import Tuples
from antifaz.engines.local.count import dictionary
from antifaz.engines.local.duck import as_text, duckdb_errors, quote

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable


def read_records(data: LocalTable, columns: Sequence[str]) -> Tuples:
    """Return some columns of all rows, in the order of the table: tuples of which each stands for one row."""
    data.schema.require(columns)
    values, codes = [], []
    for name in columns:
        text = as_text(quote(name), data.native.get(name, ""))
        with duckdb_errors("Reading the rows failed"):
            # One column at a time: the text of all of them at once would take several times the memory.
            table = data.db.sql(f"SELECT {text} AS c FROM {data.table}").to_arrow_table()  # noqa: S608
        spellings, coded = dictionary(table.column("c"))
        values.append(spellings)
        codes.append(coded)
    return Tuples(columns=tuple(columns), values=tuple(values), codes=tuple(codes), counts=np.ones(data.rows, np.int64))
