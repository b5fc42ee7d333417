"""Operations as functions: pandas, polars or pyarrow in, the same kind out. What `az.mask` and `az.perturb` offer."""

import hashlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.changes import PIECE, ColumnChange, plain, stored
from antifaz.core.messages import Message
from antifaz.core.randomness import check_seed, fresh_seed, generator
from antifaz.core.types import DataType
from antifaz.methods.operations.apply import quantile
from antifaz.methods.operations.operation import Operation, OperationContext, Perturbation
from antifaz.sources.column_values import ordered, require_column, text, trimmed
from antifaz.sources.frames import column_names, forget_pandas_types, kind_of, to_arrow, to_kind, without_traces
from antifaz.sources.safe_errors import safe_errors

_TRIED = {
    DataType.INTEGER: pa.int64(), DataType.DECIMAL: pa.float64(), DataType.DATE: pa.date32(),
    DataType.DATETIME: pa.date32(),
}  # fmt: skip
_TYPES = (
    (pa.types.is_boolean, DataType.BOOLEAN), (pa.types.is_integer, DataType.INTEGER),
    (pa.types.is_date, DataType.DATE), (pa.types.is_timestamp, DataType.DATETIME),
    (pa.types.is_floating, DataType.DECIMAL), (pa.types.is_decimal, DataType.DECIMAL),
)  # fmt: skip
_ALL = """Rows keep their order and all other columns stay as they are, so whoever knows a person's place in the table
still knows which row is theirs: what comes out is not a release. `frame` itself is not changed. As everywhere, the
index of a pandas frame is not data and is left out."""


def frame_function(kind: type[Operation]) -> Callable[..., Any]:
    """Return the function of an operation: its parameters, their defaults and its help come from the declaration."""

    def apply(frame: Any, columns: Sequence[str] | str, *, seed: int | None = None, **parameters: Any) -> Any:
        return apply_to_frame(frame, columns, kind.parse(parameters), seed)

    apply.__name__ = apply.__qualname__ = kind.name.replace("-", "_")
    apply.__module__ = kind.__module__
    apply.__doc__ = _help(kind)
    apply.operation = kind  # type: ignore[attr-defined]
    fields = {name: kind.model_fields[name] for name in _fields(kind)}
    defaults = {name: inspect.Parameter.empty if f.is_required() else f.default for name, f in fields.items()}
    own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=by) for name, by in defaults.items()]
    given = list(inspect.signature(apply).parameters.values())
    apply.__signature__ = inspect.Signature([*given[:2], *own, given[2]])  # type: ignore[attr-defined]
    return apply


def operations_of(module: Mapping[str, Any]) -> tuple[type[Any], ...]:
    """Return the operations of the functions that a module has, in their order."""
    return tuple(one.operation for one in module.values() if hasattr(one, "operation") and callable(one))


def _fields(kind: type[Operation]) -> list[str]:
    """The names of the parameters, those of the class itself before those that it shares with others."""
    return sorted(kind.model_fields, key=lambda name: name not in kind.__annotations__)


def _help(kind: type[Operation]) -> str:
    lines = [kind.summary, "", *textwrap.wrap(kind.details, 110), "", *_ALL.splitlines(), "", "Args:"]
    lines += ["    frame: A pandas, polars or pyarrow table.", "    columns: The column or columns to change."]
    lines += [f"    {name}: {kind.model_fields[name].description}" for name in _fields(kind)]
    seed = "Makes what is random repeatable where no key is given."
    if issubclass(kind, Perturbation) and kind.draws:
        seed = "The same data and seed give the same result to the byte; without one, another result every time."
    elif issubclass(kind, Perturbation):
        seed = "Nothing here is random; taken so that all perturbations are called alike."
    sources = [f"{word}: {text}" for word, text in (("Formula", kind.formula), ("Source", kind.source)) if text]
    return "\n".join([*lines, f"    seed: {seed}", *([""] if sources else []), *sources])


def apply_to_frame(frame: Any, columns: Sequence[str] | str, operation: Operation, seed: int | None = None) -> Any:
    """Return a frame of the same kind with an operation done to some columns. Rows keep their order."""
    names = column_names(operation.name, columns)
    if isinstance(operation, Perturbation):
        check_seed(operation.name, seed)
    table = to_arrow(frame)
    for name in names:
        require_column(table, name)
    with safe_errors(Message("operation.columns-not-changed", operation=operation.name)):
        if isinstance(operation, Perturbation):
            made = operation.apply(table, names, _random(seed, table, names) if operation.draws else generator(0))
        else:
            asked, made = _FrameColumns(table, operation), table
            given: dict[str, Any] = {"types": asked, "distinct": asked.distinct, "quantile": asked.quantile}
            for change in [operation.prepare(OperationContext(column=name, seed=seed, **given)) for name in names]:
                at = table.column_names.index(change.column)
                made = made.set_column(at, change.column, changed_column(table, change))
            made = without_traces(forget_pandas_types(made, names), names)
    return to_kind(made, kind_of(frame) or "pyarrow")


def changed_column(table: pa.Table, change: ColumnChange) -> pa.ChunkedArray:
    """Return a column of a table after a change; a costly one sees every value once."""
    column = table.column(change.needs[0])
    kind, starts = stored(column.type, change.result), range(0, len(table), PIECE)
    if change.costly and change.by_value and len(change.needs) == 1:
        encoded = _encoded(column)
        results = change.of([encoded.dictionary])
        return pa.chunked_array([results.take(encoded.indices.slice(at, PIECE)) for at in starts], kind)
    pieces = (table.select(dict.fromkeys(change.needs)).slice(at, PIECE) for at in starts)
    parts = [change.of([_joined(piece.column(name)) for name in change.needs]) for piece in pieces]
    return pa.chunked_array(parts, kind)


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return _joined(column.unify_dictionaries())


def _joined(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


class _FrameColumns(Mapping[str, DataType]):
    """Answers an operation's questions from a table; it is also the mapping of columns to their types."""

    def __init__(self, table: pa.Table, operation: Operation) -> None:
        self._table = table
        self._types: dict[str, DataType] = {}
        self._guess = operation.needs_order or "where" in type(operation).model_fields

    def __getitem__(self, name: str) -> DataType:
        if name not in self._types:
            column = self._table.column(name)
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            known = next((type_ for test, type_ in _TYPES if test(kind)), None)
            self._types[name] = known or (_guessed(column) if self._guess else DataType.TEXT)
        return self._types[name]

    def __contains__(self, name: object) -> bool:
        return name in self._table.column_names  # without looking at its values, as a mapping would

    def __iter__(self) -> Any:
        return iter(self._table.column_names)

    def __len__(self) -> int:
        return len(self._table.column_names)

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
    values = trimmed(plain(_joined(column))).drop_null()
    if not len(values):
        return DataType.TEXT
    for kind, arrow in _TRIED.items():
        # A moment begins with a day.
        spelled = pc.utf8_slice_codeunits(values, 0, 10) if kind is DataType.DATETIME else values
        try:
            pc.cast(spelled[:100], arrow)
            pc.cast(spelled, arrow)
            return kind
        except pa.ArrowInvalid as error:
            error.args = ()
    return DataType.TEXT


def _random(seed: int | None, table: pa.Table, names: Sequence[str]) -> np.random.Generator:
    """The generator of one call.

    The values go in beside the seed: a seed such as 1 can be guessed, and noise that can be drawn again can be taken
    off again. So, too, two columns that are changed by two calls with one seed do not get the same noise.
    """
    if seed is None:
        return generator(fresh_seed())
    mixed = int(seed)
    for name in names:
        column = require_column(table, name)
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            values = column.to_numpy()
            bits = (values if values.dtype.itemsize == 8 else values.astype(np.float64)).view(np.uint64)
            # A hash of all bytes would cost as much as drawing the noise; a sum that wraps around is one quick pass.
            digest = int(np.dot(bits, np.arange(1, 2 * bits.size, 2, dtype=np.uint64)))
        else:
            sink = pa.BufferOutputStream()
            whole = pa.table({"": column}).combine_chunks()
            with pa.ipc.new_stream(sink, whole.schema) as stream:
                stream.write_table(whole)
            digest = int.from_bytes(hashlib.blake2b(sink.getvalue(), digest_size=8).digest(), "big")
        mixed = mixed << 64 | digest
    return generator(mixed)
