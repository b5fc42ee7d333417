"""Errors of Arrow and of the system in words of ours, which quote no cell of the data."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from antifaz.core.errors import DataError, silence
from antifaz.core.messages import Message

FOREIGN: tuple[type[BaseException], ...] = (pa.ArrowException, OSError, UnicodeError, MemoryError)
FULL_MEMORY = Message("source.memory-limit-reached")


def reason(error: BaseException) -> str:
    """Say what is known about an error without repeating its text."""
    if (isinstance(error, OSError) and error.errno == errno.ENOSPC) or "No space left" in str(error):
        return Message("source.disk-full")
    # A thread has a stack, which a limit of memory counts; Arrow has no kind of error for it.
    if isinstance(error, MemoryError) or "Failed to launch worker thread" in str(error):
        return FULL_MEMORY
    if isinstance(error, OSError) and error.errno:
        return Message("source.system-says", reason=os.strerror(error.errno))
    if isinstance(error, UnicodeError):
        return Message("source.encoding-wrong")
    return Message("source.reader-stopped", type=type(error).__name__)


@contextmanager
def safe_errors(
    what: str | None = None,
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
        why = reason(error)
        silence(error)
        raise DataError("source.failed", what=what or Message("source.data-not-processed"), reason=why) from None
