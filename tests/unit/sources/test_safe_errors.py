"""Errors of other programs quote no cell."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest

from antifaz.core.errors import DataError
from antifaz.sources.safe_errors import safe_errors
from failing import Like, failing, like

CANARY = "Zacarias 4711"


def test_check_34_an_error_of_arrow_says_nothing_of_the_cell() -> None:
    with (
        failing("source.failed", DataError, reason=like("source.reader-stopped")) as caught,
        safe_errors("Reading failed"),
    ):
        pa.array([CANARY]).cast(pa.int64())
    assert CANARY not in f"{caught.value!r}{caught.value.__context__!r}"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, os.strerror(28)), like("source.failed", reason=like("source.disk-full"))),
        (MemoryError(CANARY), like("source.failed", reason=like("source.memory-limit-reached"))),
        (
            pa.ArrowException("Unknown error: Failed to launch worker thread: Resource temporarily unavailable"),
            like("source.failed", reason=like("source.memory-limit-reached")),
        ),
        (
            PermissionError(13, CANARY),
            like("source.failed", reason=like("source.system-says", reason="Permission denied")),
        ),
        (
            UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY),
            like("source.failed", reason=like("source.encoding-wrong")),
        ),
    ],
)
def test_check_20_the_reason_is_said_in_our_words(error: BaseException, words: str | Like) -> None:
    with failing(words, DataError) as caught, safe_errors():
        raise error
    assert CANARY not in f"{caught.value!r}{caught.value.__context__!r}{error.args}"
