"""Earth mover's distances over trees, by hand."""

from __future__ import annotations

import pytest

from antifaz.core.errors import HierarchyError
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
