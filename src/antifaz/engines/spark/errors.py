"""Errors of Spark and of its executors as one sentence of ours that quotes no cell of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from antifaz.core.errors import AntifazError, DataError

#: What an executor refused in our own words, as it stands in the trace that Spark hands on.
_REFUSED = re.compile(r"^antifaz\.core\.errors\.DataError: (.+)$", re.MULTILINE)
#: How an executor refuses in our words where only Spark's functions run.
REFUSAL = "\nantifaz.core.errors.DataError: {}\n"
_REASONS = (
    (("No space left on device",), "the disk is full; free some space"),
    (
        ("OutOfMemoryError", "Java heap space", "GC overhead limit", "MemoryError", "exceeds the limit of frame"),
        "the memory is used up; give more (memory=)",
    ),
    (
        ("No module named 'antifaz'", "No module named 'pyarrow'", "No module named 'numba'"),
        "the Python of the executors does not have antifaz; install it there",
    ),
    (("PYTHON_VERSION_MISMATCH",), "the executors run another version of Python; set PYSPARK_PYTHON"),
    (("maxResultSize",), "the result is larger than the session allows (spark.driver.maxResultSize)"),
    (("FileNotFoundException", "FILE_NOT_EXIST"), "a file is gone or was changed meanwhile"),
    (("AccessControlException", "Permission denied", "AccessDenied"), "the store denies access"),
    (("ConnectException", "UnknownHost", "SocketTimeout", "NoRouteToHost"), "the store can't be reached"),
    (("No FileSystem for scheme", "ClassNotFoundException"), "Spark lacks the package for this kind of store"),
    (("SparkContext was shut down", "stopped SparkContext"), "the Spark session was stopped"),
)


@contextmanager
def spark_errors(what: str = "The data could not be processed") -> Iterator[None]:
    """Turn errors of Spark into a `DataError`; the words of the original, which quote values, are emptied."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        text = _text(error)
        refused = _REFUSED.search(text)
        message = refused[1] if refused else f"{what}: {_reason(error, text)}."
        _empty(error)
        raise DataError(message) from None
    except AntifazError:
        raise


def _text(error: BaseException) -> str:
    """Return all that is known about an error, for searching; it is never shown."""
    parts = [str(error), str(getattr(error, "_stackTrace", "") or "")]
    java = getattr(error, "java_exception", None)
    if java is not None:
        parts.append(str(java.toString()))
    return "\n".join(parts)


def _reason(error: BaseException, text: str) -> str:
    for signs, reason in _REASONS:
        if any(sign in text for sign in signs):
            return reason
    condition = getattr(error, "getCondition", lambda: None)()
    return f"Spark stopped with {condition or type(error).__name__}"


def _empty(error: Any) -> None:
    error.args = ()
    for name in ("_desc", "_stackTrace", "_message", "desc", "stackTrace"):
        if isinstance(getattr(error, name, None), str):
            try:
                setattr(error, name, "")
            except AttributeError:
                continue
