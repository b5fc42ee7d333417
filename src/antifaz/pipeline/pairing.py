"""Which released row was made from which original one: told by a key, or seen where both are in the same order.

Rows are taken to be in the same order where both tables have as many and at least half of the columns that can tell
say so: the steps from each row to the next, in ranks, go up and down together in both tables, beyond four standard
deviations of chance. Steps, because both tables may have been sorted alike; for the same reason a column that is sorted
tells nothing. Fewer than 25 rows are too few to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Floats
from antifaz.core.changes import plain
from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.engines.engine import Data
from antifaz.sources.column_values import ordered, require_column

#: So many rows are enough to see whether two tables are in the same order.
_LOOKED_AT = 50_000


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedRows:
    """Columns of numbers of both tables, rows side by side."""

    before: pa.Table
    after: pa.Table
    by: Literal["key", "order"]
    note: Message


def pair_rows(
    before: Data, after: Data, numbers: Sequence[str], key: str | None = None, same_order: bool | None = None
) -> PairedRows | None:
    """Return some columns of numbers of both tables, side by side; None where it is not known which row is which.

    `key` is a column of both tables; rows with a value of it that the other table does not have are left out.
    """
    if key is not None:
        for side in (before, after):
            side.schema.require([key])
        tables = [read_columns(side.download(), [key, *numbers]) for side in (before, after)]
        one, other = match_rows(key, *tables)
        note = Message("note.rows-paired-by-key", rows=one.num_rows, key=key)
        return PairedRows(before=one, after=other, by="key", note=note)
    if same_order is None:
        same_order = before.by_row and after.by_row and before.rows == after.rows and _in_order(before, after)
    if not same_order:
        return None
    one, other = (read_columns(side.download(), numbers) for side in (before, after))
    return PairedRows(before=one, after=other, by="order", note=Message("note.rows-paired-in-order", rows=before.rows))


def read_columns(data: Data, names: Sequence[str], rows: int | None = None) -> pa.Table:
    """Return some columns in the order of the rows, numbers as numbers, however they are stored."""
    cells = data.cells(names)
    return pa.table({name: _understood(data, name, cells.column(name).slice(0, rows)) for name in names})


def _understood(data: Data, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind, chunks = data.schema[name].type, [plain(chunk) for chunk in column.chunks]
    if not kind.is_number:
        return pa.chunked_array(chunks, chunks[0].type if chunks else pa.string())
    return pa.chunked_array(
        [ordered(chunk, kind, name).cast(pa.float64(), safe=False) for chunk in chunks], pa.float64()
    )


def match_rows(key: str, before: pa.Table, after: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the rows of both tables with the same key, in the order of the released one and without the key."""
    sides = {"original": before, "released": after}
    for side, table in sides.items():
        column = require_column(table, key)
        repeats = len(column) - column.null_count - pc.count_distinct(column).as_py()
        if repeats:
            raise DataError("pairing.key-repeats", key=key, side=Message(f"pair.{side}"), repeats=repeats)
    keys = [table.column(key).cast(pa.string()).combine_chunks() for table in sides.values()]
    places = pc.index_in(keys[1], value_set=keys[0].drop_null())
    there = pc.is_valid(places)
    if not pc.any(there).as_py():
        raise DataError("pairing.key-matches-nothing", key=key)
    known = before.filter(pc.is_valid(before.column(key)))
    return known.take(places.filter(there)).drop_columns(key), after.filter(there).drop_columns(key)


def _in_order(before: Data, after: Data) -> bool:
    told = []
    for name in (name for name in before.schema.names if name in after.schema.names):
        sides = (_ranks(read_columns(side, [name], _LOOKED_AT).column(0)) for side in (before, after))
        together = _go_together(*sides)
        told += [] if together is None else [together]
    return any(told) and 2 * sum(told) >= len(told)


def _ranks(column: pa.ChunkedArray) -> Floats:
    return np.asarray(pc.rank(column.combine_chunks(), tiebreaker="dense"), np.float64)


def _go_together(one: Floats, other: Floats) -> bool | None:
    """Whether the steps of two columns go together; None where one does not move, or is sorted."""
    first, second = np.diff(one), np.diff(other)
    if any((steps >= 0).all() or (steps <= 0).all() for steps in (first, second)):
        return None
    correlation = float(np.corrcoef(first, second)[0, 1])
    # Neighbouring steps share a value, which makes the chance half as wide again in variance.
    return bool(correlation * np.sqrt(one.size / 1.5) > 4)
