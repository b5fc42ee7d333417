"""δ-disclosure privacy: no value is much more or much less frequent in a class than in the table."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.counting.classes import ClassTable
from antifaz.privacy.model import SensitiveModel, largest, largest_per_class, odds


class DeltaDisclosure(SensitiveModel):
    """No sensitive value is much more or much less frequent in a class than in the whole table."""

    name: ClassVar[str] = "delta-disclosure"
    summary: ClassVar[str] = "No value's share in a class differs by more than a factor from its share in the table."
    details: ClassVar[str] = (
        "Strict: both gaining and losing confidence count. Asked only of values that a class has, as in ARX; with the "
        "values it lacks, hardly a table but the fully generalized one would hold."
    )
    formula: ClassVar[str] = "|log₂(q/p)| < δ for every value of every class"
    source: ClassVar[str] = "J. Brickell, V. Shmatikov, The cost of privacy, KDD 2008"
    primary: ClassVar[str] = "delta"
    #: A value may be missing from one class and so not be asked about; in the union it is.
    counts_people: ClassVar[bool] = True
    monotone_generalization: ClassVar[bool] = False
    #: A class that takes in another may move away from the table.
    monotone_suppression: ClassVar[bool] = False

    delta: float = Field(
        gt=0, allow_inf_nan=False, description="The distance, in powers of two, that must not be reached."
    )

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether all of its values are near enough to the table."""
        return self._distances(classes) < self.delta

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the largest distance of a value in a class."""
        return largest(self._distances(classes))

    def _distances(self, classes: ClassTable) -> NDArray[np.float64]:
        table = self.table(classes)
        return largest_per_class(table, np.abs(np.log2(odds(table, classes.sizes))))
