"""Quality models: what a search for the best generalization minimizes."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from antifaz.core.declaration import Declared
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice


class Quality(Declared):
    """A measure of what a generalization loses: less is better."""

    @abstractmethod
    def score(self, table: Generalization) -> float:
        """Return the score of a generalization, records left out included."""

    @abstractmethod
    def bounds(self, lattice: Lattice) -> NDArray[np.float64]:
        """Return for every node of the lattice (one axis per attribute) a score that it can't be better than.

        Bounds must not fall when a level rises: that is what lets a search stop.
        """
