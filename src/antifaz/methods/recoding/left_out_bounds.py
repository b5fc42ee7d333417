"""Bounds from who is left out: a record that fails at a node fails at all nodes below it, and costs what that costs."""

from collections.abc import Sequence

import numpy as np

from antifaz.core.arrays import Flags, Floats
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.kernels.left_out import GEOMETRIC_MEAN, LARGEST, MEAN, SUM
from antifaz.utility.quality import Quality

_HOW = {"geometric-mean": GEOMETRIC_MEAN, "mean": MEAN, "sum": SUM, "maximum": LARGEST, "rank": LARGEST}


class LeftOutBounds:
    """Raises the bounds of a lattice by what looks found out."""

    def __init__(self, lattice: Lattice, quality: Quality, parts: Sequence[Floats]) -> None:
        """Take the parts of the bounds with nobody left out, as `Quality.parts` returns them."""
        self._lattice, self._quality, self._how = lattice, quality, _HOW[quality.joined_by]
        self._parts = np.zeros((len(parts), max(part.size for part in parts)))
        for a, part in enumerate(parts):
            self._parts[a, : part.size] = part
        #: What was asked of the quality so far, one after another, and where it begins by attribute and level.
        self._added, self._starts = np.zeros(0), dict[tuple[int, int], int]()
        shape = np.array(lattice.heights) + 1
        self._strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1).astype(np.int64)

    def raise_below(self, bounds: Floats, levels: Levels, kept: Flags, limit: float) -> None:
        """Raise the bounds of a node and of all below it, where they are within the limit."""
        from antifaz.kernels.left_out import least_parts, raise_below

        if kept.all():
            return
        node, tables = np.array(levels), np.array([self._start(a, level) for a, level in enumerate(levels)])
        least = least_parts(*self._lattice.labelled(levels, ~kept), node, self._parts, tables, self._added)
        raise_below(bounds.reshape(-1), self._strides, node, least, self._how, limit)

    def _start(self, a: int, level: int) -> int:
        known = self._starts.get((a, level))
        if known is None:
            known = self._starts[a, level] = self._added.size
            ladder = self._lattice.ladders[a]
            added = self._quality.added(ladder, level, self._lattice.rows)
            added = np.zeros((level + 1) * ladder.size(level)) if added is None else added.reshape(-1)
            self._added = np.concatenate([self._added, added])
        return known


def left_out_bounds(lattice: Lattice, quality: Quality, allowed: int) -> LeftOutBounds | None:
    """Return what raises bounds, or None where the quality does not say what leaving a record out costs."""
    parts = quality.parts(lattice, allowed)
    known = (quality.added(ladder, 0, lattice.rows) is not None for ladder in lattice.ladders)
    return LeftOutBounds(lattice, quality, parts) if parts and any(known) else None
