"""Finishing parts that fit: cut as far as they can be cut, and labelled. It can be sent to where the records are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.records import Attribute, Records
from antifaz.engines.boxes import Finished, Held
from antifaz.methods.clustering.labels import label_groups
from antifaz.methods.clustering.mondrian import cut_rows

if TYPE_CHECKING:
    from antifaz.kernels.mondrian import Space


@dataclass(frozen=True, kw_only=True, eq=False)
class Finisher:
    """All that is needed to finish parts; it holds no record."""

    attributes: tuple[Attribute, ...]
    #: Per attribute the code at every place.
    orders: tuple[NDArray[np.int32], ...]
    space: Space
    k: int
    split: str
    release: str
    keep_type: bool

    @property
    def typed(self) -> tuple[bool, ...]:
        """Say per attribute whether all labels are values of its own type."""
        one = self.keep_type and self.release != "interval"
        return tuple(one and attribute.scale is not None for attribute in self.attributes)

    def __call__(self, held: Held, ends: NDArray[np.int64], *, threads: int = 1) -> Finished:
        """Finish parts that lie one after another."""
        before = np.concatenate([[0], np.cumsum(held.counts)])
        at = np.repeat(np.arange(held.counts.size, dtype=np.int32), held.counts)
        groups, parts = self._cut(held, at, before[np.append(0, ends)], threads)
        records = Records(
            attributes=tuple(
                replace(attribute, codes=order[held.places[:, a]][at])
                for a, (attribute, order) in enumerate(zip(self.attributes, self.orders, strict=True))
            ),
            rows=at.size,
        )
        labelled = label_groups(records, groups, self.release, self.keep_type)
        return Finished(
            # Equal records are in one group: the first of each tuple says which.
            groups=groups[before[:-1]],
            sizes=np.bincount(groups, minlength=parts),
            labels=labelled.labels,
            released=labelled.released,
            points=labelled.points,
        )

    def _cut(
        self, held: Held, at: NDArray[np.int32], bounds: NDArray[np.int64], threads: int
    ) -> tuple[NDArray[np.int64], int]:
        """Return the group of every record, and how many groups there are."""
        rows = np.empty((at.size, len(self.orders) + 1), np.int32)
        for a, known in enumerate(self.space.known):
            rows[:, a] = np.minimum(held.places[:, a], known)[at]
        rows[:, -1] = np.arange(at.size)
        return cut_rows(rows, self.space, self.k, split=self.split, relaxed=False, threads=threads, bounds=bounds)
