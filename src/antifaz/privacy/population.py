"""Models that look at the population the records were drawn from: k-map and δ-presence."""

import math
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from antifaz.core.errors import DataError, ParameterError
from antifaz.core.messages import Message
from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.privacy.model import PrivacyModel, largest

_MILLION = 1_000_000


class PopulationModel(PrivacyModel):
    """A model that may need a table of the whole population, with the same quasi-identifiers."""

    def placed(self, folder: Path) -> Self:
        """Take the population's path as relative to a project's folder."""
        path = self.population_path
        return self if path is None else self.model_copy(update={"population": str(folder / path)})

    def parameters(self) -> dict[str, Any]:
        """Return the parameters; of the population only the file's name, because evidence travels."""
        parameters = super().parameters()
        if self.population_path is not None:
            parameters["population"] = Path(self.population_path).name
        return parameters

    def people(self, classes: ClassTable) -> Population:
        """Return the population's side of a class table."""
        if classes.population is None:
            raise ParameterError("model.population-needed", name=self.name)
        return classes.population


class KMap(PopulationModel):
    """Every record could be at least k people of the population."""

    name: ClassVar[str] = "k-map"
    summary: ClassVar[str] = "Every record looks like at least k people of the population it was drawn from."
    details: ClassVar[str] = (
        "For a sample, when the attacker does not know who is in it. Either give a table of the population with the "
        "same columns; or the column with the weights of a survey, which are released with it, and whose sum over a "
        "class must be k at least; or the fraction that was sampled: then a class must be large enough that, with the "
        "given significance, it stands for k people (zero-truncated Poisson)."
    )
    formula: ClassVar[str] = (
        "number of people in the population that generalize to E ≥ k for every class E; by weights, Σ w over E ≥ k"
    )
    source: ClassVar[str] = "K. El Emam, F. Dankar, Protecting privacy using k-anonymity, JAMIA 15(5), 2008"
    primary: ClassVar[str] = "k"
    monotone_generalization: ClassVar[bool] = True
    #: A class that grows stands for more people.
    monotone_suppression: ClassVar[bool] = True

    k: int = Field(ge=1, description="The smallest number of people that a record may be.")
    population: str | None = Field(default=None, description="A file with the population.")
    weight: str | None = Field(
        default=None, description="The released column with the sampling weight: how many people a record stands for."
    )
    fraction: float | None = Field(default=None, gt=0, lt=1, description="The share of the population in the data.")
    significance: float = Field(default=0.01, gt=0, lt=1, description="How often an estimate may be wrong.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if sum(given is not None for given in (self.population, self.weight, self.fraction)) != 1:
            raise ValueError(Message("expected.population-weight-or-fraction"))
        return self

    @property
    def population_path(self) -> str | None:
        """The file with the population, where it is not estimated."""
        return self.population

    def sensitive(self) -> tuple[str, ...]:
        """The weights, which are counted in every class as sensitive values are."""
        return () if self.weight is None else (self.weight,)

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it stands for enough people."""
        if self.fraction is not None:
            return classes.sizes >= estimated_size(self.k, self.fraction, self.significance)
        return self._people(classes) >= self.k

    def _people(self, classes: ClassTable) -> NDArray[np.int64]:
        """How many people each class stands for; a part of a person is none."""
        if self.weight is None:
            return self.people(classes).sizes
        return np.maximum(weights_of(classes.sensitive[self.weight], self.weight), classes.sizes)

    def achieved(self, classes: ClassTable) -> int | None:
        """Return the fewest people that a class stands for; for an estimate the largest k that would hold."""
        if not classes.sizes.size:
            return None
        if self.fraction is None:
            return int(self._people(classes).min())
        smallest, k = int(classes.sizes.min()), 0
        while k < 10_000 and estimated_size(k + 1, self.fraction, self.significance) <= smallest:
            k += 1
        return k


def weights_of(table: SensitiveTable, column: str) -> NDArray[np.int64]:
    """Return the sum of the weights of every class, rounded down; their values are those of a column that was counted.

    Weights are added up as whole millionths: sums of decimals as they are written are exact, whatever their order.
    """
    parts = np.array([_millionths(label) for label in table.labels], np.int64)
    if bad := int(table.totals[parts <= 0].sum()):
        raise DataError("model.weights-not-positive", column=column, bad=bad)
    sums = np.zeros(table.offsets.size - 1, np.int64)
    np.add.at(sums, table.classes, parts[table.values] * table.counts)
    return sums // _MILLION


def _millionths(label: str | None) -> int:
    """A weight in millionths, rounded down; 0 for what is no weight, also one that no population has."""
    try:
        weight = Decimal(label or "0")
        return int(weight * _MILLION) if 0 < weight < _MILLION else 0
    except DecimalException:  # text; or NaN, which can't be compared
        return 0


def estimated_size(k: int, fraction: float, significance: float) -> int:
    """Return how many records a class must have so that it hardly comes from fewer than k people.

    If k people of the population shared it, the number sampled would be Poisson with mean k·fraction, given that it is
    not zero; a class must be larger than what such a draw would give but rarely.
    """
    from scipy.special import pdtrc

    rate = k * fraction
    low, high = 1, int(rate + 60 * math.sqrt(rate) + 1000)
    while low < high:
        size = (low + high) // 2
        if pdtrc(size - 1, rate) <= significance * -math.expm1(-rate):
            high = size
        else:
            low = size + 1
    return low


class DeltaPresence(PopulationModel):
    """Nobody can say with much confidence that a person is, or is not, in the data."""

    name: ClassVar[str] = "delta-presence"
    summary: ClassVar[str] = "How sure anyone can be that a person is in the data lies between two bounds."
    details: ClassVar[str] = (
        "Where being in the table is itself sensitive (a disease register). In every group of people that look alike "
        "the share of those in the data must lie between the bounds, also in groups of which nobody is in it."
    )
    formula: ClassVar[str] = "low ≤ |E in the data| / |E in the population| ≤ high for every class E of the population"
    source: ClassVar[str] = "M. Nergiz, M. Atzori, C. Clifton, Hiding the presence of individuals, SIGMOD 2007"
    monotone_generalization: ClassVar[bool] = True
    #: Two groups within the bounds stay within them together, but one beyond them may not come back.
    monotone_suppression: ClassVar[bool] = False
    #: Because of `low`: whoever is left out is known not to be in the data.
    whole_table: ClassVar[bool] = True

    population: str = Field(description="A file with the population, the data's own people included.")
    low: float = Field(default=0.0, ge=0, le=1, description="The least share allowed.")
    high: float = Field(ge=0, le=1, description="The largest share allowed.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.low > self.high:
            raise ValueError(Message("expected.low-at-most-high"))
        return self

    @property
    def population_path(self) -> str | None:
        """The file with the population."""
        return self.population

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether the share of its people who are in the data is within the bounds."""
        people = self.people(classes)
        if self.low > 0 and people.absent:
            # People like whom nobody is in the data are known not to be in it; leaving more out does not help.
            return np.zeros(classes.sizes.size, np.bool_)
        shares = self._shares(classes)
        return (shares >= self.low) & (shares <= self.high)

    def keep(self, classes: ClassTable, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the classes that may stay: where a least share is asked for, all of them or none."""
        left = kept & self.passes(classes)
        return left if self.low == 0 or left.all() else np.zeros_like(left)

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the largest share; None where somebody is not in the population, and no bound would do."""
        return largest(self._shares(classes))

    def _shares(self, classes: ClassTable) -> NDArray[np.float64]:
        people = self.people(classes).sizes
        with np.errstate(divide="ignore"):
            return np.where(people > 0, classes.sizes / people, np.inf)
