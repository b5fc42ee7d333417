"""(α, k)-anonymity."""

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.counting.classes import ClassTable
from antifaz.privacy.model import SensitiveModel, largest, largest_per_class

#: One over a share such as 0.1 must not become 11 by the last bit of a division.
SLACK = 1e-9


class AlphaK(SensitiveModel):
    """k-anonymity in which no sensitive value makes up more than a share α of a class."""

    name: ClassVar[str] = "alpha-k"
    summary: ClassVar[str] = "Every class has k records, and no sensitive value more than a share α of it."
    details: ClassVar[str] = "A simple guard against learning a value with great confidence; missing counts as a value."
    formula: ClassVar[str] = "|E| ≥ k and max over values of q ≤ α"
    source: ClassVar[str] = "R. Wong et al., (α, k)-anonymity, KDD 2006"
    size_parameter: ClassVar[str] = "k"
    counts_people: ClassVar[bool] = True
    monotone_generalization: ClassVar[bool] = True
    #: A class that takes in many records of one value may exceed α.
    monotone_suppression: ClassVar[bool] = False

    alpha: float = Field(gt=0, le=1, description="The largest share that one value may have in a class.")
    k: int = Field(ge=1, description="The smallest number of records that may look alike.")

    @property
    def least(self) -> int:
        """At least k records, and so many that one of them is no more than a share α."""
        return max(self.k, math.ceil(1 / self.alpha - SLACK))

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it is large enough and no value too frequent in it."""
        return (classes.sizes >= self.k) & (self._shares(classes) <= self.alpha)

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the largest share that a value has in a class."""
        return largest(self._shares(classes))

    def _shares(self, classes: ClassTable) -> NDArray[np.float64]:
        table = self.table(classes)
        return largest_per_class(table, table.counts / classes.sizes[table.classes])
