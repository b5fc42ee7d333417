"""The curves of the sheet: seconds by rows, by columns and by different tuples, drawn as SVG from the growth cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path

from bench.measure import Result

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 560, 320, 62, 20, 34, 48
#: Blue and orange that people who see fewer colours tell apart, on white and on black.
_COLOURS = ("#3b82c4", "#d97706")

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One picture: cases by what grows in them."""

    name: str
    title: str
    across: str
    beside: str
    log: bool
    cases: Mapping[str, float]


CURVES = (
    Curve(
        name="bench-rows", title="The whole run by rows (6 quasi-identifiers, k = 5)", across="rows", log=True,
        beside="ten times a tenth of the rows", cases={f"growth-rows-1e{power}": 10.0**power for power in (5, 6, 7)},
    ),
    Curve(
        name="bench-columns", title="The whole run by quasi-identifiers (a million rows)", across="quasi-identifiers",
        log=False, beside="one GROUP BY, one write, one read",
        cases={f"growth-columns-{many}": float(many) for many in (2, 4, 6, 8, 10, 12)},
    ),
    Curve(
        name="bench-tuples", title="The whole run by different tuples (a million rows × 6)", across="different tuples",
        log=True, beside="one GROUP BY, one write, one read",
        cases={f"growth-tuples-1e{power}": 10.0**power for power in (2, 3, 4, 5, 6)},
    ),
)  # fmt: skip


def draw_all(results: Sequence[Result], folder: Path = IMAGES) -> list[str]:
    """Write each picture of which two points or more were measured; return the lines that show them on the page."""
    measured = {result.name: result for result in results if result.ratio is not None}
    lines = ["", "## Curves", ""]
    folder.mkdir(parents=True, exist_ok=True)
    for curve in CURVES:
        found = [(x, measured[name]) for name, x in curve.cases.items() if name in measured]
        if len(found) < 2:
            continue
        sides = [[(x, result.ours or 0.0) for x, result in found], [(x, result.theirs or 0.0) for x, result in found]]
        (folder / f"{curve.name}.svg").write_text(_svg(curve, sides), encoding="utf-8")
        lines += [f"![{curve.title}: seconds]({folder.name}/{curve.name}.svg)", ""]
    return lines


def _svg(curve: Curve, sides: Sequence[Points]) -> str:
    """Return a picture of both sides; seconds are on a scale of powers of ten, and so may be what grows."""
    across = [x for side in sides for x, _ in side]
    up = [y for side in sides for _, y in side if y > 0]
    low, high = 10.0 ** floor(log10(min(up))), 10.0 ** ceil(log10(max(up)) + 1e-9)
    place_x = _Scale(min(across), max(across), _LEFT, _WIDTH - _RIGHT, log=curve.log)
    place_y = _Scale(low, high, _HEIGHT - _BOTTOM, _TOP, log=True)
    ticks_y = [10.0**power for power in range(round(log10(low)), round(log10(high)) + 1)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#666">',
        f"<title>{curve.title}</title>",
        _text(_WIDTH / 2, 16, curve.title, size=13),
    ]
    for tick in ticks_y:
        y = place_y(tick)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#bbb" stroke-width="0.5"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{tick:g} s", anchor="end"))
    parts += [_text(place_x(x), _HEIGHT - _BOTTOM + 16, _number(x, log=curve.log)) for x in sorted(set(across))]
    parts.append(_text(_WIDTH / 2, _HEIGHT - 8, curve.across))
    for side, colour, words in zip(sides, _COLOURS, ("antifaz", curve.beside), strict=True):
        points = [(place_x(x), place_y(y)) for x, y in side if y > 0]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        row = _TOP + 12 + 16 * _COLOURS.index(colour)
        parts.append(f'<circle cx="{_LEFT + 12}" cy="{row - 4}" r="4" fill="{colour}"/>')
        parts.append(_text(_LEFT + 22, row, words, anchor="start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Scale:
    """Where a number stands between two ends of the picture."""

    def __init__(self, low: float, high: float, begin: float, end: float, *, log: bool) -> None:
        self._log, self._begin, self._end = log, begin, end
        self._low, self._high = (log10(low), log10(high)) if log else (low, high)

    def __call__(self, number: float) -> float:
        share = ((log10(number) if self._log else number) - self._low) / ((self._high - self._low) or 1.0)
        return self._begin + share * (self._end - self._begin)


def _number(number: float, *, log: bool) -> str:
    superscripts = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    return f"10{str(round(log10(number))).translate(superscripts)}" if log else f"{number:g}"


def _text(x: float, y: float, words: str, *, anchor: str = "middle", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'
