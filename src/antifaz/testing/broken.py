"""How a check fails: with one sentence that says what was expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


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
