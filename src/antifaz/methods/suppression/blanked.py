"""Groups in which what differs is blank: a blank says nothing, however little the values behind it differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.groups import Groups
from antifaz.counting.records import Records


class Blanked(Groups):
    """Groups released as the values that all their records share, and blank in the rest."""

    def __init__(self, records: Records, groups: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        """Take note of the groups; `codes` is what each is released as per attribute, -1 where it is blank."""
        points: list[NDArray[np.float64] | None] = []
        for a, attribute in enumerate(records.attributes):
            if attribute.scale is None:
                points.append(None)
            else:
                points.append(np.append(attribute.scale, np.nan)[codes[:, a]])
        super().__init__(records, groups, points)
        self.codes = codes

    def spans(self, a: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the greatest number that a group may stand for: any, where it is blank."""
        low, high = super().spans(a)
        scale, blank = self.records.attributes[a].scale, self.codes[:, a] < 0
        if scale is None or np.isnan(scale).all():
            return low, high
        return np.where(blank, np.nanmin(scale), low), np.where(blank, np.nanmax(scale), high)

    def pairs(self, a: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return every (group, code) that a group may stand for: any, where it is blank."""
        owner, codes, counts = super().pairs(a)
        blank, size = np.flatnonzero(self.codes[:, a] < 0), self.records.attributes[a].domain.size
        kept = self.codes[owner, a] >= 0
        owner = np.concatenate([owner[kept], np.repeat(blank, size)])
        codes = np.concatenate([codes[kept], np.tile(np.arange(size), blank.size)])
        counts = np.concatenate([counts[kept], np.zeros(blank.size * size, np.int64)])
        order = np.lexsort((codes, owner))
        return owner[order], codes[order], counts[order]
