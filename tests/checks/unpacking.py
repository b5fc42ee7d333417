"""Looking for texts and numbers in the bytes of a file, also in what is packed inside it."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from watching import files_below

_ZSTD = b"\x28\xb5\x2f\xfd"


def layers(content: bytes) -> Iterator[bytes]:
    """Yield a file's bytes, and what comes out of every packed part of it."""
    yield content
    # A file that is being written while somebody looks has its beginning only.
    if content.startswith(b"PK") and zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield archive.read(name)
    if content.startswith(b"%PDF"):
        for found in re.finditer(rb"stream\r?\n", content):
            unpacked = zlib.decompressobj()
            try:
                yield unpacked.decompress(content[found.end() :])
            except zlib.error:
                continue
    # Pages of Parquet, dictionaries and statistics among them, are packed one by one.
    for found in re.finditer(re.escape(_ZSTD), content):
        yield _unpacked(content[found.start() :])
    if content.startswith(b"PAR1") and content.endswith(b"PAR1") and len(content) > 8:
        yield repr(pq.read_table(io.BytesIO(content)).to_pylist()).encode()


def _unpacked(content: bytes) -> bytes:
    out = bytearray()
    stream = pa.CompressedInputStream(pa.BufferReader(content), "zstd")
    try:
        while piece := stream.read(256):
            out += piece
    except OSError:
        pass  # the packed part ends here
    return bytes(out)


def forms(canary: str | int) -> list[bytes]:
    """Return how a value may stand in a file: as text in several encodings, and a number in binary."""
    if isinstance(canary, int):
        return [str(canary).encode(), struct.pack("<q", canary), struct.pack("<d", canary)]
    return [canary.encode(), canary.encode("utf-16-le"), canary.lower().encode()]


def holding(content: bytes, canaries: Iterable[str | int]) -> list[str | int]:
    """Return the canaries that are somewhere in some bytes."""
    everything = list(layers(content))
    return [c for c in canaries if any(form in layer for form in forms(c) for layer in everything)]


def files_holding(folder: Path, canaries: Iterable[str | int]) -> list[tuple[str, str | int]]:
    """Return every file below a folder that holds a canary, in its name or its bytes."""
    wanted, found = list(canaries), []
    for path, content in files_below(folder):
        found += [(str(path.relative_to(folder)), c) for c in holding(path.name.encode() + b"\n", wanted)]
        found += [(str(path.relative_to(folder)), c) for c in holding(content, wanted)]
    return found
