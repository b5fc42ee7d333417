"""The search: bounds that may be trusted, and always the node that scoring all of them would find."""

from __future__ import annotations

from itertools import product
from random import Random
from time import sleep
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.counting import rollup
from antifaz.counting.classes import ClassTable
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.methods import FullDomain
from antifaz.methods.recoding.left_out_bounds import left_out_bounds
from antifaz.methods.recoding.search import LatticeSearch, rounded
from antifaz.privacy import (
    AverageRisk,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    PopulationUniqueness,
    PrivacyModel,
    TCloseness,
)
from antifaz.privacy.model import in_order
from antifaz.utility import BUILTIN, QUALITIES, Loss, Quality
from antifaz.utility.quality import AttributeQuality, Score
from failing import failing, like
from oracles import brute
from oracles.cases import Case, Rows, cases, task
from oracles.counted import lattice_of
from oracles.tables import NINETEEN_K3, NINETEEN_PEOPLE, NINETEEN_TREES

Levels = tuple[int, ...]

#: Every quality model, and those with attributes also balanced, weighed and aggregated in other ways.
WAYS: dict[str, dict[str, Any]] = {
    "": {},
    "balance 0.2": {"balance": 0.2},
    "balance 0.8": {"balance": 0.8},
    "weights": {"weights": {"q0": 0.3, "q1": 2.0}},
    "weights, balance 0.8": {"weights": {"q0": 0.0, "q1": 2.0}, "balance": 0.8},
    "maximum": {"aggregate": "maximum", "balance": 0.2},
    "rank": {"aggregate": "rank"},
}


#: What some qualities can't do without.
NEEDED: dict[str, dict[str, Any]] = {
    "classification": {"target": "s"},
    "publisher-payout": {"benefit": 10, "loss": 25, "gain": 30, "cost": 11},
}


def quality_of(name: str, way: str = "") -> Quality:
    return QUALITIES[name](**NEEDED.get(name, {}), **WAYS[way])


QUALITY_NAMES = [quality.name for quality in BUILTIN]
ALL = [(name, "") for name in QUALITY_NAMES]
ALL += [(quality.name, way) for quality in BUILTIN if issubclass(quality, AttributeQuality) for way in WAYS if way]


def number(score: Score) -> float:
    return score if isinstance(score, float) else score[0]


def kept_of(lattice: Lattice, levels: Levels, models: tuple[PrivacyModel, ...]) -> NDArray[np.bool_]:
    """Return which classes of a node stay, asking the models one after another."""
    kept = np.ones(lattice.sizes(levels).size, np.bool_)
    table = lattice.class_table(levels)
    for model in in_order(models):
        kept = model.keep(table, kept)
    return kept


def every_score(
    lattice: Lattice,
    models: tuple[PrivacyModel, ...],
    quality: Quality,
    allowed: int,
    within: tuple[Levels, Levels] | None = None,
) -> dict[Levels, Score]:
    """Return the score of every node that may be released."""
    low, high = within or (lattice.bottom, lattice.heights)
    found = {}
    for levels in product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))):
        table = Generalization(lattice, levels, kept_of(lattice, levels, models))
        if table.sizes.size and table.suppressed <= allowed:
            found[levels] = quality.score(table)
    return found


def first(scores: dict[Levels, Score]) -> tuple[Score, int, Levels] | None:
    """Return the best: the lowest score to twelve digits, then the lowest sum of levels, then the first in order."""
    return min(((rounded(score), sum(levels), levels) for levels, score in scores.items()), default=None)


# -- bounds


@pytest.mark.parametrize(("name", "way"), ALL)
@settings(deadline=None, max_examples=15)
@given(case=cases(), share=st.sampled_from([0.0, 0.3, 1.0]), random=st.randoms(use_true_random=False))
def test_no_score_is_below_its_bound(name: str, way: str, case: Case, share: float, random: Random) -> None:
    rows, named = case
    lattice, quality, allowed = lattice_of(rows, named, ("s",)), quality_of(name, way), int(share * len(rows))
    bounds = quality.bounds(lattice, allowed)
    assert bounds.shape == tuple(height + 1 for height in lattice.heights)
    for axis in range(bounds.ndim):
        assert (np.diff(bounds, axis=axis) >= -1e-12).all(), "bounds must not fall with a level"
    known = bounds.copy()
    for levels in np.ndindex(bounds.shape):  # from below to above
        floor = quality.floor(lattice, levels, allowed)
        if floor is not None:
            above = known[tuple(slice(level, None) for level in levels)]
            np.maximum(above, floor, out=above)
        sizes = lattice.sizes(levels)
        order = list(range(sizes.size))
        random.shuffle(order)
        kept = np.ones(sizes.size, np.bool_)
        gone = 0
        for n in order:  # leave out one class after another, as many as may be
            score = number(quality.score(Generalization(lattice, levels, kept)))
            assert known[levels] <= score + 1e-9 * max(1.0, abs(score))
            gone += int(sizes[n])
            kept = kept.copy()
            kept[n] = False
            if gone > allowed:
                break


@pytest.mark.parametrize(("name", "way"), [pair for pair in ALL if pair[0] in ("loss", "precision")])
@settings(deadline=None, max_examples=25)
@given(case=cases(), k=st.sampled_from([2, 3, 5]), random=st.randoms(use_true_random=False))
def test_no_score_is_below_what_those_left_out_above_cost(
    name: str, way: str, case: Case, k: int, random: Random
) -> None:
    rows, named = case
    lattice, quality = lattice_of(rows, named), quality_of(name, way)
    raising = left_out_bounds(lattice, quality, len(rows))
    if raising is None:
        assert WAYS[way]["balance"] < 0.5  # where leaving out costs less than what nobody can avoid
        return
    bounds = quality.bounds(lattice, len(rows))
    nodes = list(np.ndindex(bounds.shape))
    for levels in random.sample(nodes, min(6, len(nodes))):
        raising.raise_below(bounds, levels, lattice.sizes(levels) >= k, np.inf)
    for levels in nodes:
        score = number(quality.score(Generalization(lattice, levels, lattice.sizes(levels) >= k)))
        assert bounds[levels] <= score


@pytest.mark.parametrize(("name", "way"), ALL)
@settings(deadline=None, max_examples=10)
@given(case=cases())
def test_scores_do_not_fall_with_a_level_where_nobody_is_left_out(name: str, way: str, case: Case) -> None:
    # The search stops above the first node that holds, because of this.
    rows, named = case
    lattice, quality = lattice_of(rows, named, ("s",)), quality_of(name, way)
    if not quality.monotone:
        return
    scores = {
        levels: quality.score(Generalization(lattice, levels, lattice.sizes(levels) >= 1))
        for levels in brute.lattice(lattice.heights)
    }
    for levels, score in scores.items():
        for a, level in enumerate(levels):
            below = scores[levels[:a] + (level - 1,) + levels[a + 1 :]] if level else score
            assert number(below) <= number(score) + 1e-9


# -- the optimum

ASKED: dict[str, tuple[PrivacyModel, ...]] = {
    "k": (KAnonymity(2),),
    "k and entropy": (KAnonymity(2), LDiversity(1.5, kind="entropy", attribute="s")),
    "k and t": (KAnonymity(2), TCloseness(0.45, attribute="s")),
    "average risk": (AverageRisk(threshold=0.4),),
    "population": (PopulationUniqueness(0.15, population_size=1_000, estimator="zayatz"),),
    "k and delta": (KAnonymity(2), DeltaDisclosure(1.2, attribute="s")),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", QUALITY_NAMES)
@settings(deadline=None, max_examples=10)
@given(case=cases(), limit=st.sampled_from([0.0, 0.15, 0.4, 1.0]))
def test_the_best_is_that_of_scoring_all(name: str, asked: str, case: Case, limit: float) -> None:
    check_best(case, ASKED[asked], quality_of(name), limit)


@pytest.mark.parametrize(("name", "way"), [pair for pair in ALL if pair[1]])
@settings(deadline=None, max_examples=12)
@given(case=cases(), limit=st.sampled_from([0.0, 0.4, 1.0]))
def test_the_best_is_that_of_scoring_all_however_it_is_weighed(name: str, way: str, case: Case, limit: float) -> None:
    check_best(case, ASKED["k"], quality_of(name, way), limit)


def check_best(case: Case, models: tuple[PrivacyModel, ...], quality: Quality, limit: float) -> None:
    """The search finds what an exhaustive one does, and calls it proven."""
    rows, named = case
    lattice, allowed = lattice_of(rows, named, ("s",)), int(limit * len(rows) + 1e-9)
    scores = every_score(lattice, models, quality, allowed)
    search = LatticeSearch(lattice, models, quality, allowed)
    best, wanted = search.find_best(), first(scores)
    assert (search.gap, search.timed_out) == (0, False)
    assert search.checked <= lattice.size
    if wanted is None:
        assert best is None
        return
    assert best is not None
    assert best.order == wanted
    assert best.score == scores[best.levels]


@pytest.mark.parametrize("name", QUALITY_NAMES)
@settings(deadline=None, max_examples=10)
@given(case=cases(), limit=st.sampled_from([0.0, 0.4, 1.0]))
def test_all_that_may_be_released_are_found(name: str, case: Case, limit: float) -> None:
    rows, named = case
    lattice, allowed, quality = lattice_of(rows, named, ("s",)), int(limit * len(rows) + 1e-9), quality_of(name)
    for models in (ASKED["k"], ASKED["k and t"]):
        found = LatticeSearch(lattice, models, quality, allowed).find_all()
        assert {solution.levels: solution.score for solution in found} == every_score(lattice, models, quality, allowed)
        assert [solution.order for solution in found] == sorted(solution.order for solution in found)


# -- lowest, highest, levels


@st.composite
def bounded(draw: st.DrawFn) -> tuple[Case, tuple[Levels, Levels]]:
    """A case, and a lowest and a highest level for each of its attributes."""
    case = draw(cases())
    ends = [sorted(draw(st.tuples(st.integers(0, top), st.integers(0, top)))) for top in brute.heights(case[1])]
    return case, (tuple(low for low, _ in ends), tuple(high for _, high in ends))


@settings(deadline=None, max_examples=80)
@given(bounded(), st.sampled_from(list(ASKED)), st.sampled_from([0.0, 0.4, 1.0]))
def test_the_best_between_two_levels(some: tuple[Case, tuple[Levels, Levels]], asked: str, limit: float) -> None:
    (rows, named), within = some
    lattice = lattice_of(rows, named, ("s",))
    method = FullDomain(
        suppression=limit,
        lowest=dict(zip(named, within[0], strict=True)),
        highest=dict(zip(named, within[1], strict=True)),
    )
    scores = every_score(lattice, ASKED[asked], Loss(), int(limit * len(rows) + 1e-9), within)
    wanted = first(scores)
    if wanted is None:
        with failing("method.not-reached-but", PrivacyNotReached, failure=like("method.no-generalization")):
            method.decide(task(lattice, ASKED[asked]))
        return
    decision = method.decide(task(lattice, ASKED[asked]))
    assert decision.table.levels == wanted[2]
    assert decision.details["score"] == scores[wanted[2]]


@settings(deadline=None, max_examples=80)
@given(bounded(), st.sampled_from(list(ASKED)), st.sampled_from([0.0, 0.4, 1.0]))
def test_all_between_two_levels_and_none_beyond(
    some: tuple[Case, tuple[Levels, Levels]], asked: str, limit: float
) -> None:
    (rows, named), within = some
    lattice, allowed = lattice_of(rows, named, ("s",)), int(limit * len(rows) + 1e-9)
    found = LatticeSearch(lattice, ASKED[asked], Loss(), allowed, within=within).find_all()
    wanted = every_score(lattice, ASKED[asked], Loss(), allowed, within)
    assert sorted(solution.levels for solution in found) == sorted(wanted)


def test_a_highest_level_keeps_all_candidates_below_it() -> None:
    lattice = lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES)
    highest = (2, 1, 3)
    found = LatticeSearch(lattice, (KAnonymity(3),), Loss(), 0, within=(lattice.bottom, highest)).find_all()
    wanted = [levels for levels in NINETEEN_K3 if all(a <= b for a, b in zip(levels, highest, strict=True))]
    assert sorted(solution.levels for solution in found) == wanted


def test_levels_choose_one_candidate() -> None:
    lattice = lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES)
    columns = list(NINETEEN_TREES)
    for levels in NINETEEN_K3:
        decision = FullDomain(levels=dict(zip(columns, levels, strict=True))).decide(task(lattice, (KAnonymity(3),)))
        assert decision.table.levels == levels
        assert decision.details["lattice"]["checked"] == 1
    with pytest.raises(PrivacyNotReached):
        FullDomain(levels=dict.fromkeys(columns, 0)).decide(task(lattice, (KAnonymity(3),)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"lowest": {"a": 2}, "highest": {"a": 1}}, "a lowest level is above the highest one"),
        ({"highest": {"a": 3}}, "'a' has levels from 0 to 2; 3 is out of range"),
        ({"lowest": {"a": -1}}, "'a' has levels from 0 to 2; -1 is out of range"),
        ({"lowest": {"c": 1}}, "lowest names 'c', no quasi-identifier (known: a, b)"),
        ({"levels": {"a": 1}}, "levels should name every quasi-identifier; b is left out"),
        ({"levels": {"a": 1, "b": 1, "c": 1}}, "levels names 'c', no quasi-identifier (known: a, b)"),
    ],
)
def test_levels_that_there_are_not_are_refused(given: dict[str, Any], words: str) -> None:
    tree: brute.Tree = {"x": ["x", "X", "*"]}
    with pytest.raises(ParameterError) as caught:
        FullDomain(**given).decide(task(lattice_of([{"a": "x", "b": "x"}], {"a": tree, "b": tree}), (KAnonymity(1),)))
    assert str(caught.value) == f"full-domain: {words}."


# -- a time budget


def test_no_time_at_all_is_said() -> None:
    with pytest.raises(PrivacyNotReached) as caught:
        FullDomain(seconds=1e-9).decide(task(lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES), (KAnonymity(3),)))
    assert str(caught.value).startswith("The search ended after 0 generalizations, none of which")


class Slow(KAnonymity):
    """k-anonymity, judged slowly."""

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        sleep(0.02)
        return super().passes(classes)


@pytest.mark.parametrize("seconds", [0.01, 0.1, 0.3, 60])
@pytest.mark.parametrize("suppression", [0.0, 0.2])
def test_what_was_found_in_time_is_as_near_as_is_said(seconds: float, suppression: float) -> None:
    # How far the search gets depends on the machine; whatever it found, it must be right about it.
    lattice = lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES)
    scores = every_score(lattice, (KAnonymity(3),), Loss(), int(suppression * 19))
    wanted = first(scores)
    assert wanted is not None
    method = FullDomain(seconds=seconds, suppression=suppression)
    try:
        decision = method.decide(task(lattice, (Slow(3),)))
    except PrivacyNotReached as error:
        assert "The search ended after" in str(error)
        assert seconds < 60
        return
    score, gap = decision.details["score"], decision.details["gap"]
    assert score == scores[decision.table.levels]
    assert gap >= 0
    assert score - gap <= number(wanted[0]) + 1e-12 <= score + 1e-12
    if seconds == 60:
        assert (gap, decision.table.levels) == (0, wanted[2])
    warned = [warning for warning in decision.warnings if "is the best found" in warning]
    assert len(warned) == (gap > 0)


def test_enough_time_proves_the_optimum() -> None:
    lattice = lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES)
    with_budget, without = (
        FullDomain(seconds=seconds).decide(task(lattice, (KAnonymity(3),))) for seconds in (600, None)
    )
    assert with_budget.details == without.details
    assert with_budget.details["gap"] == 0
    assert with_budget.warnings == ()


# -- keys of more than one word


@pytest.mark.parametrize("values", [100, 300])  # seven and nine bits each: 63 and 81 for nine, besides the sensitive
@pytest.mark.parametrize("asked", ["k", "k and entropy", "average risk"])
def test_a_table_whose_keys_do_not_fit_64_bits(values: int, asked: str) -> None:
    random, columns = Random(values), [f"q{a}" for a in range(9)]
    # Few combinations, each several times, over attributes with many values: the first rows name all of them.
    kinds = [[str(random.randrange(values)) for _ in columns] for _ in range(12)]
    rows: Rows = [
        dict(zip(columns, random.choice(kinds), strict=True)) | {"s": random.choice("abc")} for _ in range(60)
    ]
    rows += [dict.fromkeys(columns, str(value)) | {"s": random.choice("abc")} for value in range(values)]
    trees: dict[str, brute.Tree] = {name: {str(v): [str(v), "*"] for v in range(values)} for name in columns}
    lattice = lattice_of(rows, trees, ("s",))
    whole = lattice.layouts.whole
    assert whole.words == (2 if values == 300 or whole.value_bits > 1 else 1)
    allowed = int(0.95 * len(rows))
    scores = every_score(lattice, ASKED[asked], Loss(), allowed)
    best = LatticeSearch(lattice_of(rows, trees, ("s",)), ASKED[asked], Loss(), allowed).find_best()
    assert best is not None
    assert best.order == first(scores)
    lost = brute.suppressed_by(rows, trees, best.levels, brute.k_anonymous(2)) if asked == "k" else None
    assert lost is None or best.table.suppressed == len(lost)


def test_an_attribute_of_no_choice_costs_no_bits() -> None:
    # A hundred columns of one value beside two that matter.
    names = [f"c{i}" for i in range(100)]
    rows: Rows = [{"a": a, "b": b, "s": None} | dict.fromkeys(names, "x") for a in "12" for b in "12"]
    trees: dict[str, brute.Tree] = {"a": {"1": ["1", "*"], "2": ["2", "*"]}, "b": {"1": ["1", "*"], "2": ["2", "*"]}}
    trees |= {name: {"x": ["x"]} for name in names[:20]}
    best = LatticeSearch(lattice_of(rows, trees), (KAnonymity(2),), Loss(), 0).find_best()
    assert best is not None
    assert best.levels[:2] == (0, 1)


# -- large tables


def test_few_tables_of_half_the_tuples_are_made_and_the_optimum_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is guarded is work, not time: how many tables are made that have at least half as many keys as tuples."""
    random = np.random.default_rng(8)
    sizes = {"a": 60, "b": 200, "c": 12, "d": 12}
    trees: dict[str, brute.Tree] = {
        name: {f"{v}": [f"{v}", *(f"{v // 2**h}/{h}" for h in (1, 3, 5) if size > 2**h), "*"] for v in range(size)}
        for name, size in sizes.items()
    }
    drawn = [random.integers(0, size, 8_000).tolist() for size in sizes.values()]
    rows: Rows = [dict(zip(sizes, map(str, row), strict=True)) for row in zip(*drawn, strict=True)]
    tuples = len({tuple(row.values()) for row in rows})
    roll_up, large = rollup._Scratch.roll_up, []

    def watched(scratch: rollup._Scratch, table: rollup.PackedKeys, steps: Any) -> rollup.PackedKeys:
        rolled = roll_up(scratch, table, steps)
        large[-1] += 2 * len(rolled) >= tuples
        return rolled

    monkeypatch.setattr(rollup._Scratch, "roll_up", watched)
    found = []
    for least in (10**9, 1_000):
        monkeypatch.setattr(rollup, "LARGE", least)
        large.append(0)
        search = LatticeSearch(lattice_of(rows, trees), (KAnonymity(5),), Loss(), len(rows) // 20)
        best = search.find_best()
        assert best is not None
        found.append((best.order, search.checked, best.kept.sum(), best.table.suppressed))
    assert found[0] == found[1]
    assert 3 * large[1] < large[0], large
