"""Exact decimal numbers as whole numbers of their smallest unit."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import Annotated

from pydantic import AfterValidator, PlainSerializer

#: Numbers with more digits than this before or after the point are not measurements of people.
_DIGITS = 400
_EXACT = Context(prec=3 * _DIGITS)


def _bounded(number: Decimal) -> Decimal:
    if not is_plain(number):
        raise ValueError(f"a number of at most {_DIGITS} digits")
    return number


def _as_json(number: Decimal) -> int | float | str:
    if is_whole(number):
        return int(number)
    near = float(number)
    return near if Decimal(repr(near)) == number else str(number)


#: A parameter that is an exact number: 0.1 is a tenth; written to JSON as a number wherever that is exact.
Number = Annotated[Decimal, AfterValidator(_bounded), PlainSerializer(_as_json, when_used="json")]


def is_plain(number: Decimal) -> bool:
    """Whether the number is finite and of a length that can be written out."""
    return number.is_finite() and abs(number.adjusted()) <= _DIGITS and places(number) <= _DIGITS


def is_whole(number: Decimal) -> bool:
    """Whether nothing but zeros stands after the point."""
    return number == number.to_integral_value(context=_EXACT)


def read(text: str) -> Decimal | None:
    """Return the number that the text spells, or None."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if is_plain(number) else None


def places(number: Decimal) -> int:
    """How many digits the number has after the point."""
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def units(number: Decimal, scale: int) -> int:
    """Return the number in units of 10**-scale, exactly."""
    return int(_EXACT.scaleb(number, scale))


def spelled(count: int, scale: int) -> str:
    """Return the shortest plain spelling of so many units of 10**-scale."""
    digits = str(abs(count)).zfill(scale + 1)
    whole, part = digits[: len(digits) - scale], digits[len(digits) - scale :].rstrip("0")
    return ("-" if count < 0 else "") + whole + (f".{part}" if part else "")
