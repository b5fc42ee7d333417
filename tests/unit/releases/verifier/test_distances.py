"""Earth mover's distances over trees, by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from antifaz.core.errors import HierarchyError
from antifaz.releases.verifier.distances import JudgedAttribute, divide, integer_type, is_finite, largest, sum_by
from antifaz.releases.verifier.models import verify
from failing import failing
from unit.releases.verifier.test_models import counted

TREE = {"a": ("x", "*"), "b": ("x", "*"), "c": ("y", "*")}


@pytest.mark.parametrize("root", [True, False])
def test_a_tree_may_leave_out_its_root(root: bool) -> None:
    tree = TREE if root else {leaf: above[:-1] for leaf, above in TREE.items()}
    asked = [{"model": "t-closeness", "distance": "hierarchical", "t": 1, "attribute": "s"}]
    found = verify(counted({"a": 2}, {"b": 1, "c": 1}), asked, trees={"s": tree})[0]
    # The whole is a 1/2, b 1/4, c 1/4. For {a}: 1/4 from b at 1/2, 1/4 from c at 1.
    assert found.achieved == pytest.approx(0.25 * 0.5 + 0.25)


def test_a_label_used_in_two_places_is_two_nodes_and_missing_is_a_branch_of_its_own() -> None:
    tree = {"a": ("other", "x", "*"), "b": ("other", "y", "*")}
    asked = [{"model": "t-closeness", "distance": "hierarchical", "t": 1, "attribute": "s"}]
    assert verify(counted({"a": 1}, {"b": 1}), asked, trees={"s": tree})[0].achieved == 0.5
    assert verify(counted({"a": 1}, {None: 1}), asked, trees={"s": tree})[0].achieved == 0.5
    with failing("verifier.leaves-at-different-depths", HierarchyError):
        verify(counted({"a": 1}), asked, trees={"s": {"a": ("x", "*"), "b": ("*",)}})


def sensitive(**changed: Any) -> JudgedAttribute:
    made = JudgedAttribute(
        sizes=np.array([3, 2]), classes=np.array([0, 0, 1]), values=np.array([0, 1, 1]), counts=np.array([1, 2, 2]),
        labels=("a", "b"), numeric=False, totals=np.array([1, 4]), tree=None,
    )  # fmt: skip
    return replace(made, **changed)


def test_sums_ratios_and_finite_labels() -> None:
    assert sensitive().whole == 5
    assert sum_by(np.array([1, 2, 4]), np.array([2, 0, 2]), 4).tolist() == [2, 0, 5, 0]
    assert largest(np.array([-3.0, -5.0, 2.0]), sensitive()).tolist() == [-3.0, 2.0]
    big = 2**80 + 1
    assert divide(np.array([big, 1, 0], object), np.array([3, 0, 7], object)).tolist() == [
        float(Fraction(big, 3)), math.inf, 0.0,
    ]  # fmt: skip
    assert [is_finite(label) for label in (None, "1.5", "-2e3", "x", "", "inf", "nan")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("whole", "size", "factor", "kind"),
    [
        (2**30, 1, 1, np.int64), (2**31 - 1, 1, 1, np.int64), (2**31, 1, 1, object), (1, 2**31, 1, object),
        (1, 2**31 - 1, 1, np.int64), (2**30, 1, 3, np.int64), (2**30, 1, 4, object),
    ],
)  # fmt: skip
def test_integers_have_room_for_products(whole: int, size: int, factor: int, kind: object) -> None:
    assert integer_type(sensitive(totals=np.array([whole]), sizes=np.array([1, size])), factor) is kind
