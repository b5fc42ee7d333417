"""Opened data sets, by ids that can't be guessed: whose they are, what is in them, and windows of their rows.

Each is opened in a process of its own (`dataset_process`), in the engine's own store, which spills to disk only
encrypted. At most a few are open at a time; one that had to make room, or whose process ended, is opened again when it
is asked for. Nothing here outlives the service.
"""

import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore, Lock, RLock
from typing import Any

from antifaz.core.errors import AntifazError
from antifaz.core.sizes import parse_size
from antifaz.service.dataset_process import DatasetProcess, temporary_process
from antifaz.service.dataset_sources import DatasetReference, DatasetSource, ErasedPart, Origin, Reading
from antifaz.service.errors import Busy, NotFound
from antifaz.service.worker_process import WorkerPool
from antifaz.storage.database import now

#: How many stores are open at a time, and how many are being opened.
OPEN = 2
OPENING = 2
#: How long one waits for a data set that others are using, in seconds.
PATIENCE = 120.0


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
    data: DatasetProcess | None = None
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
        self,
        *,
        workers: WorkerPool | None = None,
        folder: Path | None = None,
        memory: str | None = None,
        remake: Callable[[str], DatasetSource | None] = lambda _: None,
    ) -> None:
        """Take who starts processes, and a private folder for what they write aside.

        `memory` is the most that all may take, such as "4GB"; `remake` makes again what can be, by its id.
        """
        self.workers = workers or WorkerPool()
        self.folder, self._own_folder = folder or Path(tempfile.mkdtemp(prefix="antifaz-data-")), folder is None
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
        keep: bool = False,
    ) -> dict[str, Any]:
        """Open data and keep it; where it can't be read, nothing is kept, unless somebody else keeps the place."""
        try:
            reading = Reading.parse(options)
            dataset = OpenDataset(id or secrets.token_hex(16), owner, name, origin, place, reading, now())
            dataset.data = self._open(dataset, reading)
            dataset.facts = dataset.data.facts
        except BaseException:
            if not keep:
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
                data = self._open(dataset, reading)
                dataset.close()
                dataset.data, dataset.facts, dataset.reading = data, data.facts, reading
            dataset.name = name if name is not None else dataset.name
        self._make_room(dataset)
        return dataset.describe()

    def rows(
        self, owner: str, id: str, *, start: int, count: int, sort: str | None = None, descending: bool = False
    ) -> dict[str, Any]:
        """Return a window of rows as text."""
        window = {"start": start, "count": count, "sort": sort, "descending": descending}
        return dict(self.ask(owner, id, "rows", **window))

    def ask(self, owner: str, id: str, question: str, /, **arguments: Any) -> Any:
        """Return the answer to a question about a data set, as `dataset_worker` knows them."""
        with self.using(owner, id) as data:
            return data.ask(question, **arguments)

    def once(
        self, task: str, arguments: Mapping[str, Any], *, password: str | None = None, fd: int | None = None
    ) -> Any:
        """Have a process of its own do something for which no data set is opened, such as listing tables."""
        spec, files = {"password": password, "fd": fd}, [] if fd is None else [fd]
        with temporary_process(self.workers, self.folder, spec, files, memory=self._memory) as process:
            return process.ask(task, **arguments)

    @contextmanager
    def using(self, owner: str, id: str) -> Iterator[DatasetProcess]:
        """Give the opened data set, to one at a time."""
        dataset = self._own(owner, id)
        with self._locked(dataset):
            if dataset.data is None:
                dataset.data = self._open(dataset, dataset.reading)
                dataset.facts = dataset.data.facts
            dataset.used = time.monotonic()
            try:
                yield dataset.data
            except AntifazError:
                # A process may end and a connection be lost, which is not to be so for ever: who asks next opens it.
                if dataset.origin == "database" or not dataset.data.alive:
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
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

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

    def _open(self, dataset: OpenDataset, reading: Reading) -> DatasetProcess:
        if not self._opening.acquire(timeout=PATIENCE):
            raise Busy("service.data-sets-being-read")
        try:
            with ExitStack() as inputs:
                spec, files = dataset.place.open_spec(reading, inputs)
                return DatasetProcess(self.workers, self.folder, spec, files, memory=self._memory)
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
