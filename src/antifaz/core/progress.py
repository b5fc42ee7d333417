"""Progress: named steps of a long work, told to whoever listens, and stopped when asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any


@dataclass
class Progress:
    """Times the named steps of a run and tells a listener `(step, share done or None, message)`.

    `shows`, where somebody wants it, is given what a run has verified while the rest of it is still to be done.
    """

    listener: Callable[[str, float | None, str], None] | None = None
    shows: Callable[[dict[str, Any]], None] | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    _step: str = ""

    @contextmanager
    def step(self, name: str, message: str = "") -> Iterator[None]:
        """Time a named step; nested or repeated steps of one name add up."""
        outer, self._step = self._step, name
        self.tell(None, message)
        began = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - began
            self._step = outer

    def tell(self, share: float | None, message: str = "") -> None:
        """Say how far the present step is (0 to 1), or only that it goes on."""
        if self.listener is not None:
            self.listener(self._step, share, message)
