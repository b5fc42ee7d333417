"""Who can be singled out, and how likely three kinds of attackers are to find somebody, from the sizes of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.risk.individual import benedetti_franconi
from antifaz.risk.keys import arrow, check_k, read_keys


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
    return {
        "prosecutor": {
            "highest": prosecutor(sizes),
            "average": marketer(sizes),
            "at_risk": _above(sizes, own, threshold),
        },
        "journalist": {
            "highest": float(other.max(initial=0.0)),
            "average": _average(sizes, other),
            "at_risk": _above(sizes, other, threshold),
            "basis": basis,
        },
        "marketer": {"average": _average(sizes, other), "basis": basis},
    }


def _average(sizes: Ints, risks: Floats) -> float:
    return float(np.dot(sizes, risks) / sizes.sum()) if sizes.size else 0.0


def _above(sizes: Ints, risks: Floats, threshold: float) -> float:
    """The share of records whose risk is above a threshold; one that only rounding puts above it is not."""
    return float(sizes[risks > threshold * (1 + 1e-12)].sum() / sizes.sum()) if sizes.size else 0.0


def records_below(sizes: Ints, k: int) -> int:
    """Return how many records can be singled out: those in classes of fewer than k."""
    return int(sizes[sizes < k].sum())


def prosecutor(sizes: Ints) -> float:
    """Return the highest risk that a person known to be in the table is re-identified: 1 over the smallest class."""
    return float(1 / sizes.min()) if sizes.size else 0.0


def marketer(sizes: Ints) -> float:
    """Return the expected share of records re-identified by linking all: classes over records."""
    return float(sizes.size / sizes.sum()) if sizes.size else 0.0
