"""Operations on an opened table, where its rows are: cell by cell, or whole columns where the engine hands them out."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from antifaz.core.changes import ColumnChange, Sampling, plain
from antifaz.core.declaration import Declared
from antifaz.core.errors import DataError, ParameterError, SchemaError
from antifaz.core.messages import Message
from antifaz.core.randomness import fresh_seed, generator
from antifaz.core.types import DataType
from antifaz.engines.engine import Data
from antifaz.methods.operations.operation import Operation, OperationContext, Perturbation
from antifaz.sources.column_values import is_text, ordered, spell_numbers
from antifaz.sources.frames import column_names


class Sample(Declared):
    """Keep some of the rows, chosen at random."""

    name: ClassVar[str] = "sample"
    summary: ClassVar[str] = "Keeps some of the rows, chosen at random."
    details: ClassVar[str] = (
        "A share or a number of rows; exactly so many are kept. Who looks for a person can't be sure that the person "
        "is in the table. In a project file it is the key `sample`: below 1 a share, else a number of rows."
    )
    primary: ClassVar[str] = "share"
    examples: ClassVar[tuple[dict[str, object], ...]] = ({"share": 0.5}, {"number": 100})

    share: float | None = Field(default=None, gt=0, le=1, description="What part of the rows is kept.")
    number: int | None = Field(default=None, ge=1, description="Instead: how many rows are kept.")

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.share is None) == (self.number is None):
            raise ValueError(Message("expected.one-of-two", one="share", other="number"))
        return self

    def bound(self, rows: int, seed: int | None) -> Sampling:
        """Return which rows of a table are kept: how many, and the key by which they are drawn."""
        number = self.number if self.number is not None else round((self.share or 0) * rows)
        if number > rows:
            raise ParameterError("sample.more-rows-than-there-are", number=number, rows=rows)
        if not number and rows:
            raise ParameterError("sample.share-of-no-row", rows=rows)
        chosen = fresh_seed() if seed is None else seed
        mixed = hashlib.blake2b(b"sample", key=chosen.to_bytes(16, "big", signed=True), digest_size=8).digest()
        return Sampling(number=number, key=int.from_bytes(mixed, "big") >> 1)


def sample_of(number: float) -> Sample:
    """Return the sample that a project file's number means: below 1 a share, else a number of rows."""
    if number < 1:
        return Sample(share=number)
    if number != int(number):
        raise ParameterError("sample.neither-share-nor-number")
    return Sample(number=int(number))


def apply_operations(
    data: Data, operations: Mapping[str, Sequence[Operation]], *, sample: Sample | None = None, **given: Any
) -> Data:
    """Return the table after its operations, cell by cell; `data` itself is not changed, and must stay open as long.

    Rows are drawn first. Then the first operations of all columns are applied to the table as it came, then the second
    ones to what came out of that, and so on.

    `given` is what `OperationContext` takes beside the table: `seed`, from which all that is random follows where an
    operation has no key (None draws afresh), `folder`, what paths are relative to, and `away`, folders without keys.
    """
    data.schema.require(list(operations))
    result = data
    if sample is not None:
        result = data.changed((), sample.bound(data.rows, given.get("seed")))
        result.notes.append(Message("note.records-drawn", rows=result.rows, rows2=data.rows))
    for turn in range(max((len(each) for each in operations.values()), default=0)):
        now = {column: each[turn] for column, each in operations.items() if len(each) > turn}
        before, result = result, result.changed([_prepared(result, name, each, **given) for name, each in now.items()])
        if before is not data:
            before.close()
    return result


@dataclass(frozen=True, eq=False)
class ChangedColumns:
    """A table after an operation on whole columns, and these before and after, where they came to this machine."""

    data: Data
    before: pa.Table | None = None
    after: pa.Table | None = None
    #: What the operation says of them, such as how many households could not be swapped.
    counts: Mapping[str, int] = field(default_factory=dict)


def apply_to_columns(data: Data, operation: Perturbation, columns: Sequence[str] | str, key: int) -> ChangedColumns:
    """Return the table after an operation on whole columns; `data` is not changed, and must stay open as long.

    All cells of the columns that it changes or looks at are held in memory, except on Spark. `key` is the secret from
    which all that is drawn follows. It must depend on the data and not on a seed alone: noise that can be drawn again
    can be taken off again.
    """
    names = column_names(operation.name, columns)
    data.schema.require([*names, *operation.other_columns()])
    here = data.download()
    if not here.by_row:
        if not operation.by_cell or operation.other_columns():
            raise ParameterError(
                "operation.engine-hands-out-no-columns", perturbation=operation.name, engine=here.engine
            )
        return ChangedColumns(here.changed([_prepared(here, name, operation, draw_key=key) for name in names]))
    stored = here.cells(list(dict.fromkeys([*names, *operation.other_columns()])))
    kinds = {name: here.schema[name].type for name in stored.column_names}
    understood = pa.table({name: _understood(stored.column(name), operation, kinds[name], name) for name in kinds})
    made = operation.apply(understood, names, generator(key))
    after = {name: _as_stored(stored.column(name), made.column(name)) for name in names}
    types = {name: _type_after(operation, kinds[name], made.column(name), after[name], name) for name in names}
    before = understood.select(names)
    counts = operation.counts(understood, made, names)
    return ChangedColumns(here.replaced(pa.table(after), types), before, made.select(names), counts)


def _prepared(data: Data, column: str, operation: Operation, **given: Any) -> ColumnChange:
    """The change of a column's cells; errors name the column."""
    schema, away = data.schema, given.pop("away", ())

    def distinct(name: str) -> pa.Array:
        return pa.array(data.count([name]).values[0], pa.string()).drop_null()

    def at_share(name: str, share: float) -> pa.Scalar:
        counted = data.count([name])
        texts = pa.array(counted.values[0], pa.string()).take(pa.array(counted.codes[0]))
        return quantile(ordered(texts, schema[name].type, name), counted.counts, share)

    given |= {"distinct": distinct, "quantile": at_share, "deviation": data.standard_deviation, "away": tuple(away)}
    try:
        return operation.prepare(
            OperationContext(column=column, types={known.name: known.type for known in schema}, **given)
        )
    except (ParameterError, SchemaError) as error:
        if repr(column) not in str(error):
            error.place("operation.of-column", column=column)
        raise


def quantile(values: pa.Array, counts: Any, share: float) -> pa.Scalar:
    """Return the smallest value that so large a share of all does not exceed; missing and infinite ones aside."""
    known = np.asarray(values.is_valid())
    if pa.types.is_floating(values.type):
        known &= np.asarray(pc.fill_null(pc.is_finite(values), False))
    values, counts = values.filter(pa.array(known)), np.asarray(counts)[known]
    if not len(values):
        return pa.scalar(None, values.type)
    order = np.asarray(pc.sort_indices(values))
    reached = np.cumsum(counts[order])
    place = int(np.searchsorted(reached, share * reached[-1] - 1e-9))
    return values[int(order[min(place, order.size - 1)])]


def _understood(column: pa.ChunkedArray, operation: Perturbation, kind: DataType, name: str) -> pa.ChunkedArray:
    """A column as what it means: text that spells numbers as numbers, where the operation is about numbers."""
    if pa.types.is_dictionary(column.type) and not operation.numbers:
        return column
    chunks = [plain(chunk) for chunk in column.chunks]
    if operation.numbers and kind.is_number:
        chunks = [ordered(chunk, kind, name) for chunk in chunks]
        if len({chunk.type for chunk in chunks}) > 1:
            # Whole numbers, some of which 64 bits do not hold.
            chunks = [chunk.cast(pa.float64()) for chunk in chunks]
    empty = pa.float64() if operation.numbers and kind.is_number else column.type
    return pa.chunked_array(chunks, chunks[0].type if chunks else empty)


def _as_stored(before: pa.ChunkedArray, after: pa.ChunkedArray) -> pa.ChunkedArray:
    """What came out in the way the column is stored: as text where it is text, else in its own type."""
    if pa.types.is_dictionary(before.type):
        return after if pa.types.is_dictionary(after.type) else spell_numbers(after)
    return spell_numbers(after) if is_text(before) or pa.types.is_large_string(before.type) else after


def _type_after(
    operation: Perturbation, kind: DataType, made: pa.ChunkedArray, stored: pa.ChunkedArray, name: str
) -> DataType:
    if operation.numbers and kind.is_number:
        return DataType.DECIMAL if pa.types.is_floating(made.type) else kind
    if not operation.numbers and kind.is_ordered and is_text(stored):
        try:
            for chunk in stored.chunks:
                ordered(chunk, kind, name)
        except DataError:
            return DataType.TEXT  # a matrix brought in categories that are no numbers
    return kind
