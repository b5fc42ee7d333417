"""What a job needs of a data set: where it is, how it is read, and what only the service has of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Origin = Literal["upload", "path", "database", "example"]


class InMemory(Protocol):
    """Bytes in memory that have a number but no name on any disk."""

    @property
    def fd(self) -> int:
        """The number, for a child process."""


@dataclass(frozen=True, kw_only=True)
class HandOver:
    """A data set as it is handed to the process that works on it."""

    #: What it is called; the end of it says how a file is read.
    name: str
    origin: Origin
    #: As the `source` of a project file: of what was uploaded or made up, the path is only its name.
    source: Mapping[str, Any]
    #: How columns are to be understood, where a person said so.
    types: Mapping[str, str] = field(default_factory=dict)
    #: Decrypts what was uploaded into memory for as long as a block lasts; None where the source can be reached.
    content: Callable[[], AbstractContextManager[InMemory]] | None = None
    password: str | None = field(default=None, repr=False)
    #: How to come by it again after a restart, without data and passwords; None where that can't be.
    again: Mapping[str, Any] | None = None


class Handing(Protocol):
    """What the queue asks of the data sets."""

    def hand_over(self, id: str, owner: str) -> HandOver:
        """Return a data set by its id, or raise `NotFound` or `Gone`."""

    def again(self, said: Mapping[str, Any]) -> HandOver:
        """Return a data set after a restart, by what `HandOver.again` said."""
