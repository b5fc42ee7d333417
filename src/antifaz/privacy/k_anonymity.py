"""k-anonymity."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.counting.classes import ClassTable
from antifaz.privacy.model import PrivacyModel


class KAnonymity(PrivacyModel):
    """Every record shares its quasi-identifiers with at least k - 1 others."""

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "Every record looks like at least k - 1 others."
    details: ClassVar[str] = (
        "Whoever knows the quasi-identifiers of a person finds at least k records, so no record can be singled out by "
        "them. It says nothing about what those k records have in common: if all share one diagnosis, it is learned. "
        "Add l-diversity or t-closeness where there is a sensitive attribute. A missing value counts as a value."
    )
    formula: ClassVar[str] = "min over classes E of |E| ≥ k"
    source: ClassVar[str] = "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"
    primary: ClassVar[str] = "k"
    monotone_generalization: ClassVar[bool] = True

    k: int = Field(ge=1, description="The smallest number of records that may look alike.")

    @property
    def monotone_suppression(self) -> bool:
        """A class that grows stays large enough."""
        return True

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it has at least k records."""
        return classes.sizes >= self.k

    def achieved(self, classes: ClassTable) -> int | None:
        """Return the size of the smallest class."""
        return int(classes.sizes.min()) if classes.sizes.size else None
