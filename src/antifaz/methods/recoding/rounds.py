"""Rounds: what one search leaves out is searched again, at levels of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.messages import Message
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.generalization import Patch, Patchwork, part_of, tuples_within
from antifaz.methods.recoding.search import LatticeSearch, Solution
from antifaz.privacy.model import PrivacyModel

#: Makes the search of some tuples: given them, how many of their records may be left out, and how many rounds are left.
Start = Callable[[FrequencySet, int, int], LatticeSearch]


@dataclass(frozen=True, eq=False)
class SearchRound:
    """One search, what it found, and the tuples of the whole frequency set from which it releases."""

    search: LatticeSearch
    best: Solution
    tuples: NDArray[np.int64]

    @property
    def records(self) -> int:
        """How many records the round releases."""
        return int(self.best.table.sizes.sum())

    def as_dict(self) -> dict[str, Any]:
        """Return the round as JSON-ready data."""
        columns = self.search.lattice.frequencies.columns
        return {"levels": dict(zip(columns, self.best.levels, strict=True)), "records": self.records}


def make_rounds(frequencies: FrequencySet, most: int, allowed: int, start: Start) -> list[SearchRound]:
    """Search again and again what is not released yet, until at most `allowed` records are left, or nothing is found.

    Each round must release its share of what is left, or the first ones would leave everything difficult to the last,
    which may leave out the allowed number only.
    """
    made: list[SearchRound] = []
    left = np.arange(frequencies.counts.size)
    for to_go in range(most, 0, -1):
        part = part_of(frequencies, left) if made else frequencies
        rows = part.rows
        search = start(part, allowed if to_go == 1 else max(allowed, rows - -(-rows // to_go)), to_go)
        best = search.find_best()
        if best is None:
            break
        inside = tuples_within(search.lattice, best.levels, best.kept)
        made.append(SearchRound(search, best, left[inside]))
        left = left[~inside]
        if int(frequencies.counts[left].sum()) <= allowed:
            break
    return made


def put_together(made: list[SearchRound]) -> Patchwork:
    """Return what all rounds release as one table."""
    return Patchwork(made[0].search.lattice, [Patch(each.best.levels, each.tuples) for each in made])


def objection(table: Patchwork, models: tuple[PrivacyModel, ...], allowed: int) -> str | None:
    """Say why the rounds can't be released together, or None where they can.

    Each round was judged by itself; classes of two rounds with the same labels are one class to the reader, and must
    satisfy the models as one.
    """
    if table.suppressed > allowed:
        return Message("method.rounds-leave-out-too-many", suppressed=table.suppressed, allowed=allowed)
    classes = table.class_table()
    failed = [model.name for model in models if not model.judge(classes).holds]
    return Message("method.rounds-fail-together", failed=failed) if failed else None
