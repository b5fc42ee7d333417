"""What a record is worth to whoever releases it, and whether it pays to attack it.

The game of Wan et al.: the publisher earns `benefit` per record, times the share of its information that is left; an
attacker gains `gain` with probability p and pays `cost`, so attacks if gain · p > cost; a record that is re-identified
costs the publisher `loss`.
"""

import math
from fractions import Fraction

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from antifaz.core.arrays import Flags, Floats, Ints


class Stakes(BaseModel):
    """What publisher and attacker can win and lose by one record, in any one currency."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    benefit: float = Field(gt=0, le=1e12, description="What the publisher earns by one record as it is.")
    loss: float = Field(gt=0, le=1e12, description="What the publisher loses by one re-identified record.")
    gain: float = Field(gt=0, le=1e12, description="What an attacker gains by one re-identified record.")
    cost: float = Field(gt=0, le=1e12, description="What an attack on one record costs the attacker.")

    def attacked(self, people: Ints) -> Flags:
        """Say whether it pays to attack records that look like so many people each."""
        return people < unattacked_size(self.gain, self.cost)

    def payouts(self, people: Ints, lost: Floats) -> Floats:
        """Return what one record is worth that looks like so many people and has lost a share of its information."""
        # Nobody in the population looks like it: whoever finds the record is sure.
        chance = 1 / np.maximum(people, 1)
        return np.asarray(self.benefit * (1 - lost) - self.loss * chance * self.attacked(people), np.float64)


def unattacked_size(gain: float, cost: float) -> int:
    """Return among how many people a record must hide so that an attack does not pay: the least n ≥ gain/cost.

    Taken from the decimals as they are written: 0.9 is three times 0.3.
    """
    return max(1, math.ceil(Fraction(str(gain)) / Fraction(str(cost))))
