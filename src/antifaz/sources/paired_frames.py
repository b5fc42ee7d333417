"""Two tables side by side, an original and what was released of it: the same columns of both, as arrays.

Numbers become 64-bit floats (whole numbers beyond 2^53 are rounded to 53 bits). What is missing, and what is not a
number, is NaN; infinite numbers and such as can't be squared are refused. Where a measure takes categories too, text
and booleans become codes that both tables share, and dates and times become numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Floats
from antifaz.core.errors import DataError, SchemaError, hint, silence
from antifaz.core.messages import Message
from antifaz.sources.column_names import check_names
from antifaz.sources.column_values import is_number_type
from antifaz.sources.frames import column_names, kind_of, to_arrow

_PIECE = 8192
#: The greatest sum of squares: differences between such values can still be squared and added.
_MOST = 1e290


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedColumn:
    """One column of both tables; a category is its code, and `categories` says how many there are (0: numbers)."""

    name: str
    original: Floats
    released: Floats
    categories: int = 0
    #: Whether a value is missing in either table.
    missing: bool = False

    def known(self) -> tuple[Floats, Floats]:
        """Return the rows that have a value in both tables; nothing is copied where all have."""
        if not self.missing:
            return self.original, self.released
        both = ~(np.isnan(self.original) | np.isnan(self.released))
        return self.original[both], self.released[both]


def read_pairs(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None,
    *,
    what: str,
    numbers_only: bool,
    aligned: bool = True,
) -> list[PairedColumn]:
    """Return the columns asked for, or all that both tables have, or have as numbers; else raise for `what`."""
    names = None if columns is None else column_names(what, columns)
    before, after = _table(original, names, "original"), _table(released, names, "released")
    if not before.num_rows or not after.num_rows:
        empty = Message("pair.released") if before.num_rows else Message("pair.original")
        raise DataError("pair.table-without-rows", what=what, before=empty)
    if aligned and before.num_rows != after.num_rows:
        raise DataError("pair.rows-differ", what=what, before=before.num_rows, after=after.num_rows)
    if names is None:
        names = [name for name in before.column_names if name in after.column_names]
        if numbers_only:
            names = [name for name in names if is_number_type(before[name].type) and is_number_type(after[name].type)]
        if not names:
            numeric = Message("pair.numeric") if numbers_only else ""
            raise SchemaError("pair.no-common-column", what=what, numbers_only=numeric)
    return [_paired(name, before[name], after[name], what, numbers_only) for name in names]


read_numbers = partial(read_pairs, numbers_only=True)
#: Numbers and categories.
read_mixed = partial(read_pairs, numbers_only=False)


def standard_deviation(values: Floats) -> float:
    """Return the sample standard deviation (n − 1) of what is not missing; 0 for equal values and for fewer than two.

    Counted from the first value: rounding would otherwise give a column of equal fractions a tiny width.
    """
    if values.size and np.isnan(values[0]):
        values = values[~np.isnan(values)]
    if values.size < 2:
        return 0.0
    gaps = values - values[0]
    total = float(gaps.sum())
    if np.isnan(total):
        return standard_deviation(values[~np.isnan(values)])
    gaps -= total / gaps.size
    squares = _squares(gaps)
    if squares < 1e-280 and gaps.any():
        # So small that their squares vanish.
        scale = float(np.abs(gaps).max())
        return scale * float(np.sqrt(_squares(gaps / scale) / (gaps.size - 1)))
    return float(np.sqrt(squares / (gaps.size - 1)))


def _squares(values: Floats) -> float:
    """The sum of squares, in pieces too short for BLAS to start threads: waiting for them takes longer than adding."""
    pieces = (values[at : at + _PIECE] for at in range(0, values.size, _PIECE))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(sum(float(np.dot(piece, piece)) for piece in pieces))


def _table(frame: Any, names: list[str] | None, side: str) -> pa.Table:
    """A frame as an Arrow table that has the columns."""
    table = _from_pandas(frame, names) if kind_of(frame) == "pandas" else to_arrow(frame)
    for name in names or ():
        if name not in table.column_names:
            raise SchemaError("pair.column-missing", side=side, name=name, hint=hint(str(name), table.column_names))
    return table


def _from_pandas(frame: Any, names: list[str] | None) -> pa.Table:
    """A pandas frame, of which only the columns that matter are looked at; plain numbers are not even copied."""
    known = list(frame.columns)
    if names is not None and not set(names) <= set(known):
        return to_arrow(frame)
    chosen = known if names is None else names
    if len(set(known)) == len(known) and all(isinstance(name, str) for name in known):
        series = [frame[name] for name in chosen]
        if series and all(isinstance(one.dtype, np.dtype) and one.dtype.kind in "iuf" for one in series):
            arrays = [pa.array(one.to_numpy()) for one in series]
            return pa.table(arrays, names=check_names(Message("note.the-frame"), chosen))
    return to_arrow(frame if names is None else frame[names])


def _paired(name: str, before: pa.ChunkedArray, after: pa.ChunkedArray, what: str, numbers_only: bool) -> PairedColumn:
    numbers = [is_number_type(column.type) for column in (before, after)]
    if numbers_only and not all(numbers):
        kind, side = (after.type, Message("pair.released")) if numbers[0] else (before.type, Message("pair.original"))
        raise SchemaError("pair.column-not-numbers", what=what, name=name, side=side, kind=kind)
    if all(numbers):
        return _numbers(name, before, after, what)
    if any(numbers) or pa.types.is_temporal(before.type) or pa.types.is_temporal(after.type):
        if before.type != after.type:
            raise SchemaError("pair.column-types-differ", what=what, name=name, type=before.type, type2=after.type)
        whole = pa.int32() if before.type.bit_width == 32 else pa.int64()
        return _numbers(name, before.cast(whole), after.cast(whole), what)
    return _categories(name, before, after, what)


def _numbers(name: str, before: pa.ChunkedArray, after: pa.ChunkedArray, what: str) -> PairedColumn:
    one, one_misses = _floats(name, before, what)
    other, other_misses = _floats(name, after, what)
    return PairedColumn(name=name, original=one, released=other, missing=one_misses or other_misses)


def _floats(name: str, column: pa.ChunkedArray, what: str) -> tuple[Floats, bool]:
    """A column as floats, and whether it misses any."""
    if column.type != pa.float64():
        column = column.cast(pa.float64(), safe=False)
    values = np.asarray(column.to_numpy(), np.float64)
    # One quick pass finds NaN, infinite numbers and such as can't be squared all together.
    if _squares(values) <= _MOST:
        return values, False
    missing = np.isnan(values)
    strange = int(np.isinf(values).sum())
    if strange:
        raise DataError("pair.column-infinite-values", what=what, name=name, count=strange)
    if not _squares(values[~missing]) <= _MOST:
        raise DataError("pair.numbers-too-large", what=what, name=name)
    return values, True


def _categories(name: str, before: pa.ChunkedArray, after: pa.ChunkedArray, what: str) -> PairedColumn:
    texts = [chunk for column in (before, after) for chunk in _texts(name, column, what).chunks]
    coded = pa.chunked_array(texts, pa.large_string()).combine_chunks().dictionary_encode()
    codes = np.asarray(coded.indices.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
    return PairedColumn(
        name=name,
        original=codes[: len(before)],
        released=codes[len(before) :],
        categories=max(len(coded.dictionary), 1),
        missing=coded.null_count > 0,
    )


def _texts(name: str, column: pa.ChunkedArray, what: str) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = pc.cast(column, kind.value_type)
    try:
        return column.cast(pa.large_string())
    except (pa.ArrowException, ValueError) as error:
        silence(error)
        raise SchemaError("pair.column-of-no-use", what=what, name=name, kind=kind) from None
