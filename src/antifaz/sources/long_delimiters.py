"""Delimiters of several characters: text with one byte in the place of each, for readers that know one byte only."""

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from antifaz.core.errors import DataError
from antifaz.kernels import csv_scan as scan

MARK = chr(scan.MARK)


def is_long(delimiter: str) -> bool:
    """Say whether a delimiter is more than one byte."""
    return len(delimiter.encode()) > 1


def shortened(chunks: Iterable[bytes], delimiter: str, quote: str, name: str) -> Iterator[bytes]:
    """Give the same text, in UTF-8, with `MARK` in the place of every delimiter outside quotes; `name` is the file's.

    A delimiter begins as early as it can: with `||`, the text `a|||b` is `a` and `|b`.
    """
    sign, mark = np.frombuffer(delimiter.encode(), np.uint8), ord(quote) if quote else -1
    rest, mode = b"", scan.FIELD
    for chunk in chain(chunks, [None]):
        data = np.frombuffer(rest + (chunk or b""), np.uint8)
        out = np.empty(data.size, np.uint8)
        taken, written, mode = scan.shorten(data, sign, mark, mode, chunk is None, out)
        if mode < 0:
            raise DataError("csv.control-character", file=name)
        rest = data[taken:].tobytes()
        yield out[:written].tobytes()
