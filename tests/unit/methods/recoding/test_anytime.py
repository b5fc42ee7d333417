"""The search without a lattice in memory: against scoring every node, and repeated by its seed."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.progress import Progress
from antifaz.counting.boxes import BoxCounter, TupleTable, Workspace
from antifaz.counting.lattice import Lattice
from antifaz.methods import FullDomain
from antifaz.methods.recoding import anytime, full_domain, local_search, subset_bounds
from antifaz.methods.recoding.anytime import AnytimeSearch, Budget
from antifaz.methods.recoding.node_checks import NodeChecks
from antifaz.methods.recoding.search import rounded
from antifaz.methods.recoding.subset_bounds import SubsetBounds
from antifaz.privacy import AverageRisk, KAnonymity, LDiversity, PrivacyModel, TCloseness
from antifaz.utility import Loss
from oracles import brute
from oracles.cases import LIMITS, Case, asked, cases, task
from oracles.counted import lattice_of
from unit.methods.recoding.test_search import ALL, every_score, first, number, quality_of

Levels = tuple[int, ...]
ENOUGH = Budget(checks=1_000_000)


def wide(columns: int, rows: int, seed: int = 1) -> Lattice:
    """Return a table of yes, no and maybe, in which neighbouring columns often agree."""
    random = Random(seed)
    tree: brute.Tree = {"yes": ["yes", "said", "*"], "no": ["no", "said", "*"], "maybe": ["maybe", "maybe", "*"]}
    made = []
    for _ in range(rows):
        row = [random.choice(list(tree))]
        for _ in range(columns - 1):
            row.append(row[-1] if random.random() < 0.8 else random.choice(list(tree)))
        made.append({f"q{a}": value for a, value in enumerate(row)})
    return lattice_of(made, {f"q{a}": tree for a in range(columns)})


# -- counting


@settings(deadline=None, max_examples=60)
@given(case=cases(), k=st.integers(1, 4), data=st.data())
def test_a_box_counts_what_the_lattice_counts(case: Case, k: int, data: st.DataObject) -> None:
    lattice = lattice_of(*case)
    corner = [data.draw(st.integers(0, top)) for top in lattice.heights]
    lowest = tuple(data.draw(st.integers(0, level)) for level in corner)
    table = TupleTable(lattice, lowest)
    space = Workspace(table)
    for _ in range(2):  # the second box starts from the keys of the first
        free = [a for a in range(len(corner)) if data.draw(st.booleans())]
        low = tuple(data.draw(st.integers(lowest[a], corner[a])) for a in range(len(corner)))
        counter = BoxCounter(table, space, low, free)
        levels = tuple(data.draw(st.integers(level, top)) if a in free else level
                       for a, (level, top) in enumerate(zip(low, lattice.heights, strict=True)))  # fmt: skip
        sizes = lattice.sizes(levels)
        failing = int(sizes[sizes < k].sum())
        if failing:
            assert counter.failing(levels, k, failing - 1) >= failing
        assert counter.failing(levels, k, failing) == failing
        node = counter.node(levels, k)
        assert [part.tolist() for part in node.marginals] == [
            part.tolist() for part in lattice.marginals(levels, sizes >= k)
        ]
        assert node.suppressed == failing


def test_dropped_columns_count_for_nothing() -> None:
    lattice = wide(4, 50)
    without = lattice_of(
        [{f"q{a}": lattice.frequencies.domains[a].spellings[code] for a, code in enumerate(codes) if a != 1}
         for codes, n in zip(zip(*lattice.frequencies.codes, strict=True), lattice.frequencies.counts, strict=True)
         for _ in range(n)],
        {f"q{a}": {"yes": ["yes", "said", "*"], "no": ["no", "said", "*"], "maybe": ["maybe", "maybe", "*"]}
         for a in (0, 2, 3)},
    )  # fmt: skip
    table = TupleTable(lattice, lattice.bottom)
    counter = BoxCounter(table, Workspace(table), lattice.bottom, [0, 2], [1])
    sizes = without.sizes((1, 1, 0))
    assert counter.failing((1, 0, 1, 0), 5, 50) == sizes[sizes < 5].sum()


# -- the optimum, and the bound


@pytest.mark.parametrize(("name", "way"), ALL)
@settings(deadline=None, max_examples=10)
@given(case=cases(), models=asked(), limit=LIMITS, seed=st.integers(0, 9), small=st.booleans())
def test_with_time_enough_it_finds_the_optimum(
    name: str, way: str, case: Case, models: Any, limit: float, seed: int, small: bool
) -> None:
    rows, named = case
    lattice, quality, allowed = lattice_of(rows, named, ("s",)), quality_of(name, way), int(limit * len(rows))
    wanted = first(every_score(lattice, models[0], quality, allowed))
    with pytest.MonkeyPatch.context() as patch:
        if small:  # so that the lattice is not one box from the beginning
            patch.setattr(local_search, "_BOX", 2)
            patch.setattr(local_search, "_LARGE_BOX", 4)
        search = AnytimeSearch(lattice, models[0], quality, allowed, budget=ENOUGH, seed=seed)
        best = search.find_best()
    assert (best is None) == (wanted is None)
    if best is not None and wanted is not None:
        assert rounded(best.score) == wanted[0]
        assert search.gap == 0
        assert search.bound <= number(wanted[0]) + 1e-9 * max(1.0, abs(number(wanted[0])))


@settings(deadline=None, max_examples=60)
@given(
    case=cases(), limit=LIMITS, checks=st.integers(1, 30), seed=st.integers(0, 9),
    models=st.sampled_from([(KAnonymity(2),), (LDiversity(2, attribute="s"),), (KAnonymity(2), AverageRisk(0.4)),
                            (KAnonymity(3), TCloseness(0.5, attribute="s"))]),
)  # fmt: skip
def test_a_small_budget_says_no_more_than_is_true(
    case: Case, limit: float, checks: int, seed: int, models: tuple[PrivacyModel, ...]
) -> None:
    rows, named = case
    lattice, allowed = lattice_of(rows, named, ("s",)), int(limit * len(rows))
    scores = every_score(lattice, models, Loss(), allowed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anytime, "_TURN", 0)
        patch.setattr(local_search, "_BOX", 2)
        search = AnytimeSearch(lattice, models, Loss(), allowed, budget=Budget(checks=checks), seed=seed)
        best = search.find_best()
    if best is None:
        assert not scores or search.timed_out
        return
    assert best.score == scores[best.levels]
    optimum = min(map(number, scores.values()))
    assert best.score - search.gap <= optimum + 1e-9
    assert search.bound <= optimum + 1e-9


@settings(deadline=None, max_examples=80)
@given(case=cases(), k=st.integers(1, 4), limit=LIMITS, block=st.integers(1, 200))
def test_the_bound_of_blocks_is_never_above_the_optimum(case: Case, k: int, limit: float, block: int) -> None:
    rows, named = case
    lattice, allowed, models = lattice_of(rows, named), int(limit * len(rows)), (KAnonymity(k),)
    scores = every_score(lattice, models, Loss(), allowed)
    if not scores:
        return
    checks = NodeChecks(lattice, models, Loss(), allowed, (lattice.bottom, lattice.heights))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subset_bounds, "_BLOCK", block)
        patch.setattr(subset_bounds, "_LARGEST", block)
        bounds = SubsetBounds(checks, np.random.default_rng(1))
        for _ in bounds.steps():
            pass
    assert bounds.bound <= min(map(number, scores.values())) + 1e-9
    if block >= lattice.size:
        # One block of all attributes: exactly the least bound of a node that few enough records fail.
        least = Loss().bounds(lattice, allowed)
        holding = [levels for levels in np.ndindex(least.shape)
                   if (sizes := lattice.sizes(levels))[sizes < k].sum() <= allowed]  # fmt: skip
        assert bounds.bound == pytest.approx(min(least[levels] for levels in holding), abs=1e-9)


def test_levels_are_bounded() -> None:
    lattice = wide(6, 200)
    low, high = (1, 0, 0, 0, 0, 0), (2, 2, 1, 2, 2, 2)
    scores = every_score(lattice, (KAnonymity(3),), Loss(), 10, (low, high))
    search = AnytimeSearch(lattice, (KAnonymity(3),), Loss(), 10, within=(low, high), budget=ENOUGH)
    best, wanted = search.find_best(), first(scores)
    assert best is not None
    assert wanted is not None
    assert (rounded(best.score), best.levels) == (wanted[0], wanted[2])


def test_what_no_level_reaches_is_known_at_once() -> None:
    lattice = wide(30, 40)
    search = AnytimeSearch(lattice, (KAnonymity(41),), Loss(), 0)
    assert search.find_best() is None
    assert not search.timed_out
    assert search.checked < 1000


def test_a_table_without_records() -> None:
    assert AnytimeSearch(lattice_of([], {"q": {"x": ["x", "*"]}}), (KAnonymity(1),), Loss(), 0).find_best() is None


# -- large lattices


def found(lattice: Lattice, seed: int, checks: int = 1500) -> tuple[Levels, float, int]:
    search = AnytimeSearch(lattice, (KAnonymity(5),), Loss(), 5, budget=Budget(checks=checks), seed=seed)
    best = search.find_best()
    assert best is not None
    assert search.timed_out
    assert search.gap > 0
    return best.levels, search.bound, search.checked


def test_a_seed_and_a_number_of_looks_repeat_a_search() -> None:
    assert found(wide(40, 300), 7) == found(wide(40, 300), 7)


def test_full_domain_chooses_it_for_a_large_lattice_only(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = wide(6, 200)
    method = FullDomain(suppression=0.05, checks=100_000)
    exact = method.decide(task(lattice, (KAnonymity(3),)))
    monkeypatch.setattr(full_domain, "LARGEST_HELD", 10)
    search = method.search(task(lattice, (KAnonymity(3),)))
    assert isinstance(search, AnytimeSearch)
    again = method.decide(task(lattice, (KAnonymity(3),)))
    assert again.details["levels"] == exact.details["levels"]
    assert again.details["gap"] == exact.details["gap"] == 0
    assert again.warnings == ()


def test_the_best_found_is_released_and_said_to_be_that() -> None:
    decision = FullDomain(checks=800, suppression=0.05).decide(task(wide(60, 300), (KAnonymity(5),)))
    assert decision.table.sizes.min() >= 5
    assert decision.table.suppressed <= 15
    assert decision.details["lattice"]["size"] == 3**60
    (warning,) = decision.warnings
    assert warning.code == "warning.best-found"
    assert decision.details["gap"] > 0


def test_candidates_of_a_large_lattice_are_the_best_found() -> None:
    lattice = wide(30, 300)
    search = AnytimeSearch(lattice, (KAnonymity(5),), Loss(), 15, budget=Budget(checks=2000))
    solutions = search.find_all()
    assert 1 < len(solutions) <= anytime.CANDIDATES
    assert solutions == sorted(solutions, key=lambda solution: solution.order)
    for solution in solutions:
        assert solution.table.sizes.min() >= 5
        assert solution.table.suppressed <= 15


class Cancelled(Exception):
    pass


def test_progress_is_told_and_may_stop_it() -> None:
    shares: list[float | None] = []
    messages: list[str] = []

    def listen(_: str, share: float | None, message: str) -> None:
        shares.append(share)
        messages.append(message)
        if len(shares) == 6:
            raise Cancelled(message)

    with pytest.raises(Cancelled, match="best score so far"):
        AnytimeSearch(wide(40, 300), (KAnonymity(5),), Loss(), 5, Progress(listen)).find_best()
    assert messages[0].startswith("searching 12,157,665,459,056,928,801 combinations of levels for 30 s at most")
    known = [share for share in shares if share is not None]
    assert known == sorted(known)
    assert len(known) == 5


def test_more_than_fits_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anytime, "available_memory", lambda: 1000)
    with pytest.raises(ParameterError) as caught:
        AnytimeSearch(wide(40, 300), (KAnonymity(5),), Loss(), 5).find_best()
    assert caught.value.code == "method.search-needs-memory"


def test_models_that_need_sensitive_values_hold() -> None:
    random = np.random.default_rng(1)
    tree: brute.Tree = {"yes": ["yes", "*"], "no": ["no", "*"]}
    rows = [{f"q{a}": random.choice(["yes", "no"]) for a in range(25)} | {"s": random.choice(["a", "b", "c"])}
            for _ in range(200)]  # fmt: skip
    lattice = lattice_of(rows, {f"q{a}": tree for a in range(25)}, ("s",))
    models = (KAnonymity(4), LDiversity(3, attribute="s"))
    decision = FullDomain(checks=600, suppression=0.1).decide(task(lattice, models))
    table = lattice.class_table(decision.table.levels)
    kept = decision.table.kept
    assert all((model.passes(table) | ~kept).all() for model in models)
    assert decision.table.suppressed <= 20


def test_a_budget_without_an_answer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    # Average risk may hold at some node although it fails at the top: nothing is proven by that.
    monkeypatch.setattr(anytime, "_TURN", 0)
    with pytest.raises(PrivacyNotReached) as caught:
        FullDomain(checks=20).decide(task(wide(40, 30), (AverageRisk(0.01),)))
    assert caught.value.code in {"method.budget-ran-out", "method.not-reached-but"}
