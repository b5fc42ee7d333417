"""Distinct tuples that are too many to come out: they stay where the rows are, and are asked from afar.

A tuple is a row of codes, one per column, and how often it occurs. What is to be done with tuples where they are is
handed in as something callable that can be pickled; it gets tuples and gives back a few numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.tuples import Tuples

#: Per column the code of each tuple, and how often each occurs.
Coded = tuple[Sequence[NDArray[np.int32]], NDArray[np.int64]]
#: Per column what each code becomes; None where codes stay as they are.
Recode = Sequence[NDArray[np.int32] | None]
#: What is done with tuples where they are.
Work = Callable[[Coded], NDArray[np.int64]]
#: Says which tuples go to which parts: positions (one as often as it is in several parts), parts, and how often.
Spread = Callable[[Coded], tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]


class Gathered(ABC):
    """Tuples that lie together by class, some classes in each part."""

    @abstractmethod
    def each(self, work: Work) -> list[NDArray[np.int64]]:
        """Do something with every part that has tuples."""

    @abstractmethod
    def close(self) -> None:
        """Give the memory back."""


class InPlace(ABC):
    """The distinct tuples of some columns, where they are."""

    #: How many tuples may come out at a time.
    budget: int

    @abstractmethod
    def alone(self, columns: Sequence[str], together_with: Sequence[str]) -> list[Tuples]:
        """Count each of some columns by itself, together with the others named."""

    @abstractmethod
    def encode(self, codes: Sequence[Mapping[str | None, int]]) -> None:
        """Say per column under which code each value counts; what follows is asked in codes."""

    @abstractmethod
    def estimate(self, recodes: Sequence[Recode]) -> list[int]:
        """Say about how many distinct tuples there are under each of several recodings."""

    @abstractmethod
    def count(self, recode: Recode) -> Coded:
        """Bring out the distinct tuples under a recoding."""

    @abstractmethod
    def sizes(self, recode: Recode) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how often tuples occur under a recoding, in order, and how many occur so often."""

    @abstractmethod
    def scatter(self, recode: Recode, spread: Spread, work: Work) -> list[NDArray[np.int64]]:
        """Spread the distinct tuples under a recoding over parts, and do something with each part as a whole."""

    @abstractmethod
    def gather(self, recode: Recode, by: Recode) -> Gathered:
        """Lay the distinct tuples under a recoding together by what they become under `by`."""

    @abstractmethod
    def close(self) -> None:
        """Give the memory back; whoever asks again waits again."""
