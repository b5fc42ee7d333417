"""Opened data sets, by ids that can't be guessed: whose they are, what is in them, and windows of their rows.

Rows are in the engine's own store, which spills to disk only encrypted. At most a few stores are open at a time; one
that had to make room is opened again when it is asked for. Nothing here outlives the process.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock, RLock
from typing import Any

from antifaz.core.errors import DataError
from antifaz.core.sizes import parse_size
from antifaz.engines.engine import Data
from antifaz.service.dataset_sources import DatasetReference, DatasetSource, ErasedPart, Origin, Reading
from antifaz.service.errors import Busy, NotFound
from antifaz.storage.database import now

#: How many stores are open at a time, and how many are being opened.
OPEN = 2
OPENING = 2
#: The most rows of a window.
MOST_ROWS = 1000
#: How long one waits for a data set that others are using, in seconds.
PATIENCE = 120.0
_SHOWN = 5


@dataclass(eq=False)
class OpenDataset:
    """One data set: where it lives, how it is read, and what is known of it."""

    id: str
    owner: str
    name: str
    origin: Origin
    place: DatasetSource
    reading: Reading
    made: str
    facts: dict[str, Any] = field(default_factory=dict)
    data: Data | None = None
    used: float = 0.0
    lock: Any = field(default_factory=RLock, repr=False)

    def describe(self) -> dict[str, Any]:
        """Return what is shown of it."""
        own = {"id": self.id, "name": self.name, "origin": self.origin, "bytes": self.place.bytes, "made": self.made}
        return own | self.facts

    def close(self) -> None:
        """Close its store."""
        if self.data is not None:
            self.data.close()
            self.data = None


class Datasets:
    """All data sets of a service."""

    def __init__(
        self, *, memory: str | None = None, remake: Callable[[str], DatasetSource | None] = lambda _: None
    ) -> None:
        """`memory` is the most that all may take, such as "4GB"; `remake` makes again what can be, by its id."""
        self._memory = None if memory is None else f"{parse_size(memory) // OPEN}B"
        self._known: dict[str, OpenDataset] = {}
        self._erased: set[str] = set()
        self._remake, self._remaking = remake, Lock()
        self._lock = Lock()
        self._opening = BoundedSemaphore(OPENING)

    def add(
        self,
        owner: str,
        name: str,
        origin: Origin,
        place: DatasetSource,
        options: Mapping[str, Any] | None = None,
        *,
        id: str | None = None,
    ) -> dict[str, Any]:
        """Open data and keep it; where it can't be read, nothing is kept."""
        try:
            reading = Reading.parse(options)
            dataset = OpenDataset(id or secrets.token_hex(16), owner, name, origin, place, reading, now())
            dataset.data, dataset.facts = self._read(place, reading)
        except BaseException:
            place.erase()
            raise
        with self._lock:
            self._known[dataset.id] = dataset
        self._make_room(dataset)
        return dataset.describe()

    def all(self, owner: str) -> list[dict[str, Any]]:
        """Describe all data sets of a person, the newest first."""
        with self._lock:
            own = [dataset for dataset in self._known.values() if dataset.owner == owner]
        return [dataset.describe() for dataset in reversed(own)]

    def get(self, owner: str, id: str) -> dict[str, Any]:
        """Describe one."""
        return self._own(owner, id).describe()

    def change(
        self, owner: str, id: str, *, name: str | None = None, options: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Give it another name, or read it anew with other options; where that fails it stays as it was."""
        dataset = self._own(owner, id)
        with self._locked(dataset):
            if options is not None:
                reading = Reading.parse(options)
                data, facts = self._read(dataset.place, reading)
                dataset.close()
                dataset.data, dataset.facts, dataset.reading = data, facts, reading
            dataset.name = name if name is not None else dataset.name
        self._make_room(dataset)
        return dataset.describe()

    def rows(
        self, owner: str, id: str, *, start: int, count: int, sort: str | None = None, descending: bool = False
    ) -> dict[str, Any]:
        """Return a window of rows as text."""
        with self.using(owner, id) as data:
            return window(data, start, count, sort, descending)

    @contextmanager
    def using(self, owner: str, id: str) -> Iterator[Data]:
        """Give the opened data, to one at a time."""
        dataset = self._own(owner, id)
        with self._locked(dataset):
            if dataset.data is None:
                dataset.data, dataset.facts = self._read(dataset.place, dataset.reading)
            dataset.used = time.monotonic()
            try:
                yield dataset.data
            except DataError:
                # A connection may be lost, which is not to be so for ever: the next one who asks opens it again.
                if dataset.origin == "database":
                    dataset.close()
                raise
        self._make_room(dataset)

    def reference(self, id: str, owner: str) -> DatasetReference:
        """Return what another process needs to read the same data in the same way."""
        dataset = self._own(owner, id)
        return dataset.place.reference(dataset.name, dataset.origin, dataset.reading)

    def erase(self, owner: str, id: str) -> list[ErasedPart]:
        """Close it and erase all that is ours of it; say what is gone."""
        dataset = self._own(owner, id)
        with self._locked(dataset):
            with self._lock:
                self._known.pop(id, None)
                self._erased.add(id)
            dataset.close()
            return [{"what": "the opened rows", "gone": True}, *dataset.place.erase()]

    def close(self) -> None:
        """Erase all of them."""
        for dataset in list(self._known.values()):
            with suppress(Exception):
                self.erase(dataset.owner, dataset.id)

    def _own(self, owner: str, id: str) -> OpenDataset:
        dataset = self._find(id) or self._again(owner, id)
        if dataset is None or dataset.owner != owner:
            raise NotFound("service.data-set-not-found")
        return dataset

    def _find(self, id: str) -> OpenDataset | None:
        with self._lock:
            return self._known.get(id)

    def _again(self, owner: str, id: str) -> OpenDataset | None:
        """Make again what the service had before it was started anew, if it was made up."""
        with self._remaking:
            if id not in self._erased and self._find(id) is None and (place := self._remake(id)) is not None:
                self.add(owner, f"{id.partition('.')[0]}.csv", "example", place, id=id)
        return self._find(id)

    @contextmanager
    def _locked(self, dataset: OpenDataset) -> Iterator[None]:
        if not dataset.lock.acquire(timeout=PATIENCE):
            raise Busy("service.data-set-in-use")
        try:
            if dataset.id not in self._known:
                raise NotFound("service.data-set-erased-meanwhile")
            yield
        finally:
            dataset.lock.release()

    def _read(self, place: DatasetSource, reading: Reading) -> tuple[Data, dict[str, Any]]:
        if not self._opening.acquire(timeout=PATIENCE):
            raise Busy("service.data-sets-being-read")
        try:
            data = place.open(reading, self._memory)
            try:
                return data, _facts(data, reading)
            except BaseException:
                data.close()
                raise
        finally:
            self._opening.release()

    def _make_room(self, latest: OpenDataset) -> None:
        """Close the stores that were not used for the longest time, but none that is in use."""
        latest.used = time.monotonic()
        with self._lock:
            opened = sorted((own for own in self._known.values() if own.data is not None), key=lambda own: own.used)
        for dataset in opened[:-OPEN]:
            if dataset.lock.acquire(blocking=False):
                try:
                    dataset.close()
                finally:
                    dataset.lock.release()


def window(data: Data, start: int, count: int, sort: str | None, descending: bool) -> dict[str, Any]:
    """Return a window of rows as text."""
    wanted = max(min(count, MOST_ROWS, data.rows - start), 0)
    rows = data.window(start, wanted, sort=sort, descending=descending) if wanted else []
    return {"start": start, "total": data.rows, "columns": list(data.schema.names), "rows": rows}


def _facts(data: Data, reading: Reading) -> dict[str, Any]:
    """Say what is known of data, with no rare value in it."""
    understood = dict(getattr(data, "understood", {}))
    understood.pop("newline", None)
    return {
        "rows": data.rows,
        "options": understood | reading.model_dump(mode="json", exclude_none=True, exclude_defaults=True),
        "columns": [column.shown(_SHOWN) for column in data.profile()], "notes": list(data.notes),
    }  # fmt: skip
