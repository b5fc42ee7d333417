"""Models of a game: an attacker attacks where it pays, and a publisher releases what is worth more than it costs."""

import math
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable
from antifaz.counting.payouts import Stakes, unattacked_size
from antifaz.privacy.population import PopulationModel

#: Payouts are sums of logarithms; a record that is worth nothing must not fail by a rounding error.
_SLACK = 1e-12


class _Game(PopulationModel):
    """What both models ask about the attacker."""

    population: str | None = Field(
        default=None,
        description="A file with the population, for an attacker who does not know who is in the data (journalist); "
        "without it the attacker knows (prosecutor).",
    )

    @property
    def population_path(self) -> str | None:
        """The file with the population, where the attacker is a journalist."""
        return self.population

    def looks_like(self, classes: ClassTable) -> Ints:
        """Return among how many people the records of each class hide."""
        return classes.sizes if self.population is None else self.people(classes).sizes


class NoAttack(_Game):
    """Attacking any record costs more than it brings."""

    name: ClassVar[str] = "no-attack"
    summary: ClassVar[str] = "For no record does an attack pay: what it brings, on average, is at most what it costs."
    details: ClassVar[str] = (
        "An attacker who tries to re-identify a record succeeds with probability 1/n, where n people look like it, "
        "gains so much if it succeeds and pays its cost in any case. So n must be at least gain / cost: k-anonymity, "
        "or k-map where there is a population, with a k that follows from money. It protects from attackers who "
        "count their money; for one with another reason, give a larger gain."
    )
    formula: ClassVar[str] = "gain / n ≤ cost for every class; n = |E|, or the people of the population like E"
    source: ClassVar[str] = (
        "Z. Wan et al., A game theoretic framework for analyzing re-identification risk, PLoS ONE 10(3), 2015; "
        "F. Prasser et al., An open source tool for game theoretic health data de-identification, AMIA 2017"
    )
    primary: ClassVar[str] = "gain"
    monotone_generalization: ClassVar[bool] = True
    #: A class that grows is attacked with less success.
    monotone_suppression: ClassVar[bool] = True

    gain: float = Field(gt=0, le=1e12, description="What an attacker gains by one re-identified record.")
    cost: float = Field(gt=0, le=1e12, description="What an attack on one record costs the attacker.")

    @property
    def k(self) -> int:
        """Among how many people a record must hide."""
        return unattacked_size(self.gain, self.cost)

    @property
    def class_size(self) -> int | None:
        """The k that follows, where records are counted."""
        return self.k if self.population is None else None

    def with_class_size(self, k: int) -> Self:
        """Return the same game with a cost at which another k follows."""
        cost = self.gain / k
        while unattacked_size(self.gain, cost) > k:
            cost = math.nextafter(cost, math.inf)
        return self.model_copy(update={"cost": cost})

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether an attack on it does not pay."""
        return self.looks_like(classes) >= self.k

    def achieved(self, classes: ClassTable) -> int | None:
        """Return among how few people a record hides."""
        return int(self.looks_like(classes).min()) if classes.sizes.size else None


class Profitability(_Game):
    """No record costs its publisher more than it brings."""

    name: ClassVar[str] = "profitability"
    summary: ClassVar[str] = "Every released record is worth at least what the publisher may lose by it."
    details: ClassVar[str] = (
        "A record brings its benefit, times the share of its information that is left. If attacking it pays (see "
        "no-attack), it also costs the loss, times the probability that the attack succeeds. It weighs money and "
        "promises nothing to people: a record that nobody looks like is released where its benefit is above the loss. "
        "So ask for k-anonymity or no-attack as well, unless you mean it. What is left of a record is told by the "
        "hierarchies, so it is for full-domain generalization and others that use their levels."
    )
    formula: ClassVar[str] = (
        "benefit · (1 − IL) − (loss / n if gain / n > cost) ≥ 0 for every class; IL = Σ ln(leaves under a value) / "
        "Σ ln(leaves of its hierarchy); n = |E|, or the people of the population like E"
    )
    source: ClassVar[str] = NoAttack.source
    primary: ClassVar[str] = "benefit"
    #: Generalizing makes attacks rarer, and records worth less.
    monotone_generalization: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = False
    needs_levels: ClassVar[bool] = True

    benefit: float = Field(gt=0, le=1e12, description="What the publisher earns by one record as it is.")
    loss: float = Field(gt=0, le=1e12, description="What the publisher loses by one re-identified record.")
    gain: float = Field(gt=0, le=1e12, description="What an attacker gains by one re-identified record.")
    cost: float = Field(gt=0, le=1e12, description="What an attack on one record costs the attacker.")

    @property
    def needs_values(self) -> bool:
        """What is left of a record shows in its values."""
        return True

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether its records are worth what they may cost."""
        return self._payouts(classes) >= -_SLACK * (self.benefit + self.loss)

    def achieved(self, classes: ClassTable) -> float | None:
        """Return what the record is worth that is worth least."""
        return float(self._payouts(classes).min()) if classes.sizes.size else None

    def _payouts(self, classes: ClassTable) -> NDArray[np.float64]:
        if classes.lost is None:
            raise ParameterError("model.levels-needed", name=self.name)
        stakes = Stakes(benefit=self.benefit, loss=self.loss, gain=self.gain, cost=self.cost)
        return stakes.payouts(self.looks_like(classes), classes.lost)
