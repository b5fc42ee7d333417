"""Individual risk: how likely it is that a record of a sample is matched to the right person of the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.risk.keys import (
    Frequencies,
    Missing,
    arrow,
    check_choice,
    key_frequencies,
    read_codes,
    read_keys,
    read_weights,
)

Method = Literal["approximate", "exact"]
#: Nobody's risk below this is worth a look, however rare it is in the table.
_NOTABLE = 0.1
#: Makes the median deviation of normal numbers their standard deviation.
_MAD = 1.4826
#: Of a key with more records than this, so many terms of the series are all that a 64-bit number can tell.
_MANY, _TERMS = 50, 60


@dataclass(frozen=True, kw_only=True, eq=False)
class IndividualRisk:
    """The risk of every record, in the order of the table, and what follows for the whole table."""

    risks: Floats = field(repr=False)
    frequencies: Frequencies = field(repr=False)
    #: Per record, the risk that somebody of its household is found; None where no households were given.
    household: Floats | None = field(default=None, repr=False)

    @property
    def expected(self) -> float:
        """How many records an intruder who tries all of them matches rightly."""
        return float(self.risks.sum())

    @property
    def share(self) -> float:
        """The global risk: the expected share of records matched rightly."""
        return self.expected / self.risks.size if self.risks.size else 0.0

    @property
    def household_expected(self) -> float | None:
        """How many records are in a household of which somebody is found, on average; None without households."""
        return None if self.household is None else float(self.household.sum())

    @property
    def household_share(self) -> float | None:
        """The hierarchical risk: the same as a share of all records."""
        expected = self.household_expected
        return None if expected is None else expected / max(self.risks.size, 1)

    @property
    def limit(self) -> float:
        """Above which risk a record stands out: the median and twice the median deviation, but at least 0.1."""
        if not self.risks.size:
            return _NOTABLE
        median = float(np.median(self.risks))
        return max(median + 2 * _MAD * float(np.median(np.abs(self.risks - median))), _NOTABLE)

    @property
    def at_risk(self) -> int:
        """How many records stand out from the rest by their risk."""
        return int((self.risks > self.limit).sum())

    def threshold(self, share: float) -> float | None:
        """Return the highest risk that records may have for a global risk below `share`; None if it is already."""
        if not 0 < share <= 1:
            raise ParameterError("individual-risk.share-out-of-bounds", share=share)
        if self.expected < share * self.risks.size:
            return None
        risks, counts = np.unique(self.risks, return_counts=True)
        # If all above the i-th are brought down to it.
        capped = np.cumsum(risks * counts) + risks * (self.risks.size - np.cumsum(counts))
        fine = np.flatnonzero(capped < share * self.risks.size)
        return float(risks[fine[-1]]) if fine.size else 0.0


def individual_risk(
    frame: Any,
    columns: Sequence[str] | str,
    *,
    weights: Any = None,
    household: str | None = None,
    missing: Missing = "value",
    method: Method = "approximate",
) -> IndividualRisk:
    """Estimate the risk of every record from how often its key occurs in the table and in the population.

    After R. Benedetti, L. Franconi, Statistical and technological solutions for controlled data dissemination, NTTS
    1998: the records of a sample with a key are f, the people with it are unknown, and their expected number, the sum F
    of the weights, says how likely each is. The risk is the mean of one over their number.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The key: columns whose values an intruder may know.
        weights: The name of a column, or one number per record: how many people it stands for. Without them the table
            is taken for the whole population, and the risk is 1/f.
        household: A column that says which records belong together: whoever finds one of them finds all.
        missing: What a blank is, as for `frequencies`: "value" or "match".
        method: "approximate" takes p/(f − (1 − p)), p = f/F, for f above 2, as sdcMicro does; "exact" sums the series.
    """
    check_choice("individual_risk", "missing", missing, get_args(Missing))
    check_choice("individual_risk", "method", method, get_args(Method))
    table = arrow(frame)
    keys = read_keys(table, columns, "individual_risk")
    found = key_frequencies(keys, read_weights(table, weights, "individual_risk"), missing)
    risks = benedetti_franconi(found.sample, found.population, method)
    shared = None
    if household is not None:
        codes, size = read_codes(table, household, "individual_risk")
        shared = _together(risks, codes, size)
    return IndividualRisk(risks=risks, frequencies=found, household=shared)


def benedetti_franconi(sample: Ints, population: Floats, method: Method = "approximate") -> Floats:
    """Return E[1/people] for f records of a sample that stand for F people; at least f people are there."""
    f = sample.astype(np.float64)
    p = np.minimum(f / np.maximum(population, f), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds, log = p / (1 - p), -np.log(p)
        few = np.where(f == 1, odds * log, odds - odds**2 * log)
        risks = np.where(f <= 2, few, _series(f, p) if method == "exact" else p / (f - (1 - p)))
    # At p near 1 the two terms of f = 2 cancel each other; the series does not.
    close = (p > 0.99) & (p < 1) & (f <= 2)
    risks[close] = _series(f[close], p[close])
    return np.where(p == 1, 1 / np.maximum(f, 1), risks)


def _series(f: Floats, p: Floats) -> Floats:
    """p^f/f · ₂F₁(f, f; f+1; 1−p), by Euler's formula p/f · ₂F₁(1, 1; f+1; 1−p), whose terms never overflow."""
    from scipy.special import hyp2f1

    many = f > _MANY
    total = np.asarray(hyp2f1(1, 1, np.where(many, 1, f + 1), 1 - p), np.float64)
    # SciPy's function overflows for large f, where the terms n!/(f+1)…(f+n)·(1−p)^n soon vanish.
    term, total[many] = np.ones(int(many.sum())), 0.0
    for n in range(_TERMS):
        total[many] += term
        term *= (1 - p[many]) * (n + 1) / (f[many] + n + 1)
    return np.asarray(p / f * total)


def _together(risks: Floats, household: Codes, size: int) -> Floats:
    """The risk that at least one of a household is found, for each of its members; a missing household is one's own."""
    alone = household < 0
    # Logarithms add up where risks multiply; a risk of 1 makes the sum endless and the product 0, as it must be.
    with np.errstate(divide="ignore"):
        kept = np.bincount(household[~alone], weights=np.log1p(-np.minimum(risks[~alone], 1.0)), minlength=size)
    found = risks.copy()
    found[~alone] = -np.expm1(kept)[household[~alone]]
    return found
