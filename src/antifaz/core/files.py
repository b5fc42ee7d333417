"""Paths and files as systems differ in them, and writing: all or nothing, or as a person asked for it.

An error says the path and why, and quotes nothing.
"""

import errno
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.messages import Message

# The kind of path of this system, to make others of: `Path` itself can't be subclassed before Python 3.12.
if sys.platform == "win32":
    from pathlib import WindowsPath as SystemPath
else:
    from pathlib import PosixPath as SystemPath

__all__ = [
    "SystemPath", "file_sha256", "json_text", "readable_by_others", "replace_file", "set_rights", "sync_file",
    "sync_folder", "system_reason", "write_bytes", "write_text",
]  # fmt: skip


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def json_text(document: Mapping[str, Any]) -> str:
    """Return a document as the JSON text of a file that people read, too."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def system_reason(error: OSError) -> str | Message:
    """Return why the system refused, in its words and without the path; they follow a colon."""
    return os.strerror(error.errno).lower() if error.errno else Message("release.system-error")


def replace_file(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Replace a file, or make it: the old one stays until the new one is whole on the disk.

    Only its owner can read it, unless `mode` gives others rights.
    """
    handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=".antifaz-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if mode != 0o600:  # that of a new temporary file
                set_rights(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a text to a file as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a document to a file, its folders made where they are not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise InputError("file.not-writable", path=str(path), reason=error.strerror) from None


def sync_file(path: Path, mode: int) -> None:
    """Give a file its rights and force it to the disk; a link in its place is not followed."""
    # Windows has no such flag, and forces only what is open for writing to the disk.
    flags = os.O_RDONLY | os.O_NOFOLLOW if hasattr(os, "O_NOFOLLOW") else os.O_RDWR
    descriptor = os.open(path, flags)
    try:
        set_rights(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Force the names of a folder to the disk, where the system opens folders; Windows keeps them by itself."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some filesystems can't sync a folder; they keep order without it
            raise
    finally:
        os.close(descriptor)


def set_rights(descriptor: int, mode: int) -> None:
    """Give an open file its rights; on Windows they are those of its folder."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def readable_by_others(mode: int) -> bool:
    """Say whether a file's mode lets others than its owner in; Windows says the same of every file."""
    return os.name == "posix" and bool(mode & 0o077)
