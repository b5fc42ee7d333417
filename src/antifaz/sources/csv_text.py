"""The text of a delimited file, chunk by chunk: UTF-8 without a mark, in which one byte separates columns."""

import codecs
from collections.abc import Iterator
from pathlib import Path

from antifaz.core.errors import DataError
from antifaz.sources.csv_dialect import Dialect
from antifaz.sources.encodings import line_of
from antifaz.sources.long_delimiters import MARK, is_long, shortened

_UTF8 = ("utf-8", "utf-8-sig", "ascii")


def separating_byte(dialect: Dialect) -> str:
    """Return what stands between columns in `utf8_text`."""
    return MARK if is_long(dialect.delimiter) else dialect.delimiter


def utf8_text(path: Path, dialect: Dialect, chunk: int) -> Iterator[bytes]:
    """Give the text, so many bytes of the file at a time."""
    decoded = _decoded(path, dialect, chunk)
    if not is_long(dialect.delimiter):
        return decoded
    return shortened(decoded, dialect.delimiter, dialect.quote, path.name)


def _decoded(path: Path, dialect: Dialect, chunk: int) -> Iterator[bytes]:
    plain = dialect.encoding in _UTF8 and not is_long(dialect.delimiter)
    decoder = None if plain else codecs.getincrementaldecoder(dialect.encoding)()
    read = 0
    with path.open("rb") as file:
        if decoder is None and file.peek(3).startswith(codecs.BOM_UTF8):
            file.read(3)
        while data := file.read(chunk):
            if decoder is None:
                yield data
                continue
            yield _decode(path, dialect.encoding, decoder, data, read, last=False)
            read += len(data)
        if decoder is not None:
            yield _decode(path, dialect.encoding, decoder, b"", read, last=True)


def _decode(
    path: Path, encoding: str, decoder: codecs.IncrementalDecoder, data: bytes, read: int, *, last: bool
) -> bytes:
    pending = len(decoder.getstate()[0])
    try:
        text = decoder.decode(data, last)
    except UnicodeError as error:
        at = max(read - pending + getattr(error, "start", 0), 0)
    else:
        return (text.removeprefix("\ufeff") if read == 0 else text).encode("utf-8")
    raise DataError("csv.encoding-wrong", file=path.name, encoding=encoding, at=at, line=line_of(path, at))
