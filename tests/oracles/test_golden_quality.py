"""Every quality model on Adult: the same best score as ARX 3.9.2 found, and the same levels but for ties."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from antifaz.counting.generalization import Generalization
from antifaz.methods.recoding.search import LatticeSearch, Solution
from antifaz.privacy import KAnonymity
from antifaz.utility import QUALITIES, Divergence, Quality
from oracles.test_golden_models import DATA, GOLDEN, adult, allowed, golden_cases

pytestmark = pytest.mark.skipif(
    not (DATA.is_dir() and GOLDEN.is_file()), reason="the results of ARX are not beside this repository"
)

#: ARX's name for a quality model, and ours. What it calls monotonic it only searches differently.
NAMES = {
    "loss": "loss",
    "height": "height",
    "precision": "precision",
    "precision_mono": "precision",
    "discernibility": "discernibility",
    "discernibility_mono": "discernibility",
    "aecs": "average-class-size",
    "entropy": "entropy",
    "entropy_mono": "entropy",
    "normalized_entropy": "normalized-entropy",
    "ambiguity": "ambiguity",
    "kl": "kl-divergence",
}
AGGREGATES = {"sum": "sum", "max": "maximum", "mean": "mean", "gmean": "geometric-mean", "rank": "rank"}
#: What a case may say about its quality model.
SAID = {"agg", "gs", "weights"}


def _asked() -> list[dict[str, Any]]:
    """The cases of k-anonymity alone; those of plain loss are in test_golden_adult."""
    return [
        case
        for case in golden_cases()
        if len(case["models"]) == 1
        and case["models"][0].startswith("k:")
        and case["quality"] in NAMES
        and (case["quality"] != "loss" or SAID & case.keys())
        # ARX also weighs what is left out by a factor here; the size of a class has no two sides to balance.
        and not (case["quality"] == "aecs" and "gs" in case)
    ]


def quality_of(case: dict[str, Any]) -> Quality:
    """Return the quality model that ARX was given."""
    given: dict[str, Any] = {}
    if "agg" in case:
        given["aggregate"] = AGGREGATES[case["agg"]]
    if "gs" in case:
        given["balance"] = float(case["gs"])
    if "weights" in case:
        # Attributes that are not named weigh a half in ARX.
        said = dict(pair.split(":") for pair in case["weights"].split(","))
        given["weights"] = {name: float(said.get(name, 0.5)) for name in case["quasi_identifiers"]}
    return QUALITIES[NAMES[case["quality"]]](**given)


def _score(case: dict[str, Any]) -> Any:
    found = case["score"]
    return tuple(json.loads(found)) if isinstance(found, str) else found


def _k(case: dict[str, Any]) -> int:
    return int(case["models"][0].removeprefix("k:"))


def _best(case: dict[str, Any]) -> Solution:
    lattice = adult(tuple(case["quasi_identifiers"]))
    best = LatticeSearch(lattice, (KAnonymity(_k(case)),), quality_of(case), allowed(case)).find_best()
    assert best is not None
    return best


def _nobody(case: dict[str, Any]) -> bool:
    """Whether ARX suppressed everybody: the sum of levels is least at the bottom, whoever is left there."""
    return bool(case["classes"]["suppressed"] == case["rows"])


CASES = {case["id"]: case for case in _asked()}
EMPTY = sorted(name for name, case in CASES.items() if _nobody(case))
DIVERGENCE = sorted(name for name, case in CASES.items() if case["quality"] == "kl")
#: Where everybody may be left out, most of the lattice is counted; of these one small and one large k are enough.
SLOW = {
    f"adult8-k{k}-s1.0-{quality}"
    for k in (2, 10, 50, 100, 1000)
    for quality in ("precision", "discernibility", "aecs", "entropy")
}
ALIKE = sorted(CASES.keys() - {*EMPTY, *DIVERGENCE} - SLOW)


def test_there_are_cases() -> None:
    assert len(ALIKE) >= 140
    assert CASES.keys() >= SLOW
    assert [f"adult8-k{k}-s1.0-height" for k in (100, 1000, 50, 500)] == EMPTY
    assert len(DIVERGENCE) == 1
    assert {CASES[name]["quality"] for name in ALIKE} == NAMES.keys() - {"kl"}
    assert {CASES[name].get("agg") for name in ALIKE} == {None, *AGGREGATES}


@pytest.mark.parametrize("name", ALIKE)
def test_the_optimum_is_that_of_arx(name: str) -> None:
    case = CASES[name]
    best, score = _best(case), _score(case)
    assert best.score == pytest.approx(score, rel=1e-9, abs=1e-9)
    # At ARX's own node the score is the same too, so where its levels are others, it is a tie.
    levels = tuple(case["optimum"])
    lattice = adult(tuple(case["quasi_identifiers"]))
    theirs = Generalization(lattice, levels, lattice.sizes(levels) >= _k(case))
    assert quality_of(case).score(theirs) == pytest.approx(score, rel=1e-9, abs=1e-9)
    assert theirs.suppressed == case["classes"]["suppressed"] <= allowed(case)
    if best.levels != levels:
        assert sum(best.levels) == sum(levels)
        assert best.levels < levels  # of several with one sum of levels, the first in order


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_table_is_never_the_best(name: str) -> None:
    # By the sum of levels alone nothing is better than leaving out everybody. ARX does; here someone must be left.
    case = CASES[name]
    best = _best(case)
    assert (_score(case), sum(case["optimum"])) == (0, 0)
    assert best.table.suppressed < case["rows"]
    assert best.table.sizes.min() >= _k(case)
    lattice = adult(tuple(case["quasi_identifiers"]))
    for levels in np.ndindex(*(height + 1 for height in lattice.heights)):
        if sum(levels) < best.score:
            assert lattice.sizes(levels).max() < _k(case)


@pytest.mark.parametrize("name", DIVERGENCE)
def test_the_divergence_has_the_same_optimum(name: str) -> None:
    # ARX's figure is not the divergence of the paper but a bound that differs from it; the order of nodes is the same.
    case = CASES[name]
    best = _best(case)
    assert isinstance(quality_of(case), Divergence)
    assert list(best.levels) == case["optimum"]
    assert best.table.suppressed == case["classes"]["suppressed"]
