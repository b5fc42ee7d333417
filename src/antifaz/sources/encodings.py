"""In which encoding a text file is written: given, marked at its beginning, or found by a few plain rules.

The rules, in order, for a file that says nothing:

1. A byte order mark decides (UTF-8, UTF-16).
2. Zero bytes on every other place are UTF-16 without a mark.
3. A file that is valid UTF-8 from beginning to end is UTF-8.
4. A file that is mostly valid UTF-8 with a few wrong bytes is damaged, and refused: reading it in another encoding
   would garble every accent.
5. What is left is one byte per character: Windows-1252, or Latin-1 if it holds one of the five bytes that Windows-1252
   leaves undefined.
"""

import codecs
import re
from pathlib import Path

from antifaz.core.errors import DataError
from antifaz.core.messages import Message

#: Bytes read at a time.
CHUNK = 8 << 20
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SIGNATURES = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"PK\x03\x04": Message("encoding.zip-archive-spreadsheet"),
    b"\x1f\x8b": Message("encoding.compressed-gzip"),
    b"BZh": Message("encoding.compressed-bzip2"),
    b"\xfd7zXZ": Message("encoding.compressed-xz"),
    b"\x28\xb5\x2f\xfd": Message("encoding.compressed-zstd"),
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet file",
    b"\xd0\xcf\x11\xe0": Message("encoding.old-office-document"),
    b"SQLite format 3": "a SQLite database",
    b"\x7fELF": "a program",
}
_UNDEFINED = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\r\f\v\x1a") + b"\x7f"


def refuse_binary(path: Path, head: bytes) -> None:
    """Raise if the first bytes of a file are not those of text.

    Letters at the beginning prove nothing (a column may be called PAR1): control characters must be there too.
    """
    sample = head[: 1 << 16]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    for signature, what in _SIGNATURES.items():
        if head.startswith(signature) and (controls or not signature.isascii()):
            raise DataError("encoding.file-of-another-kind", file=path.name, what=what)
    if controls > max(len(sample) // 20, 20) and not wide_encoding(sample) and not byte_order_mark(sample):
        raise DataError("encoding.not-text", file=path.name)


def detect_encoding(path: Path, head: bytes) -> str:
    """Return the encoding of a file from which nothing is known but its bytes."""
    marked = byte_order_mark(head) or wide_encoding(head)
    if marked:
        return marked
    at, around = _first_invalid(path)
    if at < 0:
        return "utf-8"
    text = around.decode("utf-8", "surrogateescape")
    wrong = len(re.findall("[\udc80-\udcff]", text))
    right = len(re.findall("[^\x00-\x7f]", text)) - wrong
    if right > wrong:
        raise DataError("encoding.broken-utf-8", file=path.name, at=at, line=line_of(path, at))
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            if len(data.translate(None, _UNDEFINED)) != len(data):
                return "latin-1"
    return "cp1252"


def codec_name(encoding: str) -> str:
    """Return the name Python gives to an encoding, or say that there is none of that name."""
    try:
        codec = codecs.lookup(encoding)
        "".encode(codec.name)  # there are codecs that are none of text, such as hex
    except (LookupError, ValueError):
        raise DataError("encoding.unknown", encoding=encoding.replace("\0", "")) from None
    return codec.name


def line_of(path: Path, offset: int) -> int:
    """Return the line, from 1, on which a byte of a file stands."""
    lines, left = 1, offset
    with path.open("rb") as file:
        while left > 0 and (data := file.read(min(CHUNK, left))):
            left -= len(data)
            lines += data.count(b"\n") or data.count(b"\r")
    return lines


def byte_order_mark(head: bytes) -> str | None:
    """Return the encoding that a byte order mark names, if there is one."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def wide_encoding(head: bytes) -> str | None:
    """Tell UTF-16 without a mark: the zero bytes stand on one side only, and on most places there."""
    sample = head[: len(head) // 2 * 2][:4096]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if half and odd > 0.4 * half and even == 0:
        return "utf-16-le"
    if half and even > 0.4 * half and odd == 0:
        return "utf-16-be"
    return None


def _first_invalid(path: Path) -> tuple[int, bytes]:
    """Return the offset of the first byte that is not UTF-8 and the bytes around it, or -1."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    before = 0
    with path.open("rb") as file:
        while True:
            data = file.read(CHUNK)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                at = max(error.start - pending, 0)
                return before - pending + error.start, data[max(at - (1 << 19), 0) : at + (1 << 19)]
            if not data:
                return -1, b""
            before += len(data)
