"""Cells as what they mean: stored text or typed arrays as text, as numbers, as days; and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError, SchemaError, silence
from antifaz.core.types import DataType

#: Exact decimal numbers: as many digits before and behind the point as any column that counts as decimal may have.
_WIDE = pa.decimal256(76, 30)


@contextmanager
def quiet(what: str) -> Iterator[None]:
    """Turn Arrow's errors, which quote cells, into one sentence."""
    try:
        yield
    except (pa.ArrowException, OverflowError, ValueError) as error:
        silence(error)
        raise DataError(f"{what}.") from None


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
        raise SchemaError(f"Column {column!r} is neither numbers nor dates but {kind}.")
    if not is_text(array):
        return array
    bare = trimmed(array)
    with quiet(f"Column {column!r} has values that can't be read as {kind}"):
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
    with quiet(f"Column {column!r} holds {kind}, with which the bound that is given can't be compared"):
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


def spelled(found: pa.Scalar, like: pa.Array) -> pa.Scalar:
    """Return a bound in the type in which cells are stored."""
    if not is_text(like):
        return found.cast(like.type)
    value = found.as_py()
    if isinstance(value, float):
        return pa.scalar(str(int(value)) if value.is_integer() else repr(value))
    return pa.scalar(format(value.normalize(), "f") if isinstance(value, Decimal) else str(value))


def is_number(value: object) -> bool:
    """Say whether something a person wrote is a number."""
    if isinstance(value, bool):
        return False
    try:
        return Decimal(str(value)).is_finite()
    except ArithmeticError:
        return False
