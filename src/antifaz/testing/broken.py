"""How a check fails, with one sentence that says what was expected; and whether what was handed over was changed."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Broken(AssertionError):
    """What was checked is not as it must be."""


def require(holds: object, sentence: str) -> None:
    """Raise `Broken` unless something holds; unlike `assert`, also when Python is told to optimize."""
    if not holds:
        raise Broken(sentence)


def refused(wanted: type[Exception], work: Callable[[], Any], sentence: str) -> Exception:
    """Return the error that some work must end in, or raise `Broken`."""
    try:
        work()
    except wanted as error:
        return error
    except Exception as error:
        raise Broken(f"{sentence}, but it raised {type(error).__name__}.") from error
    raise Broken(f"{sentence}, but nothing was raised.")


def arrays_in(thing: Any) -> list[NDArray[Any]]:
    """Return copies of all arrays in dataclasses, mappings, tuples and lists, in their order."""
    if isinstance(thing, np.ndarray):
        return [thing.copy()]
    if is_dataclass(thing) and not isinstance(thing, type):
        # Private fields are what a thing remembers by itself.
        parts = [getattr(thing, field.name) for field in fields(thing) if not field.name.startswith("_")]
    elif isinstance(thing, Mapping):
        parts = list(thing.values())
    elif isinstance(thing, (tuple, list)):
        parts = list(thing)
    else:
        return []
    return [array for part in parts for array in arrays_in(part)]


def same_arrays(before: list[NDArray[Any]], after: list[NDArray[Any]]) -> bool:
    """Whether two lists hold the same arrays; not a number, which is missing in arrays of numbers, must stay so."""
    return len(before) == len(after) and all(
        np.array_equal(one, other, equal_nan=one.dtype.kind == "f") for one, other in zip(before, after, strict=True)
    )
