"""The lattice of a full-domain search as a picture and as a page: which combinations of levels a person can choose.

Drawn by hand like the other charts: no script, no library, no network, the same bytes for the same numbers. The picture
carries its own colours, so that it can be put on any page or saved as a file of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from antifaz.reports.documents import write_html
from antifaz.reports.lattice_layout import (
    BOX,
    Layout,
    Node,
    chosen_nodes,
    decimals,
    known_nodes,
    lay_out,
    neighbours,
    same_quality,
)
from antifaz.reports.templating import ENGLISH, esc, style

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


@dataclass(frozen=True)
class _Group:
    """Candidates of one rank."""

    rank: int
    best: bool
    nodes: Sequence[Node]


def _groups(candidates: Sequence[Node]) -> list[_Group]:
    groups, rank = [], 1
    for ties in _ties(candidates):
        groups.append(_Group(rank, any(node.best for node in ties), ties))
        rank += len(ties)
    return groups


def _caption(shown: int, known: int, heights: Sequence[int]) -> str:
    size = max(math.prod(height + 1 for height in heights), known)
    if shown == size:
        return f"{'The one' if size == 1 else f'All {size:,}'} {'combination' if size == 1 else 'combinations'} drawn."
    which = ", the best that satisfy the models and their neighbours" if shown < known else ""
    return f"{shown:,} of {size:,} combinations drawn{which}; {size - shown:,} not drawn."


def _edges(at: Layout) -> list[str]:
    ways: dict[bool, list[str]] = {False: [], True: []}
    for levels, (x, y, node) in at.places.items():
        for other in neighbours(levels):
            if sum(other) > sum(levels) and other in at.places:
                to_x, to_y, above = at.places[other]
                way = f"M{x:.0f} {y + BOX / 2:.0f}L{to_x:.0f} {to_y + BOX / 2:.0f}"
                ways[node.holds and above.holds].append(way)
    # Hundreds of lines would hide the boxes.
    many = " many" if len(ways[False]) + len(ways[True]) > 150 else ""
    return [
        f'<path class="{"way" if holds else "edge"}{many}" d="{"".join(drawn)}"/>'
        for holds, drawn in ways.items()
        if drawn
    ]


def _box(x: float, y: float, width: float, node: Node, words: str) -> str:
    kind = "node" + " holds" * node.holds + " best" * node.best
    star = f'<polygon points="{_STAR}" transform="translate({width / 2 - 1:.1f} 1)"/>' if node.best else ""
    below = f'<text y="32">{esc(node.figures)}</text>' if node.figures else ""
    return (
        f'<g class="{kind}" transform="translate({x:.1f} {y:.0f})"><title>{esc(words)}</title>'
        f'<rect x="{-width / 2:.1f}" width="{width:.1f}" height="{BOX:.0f}" rx="7"/>'
        f'<text class="levels" y="{17 if below else 25}">{esc(node.vector)}</text>{below}{star}</g>'
    )


def _words(node: Node, columns: Sequence[str], heights: Sequence[int], quality: str) -> str:
    climbed = zip(columns, node.levels, heights, strict=True)
    lines = [", ".join(f"{column}: level {level} of {height}" for column, level, height in climbed)]
    lines += [f"{quality}: {', '.join(map(decimals, node.score))}"] if node.score else []
    lines += [f"smallest class: {ENGLISH.number(node.smallest)}"] if node.smallest is not None else []
    lines += [f"classes: {ENGLISH.number(node.classes)}"] if node.classes is not None else []
    lines += [f"records left out: {ENGLISH.number(node.out)}"] if node.out is not None else []
    lines.append("satisfies the models" + (", best" if node.best else "") if node.holds else "does not satisfy them")
    # Escaping replaces line breaks, and some browsers show them badly anyway.
    return "; ".join(lines)


def _ties(candidates: Sequence[Node]) -> list[list[Node]]:
    """Return the candidates in groups of equal quality; those marked best belong together whatever the last bits."""
    groups: list[list[Node]] = []
    for node in candidates:
        before = groups[-1][-1] if groups else None
        if before is not None and ((node.best and before.best) or same_quality(node, before)):
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups
