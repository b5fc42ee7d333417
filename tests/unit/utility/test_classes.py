"""Quality models that see the sizes of classes: discernibility, average class size, ambiguity."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.frequencies import Tuples, frequency_set
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.hierarchies.binding import bind
from antifaz.utility import (
    Ambiguity,
    Classification,
    ClassSize,
    Discernibility,
    discernibility,
)
from failing import failing
from oracles import brute
from oracles.cases import Case, cases
from oracles.counted import hierarchy_of, lattice_of
from oracles.tables import NINETEEN_PEOPLE, NINETEEN_TREES
from unit.utility.test_measures import six

Rows = list[dict[str, str | None]]


def test_six_people_by_hand() -> None:
    # As they are: classes of 2, 1, 1, 1, 1.
    assert Discernibility().score(six((0, 0))) == 8
    assert ClassSize().score(six((0, 0))) == 6 / 5
    assert Ambiguity().score(six((0, 0))) == 6  # everybody stands for one combination of values
    # All in one class: two years and three postcodes.
    assert Discernibility().score(six((2, 2))) == 36
    assert ClassSize().score(six((2, 2))) == 6
    assert Ambiguity().score(six((2, 2))) == 6 * 2 * 3


def test_who_is_left_out() -> None:
    # Only the class of two stays; the four others are like everybody, and count as one class.
    assert Discernibility().score(six((0, 0), k=2)) == 4 + 6 * 4
    assert ClassSize().score(six((0, 0), k=2)) == 6 / 2
    assert Ambiguity().score(six((0, 0), k=2)) == 2 + 4 * 6


def test_with_everybody_left_out() -> None:
    assert Discernibility().score(six((0, 0), k=7)) == 36
    assert ClassSize().score(six((0, 0), k=7)) == 6
    assert Ambiguity().score(six((0, 0), k=7)) == 36


def test_leaves_are_counted_in_the_hierarchy_not_in_the_data() -> None:
    tree = {str(i): [str(i), "low" if i < 4 else "high", "*"] for i in range(10)}
    lattice = lattice_of([{"a": "0"}, {"a": "9"}], {"a": tree})
    everyone = [Generalization(lattice, (level,), lattice.sizes((level,)) >= 1) for level in range(3)]
    assert [Ambiguity().score(table) for table in everyone] == [2, 4 + 6, 20]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(NINETEEN_PEOPLE), min_size=1, max_size=12), st.integers(1, 4))
def test_every_node_scores_as_the_definitions_say(rows: Rows, k: int) -> None:
    lattice, names = lattice_of(rows, NINETEEN_TREES), list(NINETEEN_TREES)
    whole = math.prod(len(tree) for tree in NINETEEN_TREES.values())
    for levels in brute.lattice(lattice.heights):
        table = Generalization(lattice, levels, lattice.sizes(levels) >= k)
        released = brute.generalize(rows, NINETEEN_TREES, levels)
        members = [group for group in brute.classes(released, names) if len(group) >= k]
        lost = len(rows) - sum(map(len, members))
        assert Discernibility().score(table) == sum(len(group) ** 2 for group in members) + len(rows) * lost
        assert ClassSize().score(table) == len(rows) / (len(members) + (lost > 0))
        leaves = [
            Counter(labels[level] for labels in NINETEEN_TREES[name].values())
            for name, level in zip(names, levels, strict=True)
        ]
        stand_for = sum(
            len(group) * math.prod(some[released[group[0]][name]] for some, name in zip(leaves, names, strict=True))
            for group in members
        )
        assert Ambiguity().score(table) == stand_for + lost * whole


@settings(deadline=None, max_examples=20)
@given(st.lists(st.sampled_from(NINETEEN_PEOPLE), min_size=1, max_size=12), st.integers(1, 4))
def test_what_was_counted_at_a_node_bounds_all_above_it(rows: Rows, k: int) -> None:
    lattice = lattice_of(rows, NINETEEN_TREES)
    nodes = list(brute.lattice(lattice.heights))
    for quality in (Discernibility(), ClassSize(), Ambiguity()):
        scores = {
            levels: quality.score(Generalization(lattice, levels, lattice.sizes(levels) >= k)) for levels in nodes
        }
        for low in nodes:
            floor = quality.floor(lattice, low, len(rows))
            assert floor is not None
            for high in nodes:
                if all(a <= b for a, b in zip(low, high, strict=True)):
                    assert floor <= scores[high]


def test_a_table_of_nobody() -> None:
    lattice = lattice_of([], {"a": {"x": ["x", "*"]}})
    table = Generalization(lattice, (0,), lattice.sizes((0,)) >= 1)
    for quality in (Discernibility(), ClassSize(), Ambiguity()):
        assert quality.score(table) == pytest.approx(0)


def test_discernibility_is_counted_in_whole_numbers() -> None:
    # The square of the first count does not fit 63 bits.
    counted = Tuples(
        columns=("a",),
        values=(("x", "y", "z"),),
        codes=(np.arange(3, dtype=np.int32),),
        counts=np.array([3_037_000_501, 5, 1], np.int64),
    )
    frequencies = frequency_set(counted, ["a"])
    tree = {leaf: [leaf, "*"] for leaf in "xyz"}
    lattice = Lattice(frequencies, [bind(frequencies.domains[0], hierarchy_of(tree))])
    table = Generalization(lattice, (0,), lattice.sizes((0,)) >= 2)
    assert discernibility(table) == 3_037_000_501**2 + 25 + 3_037_000_507


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
