"""Columns as what they mean: cells as text, numbers, days or categories, read with all checks, and written back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.core.arrays import Flags, Floats, Ints, number_combinations
from antifaz.core.errors import DataError, ParameterError, SchemaError, hint, silence
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.sources.frames import forget_pandas_types

#: Exact decimal numbers: as many digits before and behind the point as any column that counts as decimal may have.
_WIDE = pa.decimal256(76, 30)
#: Types from which Arrow can't take single values, as polars hands over text and bytes, and what they are read as.
_READ_AS = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}


@contextmanager
def hide_cells(what: str) -> Iterator[None]:
    """Turn Arrow's errors, which quote cells, into one sentence."""
    try:
        yield
    except (pa.ArrowException, OverflowError, ValueError) as error:
        silence(error)
        raise DataError("operation.column-not-castable", what=what) from None


def is_text(array: pa.Array) -> bool:
    """Say whether cells are stored as text, whatever they mean."""
    return bool(pa.types.is_string(array.type))


def text(array: pa.Array) -> pa.Array:
    """Return cells as text."""
    return array if is_text(array) else array.cast(pa.string())


def trimmed(array: pa.Array) -> pa.Array:
    """Return text without blanks around it, missing where nothing is left."""
    bare = pc.utf8_trim(array, " \t")
    return pc.if_else(pc.equal(pc.binary_length(bare), 0), pa.scalar(None, pa.string()), bare)


def ordered(array: pa.Array, kind: DataType, column: str) -> pa.Array:
    """Return cells as what can be compared: whole numbers, exact or floating-point numbers, days, moments."""
    if not kind.is_ordered:
        raise SchemaError("operation.column-neither-numbers-nor-dates", column=column, kind=kind)
    if not is_text(array):
        return array
    bare = trimmed(array)
    with hide_cells(Message("operation.column-not-readable-as", column=column, kind=kind)):
        if kind is DataType.INTEGER:
            try:
                return bare.cast(pa.int64())
            except pa.ArrowInvalid as error:
                error.args = ()
                return bare.cast(_WIDE)
        if kind is DataType.DECIMAL:
            return bare.cast(pa.float64())
        if kind is DataType.DATE:
            return bare.cast(pa.date32())
        # A zone of its own is left aside, as everywhere: moments of one column are written alike.
        return pc.replace_substring_regex(bare, r"(Z|[+-]\d\d(:?\d\d)?)$", "").cast(pa.timestamp("us"))


def bound(at: object, like: pa.Array, column: str) -> pa.Scalar:
    """Return a number or day of a project file as it can be compared with such cells."""
    kind = like.type
    with hide_cells(Message("operation.bound-of-other-type", column=column, kind=kind)):
        if pa.types.is_temporal(kind):
            written = pa.scalar(str(at).strip())
            plain = pa.timestamp("us") if pa.types.is_timestamp(kind) else kind
            return written.cast(plain).cast(kind) if plain != kind else written.cast(kind)
        number = Decimal(str(at))
        if pa.types.is_decimal(kind):
            return pa.scalar(number, _WIDE)
        if pa.types.is_integer(kind) and number == int(number):
            return pa.scalar(int(number), pa.int64())
        return pa.scalar(float(number), pa.float64())


def stored_scalar(found: pa.Scalar, like: pa.Array) -> pa.Scalar:
    """Return a bound in the type in which cells are stored."""
    if not is_text(like):
        return found.cast(like.type)
    value = found.as_py()
    if isinstance(value, float):
        return pa.scalar(str(int(value)) if value.is_integer() else repr(value))
    return pa.scalar(format(value.normalize(), "f") if isinstance(value, Decimal) else str(value))


def reads_as_number(value: object) -> bool:
    """Say whether something a person wrote is a number."""
    try:
        return not isinstance(value, bool) and Decimal(str(value)).is_finite()
    except ArithmeticError:
        return False


def spell_numbers(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers as text, with as few digits as tell them."""
    if pa.types.is_floating(numbers.type):
        # Less than nothing is nothing: −0 would be a spelling of its own.
        numbers = pc.add(numbers, 0.0)
    elif pa.types.is_decimal(numbers.type):
        numbers = numbers.cast(pa.decimal256(76, 0))
    return numbers.cast(pa.string())


def require_column(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a column, or say which name is nearest."""
    at = table.schema.get_field_index(name) if isinstance(name, str) else -1
    if at < 0:
        raise SchemaError("column.unknown", name=name, hint=hint(str(name), table.column_names))
    return table.column(at)


@dataclass(frozen=True)
class NumberColumn:
    """A column of finite numbers: the values that are there, and in which rows they are."""

    name: str
    values: Floats
    #: Which rows have a value; None where all have.
    present: Flags | None
    #: Whether the column's type holds whole numbers only.
    whole: bool

    def there(self, each: Floats) -> Floats:
        """Return, of numbers of which every row has one, those of the rows that have a value."""
        return each if self.present is None else each[self.present]

    def per_row(self, values: Floats) -> Floats:
        """Return values in the order of these as one per row of the table, NaN where there is none."""
        if self.present is None:
            return values
        full = np.full(self.present.size, np.nan)
        full[self.present] = values
        return full


def read_numbers(who: str, table: pa.Table, name: str, *, missing: bool) -> NumberColumn:
    """Return a column as finite floats, or a sentence on what is wrong; `missing` says if values may be missing."""
    column, present = _numeric(who, table, name, missing)
    whole = pa.types.is_integer(column.type)
    values = _in_numpy(column)
    if whole and values.itemsize == 8 and values.size and max(-int(values.min()), int(values.max())) > 2**53:
        raise DataError("operation.whole-numbers-beyond-2-53", who=who, name=name)
    if not whole:
        _require_finite(who, name, values)
    return NumberColumn(name, np.asarray(values, np.float64), present, whole)


def read_order(who: str, table: pa.Table, name: str, *, missing: bool) -> Ints:
    """Return the rows that have a number, sorted by it; equal ones in the order of the table."""
    column, present = _numeric(who, table, name, missing)
    values = _in_numpy(column)
    _require_finite(who, name, values)
    order = stable_order(values)
    return order if present is None else np.flatnonzero(present)[order]


def write_numbers(who: str, table: pa.Table, column: NumberColumn, values: Floats, keep_type: bool) -> pa.Table:
    """Return the table with a column's values replaced; what is missing stays missing."""
    if not np.isfinite(values).all():
        raise DataError("operation.result-not-finite", who=who, column=column.name)
    if keep_type and column.whole:
        values = np.rint(values)
    mask = None if column.present is None else ~column.present
    made = pa.array(column.per_row(values), mask=mask)
    at = table.column_names.index(column.name)
    if not keep_type:
        return forget_pandas_types(table.set_column(at, column.name, made), [column.name])
    field = table.schema.field(at)
    try:
        cast = made.cast(field.type, safe=column.whole)
    except ValueError:
        cast = None  # its message quotes a cell
    narrow = pa.types.is_floating(field.type) and field.type != pa.float64()
    if cast is None or (narrow and not np.isfinite(cast.drop_null().to_numpy()).all()):
        raise DataError("operation.result-beyond-type", who=who, column=column.name, kind=field.type)
    return table.set_column(at, field, cast)


def move(table: pa.Table, name: str, sources: Ints) -> pa.Table:
    """Return the table in which every row has, in one column, the value of another row; the type stays."""
    at, field = table.column_names.index(name), table.schema.field(name)
    moved = table.column(name).cast(plain_type(field.type)).take(pa.array(sources))
    return table.set_column(at, field, moved.cast(field.type))


def _numeric(who: str, table: pa.Table, name: str, missing: bool) -> tuple[pa.ChunkedArray, Flags | None]:
    """A column of a type that is a number, without what is missing; and which rows it has values in, None for all."""
    column = require_column(table, name)
    if not is_number_type(column.type):
        raise SchemaError("operation.column-not-numbers", who=who, name=name, type=column.type)
    if not column.null_count:
        return column, None
    if not missing:
        raise DataError("operation.column-missing-values", who=who, name=name, count=column.null_count)
    return column.drop_null(), column.is_valid().to_numpy()


def _in_numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    """Whole numbers as they are, all others as 64-bit floats."""
    plain = pa.types.is_integer(column.type) or column.type == pa.float64()
    return np.asarray((column if plain else column.cast("float64")).to_numpy())


def _require_finite(who: str, name: str, values: NDArray[np.number]) -> None:
    if not (finite := np.isfinite(values)).all():
        raise DataError("operation.column-has-infinite-values", who=who, name=name, count=int((~finite).sum()))


def is_number_type(kind: pa.DataType) -> bool:
    """Say whether a type is of numbers; booleans and dates are none."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def stable_order(values: NDArray[np.number]) -> Ints:
    """Return what a stable argsort of finite numbers does, several times as fast."""
    order = np.argsort(values)
    ordered = values[order]
    begins = ordered[1:] != ordered[:-1]
    if begins.all():
        return order
    # Equal values came in any order: sorted again by their run and row, which are no two alike.
    runs = np.concatenate([[0], np.cumsum(begins)]) * values.size
    return np.asarray(np.sort(runs + order) - runs)


def share_of(share: float, rows: int, least: int) -> int:
    """Return how many of the rows a share is, rounded down, but at least so many."""
    # 0.29 * 100 is a little less than 29.
    return max(int(share * rows + 1e-9), least)


def column_list(columns: object) -> object:
    """Let one column's name stand for a list of one, for parameters that name columns."""
    return (columns,) if isinstance(columns, str) else columns


def require_apart(who: str, columns: Sequence[str], others: Sequence[str], role: str) -> None:
    """Raise if a column is both changed and in another role."""
    both = [name for name in others if name in columns]
    if both:
        raise ParameterError("operation.column-in-two-parameters", who=who, column=both[0], role=role)


@dataclass(frozen=True)
class Categories:
    """The categories that occur in a column, as Arrow has them and as text, and which one each row has."""

    name: str
    values: pa.Array
    labels: tuple[str, ...]
    #: The rows that have a value, and its code.
    rows: Ints
    codes: Ints

    def with_more(self, who: str, labels: Sequence[str]) -> "Categories":
        """Return the same with further categories, which no row has yet."""
        if not labels:
            return self
        try:
            more = pa.array(labels, pa.string()).cast(self.values.type)
        except (ValueError, pa.ArrowNotImplementedError):
            raise ParameterError(
                "operation.matrix-beyond-type", who=who, type=self.values.type, name=self.name
            ) from None
        return replace(self, values=pa.concat_arrays([self.values, more]), labels=(*self.labels, *labels))


def read_categories(who: str, table: pa.Table, name: str, *, missing: bool = True) -> Categories:
    """Return a column of any type that is not nested, in codes; what is missing has none, if it may be missing."""
    encoded = _encoded(who, table, name)
    lacking = encoded.indices.null_count
    if lacking and not missing:
        raise DataError("operation.column-missing-values", who=who, name=name, count=lacking)
    rows = np.flatnonzero(encoded.is_valid().to_numpy(zero_copy_only=False)) if lacking else np.arange(len(encoded))
    indices = encoded.indices.drop_null().to_numpy().astype(np.int64)
    # Categories of the type that no row has are not drawn either.
    seen = np.bincount(indices, minlength=len(encoded.dictionary)) > 0
    values = encoded.dictionary.filter(pa.array(seen))
    labels = tuple(str(value) for value in values.to_pylist())
    return Categories(name, values, labels, rows, (np.cumsum(seen) - 1)[indices])


def write_categories(table: pa.Table, read: Categories, codes: Ints) -> pa.Table:
    """Return the table with other categories in a column."""
    at = table.column_names.index(read.name)
    field = table.schema.field(at)
    if read.rows.size == table.num_rows:
        indices = pa.array(codes)
    else:
        full, mask = np.zeros(table.num_rows, np.int64), np.ones(table.num_rows, np.bool_)
        full[read.rows], mask[read.rows] = codes, False
        indices = pa.array(full, mask=mask)
    if not pa.types.is_dictionary(field.type):
        return table.set_column(at, field, read.values.take(indices).cast(field.type))
    return table.set_column(at, field, _as_before(table.column(at), read.values, indices))


def read_strata(who: str, table: pa.Table, names: Sequence[str]) -> Ints:
    """Return for each row the number of its combination of values; missing is a value of its own."""
    return number_combinations((_codes(_encoded(who, table, name)) for name in names), table.num_rows)


def _codes(encoded: pa.DictionaryArray) -> Ints:
    return np.asarray(encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(), np.int64)


def _encoded(who: str, table: pa.Table, name: str) -> pa.DictionaryArray:
    column = require_column(table, name)
    if pa.types.is_dictionary(column.type):
        # Taken apart and put together anew: a dictionary may hold a value twice, or one that is missing.
        plain = plain_type(column.type.value_type)
        chunks = [chunk.dictionary.cast(plain).take(chunk.indices) for chunk in column.chunks]
        column = pa.chunked_array(chunks, type=plain)
    elif plain_type(column.type) != column.type:
        column = column.cast(plain_type(column.type))
    if pa.types.is_nested(column.type):
        raise SchemaError("operation.column-not-categories", who=who, name=name, type=column.type)
    return column.combine_chunks().dictionary_encode()


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type as which Arrow can work with cells of a type."""
    return _READ_AS.get(str(kind), kind)


def _as_before(column: pa.ChunkedArray, values: pa.Array, indices: pa.Array) -> pa.Array:
    """The values in the dictionary that the column had, its order kept, and new ones behind."""
    known = pa.chunked_array([chunk.dictionary.cast(values.type) for chunk in column.chunks], type=values.type)
    known = known.unique().drop_null()
    dictionary = pa.concat_arrays([known, values.filter(pc.index_in(values, value_set=known).is_null())])
    made = pc.index_in(values, value_set=dictionary).take(indices).cast(column.type.index_type)
    spelled = dictionary.cast(column.type.value_type)
    return pa.DictionaryArray.from_arrays(made, spelled, ordered=column.type.ordered)
