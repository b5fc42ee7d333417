"""k-anonymity."""

from typing import Any, ClassVar, Literal, Self

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
        "Add l-diversity or t-closeness where there is a sensitive attribute. A missing value counts as a value. "
        "With blanks 'match' a record is hidden among all that agree with it where neither is blank. That asks for "
        "less: a record may still differ from all others in what is not blank, and the verdict says how many do."
    )
    formula: ClassVar[str] = "min over classes E of |E| ≥ k; match: Σ |F| over classes F that agree with E ≥ k"
    source: ClassVar[str] = "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"
    primary: ClassVar[str] = "k"
    monotone_generalization: ClassVar[bool] = True
    #: A class that grows stays large enough.
    monotone_suppression: ClassVar[bool] = True

    k: int = Field(ge=1, description="The smallest number of records that may look alike.")
    blanks: Literal["value", "match"] = Field(
        default="value",
        description="What a missing cell is: a value of its own, as a reader of the table sees it; or unknown, which "
        "any value matches, as in sdcMicro. A `*` is a value in both.",
    )

    @property
    def class_size(self) -> int:
        """The k: the size of classes is all that is asked."""
        return self.k

    def with_class_size(self, k: int) -> Self:
        """Return the same model with another k."""
        return self.model_copy(update={"k": k})

    @property
    def needs_values(self) -> bool:
        """Which classes agree shows only in their values."""
        return self.blanks == "match"

    def parameters(self) -> dict[str, Any]:
        """Return k, and how blanks are read where that is not the strict way."""
        return {"k": self.k} if self.blanks == "value" else super().parameters()

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it has at least k records: enough in either reading of blanks."""
        return classes.sizes >= self.k

    def achieved(self, classes: ClassTable) -> int | None:
        """Return the size of the smallest class."""
        return int(classes.sizes.min()) if classes.sizes.size else None
