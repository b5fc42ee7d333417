"""Population uniqueness: how many records are alone not only in the table but among all people it is a sample of.

Three models of the sizes of classes in the population, each fitted to those of the sample, and a rule that chooses. All
return a share: of the population's people, how many are alone (`share`), as ARX reports it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError

#: Up to this share of the population that is in the sample, Dankar's rule takes Pitman's model.
_SMALL_SAMPLE = 0.1
#: Below this α, Pitman's model is taken not to fit: its likelihood grows towards α = 0.
_LEAST_ALPHA = 1e-4

#: A model by which the share is estimated, or the rule that chooses one.
Estimator = Literal["dankar", "pitman", "zayatz", "snb"]


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
    known = sample_of(sizes, population_size)
    shares = {name: estimate(known) for name, estimate in _MODELS.items()}
    chosen = dankar(known, shares.__getitem__)
    return {"size": population_size, **shares, "dankar": shares[chosen] if chosen else 0.0, "dankar_model": chosen}


def unique_share(sizes: Ints, population_size: float, estimator: Estimator) -> float:
    """Estimate which share of the records is alone in the population.

    It is the share of the population's people who are: each of them is as likely as the others to be in the sample.
    Where the model does not fit, it is the share of records that are alone in the sample: nobody else can be.
    """
    known = sample_of(sizes, population_size)
    if not known.alone:
        return 0.0
    chosen = estimator if estimator != "dankar" else dankar(known, lambda name: _MODELS[name](known))
    share = _MODELS[chosen](known) if chosen else 0.0
    return known.alone / known.records if share is None else share


def sample_of(sizes: Ints, population_size: float) -> Sizes:
    """Return what the models are fitted to, or raise where a population can't have this sample."""
    if population_size < sizes.sum():
        raise ParameterError("risk.population-below-records")
    if population_size >= 1e15:
        raise ParameterError("risk.population-too-large")
    size, classes = np.unique(sizes, return_counts=True)
    return Sizes(size=size.astype(np.float64), classes=classes.astype(np.float64), population=float(population_size))


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
    from scipy.special import poch

    if not known.alone:
        return 0.0
    fitted = fit_pitman(known)
    if fitted is None:
        return None
    alpha, theta = fitted
    return min(float(poch(theta + alpha, 1 - alpha) * known.population ** (alpha - 1)), 1.0)


def fit_pitman(known: Sizes) -> tuple[float, float] | None:
    """Return the likeliest α and θ; None where the likelihood has no maximum between α = 0 and α = 1.

    For every α there is one likeliest θ, where the likelihood's slope in θ is 0; along these, the slope in α is 0 at
    the maximum.
    """
    from scipy.special import digamma, expit, logit

    n, many = known.records, float(known.classes.sum())
    if many < 2 or many == n:
        return None  # one class, or none of two records: there is no maximum

    def rising(alpha: float, theta: float) -> float:
        """Σ 1/(θ + l·α) over 0 < l < classes."""
        return _rise(theta / alpha + 1, many - 1) / alpha

    def likeliest_theta(alpha: float) -> float:
        def slope(place: float) -> float:
            theta = math.exp(place) - alpha
            return rising(alpha, theta) - _rise(theta + 1, n - 1)

        low, high = math.log(alpha) - 1, math.log(n)
        while slope(low) <= 0:
            low -= 5
        while slope(high) >= 0:
            high += 5
        return math.exp(_root(slope, low, high)) - alpha

    def slope(place: float) -> float:
        alpha, rest = float(expit(place)), float(expit(-place))  # the rest is 1 − α, exact also where it is small
        theta = likeliest_theta(alpha)
        inside = np.dot(known.classes, digamma(known.size - 1 + rest) - digamma(rest))
        return float((many - 1 - theta * rising(alpha, theta)) / alpha - inside)

    low, high = float(logit(_LEAST_ALPHA)), 30.0
    if slope(low) <= 0 or slope(high) >= 0:
        return None
    alpha = float(expit(_root(slope, low, high)))
    return alpha, likeliest_theta(alpha)


def _rise(x: float, more: float) -> float:
    """The digamma function at x + more, less that at x: Σ 1/(x + i) over i < more."""
    from scipy.special import digamma

    if x < 1000:
        return float(digamma(x + more) - digamma(x))
    # Of large numbers the difference of its series, in which nothing cancels.
    far = x + more
    return math.log1p(more / x) + more / (2 * x * far) + more * (x + far) / (12 * (x * far) ** 2)


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
    """Return α, and how many people a class has on average beyond the first; None where no such model fits.

    The chance that nobody of X is in the sample fixes the mean of X, by the number of classes, and with it α. The
    chance itself follows from the records alone.
    """
    f, n, many = known.fraction, known.records, float(known.classes.sum())
    ratio, alone = many / n, known.alone / n
    if many == n:
        return None

    def mean(missed: float) -> float:
        """How many more people a class has, when nobody of them is in the sample with a chance of exp(−missed)."""
        return (1 - ratio - (1 - f) / f * math.expm1(-missed)) / ratio

    def odds(missed: float) -> float:
        """f·(1 − P)/P, from ln(1 + odds)/odds, which falls from 1 to 0."""
        wanted = missed / (mean(missed) * f)
        return math.exp(_root(lambda place: _log_ratio(place) - math.log(wanted), -40, 700)) if wanted < 1 else 0.0

    def gap(place: float) -> float:
        """How many more records than counted are alone, as a share."""
        missed = math.exp(place)
        more = mean(missed)
        return math.exp(-missed) * (1 + (1 - f) * more / (1 + odds(missed))) / (1 + more) - alone

    # At the highest X is Poisson: no negative binomial varies less.
    low, high = -30.0, _root(lambda place: math.exp(place) - mean(math.exp(place)) * f, -60, 60)
    if gap(low) <= 0 or gap(high) >= 0:
        return None
    missed = math.exp(_root(gap, low, high))
    more = mean(missed)
    return more * f / odds(missed), more


def _log_ratio(place: float) -> float:
    """ln(ln(1 + w)/w) of w = exp(place)."""
    return math.log(math.log1p(math.exp(place))) - place


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=1e-14, rtol=1e-14))


def dankar(known: Sizes, share: Callable[[str], float | None]) -> str | None:
    """Return which model to believe: Pitman's for a small sample, else the lower of Zayatz and SNB.

    None where nobody is alone in the sample, so that nobody can be. F. Dankar, K. El Emam, A. Neisa, T. Roffey,
    Estimating the re-identification risk of clinical data sets, BMC Medical Informatics and Decision Making 12, 2012.
    """
    if not known.alone:
        return None
    if known.fraction <= _SMALL_SAMPLE and share("pitman") is not None:
        return "pitman"
    other, usual = share("snb"), share("zayatz")
    return "snb" if other is not None and (usual is None or other < usual) else "zayatz"


_MODELS: dict[str, Callable[[Sizes], float | None]] = {"pitman": pitman, "zayatz": zayatz, "snb": snb}
