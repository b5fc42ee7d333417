"""The lattice of a full-domain search as a picture and as a page: which combinations of levels a person can choose.

Drawn by hand like the other charts: no script, no library, no network, the same bytes for the same numbers. The picture
carries its own colours, so that it can be put on any page or saved as a file of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

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
from antifaz.reports.parts import NONE, esc, figure, name, section
from antifaz.reports.style import CSS, POLICY
from antifaz.reports.texts import ENGLISH

_STAR = "0,-9 2.2,-3 8.6,-2.8 3.5,1.1 5.3,7.3 0,3.6 -5.3,7.3 -3.5,1.1 -8.6,-2.8 -2.2,-3"

_LIGHT = (
    "--l-ink: #18212b; --l-soft: #55616f; --l-card: #ffffff; --l-pale: #f1f3f6; --l-line: #b9c3ce; "
    "--l-holds: #0c6e69; --l-on: #ffffff; --l-way: #6fb3ae; --l-star: #f5b301;"
)
_DARK = (
    "--l-ink: #f4f7fa; --l-soft: #a4b0be; --l-card: #171d24; --l-pale: #1f2730; --l-line: #465463; "
    "--l-holds: #237a73; --l-on: #ffffff; --l-way: #3f7f7a; --l-star: #ffcc4d;"
)
_PICTURE_CSS = (
    f".lattice {{ {_LIGHT} }} @media (prefers-color-scheme: dark) {{ .lattice {{ {_DARK} }} }} "
    f"@media print {{ .lattice {{ {_LIGHT} max-width: 100%; height: auto; print-color-adjust: exact; }} }} "
    ".lattice { display: block; margin: 0 auto; } "
    ".lattice text { fill: var(--l-soft); font: 11.5px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', "
    "'Liberation Sans', sans-serif; font-variant-numeric: tabular-nums; } "
    ".lattice .node text { text-anchor: middle; } .lattice .levels { font-size: 13px; font-weight: 650; } "
    ".lattice rect { fill: var(--l-pale); stroke: var(--l-line); } "
    ".lattice .holds rect { fill: var(--l-holds); stroke: var(--l-card); } .lattice .holds text { fill: var(--l-on); } "
    ".lattice .best rect { stroke: var(--l-ink); stroke-width: 3; } "
    ".lattice polygon { fill: var(--l-star); stroke: var(--l-ink); stroke-width: 1.2; stroke-linejoin: round; } "
    ".lattice path { fill: none; stroke: var(--l-line); } .lattice .way { stroke: var(--l-way); stroke-width: 1.5; } "
    ".lattice .many { opacity: .45; } .lattice .node:hover rect { stroke: var(--l-ink); stroke-width: 2.5; }"
)
_PAGE_CSS = """
main, header, footer { max-width: 76rem; }
.scroll { padding: 2px; }
.swatch.pale { background: var(--track); }
.swatch.best { border: 2px solid var(--ink); background: var(--after); }
.rank { white-space: nowrap; }
tbody + tbody tr:first-child > * { border-top: 1px solid var(--line); }
tbody tr + tr > * { border-top: 0; padding-top: 0; }
tbody.best { background: var(--good-wash); }
td:first-of-type { min-width: 12rem; }
th.rank { padding-left: .5rem; }
td:last-child { padding-right: .5rem; }
"""


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
    said = _caption(len(shown), len(known), heights)
    at = lay_out(shown)
    marks = _edges(at) + [f'<text x="0" y="{y + BOX / 2 + 4:.0f}">sum {total:,}</text>' for total, y in at.sums]
    marks += [_box(x, y, at.box, node, _words(node, columns, heights, quality)) for x, y, node in at.places.values()]
    marks.append(f'<text x="0" y="{at.height + 16:.0f}">{esc(said)}</text>')
    best = ", ".join(node.vector for node in shown[:20] if node.best)
    words = f"{said} Of those, {sum(node.holds for node in shown):,} satisfy the models. " + (best and f"Best: {best}.")
    # The caption has to fit below a picture of two boxes, too.
    wide, high = max(at.width, 6.0 * len(said)), at.height + 24
    size = f'width="{wide * at.scale:.0f}" height="{high * at.scale:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}"'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="lattice" role="img" '
        f'aria-labelledby="lattice-title lattice-words" {size}>'
        f'<title id="lattice-title">Combinations of levels of {esc(", ".join(columns))}</title>'
        f'<desc id="lattice-words">{esc(words.strip())}</desc><style>{_PICTURE_CSS}</style>{"".join(marks)}</svg>\n'
    )


def page(
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
    known = known_nodes(columns, nodes)
    candidates = sorted((node for node in known.values() if node.holds), key=lambda node: node.order)
    picture = draw(columns, heights, nodes, quality=quality, largest=largest)
    body = section("lattice", "Which combinations hold", _figure(columns, picture, quality))
    body += section("candidates", "The candidates, best first", _table(columns, candidates, quality, max(1, largest)))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{esc(title)}: candidates</title>\n<style>{CSS}{_PAGE_CSS}</style>\n</head>\n<body>\n"
        f'<header>\n<p class="eyebrow">Candidates</p>\n<h1>{esc(title)}</h1>\n</header>\n'
        f"<main>\n{_tiles(candidates, heights, len(known), max(1, largest))}{body}</main>\n"
        "<footer><p>Made by antifaz. Nothing is released yet: a candidate is applied, and its rows are counted again, "
        "when you run the project with its levels. This page loads nothing and runs nothing.</p></footer>\n"
        "</body>\n</html>\n"
    )


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


def _tiles(candidates: Sequence[Node], heights: Sequence[int], known: int, most: int) -> str:
    size = max(math.prod(height + 1 for height in heights), known)
    best = [node.vector for node in candidates if node.best]
    few = ", ".join(best) if len(best) <= 3 else f"{len(best):,} that are equally good"
    shown = [
        ("Combinations of levels", f"{size:,}", f"{min(known, most):,} drawn below"),
        ("Candidates", f"{len(candidates):,}", "satisfy the models"),
        ("Best", f"{len(best):,}", few),
    ]
    tiles = "".join(
        f'<div><dt>{label}</dt><dd class="figure">{value}</dd><dd class="note">{esc(note)}</dd></div>'
        for label, value, note in shown
    )
    return f'<dl class="tiles">{tiles}</dl>\n'


def _figure(columns: Sequence[str], picture: str, quality: str) -> str:
    legend = (
        '<p class="legend"><span><span class="swatch after"></span>satisfies the models</span>'
        '<span><span class="swatch best"></span>★ best</span>'
        '<span><span class="swatch pale"></span>does not satisfy them</span></p>'
    )
    first, last = ("level", "") if len(columns) == 1 else ("levels", ", in this order")
    how = (
        f"A box is one combination of levels: the {first} of {', '.join(map(name, columns))}{last}; 0 leaves the "
        "values as they are. A line leads to what is generalized by one level more, so the bottom of the picture is "
        f"the data as it was. Below the levels stand the {esc(quality)} (less is better) and, after ≥, how many "
        "records there are in the smallest class. Rest the pointer on a box to read all that is known of it."
    )
    picture = f'<div class="scroll" tabindex="0" role="region" aria-label="The combinations">{picture}</div>'
    shows = "Every combination of levels that was looked at, and whether the models hold there."
    return figure(ENGLISH, " × ".join(map(name, columns)), picture, shows, how, legend)


def _table(columns: Sequence[str], candidates: Sequence[Node], quality: str, most: int) -> str:
    if not candidates:
        return "<p>No combination satisfies the models.</p>\n"
    listed = candidates[:most]
    left = len(candidates) - len(listed)
    caption = "Candidates of one rank are equally good." + (f" {left:,} more are not listed." if left else "")
    body, rank = "", 1
    for ties in _ties(listed):
        body += _group(columns, ties, rank)
        rank += len(ties)
    heads = ("Smallest class", "Classes", "Left out")
    return (
        f'<div class="scroll"><table><caption>{caption}</caption>\n<thead><tr><th scope="col" class="rank">Rank</th>'
        f'<th scope="col">Levels</th><th scope="col" class="num">{esc(quality[:1].upper() + quality[1:])}</th>'
        + "".join(f'<th scope="col" class="num">{head}</th>' for head in heads)
        + f"</tr></thead>\n{body}</table></div>\n"
    )


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


def _group(columns: Sequence[str], ties: Sequence[Node], rank: int) -> str:
    best = any(node.best for node in ties)
    label = f"{rank:,}" + (" ★ best" if best else "")
    rows = []
    for i, node in enumerate(ties):
        head = f'<th scope="rowgroup" class="rank" rowspan="{len(ties)}">{label}</th>' if i == 0 else ""
        given = ",".join(f"{column}={level}" for column, level in zip(columns, node.levels, strict=True))
        numbers = (
            ", ".join(map(decimals, node.score)) or NONE,
            *map(ENGLISH.number, (node.smallest, node.classes, node.out)),
        )
        cells = "".join(f'<td class="num">{esc(cell)}</td>' for cell in numbers)
        named = f'<span class="label">{esc(node.vector)}</span><code>{esc(given)}</code>'
        rows.append(f"<tr>{head}<td>{named}</td>{cells}</tr>\n")
    kind = ' class="best"' if best else ""
    return f"<tbody{kind}>{''.join(rows)}</tbody>\n"
