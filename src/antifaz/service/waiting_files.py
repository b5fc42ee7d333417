"""Files that somebody handed over and that are not open yet: looked at, then opened, or erased.

They are where opened data sets are, a file that was sent only in the vault. Each person has a few at most; the oldest
makes room. One that was opened is a data set from then on.
"""

import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock
from typing import Any

from antifaz.service.dataset_sources import DatasetSource, ErasedPart, Origin, Reading
from antifaz.service.datasets import Datasets
from antifaz.service.errors import NotFound

#: How many files of one person wait.
MOST = 3


@dataclass(frozen=True, eq=False)
class _WaitingFile:
    id: str
    owner: str
    name: str
    origin: Origin
    place: DatasetSource

    def describe(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "origin": self.origin, "bytes": self.place.bytes}


class WaitingFiles:
    """All waiting files of a service."""

    def __init__(self, datasets: Datasets) -> None:
        self._datasets = datasets
        self._known: dict[str, _WaitingFile] = {}
        self._lock = Lock()

    def add(self, owner: str, name: str, origin: Origin, place: DatasetSource) -> dict[str, Any]:
        """Keep a file, unopened."""
        file = _WaitingFile(secrets.token_hex(16), owner, name, origin, place)
        with self._lock:
            self._known[file.id] = file
            own = [one for one in self._known.values() if one.owner == owner]
            for old in own[:-MOST]:
                del self._known[old.id]
                old.place.erase()
        return file.describe()

    def look(self, owner: str, id: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """Say what is in a file, what is wrong with it, and what it would be read as."""
        file, reading = self._own(owner, id), Reading.parse(options)
        with ExitStack() as inputs:
            spec, _ = file.place.open_spec(reading, inputs)
            arguments = {"place": spec["place"], "reading": spec["reading"]}
            return file.describe() | dict(self._datasets.once("look", arguments, fd=spec.get("fd")))

    def open(self, owner: str, id: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """Make a data set of a file; where it can't be read it goes on waiting."""
        file = self._own(owner, id)
        made = self._datasets.add(owner, file.name, file.origin, file.place, options, keep=True)
        with self._lock:
            self._known.pop(id, None)
        return made

    def erase(self, owner: str, id: str) -> list[ErasedPart]:
        """Erase what is ours of a file; say what is gone."""
        file = self._own(owner, id)
        with self._lock:
            self._known.pop(id, None)
        return file.place.erase()

    def erase_all(self, owner: str) -> list[ErasedPart]:
        """Erase all files of a person."""
        with self._lock:
            own = [file for file in self._known.values() if file.owner == owner]
        return [{"where": file.name, **part} for file in own for part in self.erase(owner, file.id)]

    def _own(self, owner: str, id: str) -> _WaitingFile:
        with self._lock:
            file = self._known.get(id)
        if file is None or file.owner != owner:
            raise NotFound("service.file-not-waiting")
        return file
