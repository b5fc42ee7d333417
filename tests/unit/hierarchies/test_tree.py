"""Trees: what they become, and what is no tree."""

from typing import Any

import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import tree

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
        ("a", "The root is not an object"),
        ({"children": []}, "The root has no 'value'"),
        ({"value": "a", "childs": []}, "unknown key 'childs' .did you mean 'children'"),
        ({"value": "a", "children": "bc"}, "'children' of the root are not a list"),
        ({"value": "a", "children": [{"value": "b"}, 5]}, r"root\.children\[1\] is not an object"),
        ({"value": "a", "children": [{"value": ""}]}, r"The value of root\.children\[0\] is empty"),
        ({"value": "a", "children": [{"value": None}]}, r"root\.children\[0\] is empty"),
        ({"value": True}, "The value of the root is true or false, not text; put it in quotes"),
        ({"value": ["a"]}, "The value of the root is not text"),
        (
            {"value": "a", "children": [{"value": "b"}, {"value": "c", "children": [{"value": "d"}]}]},
            r"different depths: 1 \(1 leaves\), 2 \(1 leaves\)",
        ),
        ({"value": "a", "children": [{"value": "b"}, {"value": "b "}]}, "1 value.s. appear twice in one level"),
    ],
)
def test_what_is_no_tree_is_refused(root: Any, said: str) -> None:
    with pytest.raises(HierarchyError, match=said):
        tree(root)


def test_loops_and_shared_nodes_are_refused() -> None:
    loop: dict[str, Any] = {"value": "a", "children": [{"value": "b", "children": []}]}
    loop["children"][0]["children"].append(loop)
    with pytest.raises(HierarchyError, match=r"root.children\[0\].children\[0\] refers back"):
        tree(loop)
    shared: Any = {"value": "leaf"}
    for depth in range(60):  # shared nodes that would be 2**60 if followed
        shared = {"value": str(depth), "children": [shared, shared]}
    with pytest.raises(HierarchyError, match="is used in two places"):
        tree(shared)


def test_very_deep_trees() -> None:
    node: dict[str, Any] = {"value": "leaf"}
    for _ in range(10_000):
        node = {"value": "n", "children": [node]}
    builder = tree(node)
    assert builder.build([], DataType.TEXT).height == 10_000
    assert builder.parameters()["root"]["value"] == "n"
    node["children"].append({"value": "m"})
    with pytest.raises(HierarchyError, match=r"different depths: 1 .1 leaves., 10000"):
        tree(node)
    deepest = node
    while "children" in deepest:
        deepest = deepest["children"][0]
    deepest["children"] = [7]
    with pytest.raises(HierarchyError, match="depth 10001"):
        tree(node)
