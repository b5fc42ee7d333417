"""Who can be singled out, and how likely it is that a record is matched to the right person of the population."""

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
    check_k,
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
        return None if self.household is None else float(self.household.sum()) / max(self.risks.size, 1)

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
    counted = key_frequencies(keys, read_weights(table, weights, "individual_risk"), missing)
    risks = benedetti_franconi(counted.sample, counted.population, method)
    shared = None if household is None else _together(risks, *read_codes(table, household, "individual_risk"))
    return IndividualRisk(risks=risks, frequencies=counted, household=shared)


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
        missed = np.bincount(household[~alone], weights=np.log1p(-np.minimum(risks[~alone], 1.0)), minlength=size)
    shared = risks.copy()
    shared[~alone] = -np.expm1(missed)[household[~alone]]
    return shared


def singled_out(frame: Any, quasi_identifiers: Sequence[str] | str, k: int = 2) -> int:
    """Return how many records look like fewer than k, themselves included; 2 counts those that are alone.

    Args:
        frame: A pandas, polars or pyarrow table.
        quasi_identifiers: The columns that an intruder may know; a blank is a value of its own.
        k: How many records should look alike.
    """
    check_k("singled_out", k)
    table = arrow(frame)
    return records_below(read_keys(table, quasi_identifiers, "singled_out").counts, k) if table.num_rows else 0


def class_risks(
    sizes: Ints, threshold: float, people: Ints | None = None, population_size: float | None = None
) -> dict[str, Any]:
    """Return the risks of the prosecutor, the journalist and the marketer, from the size of every class.

    The prosecutor knows that somebody is in the table: his risk is one over the size of the class. The journalist does
    not: his is one over the number of people of the population with that key, counted (`people`, per class), or
    estimated after Benedetti and Franconi where only the size of the population is known; knowing neither, the table is
    taken for the population. The marketer links everybody: the mean over the records of the journalist's risk.

    Args:
        sizes: How many records each class has.
        threshold: Records with a higher risk than this are at risk.
        people: How many people of a population look like each class.
        population_size: Of how many people the table is a sample.
    """

    def at_risk(risks: Floats) -> float:
        # One that only rounding puts above the threshold is not.
        return float(sizes[risks > threshold * (1 + 1e-12)].sum() / sizes.sum()) if sizes.size else 0.0

    own = 1 / np.maximum(sizes, 1)
    if people is not None:
        basis, other = "population", 1 / np.maximum(people, sizes)
    elif population_size is not None and sizes.size and population_size > sizes.sum():
        # Classes of one size have one risk, and there are few sizes.
        distinct, which = np.unique(sizes, return_inverse=True)
        people_each = (distinct * (population_size / int(sizes.sum()))).astype(np.float64)
        basis, other = "estimated", benedetti_franconi(distinct, people_each, "exact")[which.reshape(-1)]
    else:
        basis, other = "table", own
    average = float(np.dot(sizes, other) / sizes.sum()) if sizes.size else 0.0
    highest = float(other.max(initial=0.0))
    return {
        "prosecutor": {"highest": prosecutor(sizes), "average": marketer(sizes), "at_risk": at_risk(own)},
        "journalist": {"highest": highest, "average": average, "at_risk": at_risk(other), "basis": basis},
        "marketer": {"average": average, "basis": basis},
    }


def records_below(sizes: Ints, k: int) -> int:
    """Return how many records can be singled out: those in classes of fewer than k."""
    return int(sizes[sizes < k].sum())


def prosecutor(sizes: Ints) -> float:
    """Return the highest risk that a person known to be in the table is re-identified: 1 over the smallest class."""
    return float(1 / sizes.min()) if sizes.size else 0.0


def marketer(sizes: Ints) -> float:
    """Return the expected share of records re-identified by linking all: classes over records."""
    return float(sizes.size / sizes.sum()) if sizes.size else 0.0
