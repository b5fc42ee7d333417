"""Counting released rows again on the local engine: files that were written, or tables in memory."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.core.files import file_sha256
from antifaz.core.messages import Message
from antifaz.core.recount import Recount
from antifaz.engines.engine import Applied, Auditor
from antifaz.engines.local.recount import recount
from antifaz.engines.local.write import Fingerprint
from antifaz.sources.duckdb_connection import database, duckdb_errors
from antifaz.sources.text_options import WrittenFile


class LocalAuditor(Auditor):
    """Reads the written bytes back in a database of its own: once to count them, once to hash them."""

    def __init__(self, *, memory: str | None = None, threads: int | None = None) -> None:
        """Keep to so much memory and so many threads."""
        self._limits: dict[str, Any] = {"memory": memory, "threads": threads}

    def recount(
        self,
        place: Any,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        *,
        population: Applied | None = None,
        **asked: Any,
    ) -> Recount:
        """Count the classes of a file or of a table, and each sensitive attribute in them, in one reading."""
        people = None if population is None else population.collect()
        return recount(place, quasi_identifiers, sensitive, population=people, **asked, **self._limits)

    def describe(self, place: Any) -> dict[str, Any]:
        """Return the file's name and the hash by which anyone can tell that theirs is the one that was checked."""
        if not isinstance(place, (str, os.PathLike)):  # a table of a database, which gives its rows as Arrow
            with database(**self._limits) as db, duckdb_errors(Message("database.table-not-readable-back")):
                noted = Fingerprint(db)
                for _ in noted.passing(pa.RecordBatchReader.from_stream(place)):
                    pass
            return {"table": place.shown, "file": place.shown, "format": "table", "fingerprint": f"{noted.value:016x}"}
        path = Path(place)
        told = place.options() if isinstance(place, WrittenFile) else {}
        return {"file": path.name, "format": path.suffix.lstrip("."), "sha256": file_sha256(path)} | told
