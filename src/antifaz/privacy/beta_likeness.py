"""β-likeness: no value gains much in a class over its share in the table."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.counting.classes import ClassTable
from antifaz.privacy.model import SensitiveModel, largest, largest_per_class, odds

#: A class exactly at the limit must not fail by the last bit of a division.
SLACK = 1e-12


class BetaLikeness(SensitiveModel):
    """No sensitive value gains more than a factor β in a class over the whole table."""

    name: ClassVar[str] = "beta-likeness"
    summary: ClassVar[str] = "No value becomes much more likely in a class than it is in the whole table."
    details: ClassVar[str] = (
        "Only gains count: learning that something is less likely does no harm here. enhanced also bounds the gain of "
        "frequent values by −ln p, so that none becomes nearly certain."
    )
    formula: ClassVar[str] = "(q − p)/p ≤ β for every value of every class; enhanced: ≤ min(β, −ln p)"
    source: ClassVar[str] = "J. Cao, P. Karras, Publishing microdata with a robust privacy guarantee, VLDB 2012"
    primary: ClassVar[str] = "beta"
    counts_people: ClassVar[bool] = True
    monotone_generalization: ClassVar[bool] = True
    #: A class that takes in many records of one value may exceed β.
    monotone_suppression: ClassVar[bool] = False

    beta: float = Field(gt=0, allow_inf_nan=False, description="The largest relative gain allowed.")
    enhanced: bool = Field(default=False, description="Also bound each value's gain by −ln of its share.")

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether no value gains too much."""
        return self._gains(classes) <= self.beta + SLACK * max(1.0, self.beta)

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the largest gain of a value; None where no β would do."""
        return largest(self._gains(classes))

    def _gains(self, classes: ClassTable) -> NDArray[np.float64]:
        table = self.table(classes)
        gains = odds(table, classes.sizes) - 1
        if self.enhanced:
            ceiling = -np.log(table.totals / table.whole)[table.values]
            gains = np.where(gains <= ceiling + SLACK, gains, np.inf)
        return largest_per_class(table, gains)
