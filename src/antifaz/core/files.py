"""Writing a file all or nothing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


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
