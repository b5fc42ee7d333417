"""Errors of Spark and of its executors as one sentence of ours that quotes no cell of the data."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from antifaz.core.errors import DataError
from antifaz.core.messages import Message

#: What an executor refused in our own words, as it stands in the trace that Spark hands on.
_REFUSED = re.compile(r"^antifaz refuses (\{.+\})$", re.MULTILINE)
_REASONS = (
    (("No space left on device",), Message("spark.disk-full")),
    (
        ("OutOfMemoryError", "Java heap space", "GC overhead limit", "MemoryError", "exceeds the limit of frame"),
        Message("spark.memory-used-up"),
    ),
    (
        ("No module named 'antifaz'", "No module named 'pyarrow'", "No module named 'numba'"),
        Message("spark.antifaz-missing-on-executors"),
    ),
    (("PYTHON_VERSION_MISMATCH",), Message("spark.other-python-on-executors")),
    (("maxResultSize",), Message("spark.result-too-large")),
    (("FileNotFoundException", "FILE_NOT_EXIST"), Message("spark.file-gone")),
    (("AccessControlException", "Permission denied", "AccessDenied"), Message("spark.store-denies-access")),
    (("ConnectException", "UnknownHost", "SocketTimeout", "NoRouteToHost"), Message("spark.store-not-reached")),
    (("No FileSystem for scheme", "ClassNotFoundException"), Message("spark.store-package-missing")),
    (("SparkContext was shut down", "stopped SparkContext"), Message("spark.session-was-stopped")),
)


@contextmanager
def spark_errors(what: str | None = None) -> Iterator[None]:
    """Turn errors of Spark into a `DataError`; the words of the original, which quote values, are emptied."""
    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        java = getattr(error, "java_exception", None)
        # All that is known about the error, for searching; it is never shown.
        text = f"{error}\n{getattr(error, '_stackTrace', '') or ''}\n{'' if java is None else java.toString()}"
        refused = _REFUSED.search(text)
        why = _reason(error, text)
        _empty(error)
        if refused:
            raise DataError(Message.from_dict(json.loads(refused[1]))) from None
        raise DataError("source.failed", what=what or Message("source.data-not-processed"), reason=why) from None


def refusal(message: Message) -> str:
    """Return what an executor must fail with, so that the message arrives with its code and values."""
    return f"\nantifaz refuses {json.dumps(message.as_dict())}\n"


def _reason(error: BaseException, text: str) -> str:
    for signs, reason in _REASONS:
        if any(sign in text for sign in signs):
            return reason
    condition = getattr(error, "getCondition", lambda: None)()
    return Message("spark.stopped-with", condition=condition or type(error).__name__)


def _empty(error: Any) -> None:
    error.args = ()
    for name in ("_desc", "_stackTrace", "_message", "desc", "stackTrace"):
        if isinstance(getattr(error, name, None), str):
            with suppress(AttributeError):
                setattr(error, name, "")
