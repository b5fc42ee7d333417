"""Trees: what they become, and what is no tree."""

from typing import Any

import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import tree
from failing import Like, failing, like, near

MARITAL = {
    "value": "All",
    "children": [
        {"value": "Single", "children": [{"value": "Divorced"}, {"value": "Widowed"}]},
        {"value": "Couple", "children": [{"value": "Married"}]},
    ],
}


def test_a_tree_becomes_levels() -> None:
    made = tree(MARITAL).build([], DataType.TEXT)
    assert made.levels == (("Divorced", "Widowed", "Married"), ("Single", "Couple"), ("All",))
    assert made.up[1].tolist() == [0, 0, 1]


def test_suppression_and_numbers() -> None:
    root = {"value": "any", "children": [{"value": 1, "children": []}, {"value": 2.5}]}
    made = tree(root, suppression=True).build([], DataType.DECIMAL)
    assert made.levels == (("1", "2.5"), ("any",), ("*",))


def test_a_single_node() -> None:
    assert tree({"value": "a"}).build([], DataType.TEXT).levels == (("a",),)


def test_the_declaration_is_a_copy() -> None:
    mine: dict[str, Any] = {"value": "any", "children": [{"value": "a"}]}
    made = tree(mine)
    mine["children"].append({"value": "b"})
    made.parameters()["root"]["children"].clear()
    assert made.build([], DataType.TEXT).leaves == ("a",)


def test_the_same_text_at_two_levels_is_fine() -> None:
    root = {"value": "Spain", "children": [{"value": "Madrid", "children": [{"value": "Madrid"}]}]}
    assert tree(root).build([], DataType.TEXT).paths() == [("Madrid", "Madrid", "Spain")]


@pytest.mark.parametrize(
    ("root", "said"),
    [
        ("a", like("hierarchy.node-not-an-object", place="The root")),
        ({"children": []}, like("hierarchy.node-without-value", place="The root")),
        ({"value": "a", "childs": []}, like("hierarchy.node-has-unknown-key", key="childs", hint=near("children"))),
        ({"value": "a", "children": "bc"}, like("hierarchy.children-not-a-list", place="the root")),
        (
            {"value": "a", "children": [{"value": "b"}, 5]},
            like("hierarchy.node-not-an-object", place="root.children[1]"),
        ),
        (
            {"value": "a", "children": [{"value": ""}]},
            like("hierarchy.label-empty", where=like("hierarchy.value-of", place="root.children[0]")),
        ),
        (
            {"value": "a", "children": [{"value": None}]},
            like("hierarchy.label-empty", where=like("hierarchy.value-of", place="root.children[0]")),
        ),
        ({"value": True}, like("hierarchy.label-true-or-false", where=like("hierarchy.value-of", place="the root"))),
        ({"value": ["a"]}, like("hierarchy.label-not-text", where=like("hierarchy.value-of", place="the root"))),
        (
            {"value": "a", "children": [{"value": "b"}, {"value": "c", "children": [{"value": "d"}]}]},
            like("hierarchy.leaves-at-different-depths", found="1 (1 leaves), 2 (1 leaves)"),
        ),
        (
            {"value": "a", "children": [{"value": "b"}, {"value": "b "}]},
            like("hierarchy.values-twice-in-level", count=1),
        ),
    ],
)
def test_what_is_no_tree_is_refused(root: Any, said: str | Like) -> None:
    with failing(said, HierarchyError):
        tree(root)


def test_loops_and_shared_nodes_are_refused() -> None:
    loop: dict[str, Any] = {"value": "a", "children": [{"value": "b", "children": []}]}
    loop["children"][0]["children"].append(loop)
    with failing(
        "hierarchy.node-in-two-places",
        HierarchyError,
        place="root.children[0].children[0]",
        why=like("hierarchy.node-refers-back"),
    ):
        tree(loop)
    shared: Any = {"value": "leaf"}
    for depth in range(60):  # shared nodes that would be 2**60 if followed
        shared = {"value": str(depth), "children": [shared, shared]}
    with failing("hierarchy.node-in-two-places", HierarchyError, why=like("hierarchy.node-used-twice")):
        tree(shared)


def test_very_deep_trees() -> None:
    node: dict[str, Any] = {"value": "leaf"}
    for _ in range(10_000):
        node = {"value": "n", "children": [node]}
    builder = tree(node)
    assert builder.build([], DataType.TEXT).height == 10_000
    assert builder.parameters()["root"]["value"] == "n"
    node["children"].append({"value": "m"})
    with failing("hierarchy.leaves-at-different-depths", HierarchyError, found="1 (1 leaves), 10000 (1 leaves)"):
        tree(node)
    deepest = node
    while "children" in deepest:
        deepest = deepest["children"][0]
    deepest["children"] = [7]
    with failing("hierarchy.node-not-an-object", HierarchyError, place=f"root{'.children[0]' * 8}… (depth 10001)"):
        tree(node)
