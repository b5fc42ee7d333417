"""Scores: which valid specialization is the best one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

ScoreName = Literal["igpl", "information-gain", "loss", "height"]
Numbers = NDArray[np.float64]

#: The bits of anonymity that a step which costs none is taken to cost: free steps come first, large ones before small.
FREE = 1e-6
#: Scores are compared without the last of their 53 bits: what is equal by its formula must be equal.
_BITS = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Steps:
    """What each of several specializations would do."""

    #: IG: how much less uncertain the sensitive value gets for the records concerned, in bits.
    gains: Numbers
    #: How much of the loss is taken away: the share of its domain that a label covers, mean over records.
    losses: Numbers
    #: How much of the height is taken away: height(value)/height(tree), mean over records.
    climbs: Numbers
    #: A: the size of the smallest class before, and after each.
    before: int
    after: NDArray[np.int64]

    @property
    def privacy_losses(self) -> NDArray[np.int64]:
        """PL = A before − A after."""
        return self.before - self.after

    @property
    def bits(self) -> Numbers:
        """How many times the smallest class is halved: log₂(A before / A after)."""
        return np.log2(self.before / self.after)


SCORES: Mapping[ScoreName, Callable[[Steps], Numbers]] = {
    "igpl": lambda steps: steps.gains / (steps.privacy_losses + 1),
    "information-gain": lambda steps: steps.gains,
    "loss": lambda steps: steps.losses / (steps.privacy_losses + 1),
    "height": lambda steps: steps.climbs / np.maximum(steps.bits, FREE),
}


def scored(name: ScoreName, steps: Steps) -> Numbers:
    """Return the score of every step, equal ones being equal to the bit."""
    mantissa, exponent = np.frexp(SCORES[name](steps))
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS), np.float64)
