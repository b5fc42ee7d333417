"""What is below a folder while a program works there: folders and files may go at any moment, and that is no error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def paths_below(folder: Path) -> Iterator[Path]:
    """Give all files below a folder, links left out. `Path.rglob` would raise where a folder goes while it looks."""
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(place) / name
            if path.is_file() and not path.is_symlink():
                yield path


def files_below(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Give all files below a folder with what is in them."""
    for path in paths_below(folder):
        try:
            content = path.read_bytes()
        except OSError:
            continue  # gone in this moment
        yield path, content


def size_of(path: Path) -> int:
    """Return a file's size; what is gone has none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
