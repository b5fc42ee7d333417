"""The share of records that are alone in the population, estimated a second time.

The definitions are those of the papers: Zayatz (1991), Pitman's sampling formula after Hoshino (2001), the slide
negative binomial model after Chen and Keller-McNulty (1998), and the rule of Dankar and others (2012) that chooses.
Nothing is handed to a library: roots are found by halving, sums are added up term by term or by the Euler–Maclaurin
formula.

Notation: n records of N people in u classes, c_j of them of j records; f = n/N.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Floats
from antifaz.core.errors import ParameterError, hint
from antifaz.core.regions import region_sizes
from antifaz.releases.verifier.question import ModelFinding, ModelQuestion

#: Two ways to one root differ in the last digits; a table exactly at a limit must not fail by them.
_SLACK = 1e-9
#: So many terms of a sum are added one by one; those after them change so little that a formula has their sum.
_TERMS = 256
_STRETCH = 1_000_000
_ESTIMATORS = ("dankar", "pitman", "zayatz", "snb")


@dataclass(frozen=True)
class _Sample:
    j: Floats
    c: Floats
    people: float

    @property
    def n(self) -> float:
        return float((self.j * self.c).sum())

    @property
    def u(self) -> float:
        return float(self.c.sum())

    @property
    def alone(self) -> float:
        return float(self.c[self.j == 1].sum())


def population_uniqueness(question: ModelQuestion) -> ModelFinding:
    """Judge the table as a whole: a failing table fails in all its records."""
    j, c = np.unique(question.table.sizes, return_counts=True)
    sample = _Sample(j.astype(np.float64), c.astype(np.float64), _people(question))
    if sample.people < sample.n:
        raise ParameterError("risk.population-below-records")
    found = _share(sample, str(question.choice("estimator", _ESTIMATORS)))
    share = np.full(len(question.table.sizes), found)
    passes = share <= question.number("threshold", 0, 1) * (1 + _SLACK)
    return ModelFinding(share, passes, figures={"population_size": sample.people})


def _people(question: ModelQuestion) -> float:
    country = question.parameters.get("country")
    if country is None:
        return question.number("population_size", 1, 1e15)
    sizes = region_sizes()
    if country not in sizes:
        raise ParameterError("risk.unknown-region", name=str(country), hint=hint(str(country), sizes))
    return sizes[str(country)]


def _share(sample: _Sample, estimator: str) -> float:
    if not sample.alone:
        return 0.0
    alone_here = sample.alone / sample.n
    if estimator == "zayatz":
        return _zayatz(sample)
    if estimator != "dankar":
        estimate = _pitman(sample) if estimator == "pitman" else _snb(sample)
        return alone_here if estimate is None else estimate
    estimate = _pitman(sample) if sample.n <= 0.1 * sample.people else None
    if estimate is not None:
        return estimate
    other = _snb(sample)
    return min(_zayatz(sample), math.inf if other is None else other)


def _zayatz(sample: _Sample) -> float:
    """(c₁·h(1)/Σ c_j·h(j))·c₁/n, where h(j)/h(1) = j·Π over i < j − 1 of (N − n − i)/(N − 1 − i)."""
    expected, product, done = 0.0, 1.0, 0
    for j, c in zip(sample.j, sample.c, strict=True):
        while product and done < j - 1:
            i = np.arange(done, min(j - 1, done + _STRETCH))
            left = np.maximum(sample.people - sample.n - i, 0)
            product *= float(np.prod(left / np.maximum(sample.people - 1 - i, 1)))
            done += i.size
        expected += c * j * product
    return sample.alone / expected * sample.alone / sample.n


def _pitman(sample: _Sample) -> float | None:
    """Γ(θ + 1)/Γ(θ + α)·N^(α − 1) where Σ 1/(θ + l·α) = Σ 1/(θ + i) and Σ l/(θ + l·α) = Σ c_j Σ 1/(i − α).

    l runs from 1 to u − 1, i to n − 1 in the first equation and to j − 1 in the second.
    """
    n, u = sample.n, sample.u
    if u < 2 or u == n:
        return None

    def theta_of(alpha: float) -> float:
        def too_small(place: float) -> bool:
            theta = math.exp(place) - alpha
            return _inverses(theta, alpha, u - 1) > _inverses(theta, 1.0, n - 1)

        return math.exp(_bisect(too_small, -50.0, 80.0)) - alpha

    def too_small(place: float) -> bool:
        alpha, rest = 1 / (1 + math.exp(-place)), 1 / (1 + math.exp(place))
        theta = theta_of(alpha)
        inside = sum(c * _inverses(rest - 1, 1.0, j - 1) for j, c in zip(sample.j, sample.c, strict=True))
        # Σ l/(θ + l·α) = (u − 1 − θ·Σ 1/(θ + l·α))/α
        return bool((u - 1 - theta * _inverses(theta, alpha, u - 1)) / alpha > inside)

    lowest = math.log(1e-4 / (1 - 1e-4))
    if not too_small(lowest) or too_small(30.0):
        return None
    alpha = 1 / (1 + math.exp(-_bisect(too_small, lowest, 30.0)))
    theta = theta_of(alpha)
    return min(math.exp(_log_gammas(theta + alpha, 1 - alpha) + (alpha - 1) * math.log(sample.people)), 1.0)


def _snb(sample: _Sample) -> float | None:
    """The share P^α/(1 + m) of a population whose classes have 1 + X people, X negative binomial of mean m.

    With w = f·(1 − P)/P, nobody of X is in the sample with chance z = exp(−m·f·ln(1 + w)/w). Each w has an m with
    which there are u classes in the sample: f·(1 + m)·u/n = 1 − (1 − f)·z. The greater w is, the more records are
    alone: z·(1 + (1 − f)·m/(1 + w))/(1 + m) of n.
    """
    n, u, f = sample.n, sample.u, sample.n / sample.people
    if f >= 1:
        return sample.alone / n
    if u == n:
        return None

    def mean_of(w: float) -> float:
        pull = f * math.log1p(w) / w

        def too_small(place: float) -> bool:
            m = math.exp(place)
            # f·((1 + m)·u/n − 1) < (1 − f)·(1 − z)
            return f * (u * m - (n - u)) / n < -(1 - f) * math.expm1(-m * pull)

        return math.exp(_bisect(too_small, -60.0, 60.0))

    def too_many_alone(place: float) -> bool:
        w = math.exp(place)
        m = mean_of(w)
        z = math.exp(-m * f * math.log1p(w) / w)
        return z * (1 + (1 - f) * m / (1 + w)) / (1 + m) > sample.alone / n

    if too_many_alone(-30.0) or not too_many_alone(600.0):
        return None
    w = math.exp(_bisect(lambda place: not too_many_alone(place), -30.0, 600.0))
    m = mean_of(w)
    # α·ln P = −(m·f/w)·ln(1 + w/f)
    return math.exp(-m * f / w * math.log1p(w / f)) / (1 + m)


def _bisect(below: Callable[[float], bool], low: float, high: float) -> float:
    """The place up to which it is true, by halving until there is no number between."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if below(middle) else (low, middle)
    return low


def _inverses(start: float, step: float, many: float) -> float:
    """Σ 1/(start + l·step) over l from 1 to `many`."""
    first = np.arange(1, min(many, _TERMS) + 1)
    total = float((1 / (start + first * step)).sum())
    if many <= _TERMS:
        return total
    a, b = start + (_TERMS + 1) * step, start + many * step
    middle = math.log1p((b - a) / a) / step
    return total + middle + (1 / a + 1 / b) / 2 + step / 12 * (1 / a**2 - 1 / b**2) - step**3 / 120 * (a**-4 - b**-4)


def _log_gammas(x: float, more: float) -> float:
    """Return ln Γ(x + more) − ln Γ(x), for x above 0 and `more` from 0 to 1."""
    total = 0.0
    while x < _TERMS:
        total -= math.log1p(more / x)
        x += 1
    far = x + more
    series = (1 / far - 1 / x) / 12 - (far**-3 - x**-3) / 360
    return total + (x - 0.5) * math.log1p(more / x) + more * math.log(far) - more + series
