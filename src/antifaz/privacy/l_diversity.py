"""l-diversity: distinct, entropy and recursive."""

import math
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from antifaz.core.messages import Message
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.privacy.model import SensitiveModel, largest, per_class

#: Entropies at an exact boundary (uniform classes) must not fail by the last bit of a logarithm.
SLACK = 1e-12


class LDiversity(SensitiveModel):
    """Every class holds at least l well represented values of the sensitive attribute."""

    name: ClassVar[str] = "l-diversity"
    summary: ClassVar[str] = "Every class holds at least l well represented sensitive values."
    details: ClassVar[str] = (
        "distinct: at least l different values. entropy: the values are as mixed as l equally frequent ones. "
        "recursive: the most frequent value is less frequent than c times all but the l - 1 most frequent ones "
        "together. Spellings of one value (case, blanks, accents composed or not, 1 and 1.0) count once; missing "
        "counts as one value."
    )
    formula: ClassVar[str] = (
        "distinct: |{s in E}| ≥ l; entropy: −Σ q ln q ≥ ln l; recursive: r₁ < c·(r_l + … + r_m), r sorted downwards"
    )
    source: ClassVar[str] = "A. Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007"
    primary: ClassVar[str] = "l"
    counts_people: ClassVar[bool] = True
    monotone_generalization: ClassVar[bool] = True

    l: int | float = Field(ge=1, allow_inf_nan=False, description="How many values must be represented.")  # noqa: E741 - the model's own name
    kind: Literal["distinct", "entropy", "recursive"] = Field(
        default="distinct", description="What 'well represented' means."
    )
    c: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Only for recursive: how much the first may outweigh."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.kind == "recursive") != (self.c is not None):
            raise ValueError(Message("expected.c-for-recursive"))
        if self.kind != "entropy" and self.l != int(self.l):
            raise ValueError(Message("expected.whole-number-for-kind"))
        return self

    @property
    def monotone_suppression(self) -> bool:
        """Only distinct: a diverse class that takes in many records of one value may lose its entropy."""
        return self.kind == "distinct"

    @property
    def divides_people(self) -> bool:
        """Only entropy asks for a distribution."""
        return self.kind == "entropy"

    @property
    def least(self) -> int:
        """As many records as there must be values."""
        return math.ceil(self.l)

    @property
    def least_values(self) -> int:
        """The l of distinct values; well represented ones are two at least."""
        return int(self.l) if self.kind == "distinct" else 2

    @property
    def different_values(self) -> int | None:
        """The l of distinct values; the other kinds ask how they are distributed."""
        return int(self.l) if self.kind == "distinct" else None

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether its sensitive values are diverse enough."""
        table = self.table(classes)
        distinct = np.diff(table.offsets)
        if self.kind == "distinct":
            return distinct >= self.l
        if self.kind == "entropy":
            enough: NDArray[np.bool_] = _entropies(table, classes.sizes) >= math.log(self.l) - SLACK
            return enough & (distinct >= self.l)
        return (distinct >= self.l) & (_outweighs(table, int(self.l)) < (self.c or 0))

    def achieved(self, classes: ClassTable) -> float | int | None:
        """Return the l of the least diverse class; for recursive, the least c above which the table holds."""
        table = self.table(classes)
        if not classes.sizes.size:
            return None
        if self.kind == "distinct":
            return int(np.diff(table.offsets).min())
        if self.kind == "entropy":
            return float(np.exp(_entropies(table, classes.sizes).min()))
        return largest(_outweighs(table, int(self.l)))


def _entropies(table: SensitiveTable, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """−Σ q ln q per class, as ln n − (Σ f ln f)/n: one logarithm per cell, and exact for uniform classes."""
    weighted = per_class(table, table.counts * np.log(table.counts))
    return np.log(sizes) - weighted / sizes


def _outweighs(table: SensitiveTable, l: int) -> NDArray[np.float64]:  # noqa: E741
    """Per class, how many times its most frequent value outweighs all but its l - 1 most frequent ones together."""
    order = np.lexsort((-table.counts, table.classes))
    sorted_counts = table.counts[order]
    sums = np.concatenate([[0], np.cumsum(sorted_counts)])
    start, end = table.offsets[:-1], table.offsets[1:]
    with np.errstate(divide="ignore"):
        # Divided, not multiplied: 1.1 · 10 is more than 11 in binary.
        return np.asarray(sorted_counts[start] / (sums[end] - sums[np.minimum(start + l - 1, end)]))
