"""The nodes of a generalization lattice: read, chosen where there are too many to draw, and put in their places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

from antifaz.core.language import NONE
from antifaz.reports.templating import ENGLISH, is_number

Levels = tuple[int, ...]

#: The height of a box, and where boxes begin, right of the sums.
BOX, LEFT = 40.0, 48.0
#: The widest a picture may become, in pixels; a row with more boxes goes on in a second line.
_WIDEST = 1080.0


@dataclass(frozen=True)
class Node:
    """One combination of levels, and what is known about it."""

    levels: Levels
    score: tuple[float, ...]
    smallest: object
    classes: object
    #: How many records were left out.
    out: object
    holds: bool
    best: bool

    @property
    def order(self) -> tuple[bool, bool, tuple[float, ...], int, Levels]:
        """Best first, what has no quality last, ties from the lowest sum of levels up."""
        return not self.best, not self.score, self.score, sum(self.levels), self.levels

    @property
    def vector(self) -> str:
        """The levels as people write them."""
        return f"[{','.join(map(str, self.levels))}]"

    def setting(self, columns: Sequence[str]) -> str:
        """Return the levels as the command line takes them."""
        return ",".join(f"{column}={level}" for column, level in zip(columns, self.levels, strict=True))

    @property
    def cells(self) -> list[str]:
        """What a table shows of it: the quality, the smallest class, the classes, the records left out."""
        quality = ", ".join(map(decimals, self.score)) or NONE
        return [quality, *map(ENGLISH.number, (self.smallest, self.classes, self.out))]

    @property
    def figures(self) -> str:
        """What stands below the levels: the quality, and how many there are at least in a class."""
        known = [decimals(self.score[0])] if self.score else []
        return " · ".join([*known, f"≥ {ENGLISH.number(self.smallest)}"] if self.smallest is not None else known)


def known_nodes(columns: Sequence[str], nodes: Sequence[Mapping[str, Any]]) -> dict[Levels, Node]:
    """Read nodes given as data, by their levels."""
    known = {}
    for given in nodes:
        levels = tuple(int(given["levels"][column]) for column in columns)
        quality = given.get("quality")
        # Losses of the attributes from the largest down are a quality too, compared one by one.
        parts = tuple(quality) if isinstance(quality, list | tuple) else (quality,)
        known[levels] = Node(
            levels=levels,
            score=tuple(float(part) for part in parts) if all(is_number(part) for part in parts) else (),
            smallest=given.get("smallest_class"),
            classes=given.get("classes"),
            out=given.get("suppressed"),
            holds=given.get("satisfies") is True,
            best=given.get("best") is True,
        )
    return known


def same_quality(one: Node, other: Node) -> bool:
    """Say whether two nodes are equally good, but for the last bits of their numbers."""
    return len(one.score) == len(other.score) and all(
        math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) for a, b in zip(one.score, other.score, strict=True)
    )


def neighbours(levels: Levels) -> Iterator[Levels]:
    """Yield what is one level below or above; whether it exists is for the caller to know."""
    for step in (-1, 1):
        for a, level in enumerate(levels):
            yield (*levels[:a], level + step, *levels[a + 1 :])


def chosen_nodes(known: Mapping[Levels, Node], largest: int) -> list[Node]:
    """Return what is drawn, best first."""
    if len(known) <= largest:
        return sorted(known.values(), key=lambda node: node.order)
    seeds = sorted((node for node in known.values() if node.holds), key=lambda node: node.order)
    # Where nothing holds, the top is nearest to holding.
    seeds = seeds or sorted(known.values(), key=lambda node: (-sum(node.levels), node.levels))
    # Ties of the best must all be seen, so they come before anybody's neighbours.
    around = (levels for node in seeds for levels in (node.levels, *neighbours(node.levels)))
    taken: dict[Levels, Node] = {}
    for levels in chain((node.levels for node in seeds if node.best), around):
        if len(taken) >= largest:
            break
        if levels in known:
            taken[levels] = known[levels]
    return sorted(taken.values(), key=lambda node: node.order)


def decimals(value: float) -> str:
    """Return a quality with three decimals, or without where it is so large that they mean nothing."""
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.2e}"


@dataclass(frozen=True)
class Layout:
    """Where boxes are: per node the middle of its upper edge, and the first line of every sum."""

    width: float
    height: float
    #: The width of a box.
    box: float
    #: How large the picture is shown: many boxes are shown smaller.
    scale: float
    places: Mapping[Levels, tuple[float, float, Node]]
    sums: Sequence[tuple[int, float]]


def lay_out(shown: Sequence[Node]) -> Layout:
    """Give every node its place: the largest sum of levels on top, each row in the middle, long rows in lines."""
    scale = 1.0 if len(shown) <= 120 else 0.85
    box = max([max(7.2 * len(node.vector), 6.3 * len(node.figures)) for node in shown], default=40.0) + 14
    falling = sorted(shown, key=lambda node: (-sum(node.levels), node.levels))
    rows = [(total, list(group)) for total, group in groupby(falling, lambda node: sum(node.levels))]
    longest = max([len(row) for _, row in rows], default=1)
    room = _WIDEST / scale - LEFT - 10
    gap = min(40.0, max(10.0, room / longest - box))
    most = max(1, min(longest, int((room + gap) / (box + gap))))
    inner = most * (box + gap) - gap
    places: dict[Levels, tuple[float, float, Node]] = {}
    sums, y = [], 14.0
    for total, row in rows:
        sums.append((total, y))
        # Lines between boxes can't be followed through rows of rows; there the best are better seen first.
        ordered = sorted(row, key=lambda node: (not node.holds, node.order)) if len(row) > most else row
        for start in range(0, len(row), most):
            part = ordered[start : start + most]
            first = LEFT + (inner - len(part) * (box + gap) + gap) / 2 if len(row) <= most else LEFT
            places |= {node.levels: (first + i * (box + gap) + box / 2, y, node) for i, node in enumerate(part)}
            y += BOX + 10
        y += 30
    return Layout(LEFT + inner + 10, y - 30, box, scale, places, sums)
