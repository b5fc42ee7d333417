"""A generalization, counted: all that measures of utility and risk need to know of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.ladders import Ladder
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels


@dataclass(frozen=True, kw_only=True, eq=False)
class Generalization:
    """What became of the records: levels, how many kept records have each label, the kept classes' sizes."""

    ladders: tuple[Ladder, ...]
    levels: Levels
    #: Per attribute, the kept records by label at its level.
    marginals: tuple[NDArray[np.int64], ...]
    #: Per attribute, all records by label at the lowest level.
    originals: tuple[NDArray[np.int64], ...]
    #: Sizes of the classes that are kept.
    sizes: NDArray[np.int64]
    rows: int

    @property
    def suppressed(self) -> int:
        """The number of records left out."""
        return self.rows - int(self.sizes.sum())


def generalization(lattice: Lattice, levels: Levels, kept: NDArray[np.bool_]) -> Generalization:
    """Describe a node of which only some classes are kept."""
    return Generalization(
        ladders=lattice.ladders,
        levels=levels,
        marginals=tuple(lattice.marginals(levels, kept)),
        originals=tuple(lattice.originals),
        sizes=lattice.sizes(levels)[kept],
        rows=lattice.frequencies.rows,
    )
