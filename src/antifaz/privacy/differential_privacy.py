"""(ε, δ)-differential privacy of records that are sampled, generalized and left out in classes below k: SafePub."""

import math
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.counting.classes import ClassTable
from antifaz.privacy.model import PrivacyModel

#: Below this ε a release of records says next to nothing.
_LEAST = 0.01


class DifferentialPrivacy(PrivacyModel):
    """Whether one record is in the data changes the probability of no release by more than e^ε, but for δ."""

    name: ClassVar[str] = "differential-privacy"
    summary: ClassVar[str] = (
        "Whether somebody's record is in the data hardly changes what is released: by e^ε, but for δ."
    )
    details: ClassVar[str] = (
        "Each record is drawn with probability β, all columns are generalized to levels that don't follow from the "
        "data, and classes of fewer than k records are left out; k follows from ε, δ and β. What remains is true, "
        "and no noise is added. The levels are given (`levels` of full-domain), or a part of ε chooses them by the "
        "exponential mechanism (`search`). All released columns must be quasi-identifiers. The file shows that classes "
        "have k records; that records were drawn, and that hierarchies and levels don't follow from the data, it can't "
        "show. The promise is for the rows of the release: evidence and report tell of the data, and stay inside."
    )
    formula: ClassVar[str] = (
        "P(M(D) ∈ S) ≤ e^ε P(M(D′) ∈ S) + δ for D, D′ that differ in one record; γ = 1 − e^−ε (1 − β), "
        "δ = max over n ≥ k/γ − 1 of P(Binomial(n, β) > γ n)"
    )
    source: ClassVar[str] = (
        "R. Bild, K. Kuhn, F. Prasser, SafePub, PoPETs 2018(1); N. Li, W. Qardaji, D. Su, On sampling, anonymization, "
        "and differential privacy, ASIACCS 2012"
    )
    primary: ClassVar[str] = "epsilon"
    monotone_generalization: ClassVar[bool] = True
    #: A class that grows stays large enough.
    monotone_suppression: ClassVar[bool] = True

    epsilon: float = Field(ge=_LEAST, le=5, description="By how much one record may change probabilities: e^ε.")
    delta: float = Field(default=1e-6, ge=1e-15, le=0.01, description="The probability that the bound e^ε is exceeded.")
    search: float = Field(
        default=0.0, ge=0, description="How much of epsilon chooses the levels; 0 where the levels are given."
    )
    beta: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="The probability with which each record is drawn; where it is not given, the largest possible.",
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.search > self.epsilon - _LEAST:
            raise ValueError(Message("expected.search-below-epsilon"))
        if self.beta is not None and self.beta > largest_rate(self.epsilon - self.search):
            raise ValueError(Message("expected.rate-at-most", most=largest_rate(self.epsilon - self.search)))
        return self

    @property
    def rate(self) -> float:
        """The probability β with which each record is drawn."""
        return largest_rate(self.epsilon - self.search) if self.beta is None else self.beta

    @cached_property
    def k(self) -> int:
        """The smallest class that is released."""
        return smallest_class(self.epsilon - self.search, self.delta, self.rate)

    @property
    def class_size(self) -> int | None:
        """The k that follows."""
        return self.k

    def with_class_size(self, k: int) -> Self:
        """Refuse: another k would be another promise."""
        raise ParameterError("dp.k-follows", name=self.name)

    def parameters(self) -> dict[str, Any]:
        """Return epsilon and delta; what of it chooses the levels, and the probability β where it is given."""
        chosen = {"search": self.search} if self.search else {}
        return {"epsilon": self.epsilon, "delta": self.delta, **chosen, **({"beta": self.beta} if self.beta else {})}

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it has at least k records."""
        return classes.sizes >= self.k

    def achieved(self, classes: ClassTable) -> int | None:
        """Return the size of the smallest class."""
        return int(classes.sizes.min()) if classes.sizes.size else None


def largest_rate(epsilon: float) -> float:
    """Return the largest β for which leaving a record out never changes a probability by more than e^ε: 1 − e^−ε.

    Rounded down, so that ε ≥ −ln(1 − β) holds exactly.
    """
    return math.nextafter(-math.expm1(-epsilon), 0.0)


def smallest_class(epsilon: float, delta: float, beta: float) -> int:
    """Return the smallest k with which sampling by β and leaving out classes below k is (ε, δ)-differentially private.

    Of n records that look alike, j are drawn. That j is at most e^ε times as probable with the n-th record as without
    it unless j > γ n. So δ bounds P(Binomial(n, β) > γ n) for all n whose γ n can reach k: the largest n that exceeds
    it decides. Chernoff's bound says from which n on none does.
    """
    from scipy.special import bdtrc  # here, because most runs don't need it

    gap = (1 - beta) * -math.expm1(-epsilon)
    gamma = beta + gap
    divergence = gamma * math.log1p(gap / beta) - epsilon * (1 - gamma)
    sizes = np.arange(1, math.ceil(-math.log(delta) / divergence) + 2)
    # A product that is a whole number must not be rounded up: one term too many is on the safe side.
    tails = bdtrc(np.floor(gamma * sizes * (1 - 1e-12)), sizes, beta)
    exceeding = np.flatnonzero(tails > delta)
    last = int(sizes[exceeding[-1]]) if exceeding.size else 0
    return math.floor(gamma * (last + 1)) + 1
