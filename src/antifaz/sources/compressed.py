"""Compressed text, read as if it were unpacked: nothing is unpacked to the disk.

A few bytes may unpack to any number of them, so what comes out is counted, and too much of it is refused.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from antifaz.core.errors import DataError, silence
from antifaz.core.files import SystemPath

#: Text is rarely smaller than a hundredth of itself; below so many bytes nobody minds.
TIMES, HARMLESS = 400, 256 << 20
_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, NotImplementedError)


class PackedPath(SystemPath):
    """The path of a compressed file: what is read from it is unpacked, and its ending is the one below."""

    #: What the file is called, where its path does not say.
    shown: str | None = None

    @classmethod
    def of(cls, path: Path) -> "PackedPath":
        """Take the path of a compressed file, which may be in memory."""
        made = cls(path)
        made.shown = path.name
        return made

    @property
    def name(self) -> str:
        """What the file is called."""
        return self.shown or super().name

    @property
    def suffix(self) -> str:
        """The ending of the file within; .csv where there is none."""
        if super().suffix.lower() not in SUFFIXES:
            return super().suffix
        if super().suffix.lower() == ".zip":
            return Path(_member(self)).suffix
        return Path(self.stem).suffix or ".csv"

    def open(  # type: ignore[override]  # of the many signatures of a path, one
        self, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None, newline: Any = None
    ) -> IO[Any]:
        """Open what is within."""
        file = io.BufferedReader(_Unpacked(self), 1 << 20)
        return file if "b" in mode else io.TextIOWrapper(file, encoding, errors, newline)


class MemoryPath(SystemPath):
    """The path of what was unpacked into memory, called as the file that it came from; nothing is on the disk."""

    shown: str

    @property
    def name(self) -> str:
        """What the file is called that it came from."""
        return self.shown


def copied_to_memory(path: Path, most: int) -> tuple[MemoryPath, int]:
    """Copy what is read from a path, so many bytes at most, for a format that is not read from beginning to end.

    Return its path and the descriptor that holds it, which the caller closes.
    """
    if not hasattr(os, "memfd_create"):
        raise DataError("file.compressed", file=path.name)
    held = os.memfd_create("antifaz")
    try:
        with path.open("rb") as source, open(held, "wb", closefd=False) as target:
            while data := source.read(1 << 20):
                if target.tell() + len(data) > most:
                    packed = isinstance(path, PackedPath)
                    code = "compressed.too-large-for-memory" if packed else "place.too-large-for-memory"
                    raise DataError(code, file=path.name)
                target.write(data)
    except BaseException:
        os.close(held)
        raise
    made = MemoryPath(f"/proc/self/fd/{held}")
    made.shown = path.name
    return made, held


class _Unpacked(io.RawIOBase):
    """The bytes of a compressed file, counted."""

    def __init__(self, path: PackedPath) -> None:
        self._name, self._packed = path.name, path.stat().st_size
        self._unpacked = 0
        opener = _OPENERS.get(kind_of(path))
        if opener is None:
            raise DataError("compressed.damaged", file=self._name)
        with _safe(self._name):
            self._file = opener(path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _safe(self._name):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._unpacked += len(data)
        if self._unpacked > HARMLESS and self._unpacked > TIMES * self._packed:
            raise DataError("compressed.mostly-repetition", file=self._name, times=TIMES)
        return len(data)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()


@contextmanager
def _safe(name: str) -> Iterator[None]:
    """Say of what an unpacker can't read that it is damaged."""
    try:
        yield
    except (*_ERRORS, pa.ArrowException) as error:
        silence(error)
        raise DataError("compressed.damaged", file=name) from None


def _member(path: Path) -> str:
    """Return the name of the one table in an archive."""
    with _safe(path.name), zipfile.ZipFile(path) as archive:
        names = [
            entry.filename
            for entry in archive.infolist()
            # What a Mac adds, and other hidden files, are no tables.
            if not entry.is_dir() and not re.search(r"(^|/)(__MACOSX/|\.[^/]*$)", entry.filename)
        ]
    if len(names) != 1:
        raise DataError("compressed.not-one-table", file=path.name, count=len(names))
    return names[0]


def _zipped(path: Path) -> IO[bytes]:
    name = _member(path)
    return zipfile.ZipFile(path).open(name)


_OPENERS: dict[str, Callable[[Path], Any]] = {
    ".gz": lambda path: gzip.GzipFile(str(path)),
    ".bz2": lambda path: bz2.BZ2File(str(path)),
    ".xz": lambda path: lzma.LZMAFile(str(path)),  # noqa: SIM115 - whoever reads it closes it
    ".zst": lambda path: pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"),
    ".zip": _zipped,
}
SUFFIXES = tuple(_OPENERS)
_SIGNATURES = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"PK\x03\x04": ".zip",
}


def kind_of(path: Path) -> str:
    """Return how a file is compressed, by its first bytes; '' if it is not."""
    with Path(str(path)).open("rb") as file:
        return kind_by_head(file.read(8))


def kind_by_head(head: bytes) -> str:
    """Return how a file with these first bytes is compressed; '' if it is not."""
    return next((kind for signature, kind in _SIGNATURES.items() if head.startswith(signature)), "")
