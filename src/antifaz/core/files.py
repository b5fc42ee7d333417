"""Write files: all or nothing, or as a person asked for them; an error says the path and why, and quotes nothing."""

import os
import tempfile
from pathlib import Path

from antifaz.core.errors import InputError


def replace_file(path: Path, content: bytes) -> None:
    """Put a file in place that only its owner can read: the old one stays until the new one is whole on the disk."""
    handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=".antifaz-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
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
