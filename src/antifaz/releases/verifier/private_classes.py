"""The smallest class of a differentially private release, found a second time from the definition.

Of n records that look alike with somebody's own among them, j are drawn: f(j; n, β). Without it, f(j; n − 1, β). The
release shows j where it is at least k. It is allowed that P(n) exceeds e^ε P(n − 1) for outcomes of probability δ
together. Probabilities are products of factors added up as logarithms; nothing is shared with the model.
"""

import math
from functools import lru_cache

import numpy as np

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message

_TERMS = 200


@lru_cache(maxsize=64)
def least_class(epsilon: float, delta: float, beta: float | None = None) -> tuple[int, float]:
    """Return the smallest k with which (epsilon, delta) holds, and the probability with which records are drawn."""
    most = -math.expm1(-epsilon)
    rate = most if beta is None else beta
    if not 0 < rate <= most:
        bounds = Message("verifier.number-between", least=0, most=most)
        raise ParameterError("verifier.not-a-number", model="differential-privacy", name="beta", bounds=bounds)
    k = 1
    while True:
        failing = _first_failing(k, epsilon, delta, rate)
        if failing is None:
            return k, rate
        # With so many look-alikes the outcomes above the limit are too likely; a k above them hides these.
        k = failing


def _first_failing(k: int, epsilon: float, delta: float, rate: float) -> int | None:
    """Return a larger k that is needed, or None where this one is enough for every number of look-alikes."""
    # f(j; n)/f(j; n-1) = n (1-β)/(n-j), which is above e^ε from this share of n on.
    factor = (1 - rate) * math.exp(-epsilon)
    share, gap = 1 - factor, (1 - rate) - factor
    bound = share * math.log1p(gap / rate) + factor * -epsilon
    n = max(1, math.ceil(k / share - 1))
    last = max(n, math.ceil(-math.log(delta) / bound) + 1)
    needed = None
    for many in range(n, last + 1):
        least = math.floor(many - many * factor * (1 + 1e-12)) + 1
        if _tail(max(least, k), many, rate) > delta:
            needed = max(k + 1, least)
    return needed


def _tail(least: int, many: int, rate: float) -> float:
    """Return the probability that at least so many of `many` are drawn."""
    from scipy.special import gammaln  # here, because most runs don't need it

    if least > many:
        return 0.0
    # Beyond the limit each term is at most half of the one before: the others don't matter.
    drawn = np.arange(least, min(many, least + _TERMS) + 1)
    logs = math.lgamma(many + 1) - gammaln(drawn + 1.0) - gammaln(many - drawn + 1.0)
    logs = logs + drawn * math.log(rate) + (many - drawn) * math.log1p(-rate)
    return float(np.exp(np.minimum(logs, 0)).sum())
