"""Every privacy model on Adult: the same optimum, score and records left out as ARX 3.9.2 found, but where it errs."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antifaz.core.types import DataType
from antifaz.counting.classes import ClassTable
from antifaz.counting.frequencies import FrequencySet, frequency_set
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Ladder
from antifaz.hierarchies import Hierarchy, from_file
from antifaz.hierarchies.binding import bind, bind_sensitive
from antifaz.methods.recoding.search import LatticeSearch
from antifaz.privacy import (
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    KMap,
    LDiversity,
    PrivacyModel,
    SampleUniqueness,
    TCloseness,
)
from antifaz.utility import Loss
from oracles.counted import tuples_of

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA, GOLDEN = SHARED / "data" / "adult-arx", SHARED / "golden" / "arx_adult.json"

pytestmark = pytest.mark.skipif(
    not (DATA.is_dir() and GOLDEN.is_file()), reason="the results of ARX are not beside this repository"
)

# -- Adult, counted once; other tests use these too


def golden_cases() -> list[dict[str, Any]]:
    """Return what ARX was asked and what it found."""
    return json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"] if GOLDEN.is_file() else []


@cache
def _rows() -> list[dict[str, str | None]]:
    with (DATA / "adult.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@cache
def _hierarchy(column: str) -> Hierarchy:
    return from_file(DATA / f"adult_hierarchy_{column}.csv").build((), DataType.TEXT)


def adult(quasi_identifiers: tuple[str, ...], sensitive: tuple[str, ...] = (), times: int = 1) -> Lattice:
    """Return the lattice of so many copies of Adult, the hierarchies of its sensitive attributes bound too."""
    return Lattice(*_counted(quasi_identifiers, sensitive, times))


@cache
def _counted(
    quasi_identifiers: tuple[str, ...], sensitive: tuple[str, ...], times: int
) -> tuple[FrequencySet, list[Ladder]]:
    counted = tuples_of(_rows(), [*quasi_identifiers, *sensitive])
    counted = replace(counted, counts=counted.counts * times)
    frequencies = frequency_set(counted, quasi_identifiers, sensitive)
    cells = {
        name: replace(part, up=bind_sensitive(part.domain, _hierarchy(name)))
        for name, part in frequencies.cells.items()
    }
    frequencies = replace(frequencies, cells=cells)
    return frequencies, [bind(domain, _hierarchy(domain.column)) for domain in frequencies.domains]


def allowed(case: dict[str, Any]) -> int:
    """Return how many records may be left out."""
    return int(case["suppression_limit"] * case["rows"] + 1e-9)


# -- what ARX calls the models


def _l_diversity(kind: str, attribute: str, *numbers: str) -> LDiversity:
    if kind == "recursive":
        return LDiversity(int(numbers[1]), attribute=attribute, kind=kind, c=float(numbers[0]))
    return LDiversity(float(numbers[0]), attribute=attribute, kind=kind)


def _t_closeness(distance: str, attribute: str, t: str) -> TCloseness:
    return TCloseness(float(t), attribute=attribute, distance=distance)


MODELS: dict[str, Any] = {
    "k": lambda k: KAnonymity(int(k)),
    "dl": lambda *said: _l_diversity("distinct", *said),
    "el": lambda *said: _l_diversity("entropy", *said),
    "cl": lambda *said: _l_diversity("recursive", *said),
    "te": lambda *said: _t_closeness("equal", *said),
    "th": lambda *said: _t_closeness("hierarchical", *said),
    "dd": lambda attribute, delta: DeltaDisclosure(float(delta), attribute=attribute),
    "bb": lambda attribute, beta: BetaLikeness(float(beta), attribute=attribute),
    "eb": lambda attribute, beta: BetaLikeness(float(beta), attribute=attribute, enhanced=True),
}


def models_of(case: dict[str, Any]) -> tuple[PrivacyModel, ...]:
    """Return the models that ARX was given."""
    split = [model.split(":") for model in case["models"]]
    return tuple(MODELS[name](*said) for name, *said in split)


def search(case: dict[str, Any], *models: PrivacyModel) -> LatticeSearch:
    """Return a search for the optimum of a case, under its own models or others."""
    wanted = models or models_of(case)
    sensitive = tuple(sorted({name for model in wanted for name in model.sensitive()}))
    return LatticeSearch(adult(tuple(case["quasi_identifiers"]), sensitive), wanted, Loss(), allowed(case))


def _asked() -> list[dict[str, Any]]:
    """The cases with a model beside k-anonymity, all of them known here, and ARX's loss as it comes."""
    found = []
    for case in golden_cases():
        names = {model.split(":")[0] for model in case["models"]}
        if case["quality"] == "loss" and names > {"k"} and names <= MODELS.keys():
            found.append(case)
    return found


#: ARX found something else; each of these has a test of its own below.
APART = {
    "occ7-te0.3-s0-loss",
    "occ7-dd1-s0.02-loss",
    "occ7-el4-s0.05-loss",
    "occ7-el2-s1.0-loss",
    "occ7-el4-s1.0-loss",
}
#: Nearly every node of a large lattice has to be counted; the third of their kind, sal8-bb1-s1.0-loss, is not left out.
SLOW = {"sal8-te0.1-s1.0-loss", "sal8-cl3_2-s1.0-loss"}
CASES = {case["id"]: case for case in _asked()}
ALIKE = sorted(CASES.keys() - APART - SLOW)


def test_there_are_cases() -> None:
    assert len(ALIKE) >= 70
    assert CASES.keys() >= APART | SLOW


@pytest.mark.parametrize("name", ALIKE)
def test_the_optimum_is_that_of_arx(name: str) -> None:
    case = CASES[name]
    best = search(case).find_best()
    if not case["available"]:
        assert best is None
        return
    assert best is not None
    assert list(best.levels) == case["optimum"]
    assert best.score == pytest.approx(case["score"], abs=1e-9)
    assert best.table.suppressed == case["classes"]["suppressed"]
    assert best.table.sizes.size == case["classes"]["num"]
    assert (best.table.sizes.min(), best.table.sizes.max()) == (case["classes"]["min"], case["classes"]["max"])


# -- where ARX does something else


def test_two_nodes_of_one_score_and_one_sum_of_levels_are_a_tie() -> None:
    # Generalizing sex or race, both flat, loses the same; ARX takes the one that it happens to look at first.
    case = CASES["occ7-te0.3-s0-loss"]
    every = {solution.levels: solution for solution in search(case).find_all()}
    best = search(case).find_best()
    assert best is not None
    arx = every[tuple(case["optimum"])]
    assert best.levels == (0, 4, 1, 1, 3, 2, 2)
    assert arx.levels == (1, 4, 0, 1, 3, 2, 2)
    assert best.score == pytest.approx(arx.score, abs=1e-12) == pytest.approx(case["score"], abs=1e-9)
    assert sum(best.levels) == sum(arx.levels)
    assert best.table.suppressed == arx.table.suppressed == 0


def test_where_everything_is_generalized_nobody_needs_to_be_left_out() -> None:
    # ARX says that all 30,162 records of its one class are suppressed, against its own limit of 603: at its top a table
    # of '*' looks the same either way, and scores the same.
    case = CASES["occ7-dd1-s0.02-loss"]
    found = search(case)
    best = found.find_best()
    assert best is not None
    assert list(best.levels) == case["optimum"] == list(found.lattice.heights)
    assert best.score == pytest.approx(case["score"], abs=1e-9)
    assert case["classes"]["suppressed"] == case["rows"] > allowed(case)
    assert (best.table.suppressed, best.table.sizes.tolist()) == (0, [case["rows"]])


@pytest.mark.parametrize("name", ["occ7-el4-s0.05-loss", "occ7-el2-s1.0-loss", "occ7-el4-s1.0-loss"])
def test_a_class_with_exactly_the_entropy_asked_for_stays(name: str) -> None:
    # A class of 4, 1, 1, 1, 1 has the entropy of four equally frequent values, exactly. ARX loses some of such classes
    # to rounding; here none is lost. So the optimum is at least as good, and without these classes it would not be.
    case = CASES[name]
    found = search(case)
    best = found.find_best()
    assert best is not None
    table, ell = found.lattice.class_table(best.levels), int(case["models"][1].split(":")[-1])
    # The entropy is ln l: in whole numbers n^n = l^n · Π f^f.
    exactly = np.array([n >= 5 and n**n == ell**n * prod(f**f for f in counts) for n, counts in _counts(table)])
    assert exactly.any()
    assert best.kept[exactly].all()
    without = Loss().score(Generalization(found.lattice, best.levels, best.kept & ~exactly))
    assert best.score < case["score"] <= without + 1e-9


def _counts(table: ClassTable) -> list[tuple[int, list[int]]]:
    """Per class its size and how often each occupation occurs in it, as Python's own integers."""
    cells = table.sensitive["occupation"]
    return [(int(part.sum()), part.tolist()) for part in np.split(cells.counts, cells.offsets[1:-1])]


def test_uniqueness_in_the_sample_with_nobody_left_out() -> None:
    # With records left out the results can't be compared: ARX drops unique records one by one, in the order of its
    # hash table, until few enough are left; here all classes of one size go together, so that no order decides.
    case = next(case for case in golden_cases() if case["id"] == "adult8-sampleuniq0.01-s0-loss")
    best = search(case, SampleUniqueness(0.01)).find_best()
    assert best is not None
    assert list(best.levels) == case["optimum"]
    assert best.score == pytest.approx(case["score"], abs=1e-9)
    assert best.table.suppressed == 0
    assert np.count_nonzero(best.table.sizes == 1) <= 0.01 * case["rows"]


@pytest.mark.parametrize("limit", ["s0", "s0.02", "s0.05", "s1.0"])
def test_an_estimated_population(limit: str) -> None:
    # Of so small a sample a class of two stands for five people. (kmap…sub is not compared: the golden file does not
    # say which records were the sample.)
    case = next(case for case in golden_cases() if case["id"] == f"adult8-kmapest5p-{limit}-loss")
    best = search(case, KMap(5, fraction=0.0001, significance=0.01)).find_best()
    assert best is not None
    assert list(best.levels) == case["optimum"]
    assert best.score == pytest.approx(case["score"], abs=1e-9)
    assert best.table.suppressed == case["classes"]["suppressed"]
    assert best.table.sizes.min() >= 2


# -- counts beyond 32 bits


@pytest.mark.parametrize("t", [0.05, 0.1])
@pytest.mark.parametrize("distance", ["hierarchical", "equal", "ordered"])
def test_ten_copies_lose_ten_times_as_many(distance: str, t: float) -> None:
    # ARX multiplies counts in 32 bits: of the 60 nodes of ten copies it accepts classes that violate t in 11 and 20.
    qis, model = ("sex", "age", "race", "marital-status"), TCloseness(t, attribute="occupation", distance=distance)
    once = adult(qis, ("occupation",))
    for times in (10, 10**9):
        many = adult(qis, ("occupation",), times)
        assert many.rows == times * once.rows
        for levels in np.ndindex(*(height + 1 for height in once.heights)):
            lost = []
            for lattice, k in ((once, 5), (many, 5 * times)):
                table = lattice.class_table(levels)
                kept = KAnonymity(k).passes(table) & model.passes(table)
                lost.append(int(table.sizes[~kept].sum()))
            assert lost[1] == times * lost[0], levels
