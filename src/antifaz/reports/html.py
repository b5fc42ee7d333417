"""Reading a page of ours back as a tree: well formed, without scripts, its pictures set aside."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

_PICTURE = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_VOID = frozenset({"meta", "br"})


@dataclass
class Node:
    """An element: its name, its attributes, and what is inside."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def text(self) -> str:
        """Return all words inside."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def all(self, tag: str) -> list[Node]:
        """Return the nearest elements of a name inside: none that are within another of it."""
        found: list[Node] = []
        for child in self.children:
            if isinstance(child, Node):
                found += [child] if child.tag == tag else child.all(tag)
        return found

    def first(self, tag: str) -> Node:
        """Return the first element of a name, or an empty one."""
        return next(iter(self.all(tag)), Node(tag))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if len(self.open) > 1 and self.open[-1].tag == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read_page(page: str) -> tuple[Node, list[str]]:
    """Return the tree of a page, and its pictures: a picture's place is an empty `svg` that says which it is."""
    pictures = _PICTURE.findall(page)
    places = iter(range(len(pictures)))
    reader = _Reader()
    reader.feed(_PICTURE.sub(lambda _: f'<svg data-picture="{next(places)}"></svg>', page))
    reader.close()
    return reader.open[0], pictures
