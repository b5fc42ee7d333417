"""The vault: bytes that people handed over, on the disk only encrypted, under keys that live only in memory.

Each file has a key of its own (AES-256-GCM). It is cut into chunks whose place, and whether one is the last, are part
of what is authenticated, so that nothing can be cut off, swapped or added. Forgetting the key is what erases a file;
it is also removed, but on a disk that journals or wears evenly removing alone proves nothing. A killed process has
forgotten all keys.

To be read, a file is decrypted into memory that has a number but no name on any disk (`memfd_create`), and the path of
a link to that number is handed to whoever reads it.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from antifaz.core.errors import DataError, InputError, MissingExtra
from antifaz.core.machine import available_memory
from antifaz.core.sizes import parse_size
from antifaz.service.errors import Gone, TooLarge

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

#: Bytes that are encrypted at a time.
CHUNK = 1 << 20
_TAG = 16
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


@dataclass(frozen=True)
class EncryptedFile:
    """One file of the vault: its place, its key, and how many bytes went in."""

    id: str
    place: Path
    key: bytes = field(repr=False)
    bytes: int


@dataclass(frozen=True)
class DecryptedFile:
    """The bytes of a file in memory: a path that this process reads them by, and the number behind it.

    A child process reads them too, by the same path, if it is given the number (`pass_fds`).
    """

    path: Path
    fd: int


class EncryptingWriter:
    """Takes bytes as they come and writes them encrypted; `finish` says what became of them."""

    def __init__(self, vault: Vault, limit: int | None) -> None:
        """Made by `Vault.open_writer`."""
        self._vault, self._limit = vault, limit
        self._id, self._key = secrets.token_hex(16), secrets.token_bytes(32)
        self._cipher = _cipher(self._key)
        self.place = vault.folder / self._id
        self._file = os.fdopen(os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        self._buffer = bytearray()
        self._chunks = 0
        self.bytes = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take some bytes, or raise once they are more than allowed."""
        self.bytes += len(data)
        if self._limit is not None and self.bytes > self._limit:
            raise too_large(self._limit)
        self._buffer += data
        while len(self._buffer) > CHUNK:  # one byte more, so that the last chunk is known to be the last
            self._encrypt(bytes(self._buffer[:CHUNK]), last=False)
            del self._buffer[:CHUNK]

    def finish(self) -> EncryptedFile:
        """Write what is left and return the file."""
        self._encrypt(bytes(self._buffer), last=True)
        self._buffer.clear()
        self._file.close()
        encrypted = EncryptedFile(self._id, self.place, self._key, self.bytes)
        self._vault.register(encrypted)
        return encrypted

    def abandon(self) -> None:
        """Forget everything."""
        self._buffer.clear()
        self._file.close()
        self.place.unlink(missing_ok=True)

    def _encrypt(self, chunk: bytes, *, last: bool) -> None:
        try:
            self._file.write(self._cipher.encrypt(_nonce(self._chunks), chunk, _place(self._chunks, last)))
        except OSError as error:
            raise DataError("service.file-not-kept", reason=os.strerror(error.errno or 0)) from None
        self._chunks += 1


class Vault:
    """All files that people handed over, in one private folder."""

    def __init__(self, folder: Path) -> None:
        """Use a folder that nobody else can read; it must be there."""
        self.folder = folder
        self._known: dict[str, EncryptedFile] = {}
        self._lock = Lock()

    @contextmanager
    def open_writer(self, limit: int | None = None) -> Iterator[EncryptingWriter]:
        """Give something to write bytes into; without `finish` they are forgotten."""
        writer = EncryptingWriter(self, limit)
        try:
            yield writer
        finally:
            if writer.place.name not in self._known:
                writer.abandon()

    def register(self, encrypted: EncryptedFile) -> None:
        """Know a file."""
        with self._lock:
            self._known[encrypted.id] = encrypted

    @contextmanager
    def decrypted(self, id: str, suffix: str = "") -> Iterator[DecryptedFile]:
        """Decrypt a file into memory for as long as the block lasts; `suffix` ends the name of the path."""
        encrypted = self._known.get(id)
        if encrypted is None:
            raise Gone("service.data-erased")
        room = available_memory()
        if room and encrypted.bytes > room:
            raise TooLarge("service.no-room-for-file", bytes=encrypted.bytes / 1e6, room=room / 1e6)
        if not hasattr(os, "memfd_create"):
            raise DataError("service.no-files-in-memory")
        fd = os.memfd_create("antifaz")
        link = self.folder / f"{secrets.token_hex(8)}-data{suffix if _SUFFIX.fullmatch(suffix) else ''}"
        try:
            _decrypt(encrypted, fd)
            link.symlink_to(f"/proc/self/fd/{fd}")
            yield DecryptedFile(link, fd)
        finally:
            link.unlink(missing_ok=True)
            os.close(fd)

    def erase(self, id: str) -> bool:
        """Forget a file's key and remove it; say whether it is gone."""
        with self._lock:
            encrypted = self._known.pop(id, None)
        if encrypted is None:
            return True
        with suppress(OSError):
            encrypted.place.unlink()
        return not encrypted.place.exists()

    def close(self) -> None:
        """Forget every key and remove every file."""
        for id in list(self._known):
            self.erase(id)


def upload_bytes(limit: str) -> int:
    """Return a limit of uploads such as '2GB' in bytes."""
    try:
        return parse_size(limit)
    except InputError:
        raise InputError("web.upload-limit-not-a-size") from None


def too_large(limit: int) -> TooLarge:
    """Return the error for a file of more bytes than are taken."""
    return TooLarge("service.file-too-large", limit=limit / 1e6)


def _decrypt(encrypted: EncryptedFile, fd: int) -> None:
    from cryptography.exceptions import InvalidTag

    cipher = _cipher(encrypted.key)
    try:
        with encrypted.place.open("rb") as file, os.fdopen(os.dup(fd), "wb") as out:
            size = os.fstat(file.fileno()).st_size
            number = done = 0
            while True:
                chunk = file.read(CHUNK + _TAG)
                done += len(chunk)
                last = done >= size
                out.write(cipher.decrypt(_nonce(number), chunk, _place(number, last)))
                number += 1
                if last:
                    return
    except (InvalidTag, OSError):
        raise DataError("service.upload-not-readable-back") from None


def _cipher(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise MissingExtra("service.cryptography-missing") from None
    return AESGCM(key)


def _nonce(number: int) -> bytes:
    # A key is used for one file only, so counting never repeats a nonce.
    return number.to_bytes(12, "big")


def _place(number: int, last: bool) -> bytes:
    return number.to_bytes(8, "big") + (b"\1" if last else b"\0")
