"""Drawing the frontier: loss and kept distributions against k, as a page that needs no network and no script."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from antifaz.reports.documents import write_html
from antifaz.reports.templating import esc

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 760, 300, 56, 24
_COLOURS = ("#0f766e", "#b91c1c", "#1d4ed8", "#a16207", "#7e22ce", "#475569")


def frontier_html(frontier: Mapping[str, Any], title: str = "What each k costs") -> str:
    """Return a self-contained page: the curves, the recommendation, and the numbers as a table."""
    points, chosen = frontier["points"], frontier["recommended"]
    several = len({point["method"] for point in points}) > 1
    return write_html(
        "frontier.j2", "en", title=title, eyebrow="Frontier", foot="Made by antifaz. This page loads and runs nothing.",
        points=points, chosen=chosen, several=several,
        chart=frontier_chart(frontier),
    )  # fmt: skip


def frontier_chart(frontier: Mapping[str, Any]) -> Markup:
    """Return the curves with their legend."""
    points = frontier["points"]
    several = len({point["method"] for point in points}) > 1
    ks = sorted({point["k"] for point in points})
    chart = _chart(ks, _lines(points, several), frontier["recommended"]["k"])
    return Markup(chart)  # noqa: S704 - drawn by us, names escaped


def _lines(points: Sequence[dict[str, Any]], several: bool) -> dict[str, list[tuple[int, float]]]:
    """What is drawn: of one method every column's p, of several the smallest."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for point in points:
        named = f", {point['method']}" if several else ""
        values = {f"loss (GCP){named}": point["gcp"]}
        if not several:
            values |= {"highest risk": point["highest_risk"], **{f"p of {c}": p for c, p in point["ks"].items()}}
        elif point["ks_min"] is not None:
            values[f"smallest p{named}"] = point["ks_min"]
        for name, value in values.items():
            lines.setdefault(name, []).append((point["k"], value))
    return lines


def _chart(ks: Sequence[int], lines: dict[str, list[tuple[int, float]]], chosen: int) -> str:
    about = "Loss, risk and kept distributions against k"
    size = f"viewBox='0 0 {_WIDTH} {_HEIGHT}' width='100%'"
    parts = [f"<svg role='img' aria-label='{about}' {size}><title>{about}</title>"]
    across, ink = f"<line x1='{_LEFT}' x2='{_WIDTH - 10}'", "font-size='12' fill='currentColor'"
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        parts.append(f"{across} y1='{y}' y2='{y}' stroke='currentColor' opacity='.15'/>")
        parts.append(f"<text x='{_LEFT - 8}' y='{y + 4}' text-anchor='end' {ink}>{share:g}</text>")
    y = _y(0.95)
    parts.append(f"{across} y1='{y}' y2='{y}' stroke='currentColor' stroke-dasharray='5 4'/>")
    for k in ks[:: max(1, len(ks) // 20)]:
        parts.append(f"<text x='{_x(ks, k)}' y='{_y(0) + 16}' text-anchor='middle' {ink}>{k}</text>")
    for i, values in enumerate(lines.values()):
        path = " ".join(f"{_x(ks, k):.1f},{_y(value):.1f}" for k, value in values)
        parts.append(f"<polyline points='{path}' fill='none' {_stroke(i)}/>")
    x = _x(ks, chosen)
    parts.append(f"<line x1='{x}' x2='{x}' y1='10' y2='{_y(0)}' stroke='#0f766e' stroke-width='2' opacity='.5'/>")
    parts.append(f"<text x='{x + 5}' y='20' {ink}>k = {chosen}</text></svg>")
    # The lines are named above the picture, where any number of them has room.
    swatch = "<svg width='22' height='8' aria-hidden='true'><line x1='0' x2='22' y1='4' y2='4' {}/></svg>"
    legend = "".join(f"<span>{swatch.format(_stroke(i))} {esc(name)}</span>" for i, name in enumerate(lines))
    return f"<p class='legend'>{legend}</p>" + "".join(parts)


def _stroke(i: int) -> str:
    """Return how a line is drawn: from the seventh on, dashed in the colours that were there."""
    dashes = f" stroke-dasharray='{2 * (i // len(_COLOURS)) + 2} 3'" if i >= len(_COLOURS) else ""
    return f"stroke='{_COLOURS[i % len(_COLOURS)]}' stroke-width='2'{dashes}"


def _x(ks: Sequence[int], k: int) -> float:
    return _LEFT + (k - ks[0]) / max(ks[-1] - ks[0], 1) * (_WIDTH - _LEFT - 20)


def _y(share: float) -> float:
    return round(10 + (1 - share) * (_HEIGHT - _BOTTOM - 10), 1)
