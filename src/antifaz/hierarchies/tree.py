"""A hierarchy given as a tree: `{"value": …, "children": […]}`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from antifaz.core.errors import HierarchyError, hint
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.hierarchies.builder import LABEL_SCHEMA, HierarchyBuilder, as_label
from antifaz.hierarchies.hierarchy import Hierarchy

Node = dict[str, Any]

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"value": LABEL_SCHEMA, "children": {"type": "array", "items": {"type": "object"}}},
    "required": ["value"],
    "additionalProperties": False,
}


@dataclass
class _Open:
    """A node whose children are being gone through; `at` is the child at hand."""

    source: object
    copy: Node
    rest: Iterator[object]
    at: int = -1


def tree_copy(given: object) -> Node:
    """Return the tree with canonical labels, or say where it is no tree. Any depth will do: it never calls itself."""
    root, children = _node(given, [])
    path = [_Open(given, root, iter(children))]
    seen = {id(given)}
    while path:
        here = path[-1]
        here.at += 1
        try:
            child = next(here.rest)
        except StopIteration:
            path.pop()
            continue
        node, children = _node(child, path)
        # Seen again, a node is a loop or brings its leaves twice; refused here, before shared nodes multiply.
        if id(child) in seen:
            loop = any(above.source is child for above in path)
            why = Message("hierarchy.node-refers-back") if loop else Message("hierarchy.node-used-twice")
            raise HierarchyError("hierarchy.node-in-two-places", place=_place(path), why=why)
        seen.add(id(child))
        here.copy.setdefault("children", []).append(node)
        path.append(_Open(child, node, iter(children)))
    return root


def tree_paths(root: Node) -> list[tuple[str, ...]]:
    """Return one row per leaf, from the leaf to the root; raise unless the tree is balanced and repeats no value."""
    rows: list[tuple[str, ...]] = []
    labels: Counter[tuple[int, str]] = Counter()
    above: list[str] = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        labels[depth, node["value"]] += 1
        del above[depth:]
        above.append(node["value"])
        children = node.get("children", ())
        waiting.extend((child, depth + 1) for child in reversed(children))
        if not children:
            rows.append(tuple(reversed(above)))
    depths = Counter(len(row) - 1 for row in rows)
    if len(depths) > 1:
        usual = depths.most_common(1)[0][0]
        found = ", ".join(f"{depth} ({count} leaves)" for depth, count in sorted(depths.items())[:6])
        others = [row[0] for row in rows if len(row) - 1 != usual]
        raise HierarchyError("hierarchy.leaves-at-different-depths", values=others, found=found)
    twice = [(depth, label) for (depth, label), count in labels.items() if count > 1]
    if twice:
        raise HierarchyError(
            "hierarchy.values-twice-in-level", values=[label for _, label in twice], count=len(twice), twice=twice[0][0]
        )
    return rows


def _node(given: object, path: Sequence[_Open]) -> tuple[Node, Sequence[object]]:
    """Return a copy of one node without its children, and its children."""
    if not isinstance(given, dict):
        raise HierarchyError("hierarchy.node-not-an-object", place=_place(path))
    for key in given:
        if key not in ("value", "children"):
            near = hint(str(key), ("value", "children"))
            raise HierarchyError("hierarchy.node-has-unknown-key", place=_place(path), key=key, hint=near)
    if "value" not in given:
        raise HierarchyError("hierarchy.node-without-value", place=_place(path))
    children = () if given.get("children") is None else given["children"]
    if not isinstance(children, list | tuple):
        raise HierarchyError("hierarchy.children-not-a-list", place=_place(path, "the root"))
    return {"value": as_label(given["value"], Message("hierarchy.value-of", place=_place(path, "the root")))}, children


def _place(path: Sequence[_Open], root: str = "The root") -> str:
    """Say where in the tree we are, by position: labels may be values of the data."""
    if not path:
        return root
    steps = "".join(f".children[{node.at}]" for node in path[:8])
    return f"root{steps}" + (f"… (depth {len(path)})" if len(path) > 8 else "")


def _checked(given: object) -> Node:
    root = tree_copy(given)
    tree_paths(root)
    return root


class Tree(HierarchyBuilder):
    """Takes the hierarchy from a tree of values; its leaves are the values of the data."""

    name: ClassVar[str] = "tree"
    summary: ClassVar[str] = "A tree of values, typed in or loaded."
    details: ClassVar[str] = (
        "Every node is {'value': …, 'children': […]}; leaves have no children. All leaves must lie at the same depth, "
        "and no value may appear twice in one level. The leaves must cover the values of the data."
    )
    primary: ClassVar[str] = "root"
    needs_data: ClassVar[bool] = False

    root: Annotated[Any, BeforeValidator(_checked), WithJsonSchema(_SCHEMA)] = Field(
        description="The root node: an object with 'value' and 'children'."
    )

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the tree as a hierarchy; the data's values are not needed."""
        return self._made(tree_paths(self.root), kind, word="leaf")

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as JSON-ready data, for trees of any depth."""
        return {"suppression": self.suppression, "root": tree_copy(self.root)}
