"""Columns of categories: read from a table as codes, and written back in the same type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.core.errors import DataError, ParameterError, SchemaError
from antifaz.methods.operations.perturbation import require_column

Ints = NDArray[np.int64]

#: Types from which Arrow can't take single values, as polars hands over text and bytes, and what they are read as.
_READ_AS = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}


@dataclass(frozen=True)
class Categories:
    """The categories that occur in a column, as Arrow has them and as text, and which one each row has."""

    name: str
    values: pa.Array
    labels: tuple[str, ...]
    #: The rows that have a value, and its code.
    rows: Ints
    codes: Ints

    def with_more(self, who: str, labels: Sequence[str]) -> Categories:
        """Return the same with further categories, which no row has yet."""
        if not labels:
            return self
        try:
            more = pa.array(labels, pa.string()).cast(self.values.type)
        except (ValueError, pa.ArrowNotImplementedError):
            raise ParameterError(
                f"{who}: the matrix has categories that the type {self.values.type} of column {self.name!r} can't hold."
            ) from None
        return replace(self, values=pa.concat_arrays([self.values, more]), labels=(*self.labels, *labels))


def read_categories(who: str, table: pa.Table, name: str, *, missing: bool = True) -> Categories:
    """Return a column of any type that is not nested, in codes; what is missing has none, if it may be missing."""
    encoded = _encoded(who, table, name)
    lacking = encoded.indices.null_count
    if lacking and not missing:
        raise DataError(
            f"{who}: column {name!r} has {lacking:,} missing values; fill them or leave these rows out first."
        )
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
    combined = np.zeros(table.num_rows, np.int64)
    for name in names:
        encoded = _encoded(who, table, name)
        codes = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy().astype(np.int64)
        combined = combined * (len(encoded.dictionary) + 1) + codes
        combined = np.unique(combined, return_inverse=True)[1]
    return combined


def _encoded(who: str, table: pa.Table, name: str) -> pa.DictionaryArray:
    column = require_column(table, name)
    if pa.types.is_dictionary(column.type):
        # Taken apart and put together anew: a dictionary may hold a value twice, or one that is missing.
        plain = _plain(column.type.value_type)
        chunks = [chunk.dictionary.cast(plain).take(chunk.indices) for chunk in column.chunks]
        column = pa.chunked_array(chunks, type=plain)
    elif _plain(column.type) != column.type:
        column = column.cast(_plain(column.type))
    if pa.types.is_nested(column.type):
        raise SchemaError(f"{who}: column {name!r} is not categories but {column.type}.")
    return column.combine_chunks().dictionary_encode()


def _plain(kind: pa.DataType) -> pa.DataType:
    return _READ_AS.get(str(kind), kind)


def _as_before(column: pa.ChunkedArray, values: pa.Array, indices: pa.Array) -> pa.Array:
    """The values in the dictionary that the column had, its order kept, and new ones behind."""
    known = pa.chunked_array([chunk.dictionary.cast(values.type) for chunk in column.chunks], type=values.type)
    known = known.unique().drop_null()
    places = pc.index_in(values, value_set=known)
    new = values.filter(places.is_null())
    dictionary = pa.concat_arrays([known, new])
    places = pc.index_in(values, value_set=dictionary)
    made = places.take(indices).cast(column.type.index_type)
    values = dictionary.cast(column.type.value_type)
    return pa.DictionaryArray.from_arrays(made, values, ordered=column.type.ordered)
