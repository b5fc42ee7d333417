"""Classification: how well a majority vote in each class still tells a target."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.generalization import Generalization
from antifaz.utility import Classification
from failing import failing
from oracles import brute
from oracles.test_documents import lattice_of
from unit.methods.recoding.test_full_domain import Case, cases

Rows = list[dict[str, str | None]]
ROWS: Rows = [{"q": q, "s": s} for q, s in ("1y", "1y", "1n", "2n", "2n", "2n", "3y")]
TREE: brute.Tree = {"1": ["1", "few", "*"], "2": ["2", "few", "*"], "3": ["3", "many", "*"]}


def score(level: int, k: int = 1) -> float:
    lattice = lattice_of(ROWS, {"q": TREE}, ("s",))
    return Classification(target="s").score(Generalization(lattice, (level,), lattice.sizes((level,)) >= k))


def test_by_hand() -> None:
    # 1: y, y, n has one that differs. 'few': two of six differ. All: y, y, y, n, n, n, n.
    assert score(0) == pytest.approx(1 / 7)
    assert score(1) == pytest.approx(2 / 7)
    assert score(2) == pytest.approx(3 / 7)


def test_who_is_left_out_is_not_told() -> None:
    assert score(0, k=2) == pytest.approx(2 / 7)
    assert score(0, k=8) == 1


def test_ties_have_one_majority() -> None:
    lattice = lattice_of([{"q": "1", "s": s} for s in "yn"], {"q": {"1": ["1", "*"]}}, ("s",))
    table = Generalization(lattice, (0,), lattice.sizes((0,)) >= 1)
    assert Classification(target="s").score(table) == 0.5


@settings(deadline=None, max_examples=50)
@given(cases(), st.integers(1, 4))
def test_every_node_scores_as_the_definition_says(case: Case, k: int) -> None:
    rows, named = case
    lattice, quality = lattice_of(rows, named, ("s",)), Classification(target="s")
    for levels in brute.lattice(lattice.heights):
        released = brute.generalize(rows, named, levels)
        members = [group for group in brute.classes(released, list(named)) if len(group) >= k]
        right = sum(max(Counter(rows[i]["s"] for i in group).values()) for group in members)
        found = quality.score(Generalization(lattice, levels, lattice.sizes(levels) >= k))
        assert found == pytest.approx((len(rows) - right) / len(rows))
        floor = quality.floor(lattice, levels, len(rows))
        assert floor is not None
        assert floor <= found + 1e-12


def test_it_needs_its_target() -> None:
    assert Classification("s").needs() == ("s",)
    with failing("declared.parameter-needed", ParameterError, where="target"):
        Classification()


def test_the_target_is_only_counted_not_protected() -> None:
    # Generalizing the postcode costs nothing to whoever predicts by sex; loss would say the same of either.
    people = [(sex, post) for sex in ("f", "m") for post in ("1", "2", "3", "4")]
    table = pa.table(
        {
            "sex": [sex for sex, _ in people],
            "post": [post for _, post in people],
            "buys": ["yes" if sex == "f" else "no" for sex, _ in people],
        }
    )
    release = az.anonymize(
        az.open(table, types={"post": "text"}),
        roles={"sex": "quasi-identifier", "post": "quasi-identifier", "buys": "insensitive"},
        hierarchies={"sex": az.hierarchy.flat(), "post": az.hierarchy.flat()},
        privacy=az.KAnonymity(2),
        method=az.FullDomain(quality="classification", target="buys"),
        seed=1,
    )
    assert release.evidence["method"]["levels"] == {"sex": 0, "post": 1}
    assert release.evidence["method"]["score"] == 0
    assert release.frame.column("buys").to_pylist().count("yes") == 4


def test_a_target_that_is_not_there_is_named() -> None:
    with failing("column.unknown", az.SchemaError, name="buy"):
        az.anonymize(
            pa.table({"sex": ["f", "m"], "buys": ["y", "n"]}),
            roles={"sex": "quasi-identifier", "buys": "insensitive"},
            hierarchies={"sex": az.hierarchy.flat()},
            privacy=az.KAnonymity(2),
            method=az.FullDomain(quality="classification", target="buy"),
        )
