"""Perturbations on an opened table: whole columns where rows have an order, cell by cell where they have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError, ParameterError
from antifaz.core.randomness import generator, shuffle_key
from antifaz.core.types import DataType
from antifaz.engines.changes import Change, plain
from antifaz.engines.engine import Data
from antifaz.methods.operations.cells import is_text, ordered
from antifaz.methods.operations.perturbation import Perturbation, listed


@dataclass(frozen=True, eq=False)
class Perturbed:
    """A table after a perturbation; and its columns before and after, where they came to this machine."""

    data: Data
    before: pa.Table | None = None
    after: pa.Table | None = None


def perturbed(data: Data, perturbation: Perturbation, columns: Sequence[str] | str, key: int) -> Perturbed:
    """Return the table after a perturbation; `data` itself is not changed, and must stay open as long.

    All cells of the columns that it changes or looks at are held in memory, except on Spark.

    Args:
        data: The table.
        perturbation: What is done.
        columns: The column or columns that are changed.
        key: The secret from which all that is drawn follows. It must depend on the data and not on a seed alone:
            noise that can be drawn again can be taken off again.
    """
    names = listed(perturbation.name, columns)
    data.schema.require([*names, *perturbation.besides()])
    here = data.at_hand()
    if not here.by_row:
        return Perturbed(_cell_by_cell(here, perturbation, names, key))
    stored = here.cells(list(dict.fromkeys([*names, *perturbation.besides()])))
    understood = pa.table(
        {name: _understood(stored.column(name), perturbation, here, name) for name in stored.column_names}
    )
    made = perturbation.apply(understood, names, generator(key))
    after = {name: _as_stored(stored.column(name), made.column(name)) for name in names}
    types = {
        name: _type_after(perturbation, here.schema[name].type, made.column(name), after[name], name) for name in names
    }
    return Perturbed(here.replaced(pa.table(after), types), understood.select(names), made.select(names))


def _understood(column: pa.ChunkedArray, perturbation: Perturbation, data: Data, name: str) -> pa.ChunkedArray:
    """A column as what it means: text that spells numbers as numbers, where the perturbation is about numbers."""
    kind = data.schema[name].type
    if pa.types.is_dictionary(column.type) and not perturbation.numbers:
        return column
    chunks = [plain(chunk) for chunk in column.chunks]
    if perturbation.numbers and kind.is_number:
        chunks = [ordered(chunk, kind, name) for chunk in chunks]
        if len({chunk.type for chunk in chunks}) > 1:
            # Whole numbers, some of which 64 bits do not hold.
            chunks = [chunk.cast(pa.float64()) for chunk in chunks]
    empty = pa.float64() if perturbation.numbers and kind.is_number else column.type
    return pa.chunked_array(chunks, chunks[0].type if chunks else empty)


def _as_stored(before: pa.ChunkedArray, after: pa.ChunkedArray) -> pa.ChunkedArray:
    """What came out in the way the column is stored: as text where it is text, else in its own type."""
    if pa.types.is_dictionary(before.type):
        return after if pa.types.is_dictionary(after.type) else _spelled(after)
    text = pa.types.is_string(before.type) or pa.types.is_large_string(before.type)
    return _spelled(after) if text else after


def _spelled(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers as text, with as few digits as tell them."""
    if pa.types.is_floating(numbers.type):
        # Less than nothing is nothing: −0 would be a spelling of its own.
        numbers = pc.add(numbers, 0.0)
    elif pa.types.is_decimal(numbers.type):
        numbers = numbers.cast(pa.decimal256(76, 0))
    return numbers.cast(pa.string())


def _type_after(
    perturbation: Perturbation, kind: DataType, made: pa.ChunkedArray, stored: pa.ChunkedArray, name: str
) -> DataType:
    """How the column is understood afterwards."""
    if perturbation.numbers and kind.is_number:
        return DataType.DECIMAL if pa.types.is_floating(made.type) else kind
    if not perturbation.numbers and kind.is_ordered and pa.types.is_string(stored.type):
        try:
            for chunk in stored.chunks:
                ordered(chunk, kind, name)
        except DataError:
            return DataType.TEXT  # a matrix brought in categories that are no numbers
    return kind


def _cell_by_cell(data: Data, perturbation: Perturbation, names: Sequence[str], key: int) -> Data:
    """Change each cell by itself, where the rows are."""
    if not perturbation.by_cell:
        raise ParameterError(
            f"{perturbation.name} needs whole columns, which the engine {data.engine!r} does not hand out; use the "
            "local engine."
        )
    return data.changed([_change(data, perturbation, name, key) for name in names])


def _change(data: Data, perturbation: Perturbation, name: str, key: int) -> Change:
    kind = data.schema[name].type
    if not kind.is_number:
        # Said by the perturbation itself, as everywhere.
        perturbation.cells(pa.table({name: pa.array([], pa.string())}), name, np.empty(0), 0.0)
    kept = getattr(perturbation, "keep_type", False)
    return Change(
        column=name,
        needs=(name,),
        work=_Cells(perturbation, name, kind, data.spread(name)),
        by_value=False,
        key=shuffle_key(key, name.encode()),
        result=kind if kept and kind is DataType.INTEGER else None if kept else DataType.DECIMAL,
    )


@dataclass(frozen=True)
class _Cells:
    """Changes the cells of a column, given a draw for each; it can be pickled."""

    perturbation: Perturbation
    column: str
    kind: DataType
    spread: float

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells, draws = arrays
        table = pa.table({self.column: ordered(cells, self.kind, self.column)})
        made = self.perturbation.cells(table, self.column, draws.to_numpy(), self.spread).column(0)
        made = _spelled(made) if is_text(cells) else made
        return pa.concat_arrays(made.chunks) if made.num_chunks else pa.array([], made.type)
