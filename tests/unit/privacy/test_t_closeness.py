"""t-closeness with its three distances, on tables that can be judged on paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable
from antifaz.counting.domains import sensitive_domain
from antifaz.hierarchies import Hierarchy
from antifaz.hierarchies.binding import bind_sensitive
from antifaz.privacy import TCloseness
from failing import failing
from oracles import brute
from unit.privacy.test_l_diversity import CLASSES, table

#: Illnesses of the t-closeness paper's kind: two of the lungs, two of the stomach.
PATHS = [("a", "lung", "*"), ("b", "lung", "*"), ("c", "stomach", "*"), ("d", "stomach", "*")]


def close(t: float, distance: str = "equal") -> TCloseness:
    return TCloseness(t, attribute="s", distance=distance)


def with_tree(found: ClassTable, paths: list[tuple[str, ...]] | None = None) -> ClassTable:
    """Return a class table with a tree bound to its values; these must come in the order of the domain."""
    part = found.sensitive["s"]
    domain = sensitive_domain("s", part.labels)
    assert domain.labels == part.labels
    bound = replace(part, up=bind_sensitive(domain, Hierarchy.from_rows(paths or PATHS)))
    return replace(found, sensitive={"s": bound})


def test_a_class_like_the_whole_is_at_no_distance() -> None:
    found = with_tree(table({"a": 1, "b": 2}, {"a": 3, "b": 6}))
    for distance in ("equal", "ordered", "hierarchical"):
        assert close(0, distance).passes(found).tolist() == [True, True]
        assert close(0, distance).achieved(found) == pytest.approx(0, abs=1e-15)


def test_equal_is_the_mass_that_has_to_move() -> None:
    # The whole: a 5/10, b 3/10, c 2/10. First class: a 3/4, b 1/4. Second: a 2/6, b 2/6, c 2/6.
    found = table({"a": 3, "b": 1}, {"a": 2, "b": 2, "c": 2})
    assert close(0.25).passes(found).tolist() == [True, True]
    assert close(0.24).passes(found).tolist() == [False, True]
    assert close(0.16).passes(found).tolist() == [False, False]
    assert close(0.2).achieved(found) == pytest.approx(0.25)
    verdict = close(0.2).judge(found)
    assert (verdict.holds, verdict.failing) == (False, 4)


def test_ordered_is_the_salaries_of_the_paper() -> None:
    # Li, Li, Venkatasubramanian 2007: 3, 4, 5 of 3 … 11 are at 0.375, and 6, 8, 11 at 0.167.
    classes = ("3", "4", "5"), ("6", "8", "11"), ("7", "9", "10")
    labels = [str(salary) for salary in range(3, 12)]
    found = table(*(dict.fromkeys(members, 1) for members in classes))
    part = found.sensitive["s"]
    rank = np.array([labels.index(str(label)) for label in part.labels], np.int32)
    inorder = replace(part, values=rank[part.values], totals=np.ones(9, np.int64), labels=tuple(labels))
    found = replace(found, sensitive={"s": inorder})
    assert close(0.375, "ordered").passes(found).tolist() == [True, True, True]
    assert close(0.374, "ordered").passes(found).tolist() == [False, True, True]
    assert close(0.167, "ordered").passes(found).tolist() == [False, True, False]
    assert close(1, "ordered").achieved(found) == pytest.approx(0.375)
    assert close(1).achieved(found) == pytest.approx(2 / 3)


def test_ordered_asks_how_far_and_equal_only_how_much() -> None:
    near, far = table({"a": 2}, {"b": 2}, {"c": 2}), table({"a": 1, "c": 1}, {"a": 1, "c": 1}, {"b": 2})
    # A class of a only: 2/3 of the mass comes from b (one step of two) and c (two steps): (1/3 · 1 + 1/3 · 2)/2.
    assert close(1, "ordered").achieved(near) == pytest.approx(0.5)
    # A class of b only has its third from each neighbour: one step of two for 2/3 of the mass.
    assert close(1, "ordered").passes(far).all()
    part = far.sensitive["s"]
    swapped = np.array([0, 2, 1], np.int32)  # labels came as a, c, b
    far = replace(far, sensitive={"s": replace(part, values=swapped[part.values], totals=np.array([2, 2, 2]))})
    assert close(1, "ordered").achieved(far) == pytest.approx(1 / 3)
    assert close(1).achieved(far) == pytest.approx(2 / 3)


def test_hierarchical_by_hand() -> None:
    # Half of the mass has to leave its branch, over the root of a tree of two levels.
    apart = with_tree(table({"a": 1, "b": 1}, {"c": 1, "d": 1}))
    assert close(0.5, "hierarchical").passes(apart).tolist() == [True, True]
    assert close(0.49, "hierarchical").passes(apart).tolist() == [False, False]
    # Half of the mass moves between siblings, at half the cost.
    mixed = table({"a": 1, "c": 1}, {"b": 1, "d": 1})
    part = mixed.sensitive["s"]
    place = np.array([0, 2, 1, 3], np.int32)  # labels came as a, c, b, d
    mixed = with_tree(
        replace(mixed, sensitive={"s": replace(part, values=place[part.values], labels=("a", "b", "c", "d"))})
    )
    assert close(1, "hierarchical").achieved(mixed) == pytest.approx(0.25)
    assert close(0.25, "hierarchical").passes(mixed).tolist() == [True, True]
    assert close(1).achieved(mixed) == pytest.approx(0.5)


def test_hierarchical_over_a_flat_tree_is_equal() -> None:
    flat = [(value, "*") for value in "abcd"]
    found = with_tree(table({"a": 3, "b": 1}, {"a": 1, "b": 1, "c": 4}, {"d": 2}), flat)
    equal = close(1).achieved(found)
    assert close(1, "hierarchical").achieved(found) == pytest.approx(equal)


def test_a_missing_value_is_a_branch_of_its_own() -> None:
    # One level below the root, missing is as far from every value as two branches are from each other.
    found = with_tree(table({"a": 1}, {None: 1}))
    assert close(1, "hierarchical").achieved(found) == pytest.approx(0.5)


def test_a_tree_of_one_leaf_still_tells_missing_from_it() -> None:
    # Nothing is above the only leaf, and missing is another value: half of the mass has to move.
    found = with_tree(table({"a": 1}, {None: 1}), [("a",)])
    assert close(1, "hierarchical").achieved(found) == pytest.approx(0.5)
    assert close(0.1, "hierarchical").passes(found).tolist() == [False, False]


def test_the_whole_table_is_the_data_before_anyone_was_left_out() -> None:
    found = table({"a": 1, "b": 1})
    part = found.sensitive["s"]
    before = replace(found, sensitive={"s": replace(part, totals=np.array([1, 3], np.int64))})
    assert close(1).achieved(found) == 0
    assert close(1).achieved(before) == pytest.approx(0.25)
    assert close(1, "ordered").achieved(before) == pytest.approx(0.25)


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_class_exactly_at_the_limit_passes(distance: str) -> None:
    # A tenth of eleven tenths is not exact in binary, and neither is any sum of such.
    for n in range(2, 40):
        found = with_tree(table({"a": n, "b": 1}, {"a": n - 1, "b": 2}), [("a", "*"), ("b", "*")])
        limit = 1 / (2 * (n + 1))  # each class has half a record too many of n + 1
        assert close(limit, distance).passes(found).tolist() == [True, True]
        assert not close(limit * (1 - 1e-9), distance).passes(found).any()


@settings(deadline=None, max_examples=100)
@given(CLASSES, st.integers(0, 20).map(lambda n: n / 20))
def test_all_distances_agree_with_brute_force(classes: list[dict[str | None, int]], t: float) -> None:
    order = ["a", "b", "c", "d", None]
    labels = [label for label in order if any(label in found for found in classes)]
    sorted_classes: list[Mapping[str | None, int]] = [
        {label: found[label] for label in labels if label in found} for found in classes
    ]
    # A first class of nobody's makes the labels come in order; it is taken away again.
    found = _in_order(table(*sorted_classes), labels)
    members = [[{"s": value} for value, n in cells.items() for _ in range(n)] for cells in classes]
    everyone = [row for group in members for row in group]
    tree = {**{path[0]: list(path) for path in PATHS}, None: ["none", "none", "*"]}
    for model, ok in (
        (close(t), brute.equal_close(t, "s")),
        (close(t, "ordered"), brute.ordered_close(t, "s", order.index)),
        (close(t, "hierarchical"), brute.hierarchical_close(t, "s", tree)),
    ):
        assert model.passes(found).tolist() == [ok(group, everyone) for group in members]


def _in_order(found: ClassTable, labels: list[str | None]) -> ClassTable:
    """Number the values in the order of a domain, and bind the tree."""
    part = found.sensitive["s"]
    place = np.array([labels.index(label) for label in part.labels], np.int32)
    totals = np.zeros(len(labels), np.int64)
    totals[place] = part.totals
    moved = replace(part, values=place[part.values], totals=totals, labels=tuple(labels))
    return with_tree(replace(found, sensitive={"s": moved}))


def test_a_table_without_records_holds() -> None:
    for distance in ("equal", "ordered"):
        verdict = close(0.1, distance).judge(table())
        assert (verdict.holds, verdict.achieved, verdict.failing) == (True, None, 0)


def test_the_hierarchical_distance_needs_a_hierarchy() -> None:
    with failing("model.distance-needs-hierarchy", ParameterError, model="t-closeness"):
        close(0.1, "hierarchical").passes(table({"a": 1}))
    assert close(0.1, "hierarchical").needs_tree
    assert not close(0.1).needs_tree
    people = az.datasets.people(50, seed=1).select(["sex", "diagnosis"])
    with failing("plan.model-needs-hierarchy", az.HierarchyError, model="t-closeness", name="diagnosis"):
        az.anonymize(
            people,
            roles={"sex": "quasi-identifier", "diagnosis": "sensitive"},
            hierarchies={"sex": az.hierarchy.flat()},
            privacy=TCloseness(0.5, distance="hierarchical"),
        )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"t": 1.1}, "t should be less than or equal to 1"),
        ({"t": -0.1}, "t should be greater than or equal to 0"),
        ({"t": 0.2, "distance": "numeric"}, "distance should be 'equal', 'ordered' or 'hierarchical'"),
        ({}, "'t' is needed"),
        ({"t": float("nan")}, "t should be"),
    ],
)
def test_a_bad_parameter_is_named_in_one_sentence(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        TCloseness(**given)
    assert str(caught.value).startswith("t-closeness: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_generalizing_and_leaving_out_keep() -> None:
    # Two near classes are near together; a near one and a far one may be far.
    assert close(0.1).monotone_generalization
    assert not close(0.1).monotone_suppression
    apart, together = table({"a": 5, "b": 5}, {"a": 9}, {"b": 9}), table({"a": 14, "b": 5}, {"b": 9})
    assert close(0.2).passes(apart).tolist() == [True, False, False]
    assert close(0.2).passes(together).tolist() == [False, False]
