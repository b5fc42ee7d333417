"""The publisher's payout: what a release is worth in a game against an attacker who counts costs."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.generalization import Generalization, LocalGeneralization
from antifaz.counting.lattice import Lattice
from antifaz.counting.payouts import Stakes
from antifaz.counting.rollup import share_lost
from antifaz.utility.quality import Quality, outer


class Payout(Quality):
    """What the publisher earns less by a release than by all records as they are, were nobody to attack."""

    name: ClassVar[str] = "publisher-payout"
    summary: ClassVar[str] = "How much less the publisher earns than with all records as they are and no attacks."
    details: ClassVar[str] = (
        "A record brings its benefit, times the share of its information that is left; where attacking it pays, it "
        "costs the loss, times the probability that the attack succeeds. A record left out brings nothing. The payout "
        "is records · benefit, less this score. With the privacy model profitability, or no-attack, it makes the game "
        "of Wan et al.: the publisher moves first, and knows how the attacker answers. Where a privacy model names a "
        "population, the attacker does not know who is in the data (journalist), else it does (prosecutor)."
    )
    formula: ClassVar[str] = (
        "N · benefit − Σ over kept records of (benefit · (1 − IL) − (loss / n if gain / n > cost)); IL = Σ ln(leaves "
        "under a value) / Σ ln(leaves of its hierarchy); n = |E|, or the people of the population like E"
    )
    source: ClassVar[str] = (
        "Z. Wan et al., A game theoretic framework for analyzing re-identification risk, PLoS ONE 10(3), 2015; "
        "F. Prasser et al., An open source tool for game theoretic health data de-identification, AMIA 2017"
    )
    primary: ClassVar[str] = "benefit"
    #: Where generalizing keeps attackers away, it earns more than it loses.
    monotone: ClassVar[bool] = False

    benefit: float = Field(gt=0, le=1e12, description="What the publisher earns by one record as it is.")
    loss: float = Field(gt=0, le=1e12, description="What the publisher loses by one re-identified record.")
    gain: float = Field(gt=0, le=1e12, description="What an attacker gains by one re-identified record.")
    cost: float = Field(gt=0, le=1e12, description="What an attack on one record costs the attacker.")

    def score(self, table: Generalization) -> float:
        """Return the money that is not earned."""
        stakes = Stakes(benefit=self.benefit, loss=self.loss, gain=self.gain, cost=self.cost)
        earned = stakes.payouts(self._people(table), table.lost)
        return table.rows * self.benefit - float(np.dot(table.sizes, earned))

    def _people(self, table: Generalization) -> Ints:
        """Return among how many people the records of each class hide: of the population, where one was counted."""
        # Where groups of records have levels of their own, the population is not counted by them.
        people = (
            None if isinstance(table, LocalGeneralization) else table.lattice.class_table(table.levels, ()).population
        )
        return table.sizes if people is None else people.sizes[table.kept]

    def parts(self, lattice: Lattice, allowed: int) -> list[Floats]:
        """Return, per attribute and level, the benefit lost by generalizing: leaving a record out loses more."""
        parts = []
        for a, ladder in enumerate(lattice.ladders):
            bits = [np.dot(lattice.marginal(a, level), ladder.bits(level)) for level in range(ladder.height + 1)]
            parts.append(self.benefit * share_lost(lattice.ladders, [np.array(bits)], len(bits)))
        return parts

    def join(self, parts: Sequence[Floats]) -> Floats:
        """Return the sums of all combinations."""
        return outer(np.add, parts)
