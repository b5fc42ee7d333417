"""The best of several greedy groupings: the papers leave open where to start and which of equals to take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from antifaz.core.machine import processors
from antifaz.kernels.clustering import Table, new_state, total_loss
from antifaz.methods.clustering.diverse import gather_diverse
from antifaz.methods.clustering.greedy import gather_many
from antifaz.methods.clustering.limits import Limits

#: Below so many records a try is over before another thread has begun.
_FEW = 300
Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordBlock:
    """A block of records to be grouped."""

    table: Table
    k: int
    random: np.random.Generator
    #: What groups must keep to beside their size.
    limits: Limits | None = None
    #: Whether it is the only block, so that all processors are free for it.
    alone: bool = True

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.table.numbers.shape[0])


def at_once(work: Callable[[Given], Made], parts: Sequence[Given]) -> list[Made]:
    """Do all parts in threads (kernels let go of the interpreter); return what was made in the order of the parts."""
    if len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(processors()) as pool:
        return list(pool.map(work, parts))


def gather_best(part: RecordBlock, firsts: Sequence[int], *, far: bool) -> NDArray[np.int64]:
    """Group greedily from each of the first records and under either rule for ties; return what loses least.

    Of records that cost the same, the first is taken, or the one nearest to that which the group started with; where
    values are few that is many. Under limits, scarce sensitive values are spared or not. Groups that the limits refuse
    weigh more than any loss. Of equals the first try is returned.
    """
    if not part.rows:
        return np.zeros(0, np.int64)
    ways = [(near, thrifty) for near in (False, True) for thrifty in ((False, True) if part.limits else (False,))]
    tries = [(first, *way) for first in firsts for way in ways]

    def attempt(given: tuple[int, bool, bool]) -> tuple[tuple[int, float], NDArray[np.int64]]:
        found = _gather(part, *given, far=far)
        refused = 0
        if part.limits:
            counts = np.zeros((int(found.max()) + 1, part.limits.many), np.int64)
            np.add.at(counts, (found, part.limits.kinds), 1)
            refused = int((~part.limits.passes(counts)).sum())
        loss = total_loss(part.table, new_state(part.table), found, int(found.max()) + 1)
        # Rounded, so that the last digit of a sum decides nothing.
        return (refused, round(loss, 9)), found

    spread = part.alone and part.rows >= _FEW
    made = at_once(attempt, tries) if spread else [attempt(given) for given in tries]
    return min(made, key=lambda pair: pair[0])[1]


def _gather(part: RecordBlock, first: int, near: bool, thrifty: bool, *, far: bool) -> NDArray[np.int64]:
    order = np.arange(part.rows)
    if part.limits:
        found = gather_diverse(
            part.table, order, part.k, first, far=far, near=near, thrifty=thrifty, limits=part.limits
        )
        if found is not None:
            return found
    return gather_many(part.table, order, part.k, first, far=far, near=near)
