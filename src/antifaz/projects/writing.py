"""Writing a document that a person asked for; an error says the path and why, and quotes nothing."""

from __future__ import annotations

from pathlib import Path

from antifaz.core.errors import InputError


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, its folders made where they are not there."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a document to a file, its folders made where they are not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{str(path)!r} can't be written ({error.strerror}).") from None
