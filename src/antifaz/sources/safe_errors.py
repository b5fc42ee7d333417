"""Errors of Arrow and of the system in words of ours, which quote no cell of the data."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from antifaz.core.errors import DataError, silence

FOREIGN: tuple[type[BaseException], ...] = (pa.ArrowException, OSError, UnicodeError, MemoryError)
FULL_MEMORY = "the memory limit is reached; give a larger one (memory=) or more room for temporary files"


def reason(error: BaseException) -> str:
    """Say what is known about an error without repeating its text."""
    if (isinstance(error, OSError) and error.errno == errno.ENOSPC) or "No space left" in str(error):
        return "the disk is full; free some space or give a larger memory limit (memory=)"
    if isinstance(error, MemoryError):
        return FULL_MEMORY
    if isinstance(error, OSError) and error.errno:
        return f"the system says '{os.strerror(error.errno)}'"
    if isinstance(error, UnicodeError):
        return "some text is not valid in the encoding used"
    return f"the reader stopped with {type(error).__name__}"


@contextmanager
def safe_errors(
    what: str = "The data could not be processed",
    foreign: tuple[type[BaseException], ...] = FOREIGN,
    reason: Callable[[BaseException], str] = reason,
) -> Iterator[None]:
    """Turn the errors of other programs into a `DataError` that quotes no cell of the data.

    Their messages hold the values they stumbled on, so the words are ours, and the original error, which Python keeps
    as context and some tools log, is emptied. `foreign` and `reason` are for an engine with errors of its own.
    """
    try:
        yield
    except foreign as error:
        message = f"{what}: {reason(error)}."
        silence(error)
        raise DataError(message) from None
