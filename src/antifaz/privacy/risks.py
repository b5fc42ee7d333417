"""Thresholds on the risk of being re-identified: highest, average, and uniqueness in the sample."""

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.counting.classes import ClassTable
from antifaz.privacy.model import PrivacyModel


class HighestRisk(PrivacyModel):
    """No record's risk of being re-identified exceeds a threshold."""

    name: ClassVar[str] = "highest-risk"
    summary: ClassVar[str] = "No record can be re-identified with a probability above a threshold."
    details: ClassVar[str] = "The prosecutor's risk of a record is 1 over the size of its class; 0.09 is a usual limit."
    formula: ClassVar[str] = "1/|E| ≤ threshold for every class"
    source: ClassVar[str] = "K. El Emam, Guide to the de-identification of personal health information, 2013"
    primary: ClassVar[str] = "threshold"
    counts_people: ClassVar[bool] = True
    monotone_generalization: ClassVar[bool] = True
    #: A class that grows has less risk.
    monotone_suppression: ClassVar[bool] = True

    threshold: float = Field(gt=0, le=1, description="The highest risk allowed.")

    @property
    def least(self) -> int:
        """So many records that the risk of one of them is low enough."""
        return math.ceil(1 / self.threshold - 1e-9)

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether its risk is low enough."""
        return 1 / classes.sizes <= self.threshold

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the highest risk."""
        return float(1 / classes.sizes.min()) if classes.sizes.size else None


class _TableRisk(PrivacyModel):
    """A threshold on a figure of the whole table. Where records may be left out, the smallest classes go first."""

    primary: ClassVar[str] = "threshold"
    monotone_generalization: ClassVar[bool] = True
    #: Which classes go depends on all of them.
    monotone_suppression: ClassVar[bool] = False
    whole_table: ClassVar[bool] = True

    threshold: float = Field(ge=0, le=1, description="The largest value allowed.")

    @abstractmethod
    def figures(self, classes: Ints, records: Ints, uniques: Ints) -> NDArray[np.float64]:
        """Return the figure of tables with so many classes, records, and classes of one record."""

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say that all classes pass, or that none does."""
        reached = self.achieved(classes)
        return np.full(classes.sizes.size, reached is None or reached <= self.threshold)

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the figure of the table."""
        sizes = classes.sizes
        if not sizes.size:
            return None
        table = (np.array([number]) for number in (sizes.size, sizes.sum(), np.count_nonzero(sizes == 1)))
        return float(self.figures(*table)[0])

    def keep(self, classes: ClassTable, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Leave out the smallest classes until the figure is low enough; classes of one size go together."""
        sizes = np.sort(classes.sizes[kept])
        if not sizes.size:
            return kept
        gone = np.arange(sizes.size)
        records = sizes[::-1].cumsum()[::-1]
        uniques = np.maximum(np.count_nonzero(sizes == 1) - gone, 0)
        enough = self.figures(sizes.size - gone, records, uniques) <= self.threshold
        # Only cuts between different sizes: which of several equal classes goes would depend on their order.
        enough &= np.concatenate([[True], sizes[1:] != sizes[:-1]])
        return kept & (classes.sizes >= sizes[np.argmax(enough)]) if enough.any() else np.zeros_like(kept)


class AverageRisk(_TableRisk):
    """The average risk of being re-identified does not exceed a threshold."""

    name: ClassVar[str] = "average-risk"
    summary: ClassVar[str] = "On average, records can't be re-identified with a probability above a threshold."
    details: ClassVar[str] = (
        "The share of records that an attacker who links all of them re-identifies. Says nothing about the record at "
        "greatest risk: combine it with k-anonymity or highest-risk."
    )
    formula: ClassVar[str] = "number of classes / number of records ≤ threshold"
    source: ClassVar[str] = "K. El Emam, Guide to the de-identification of personal health information, 2013"

    def figures(self, classes: Ints, records: Ints, uniques: Ints) -> NDArray[np.float64]:
        """Return classes over records."""
        return np.asarray(classes / records, np.float64)


class SampleUniqueness(_TableRisk):
    """The share of records that are the only one of their kind does not exceed a threshold."""

    name: ClassVar[str] = "sample-uniqueness"
    summary: ClassVar[str] = "At most a share of the records is the only one of its kind."
    details: ClassVar[str] = "Weak by itself: a class of two is not unique, and hardly better protected."
    formula: ClassVar[str] = "number of classes of one record / number of records ≤ threshold"
    source: ClassVar[str] = "C. Skinner, M. Elliot, A measure of disclosure risk for microdata, JRSS B 64, 2002"

    def figures(self, classes: Ints, records: Ints, uniques: Ints) -> NDArray[np.float64]:
        """Return unique records over records."""
        return np.asarray(uniques / records, np.float64)
