"""Whose job is next, and how much memory it gets: no one person takes the turns or the memory of the others."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Condition
from typing import Any

from antifaz.core.errors import AntifazError
from antifaz.core.machine import processors
from antifaz.core.sizes import parse_size
from antifaz.projects.yaml_file import parse_yaml
from antifaz.service.job_store import Job

#: How often one who waits for memory looks whether the job is still wanted, in seconds.
_PAUSE = 1.0
#: The memory that most jobs are happy with, in bytes.
_ENOUGH = 2_000_000_000


def places(memory: int | None) -> int:
    """Return how many jobs run at a time: one per processor, as long as each has enough memory."""
    return processors() if memory is None else max(min(processors(), memory // _ENOUGH), 1)


class JobSlots:
    """A queue per person: of those who wait, whoever has the fewest jobs running, then waited longest, is next.

    Where people share a service, nobody has all of its places: one stays free for whoever comes next. Whoever calls
    holds the lock of the queue.
    """

    def __init__(self, at_once: int, *, shared: bool) -> None:
        """Have some places; `shared` says that several people share them."""
        self.at_once = at_once
        self._most = max(at_once - 1, 1) if shared else at_once
        self._running: Counter[str] = Counter()
        self._served: dict[str, int] = {}
        self._count = count(1)

    def order(self, waiting: list[Job]) -> list[Job]:
        """Return the jobs that may begin, the next one first; those of one person keep their order."""
        free = [job for job in waiting if self._running[job.owner] < self._most]
        return sorted(free, key=lambda job: (self._running[job.owner], self._served.get(job.owner, 0)))

    def begin(self, owner: str) -> None:
        """Note that a job of a person began."""
        self._running[owner] += 1
        self._served[owner] = next(self._count)

    def end(self, owner: str) -> None:
        """Note that it ended."""
        self._running[owner] -= 1


class MemoryBudget:
    """The memory that all jobs of a service share: each has its share before it begins."""

    def __init__(self, whole: int | None, at_once: int) -> None:
        """Have so many bytes, or no limit; a job that says nothing of its memory gets one part of `at_once`."""
        self._whole = self._free = whole or 0
        self._usual = self._whole // at_once
        self._change = Condition()
        self._waiting: list[object] = []

    @contextmanager
    def share(self, text: str, unwanted: Callable[[], bool]) -> Iterator[str | None]:
        """Give a job its memory, as a size, for as long as the block lasts; who waits longest is first.

        A project may ask for less than the usual part or for more, but not for more than there is.
        """
        if not self._whole:
            yield None
            return
        memory = min(asked_memory(text) or self._usual, self._whole)
        turn = object()
        with self._change:
            self._waiting.append(turn)
            while not unwanted() and (self._waiting[0] is not turn or self._free < memory):
                self._change.wait(_PAUSE)
            self._waiting.remove(turn)
            self._free -= memory
            self._change.notify_all()
        try:
            yield f"{memory}B"
        finally:
            with self._change:
                self._free += memory
                self._change.notify_all()

    def wake(self) -> None:
        """Have all who wait look whether they are still wanted."""
        with self._change:
            self._change.notify_all()


def asked_memory(text: str) -> int | None:
    """Return the memory that a project file asks for, in bytes; None where it says nothing that can be read."""
    with suppress(AntifazError):
        data = parse_yaml(text, Path("project.yaml")).data
        engine = data.get("engine") if isinstance(data, Mapping) else None
        memory: Any = engine.get("memory") if isinstance(engine, Mapping) else None
        return parse_size(memory) if isinstance(memory, str) else None
    return None
