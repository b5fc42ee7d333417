"""One parser of sizes: a number and a unit."""

from __future__ import annotations

import re

import pytest

from antifaz.core.errors import ParameterError
from antifaz.core.sizes import PATTERN, parse_size, parse_spark_size
from failing import failing

SIZES = [("512MB", 512 * 10**6), ("1 GiB", 2**30), ("1.5kb", 1500), ("7B", 7), (" 2tb ", 2 * 10**12), ("0.5KiB", 512)]


@pytest.mark.parametrize(("text", "size"), SIZES)
def test_a_number_and_a_unit(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert re.search(PATTERN, text)


@pytest.mark.parametrize("text", ["12", "2G", "GB", "-1GB", "1e3MB", "7iB", "", "2GB2"])
def test_anything_else_is_an_error_that_says_what_would_be_right(text: str) -> None:
    with failing("size.wrong", ParameterError, what="upload"):
        parse_size(text, "upload")
    assert not re.search(PATTERN, text)


@pytest.mark.parametrize(
    ("text", "size"), [("1g", 2**30), ("512m", 2**29), ("1024", 2**30), ("4GB", 2**32), ("7b", 7), ("2k", 2048)]
)
def test_spark_counts_in_powers_of_1024_and_takes_a_bare_number_for_mebibytes(text: str, size: int) -> None:
    assert parse_spark_size(text) == size


def test_what_spark_could_not_read_either_is_an_error() -> None:
    with failing("size.wrong-in-spark", ParameterError):
        parse_spark_size("much")
