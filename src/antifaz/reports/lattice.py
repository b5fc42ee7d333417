"""The lattice of a full-domain search as a picture and as a page: which combinations of levels a person can choose.

Drawn by hand like the other charts: no script, no library, no network, the same bytes for the same numbers. The picture
carries its own colours, so that it can be put on any page or saved as a file of its own.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import Any

from markupsafe import Markup

from antifaz.core.language import NONE
from antifaz.reports.documents import write_html
from antifaz.reports.templating import ENGLISH, esc, is_number, style

Levels = tuple[int, ...]

#: The height of a box, and where boxes begin, right of the sums.
BOX, LEFT = 40.0, 48.0
#: The widest a picture may become, in pixels; a row with more boxes goes on in a second line.
_WIDEST = 1080.0
_FOOT = (
    "Made by antifaz. Nothing is released yet: a candidate is applied, and its rows are counted again, when you run "
    "the project with its levels. This page loads nothing and runs nothing."
)
_STAR = "0,-9 2.2,-3 8.6,-2.8 3.5,1.1 5.3,7.3 0,3.6 -5.3,7.3 -3.5,1.1 -8.6,-2.8 -2.2,-3"


def draw(
    columns: Sequence[str],
    heights: Sequence[int],
    nodes: Sequence[Mapping[str, Any]],
    *,
    quality: str = "loss",
    largest: int = 400,
) -> str:
    """Return the generalization lattice as SVG: rows by the sum of levels, nothing generalized at the bottom.

    Args:
        columns: The quasi-identifiers, in the order in which levels are written.
        heights: The highest level of each.
        nodes: `levels` by column, `quality`, `smallest_class`, `classes`, `suppressed`, `satisfies`, `best` of every
            combination, or of some of them; a number that is not known is None.
        quality: What the quality is called.
        largest: The most boxes to draw. Of more, the best that satisfy the models are drawn with their neighbours.
    """
    known = known_nodes(columns, nodes)
    shown = chosen_nodes(known, max(1, largest))
    caption = _caption(len(shown), len(known), heights)
    at = lay_out(shown)
    marks = _edges(at) + [f'<text x="0" y="{y + BOX / 2 + 4:.0f}">sum {total:,}</text>' for total, y in at.sums]
    marks += [_box(x, y, at.box, node, _words(node, columns, heights, quality)) for x, y, node in at.places.values()]
    marks.append(f'<text x="0" y="{at.height + 16:.0f}">{esc(caption)}</text>')
    best = ", ".join(node.vector for node in shown[:20] if node.best)
    words = f"{caption} Of those, {sum(node.holds for node in shown):,} satisfy the models. "
    words += f"Best: {best}." if best else ""
    # The caption has to fit below a picture of two boxes, too.
    wide, high = max(at.width, 6.0 * len(caption)), at.height + 24
    size = f'width="{wide * at.scale:.0f}" height="{high * at.scale:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}"'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="lattice" role="img" '
        f'aria-labelledby="lattice-title lattice-words" {size}>'
        f'<title id="lattice-title">Combinations of levels of {esc(", ".join(columns))}</title>'
        f'<desc id="lattice-words">{esc(words.strip())}</desc><style>{style("lattice_picture.css")}</style>'
        f"{''.join(marks)}</svg>\n"
    )


def lattice_html(
    columns: Sequence[str],
    heights: Sequence[int],
    nodes: Sequence[Mapping[str, Any]],
    *,
    quality: str = "loss",
    largest: int = 400,
    title: str = "Choose the levels",
) -> str:
    """Return one self-contained HTML page: the picture of the lattice, and the candidates in a table, best first.

    It loads nothing and runs nothing. At most `largest` candidates are listed, too; see `draw` for the rest.
    """
    known, most = known_nodes(columns, nodes), max(1, largest)
    candidates = sorted((node for node in known.values() if node.holds), key=lambda node: node.order)
    picture = draw(columns, heights, nodes, quality=quality, largest=largest)
    return write_html(
        "lattice.j2", "en", title=title, eyebrow="Candidates", foot=_FOOT, columns=list(columns), quality=quality,
        picture=Markup(picture),  # noqa: S704 - drawn by us
        size=max(math.prod(height + 1 for height in heights), len(known)), drawn=min(len(known), most),
        candidates=candidates, best=[node.vector for node in candidates if node.best],
        groups=_groups(candidates[:most]), unlisted=max(0, len(candidates) - most),
    )  # fmt: skip


def _groups(candidates: "Sequence[Node]") -> list[dict[str, Any]]:
    """Return the candidates in ranks of equal quality; those marked best belong together whatever the last bits."""
    groups: list[dict[str, Any]] = []
    for rank, node in enumerate(candidates, start=1):
        before = groups[-1]["nodes"][-1] if groups else None
        if before is not None and ((node.best and before.best) or same_quality(node, before)):
            groups[-1]["nodes"].append(node)
        else:
            groups.append({"rank": rank, "best": node.best, "nodes": [node]})
    return groups


def _caption(shown: int, known: int, heights: Sequence[int]) -> str:
    size = max(math.prod(height + 1 for height in heights), known)
    if shown == size:
        return f"{'The one' if size == 1 else f'All {size:,}'} {'combination' if size == 1 else 'combinations'} drawn."
    which = ", the best that satisfy the models and their neighbours" if shown < known else ""
    return f"{shown:,} of {size:,} combinations drawn{which}; {size - shown:,} not drawn."


def _edges(at: "Layout") -> list[str]:
    ways: dict[bool, list[str]] = {False: [], True: []}
    for levels, (x, y, node) in at.places.items():
        for other in neighbours(levels):
            if sum(other) > sum(levels) and other in at.places:
                to_x, to_y, above = at.places[other]
                way = f"M{x:.0f} {y + BOX / 2:.0f}L{to_x:.0f} {to_y + BOX / 2:.0f}"
                ways[node.holds and above.holds].append(way)
    # Hundreds of lines would hide the boxes.
    many = " many" if len(ways[False]) + len(ways[True]) > 150 else ""
    kinds = {"edge": ways[False], "way": ways[True]}
    return [f'<path class="{kind}{many}" d="{"".join(drawn)}"/>' for kind, drawn in kinds.items() if drawn]


def _box(x: float, y: float, width: float, node: "Node", words: str) -> str:
    kind = "node" + " holds" * node.holds + " best" * node.best
    star = f'<polygon points="{_STAR}" transform="translate({width / 2 - 1:.1f} 1)"/>' if node.best else ""
    below = f'<text y="32">{esc(node.figures)}</text>' if node.figures else ""
    return (
        f'<g class="{kind}" transform="translate({x:.1f} {y:.0f})"><title>{esc(words)}</title>'
        f'<rect x="{-width / 2:.1f}" width="{width:.1f}" height="{BOX:.0f}" rx="7"/>'
        f'<text class="levels" y="{17 if below else 25}">{esc(node.vector)}</text>{below}{star}</g>'
    )


def _words(node: "Node", columns: Sequence[str], heights: Sequence[int], quality: str) -> str:
    climbed = zip(columns, node.levels, heights, strict=True)
    lines = [", ".join(f"{column}: level {level} of {height}" for column, level, height in climbed)]
    lines += [f"{quality}: {', '.join(map(decimals, node.score))}"] if node.score else []
    numbers = {"smallest class": node.smallest, "classes": node.classes, "records left out": node.out}
    lines += [f"{name}: {ENGLISH.number(number)}" for name, number in numbers.items() if number is not None]
    lines.append("satisfies the models" + (", best" if node.best else "") if node.holds else "does not satisfy them")
    # Escaping replaces line breaks, and some browsers show them badly anyway.
    return "; ".join(lines)


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
    for node in nodes:
        levels = tuple(int(node["levels"][column]) for column in columns)
        quality = node.get("quality")
        # Losses of the attributes from the largest down are a quality too, compared one by one.
        parts = tuple(quality) if isinstance(quality, list | tuple) else (quality,)
        score = tuple(float(part) for part in parts) if all(map(is_number, parts)) else ()
        smallest, classes, out = (node.get(key) for key in ("smallest_class", "classes", "suppressed"))
        holds, best = node.get("satisfies") is True, node.get("best") is True
        known[levels] = Node(levels, score, smallest, classes, out, holds, best)
    return known


def same_quality(one: Node, other: Node) -> bool:
    """Say whether two nodes are equally good, but for the last bits of their numbers."""
    close = partial(math.isclose, rel_tol=1e-12, abs_tol=1e-12)
    return len(one.score) == len(other.score) and all(map(close, one.score, other.score))


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
