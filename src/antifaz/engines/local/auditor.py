"""Counting released rows again on the local engine: files that were written, or tables in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from antifaz.engines.engine import Applied, Auditor
from antifaz.engines.local.fingerprint import fingerprint, stream_fingerprint
from antifaz.engines.local.recount import recount, recount_beside
from antifaz.engines.recounted import Recount


@runtime_checkable
class WrittenTable(Protocol):
    """A release that became a table of a database, which whoever takes Arrow reads back."""

    @property
    def shown(self) -> str:
        """How the table is called where it is shown."""

    def __arrow_c_stream__(self, requested: Any = None) -> Any:
        """Read the rows."""


class LocalAuditor(Auditor):
    """Reads the written bytes back in a database of its own."""

    def __init__(self, *, memory: str | None = None, threads: int | None = None) -> None:
        """Keep to so much memory and so many threads."""
        self._limits: dict[str, Any] = {"memory": memory, "threads": threads}

    def recount(
        self, place: Any, quasi_identifiers: Sequence[str], sensitive: Sequence[str] = (), *, classes: bool = False
    ) -> Recount:
        """Count the classes of a file or of a table, and each sensitive attribute in them."""
        return recount(place, quasi_identifiers, sensitive, classes=classes, **self._limits)

    def beside(self, place: Any, people: Applied, quasi_identifiers: Sequence[str]) -> Recount:
        """Count released rows and the people of a population together, in classes of the released ones."""
        return recount_beside(place, people.collect(), quasi_identifiers, **self._limits)

    def fingerprint(self, place: Any, columns: int) -> int:
        """Return the fingerprint of a written file, or of a written table that can be read as Arrow."""
        if isinstance(place, WrittenTable):
            return stream_fingerprint(place, **self._limits)
        return fingerprint(Path(place), columns, **self._limits)

    def describe(self, place: Any) -> dict[str, Any]:
        """Return the file's name and the hash by which anyone can tell that theirs is the one that was checked."""
        if isinstance(place, WrittenTable):
            shown = place.shown
            told = f"{stream_fingerprint(place, **self._limits):016x}"
            return {"table": shown, "file": shown, "format": "table", "fingerprint": told}
        path = Path(place)
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        return {"file": path.name, "format": path.suffix.lstrip("."), "sha256": found}
