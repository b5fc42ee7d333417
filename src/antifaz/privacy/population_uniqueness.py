"""Uniqueness in the population: how many records are alone among all people, as far as it can be estimated."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from antifaz.core.errors import hint
from antifaz.core.messages import Message
from antifaz.core.regions import region_sizes
from antifaz.counting.classes import ClassTable
from antifaz.counting.population_uniqueness import Estimator, unique_share
from antifaz.privacy.model import PrivacyModel

#: Estimates are roots; a table exactly at a limit must not fail by their last digits.
_SLACK = 1e-9


class PopulationUniqueness(PrivacyModel):
    """The estimated share of records that are alone in the population does not exceed a threshold."""

    name: ClassVar[str] = "population-uniqueness"
    summary: ClassVar[str] = "At most a share of the records is estimated to be unique in the population."
    details: ClassVar[str] = (
        "For a random sample of a population whose size is known, when the attacker does not know who is in it. The "
        "share is estimated from the sizes of classes, by one of three models or by Dankar's rule: Pitman's model for "
        "a sample of at most a tenth, else the lower of Zayatz and SNB. Where a model does not fit, all records that "
        "are alone in the table count. Where records may be left out, those alone in their class go, and nobody is "
        "left who could be alone. It is an estimate, and it says nothing about the record at greatest risk: combine it "
        "with k-anonymity or k-map."
    )
    formula: ClassVar[str] = "estimated number of people who are alone in the population / population_size ≤ threshold"
    source: ClassVar[str] = (
        "F. Dankar, K. El Emam, A. Neisa, T. Roffey, Estimating the re-identification risk of clinical data sets, BMC "
        "Medical Informatics and Decision Making 12, 2012"
    )
    primary: ClassVar[str] = "threshold"
    #: Fewer classes of several records make those that are alone look rarer in the population.
    monotone_generalization: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = False
    whole_table: ClassVar[bool] = True

    threshold: float = Field(ge=0, le=1, description="The largest share allowed.")
    population_size: float | None = Field(
        default=None, ge=1, lt=1e15, description="How many people there are in the population."
    )
    country: str | None = Field(
        default=None,
        description="The ISO code of the country whose people are the population, such as 'ES'; 'EU' for the European "
        "Union. Instead of 'population_size'.",
    )
    estimator: Estimator = Field(default="dankar", description="The model, or Dankar's rule, which chooses one.")

    @field_validator("country")
    @classmethod
    def _known_country(cls, country: str | None) -> str | None:
        code = None if country is None else country.upper()
        if code is not None and code not in region_sizes():
            raise ValueError(Message("expected.country-code", hint=hint(code, region_sizes())))
        return code

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.population_size is None) == (self.country is None):
            raise ValueError(Message("expected.population-size-or-country"))
        return self

    @property
    def people(self) -> float:
        """How many people there are."""
        return self.population_size or region_sizes()[self.country or ""]

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say that all classes pass, or that none does."""
        return np.full(classes.sizes.size, self._holds(classes.sizes))

    def achieved(self, classes: ClassTable) -> float | None:
        """Return the estimated share."""
        return self._share(classes.sizes) if classes.sizes.size else None

    def keep(self, classes: ClassTable, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Leave out the classes of one record where too many of them are estimated to be alone in the population."""
        return kept if self._holds(classes.sizes[kept]) else kept & (classes.sizes > 1)

    def _holds(self, sizes: NDArray[np.int64]) -> bool:
        return not sizes.size or self._share(sizes) <= self.threshold * (1 + _SLACK)

    def _share(self, sizes: NDArray[np.int64]) -> float:
        return unique_share(sizes, self.people, self.estimator)
