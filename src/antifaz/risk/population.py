"""Population uniqueness: how many records are alone not only in the table but among all people it is a sample of.

Three models of the sizes of classes in the population, each fitted to those of the sample, and a rule that chooses. All
return a share: of the population's people, how many are alone (`share`), as ARX reports it.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError

#: Up to this share of the population that is in the sample, Dankar's rule takes Pitman's model.
_SMALL_SAMPLE = 0.1


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How many classes of the sample have each size, and how many people there are."""

    size: Floats
    classes: Floats
    population: float

    @property
    def records(self) -> float:
        """How many records the sample has."""
        return float(np.dot(self.size, self.classes))

    @property
    def fraction(self) -> float:
        """Which share of the population the sample is."""
        return self.records / self.population

    @property
    def alone(self) -> float:
        """How many records of the sample are alone in their class."""
        return float(self.classes[self.size == 1].sum())


def population_uniqueness(sizes: Ints, population_size: float) -> dict[str, Any]:
    """Estimate the share of people that are alone in the population, by every model and by Dankar's rule.

    None where a model does not fit. Complexity: linear in the number of classes.

    Args:
        sizes: How many records each class of the sample has.
        population_size: How many people there are.
    """
    if population_size < sizes.sum():
        raise ParameterError("risk.population-below-records")
    if population_size >= 1e15:
        raise ParameterError("risk.population-too-large")
    size, classes = np.unique(sizes, return_counts=True)
    known = Sizes(size=size.astype(np.float64), classes=classes.astype(np.float64), population=float(population_size))
    shares = {"pitman": pitman(known), "zayatz": zayatz(known), "snb": snb(known)}
    chosen = dankar(known, shares)
    return {"size": population_size, **shares, "dankar": shares[chosen] if chosen else 0.0, "dankar_model": chosen}


def zayatz(known: Sizes) -> float | None:
    """Return the share after Zayatz: how many of those alone in the sample are alone in the population.

    The sizes of classes in the population are taken to be distributed as in the sample; a class of size j gives a
    sample exactly one record with the hypergeometric chance h(j). So those who are alone there are a share of
    c₁·h(1)/Σ c_j·h(j) of those who are alone here. L. Zayatz, Estimation of the percent of unique population elements
    on a microdata file using the sample, US Bureau of the Census 1991.
    """
    if not known.alone:
        return 0.0
    n, people, j = known.records, known.population, known.size
    possible = j <= people - n + 1
    chances = np.where(possible, np.exp(_log_single(np.where(possible, j, 1), n, people)), 0.0)
    expected = float(np.dot(known.classes, chances))
    conditional = known.alone * float(np.exp(_log_single(np.ones(1), n, people))[0]) / expected
    return min(conditional, 1.0) * known.alone / n


def _log_single(j: Floats, n: float, people: float) -> Floats:
    """The logarithm of C(j, 1)·C(N − j, n − 1)/C(N, n), written so that large numbers do not cancel each other."""
    # C(N − j, n − 1)/C(N, n) = n/N · Π over i < j − 1 of (N − n − i)/(N − 1 − i)
    most = int(j.max())
    i = np.arange(max(most - 1, 0), dtype=np.float64)
    with np.errstate(divide="ignore"):
        steps = np.log(np.maximum(people - n - i, 0)) - np.log(np.maximum(people - 1 - i, 1))
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(np.log(j) + math.log(n / people) + total[(j - 1).astype(np.int64)], np.float64)


def pitman(known: Sizes) -> float | None:
    """Return the share after Pitman's sampling formula, fitted by maximum likelihood.

    Classes follow the Ewens–Pitman model with 0 < α < 1 and θ > −α; in a population of N about
    Γ(θ + 1)/Γ(θ + α)·N^α people are alone. N. Hoshino, Applying Pitman's sampling formula to microdata disclosure risk
    assessment, Journal of Official Statistics 17(4), 2001.
    """
    from scipy.optimize import minimize
    from scipy.special import gammaln

    if not known.alone:
        return 0.0
    n, many = known.records, float(known.classes.sum())
    if many < 2 or many == n:
        return None  # one class, or none of two records: there is no maximum

    def misfit(place: Floats) -> float:
        alpha, theta = 1 / (1 + math.exp(-place[0])), math.exp(place[1])
        # Π over l < classes of (θ + l·α) is a ratio of gamma functions.
        rising = (many - 1) * math.log(alpha) + gammaln(theta / alpha + many) - gammaln(theta / alpha + 1)
        inside = np.dot(known.classes, gammaln(known.size - alpha) - gammaln(1 - alpha))
        return float(-(rising - (gammaln(theta + n) - gammaln(theta + 1)) + inside))

    for start in ((0.0, math.log(many)), (-2.0, math.log(many) / 2), (2.0, 0.0)):
        # The likelihood of many records is a large number; below its rounding there is nothing to be found.
        close = 1e-13 * abs(misfit(np.array(start)))
        options = {"xatol": 1e-7, "fatol": max(close, 1e-12), "maxiter": 1_000}
        best = minimize(misfit, start, method="Nelder-Mead", options=options)
        if best.success and abs(best.x[0]) < 15 and abs(best.x[1]) < 60:
            break
    else:
        return None
    alpha, theta = 1 / (1 + math.exp(-best.x[0])), math.exp(best.x[1])
    log_alone = gammaln(theta + 1) - gammaln(theta + alpha) + alpha * math.log(known.population)
    return min(float(np.exp(log_alone - math.log(known.population))), 1.0)


def snb(known: Sizes) -> float | None:
    """Return the share after the slide negative binomial model, fitted to records, classes and records alone.

    A class of the population has 1 + X people, X negative binomial with α and P, and each is in the sample with one
    chance. P^α of the classes are then of one person. G. Chen, S. Keller-McNulty, Estimation of identification
    disclosure risk in microdata, Journal of Official Statistics 14(1), 1998.

    Three counts fix the three unknowns, the number of classes in the population included, so that its people add up to
    as many as there are. ARX guesses that number first (Shlosser's estimator) and fits the classes of one and of two
    records; where its search finds nothing it reports 0, which here is None.
    """
    if not known.alone:
        return 0.0
    if known.fraction >= 1:
        return known.alone / known.records
    fitted = fit_snb(known)
    if fitted is None:
        return None
    alpha, mean_more = fitted
    return math.exp(-alpha * math.log1p(mean_more / alpha)) / (1 + mean_more)


def fit_snb(known: Sizes) -> tuple[float, float] | None:
    """Return α, and how many people a class has on average beyond the first; None where no such model fits."""
    from scipy.optimize import root

    f, n, many = known.fraction, known.records, float(known.classes.sum())
    if many == n:
        return None

    def gaps(place: Floats) -> Floats:
        alpha, mean_more = math.exp(place[0]), math.exp(place[1])
        # P = α/(α + mean of X); what follows is written with (1 − P)/P = mean/α, which keeps small P exact.
        odds = mean_more / alpha
        none = math.exp(-alpha * math.log1p(odds * f))  # nobody of X is in the sample
        single = f * none + (1 - f) * none * mean_more * f / (1 + odds * f)
        per_class = f * (1 + mean_more)
        return np.array([(1 - (1 - f) * none) / per_class - many / n, single / per_class - known.alone / n])

    for start in ((0.0, 1.0), (-2.0, 0.0), (-5.0, 2.0), (1.0, 3.0), (-8.0, 0.5), (2.0, -1.0)):
        try:
            solved = root(gaps, start)
        except (OverflowError, ZeroDivisionError):  # a step far beyond what the exponentials hold
            continue
        if solved.success and float(np.abs(solved.fun).max()) < 1e-9 and abs(solved.x).max() < 50:
            return math.exp(solved.x[0]), math.exp(solved.x[1])
    return None


def dankar(known: Sizes, shares: dict[str, float | None]) -> str | None:
    """Return which model to believe: Pitman's for a small sample, else the lower of Zayatz and SNB.

    None where nobody is alone in the sample, so that nobody can be. F. Dankar, K. El Emam, A. Neisa, T. Roffey,
    Estimating the re-identification risk of clinical data sets, BMC Medical Informatics and Decision Making 12, 2012.
    """
    if not known.alone:
        return None
    if known.fraction <= _SMALL_SAMPLE and shares["pitman"] is not None:
        return "pitman"
    other, usual = shares["snb"], shares["zayatz"]
    return "snb" if other is not None and (usual is None or other < usual) else "zayatz"
