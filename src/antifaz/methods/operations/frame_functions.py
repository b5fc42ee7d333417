"""Masking of frames: pandas, polars or pyarrow in, the same kind out. What `az.mask` offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import ParameterError, SchemaError, hint
from antifaz.core.types import DataType
from antifaz.engines.changes import PIECE, Change, plain, stored
from antifaz.methods.operations.apply_operations import quantile
from antifaz.methods.operations.cells import ordered, text, trimmed
from antifaz.methods.operations.operation import Operation, Setting
from antifaz.sources.frames import forget, kind_of, to_arrow, to_kind, without_traces
from antifaz.sources.safe_errors import safe_errors

_TRIED = {DataType.INTEGER: pa.int64(), DataType.DECIMAL: pa.float64(), DataType.DATE: pa.date32()}


def function(operation: type[Operation]) -> Callable[..., Any]:
    """Return the function that does an operation to columns of a frame, its words made from the declaration."""

    def apply(frame: Any, columns: Sequence[str] | str, *, seed: int | None = None, **parameters: Any) -> Any:
        return mask_frame(frame, columns, operation.parse(parameters), seed)

    lines = [f"        {name}: {field.description}" for name, field in operation.model_fields.items()]
    apply.__name__ = apply.__qualname__ = operation.name.replace("-", "_")
    apply.__doc__ = "\n".join(
        [
            f"{operation.summary}\n\n    {operation.details}\n",
            "    Args:",
            "        frame: A pandas, polars or pyarrow table; it is not changed, and the same kind comes back.",
            "        columns: The columns to change.",
            "        seed: Makes what is random repeatable where no key is given.",
            *lines,
        ]
    )
    return apply


def mask_frame(frame: Any, columns: Sequence[str] | str, operation: Operation, seed: int | None = None) -> Any:
    """Return a frame of the same kind with an operation done to some columns. Rows keep their order."""
    table = to_arrow(frame)
    names = _names(operation.name, columns, table.column_names)
    asked = _Asked(table, operation)
    made = table
    with safe_errors(f"{operation.name}: the columns could not be changed"):
        changes = [
            operation.prepare(
                Setting(column=name, types=asked, distinct=asked.distinct, quantile=asked.quantile, seed=seed)
            )
            for name in names
        ]
        for change in changes:
            at = table.column_names.index(change.column)
            made = made.set_column(at, change.column, changed_column(table, change))
    return to_kind(without_traces(forget(made, names), names), kind_of(frame) or "pyarrow")


def changed_column(table: pa.Table, change: Change) -> pa.ChunkedArray:
    """Return a column of a table after a change; a costly one sees every value once."""
    column = table.column(change.needs[0])
    kind = stored(column.type, change.result)
    if change.costly and change.by_value and len(change.needs) == 1:
        encoded = _encoded(column)
        results = change.of([encoded.dictionary])
        return pa.chunked_array([results.take(part) for part in _pieces(encoded.indices)], kind)
    parts = [
        change.of([_joined(piece.column(name)) for name in change.needs])
        for piece in (table.select(dict.fromkeys(change.needs)).slice(at, PIECE) for at in range(0, len(table), PIECE))
    ]
    return pa.chunked_array(parts, kind)


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return _joined(column.unify_dictionaries())


def _joined(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _pieces(array: pa.Array) -> list[pa.Array]:
    return [array.slice(at, PIECE) for at in range(0, len(array), PIECE)]


def _names(who: str, columns: Sequence[str] | str, known: Sequence[str]) -> list[str]:
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names or len(set(names)) < len(names):
        raise ParameterError(f"{who}: columns should name at least one column, and none twice.")
    for name in names:
        if name not in known:
            raise SchemaError(f"There is no column {name!r}{hint(str(name), known)}.")
    return names


class _Asked(Mapping[str, DataType]):
    """Answers an operation's questions from a table; it is also the mapping of columns to their types."""

    def __init__(self, table: pa.Table, operation: Operation) -> None:
        self._table = table
        self._types: dict[str, DataType] = {}
        self._guess = operation.needs_order or "where" in type(operation).model_fields

    def __getitem__(self, name: str) -> DataType:
        if name not in self._types:
            self._types[name] = self._type(self._table.column(name))
        return self._types[name]

    def __contains__(self, name: object) -> bool:
        return name in self._table.column_names  # without looking at its values, as a mapping would

    def __iter__(self) -> Any:
        return iter(self._table.column_names)

    def __len__(self) -> int:
        return len(self._table.column_names)

    def _type(self, column: pa.ChunkedArray) -> DataType:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        tests = (
            (pa.types.is_boolean, DataType.BOOLEAN), (pa.types.is_integer, DataType.INTEGER),
            (pa.types.is_date, DataType.DATE), (pa.types.is_timestamp, DataType.DATETIME),
            (pa.types.is_floating, DataType.DECIMAL), (pa.types.is_decimal, DataType.DECIMAL),
        )  # fmt: skip
        found = next((type_ for test, type_ in tests if test(kind)), None)
        return found or (_guessed(column) if self._guess else DataType.TEXT)

    def distinct(self, name: str) -> pa.Array:
        return text(plain(_encoded(self._table.column(name)).dictionary)).unique().drop_null()

    def quantile(self, name: str, share: float) -> pa.Scalar:
        values = ordered(plain(_joined(self._table.column(name))), self[name], name)
        if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
            known = values.drop_null().to_numpy(zero_copy_only=False)
            known = known[np.isfinite(known)] if known.dtype.kind == "f" else known
            # Only the wanted place is put in order, which is much faster than sorting.
            place = min(max(int(np.ceil(share * known.size - 1e-9)) - 1, 0), max(known.size - 1, 0))
            return pa.scalar(np.partition(known, place)[place] if known.size else None, values.type)
        return quantile(values, np.ones(len(values), np.int64), share)


def _guessed(column: pa.ChunkedArray) -> DataType:
    """Return what the text of a column can be read as."""
    values = trimmed(plain(_joined(column))).drop_null()
    if not len(values):
        return DataType.TEXT
    for kind, arrow in _TRIED.items():
        try:
            pc.cast(values[:100], arrow)
            pc.cast(values, arrow)
            return kind
        except pa.ArrowInvalid as error:
            error.args = ()
    # A moment begins with a day.
    try:
        pc.utf8_slice_codeunits(values, 0, 10).cast(pa.date32())
        return DataType.DATETIME
    except pa.ArrowInvalid as error:
        error.args = ()
    return DataType.TEXT
