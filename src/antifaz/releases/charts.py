"""Charts as SVG text, drawn by hand: no script, no library, the same bytes for the same numbers.

Widths are percentages and heights pixels, so a chart fits a phone and a sheet of paper with letters of one size.
Colours come from the page's style sheet. Each chart carries a title and its numbers in words for screen readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from antifaz.releases.report_parts import esc, number, percent

Sizes = Sequence[Sequence[int]]

# Where bars begin and how far the longest goes, in percent of the width; the rest is for labels and numbers.
_LEFT, _SPAN = 22.0, 58.0


@dataclass(frozen=True, kw_only=True)
class Bin:
    """Class sizes from `low` to `high` (both inside), and the records in classes of such a size."""

    low: int
    high: int
    before: int
    after: int

    @property
    def label(self) -> str:
        """How the bin is called on the axis."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


def edges(largest: int, k: int | None = None) -> list[int]:
    """Return the sizes at which bins begin: 1, 2, 3, 5, 10, 20, 50, 100, …, and k, so that no bin straddles it."""
    starts = [1, 2, 3, 5]
    step = 10
    while step <= largest:
        starts += [step, 2 * step, 5 * step]
        step *= 10
    if k is not None and 1 <= k <= largest:
        starts.append(k)
    return sorted({start for start in starts if start <= max(1, largest)})


def class_size_bins(before: Sizes, after: Sizes, k: int | None = None) -> list[Bin]:
    """Count records by the size of their class; `before` and `after` are pairs (size, number of classes)."""
    largest = max([size for size, _ in [*before, *after]], default=0)
    if largest < 1:
        return []
    starts = edges(largest, k)
    ends = [start - 1 for start in starts[1:]] + [_natural_end(starts[-1])]
    return [
        Bin(low=low, high=high, before=_records(before, low, high), after=_records(after, low, high))
        for low, high in zip(starts, ends, strict=True)
    ]


def _natural_end(start: int) -> int:
    """Return where the bin of `start` would end if larger ones followed."""
    return next(edge for edge in edges(start * 10) if edge > start) - 1


def _records(sizes: Sizes, low: int, high: int) -> int:
    return sum(size * classes for size, classes in sizes if low <= size <= high)


def class_size_chart(bins: Sequence[Bin], k: int | None = None, key: str = "sizes") -> str:
    """Draw the records in classes of each size, before and after, with a line where classes reach k."""
    most = max([max(b.before, b.after) for b in bins], default=0) or 1
    marks: list[str] = []
    y = 6.0
    for b in bins:
        if k is not None and k > 1 and b.low == k:
            marks.append(_line_at_k(y + 9, k))
            y += 26
        marks.append(label(_LEFT - 2, y + 18, b.label, "axis", "end"))
        marks += _bar(y, b.before, most, "before") + _bar(y + 14, b.after, most, "after")
        y += 38
    words = "; ".join(f"groups of {b.label}: {b.before:,} before, {b.after:,} after" for b in bins)
    return svg(key, y, "Records by the size of their group, before and after", words, marks)


def _line_at_k(y: float, k: int) -> str:
    return (
        f'<line class="limit" x1="0" x2="100%" y1="{y:.0f}" y2="{y:.0f}"/>'
        + label(100, y - 4, f"k = {k:,}", "limit-label", "end")
        + label(0, y - 4, "too small above", "limit-label", "start")
    )


def _bar(y: float, value: int, most: int, kind: str) -> list[str]:
    # A bar for something must be seen, or one record among a million would look like none.
    width = max(value / most * _SPAN, 0.4) if value else 0.0
    bar = f'<rect class="{kind}" x="{_LEFT}%" y="{y:.0f}" width="{width:.3f}%" height="12" rx="1.5"/>'
    shown = label(_LEFT + width + 1, y + 10.5, number(value), "value" if value else "value none", "start")
    return [bar, shown] if value else [shown]


def level_chart(levels: Sequence[tuple[str, int, int]], key: str = "levels") -> str:
    """Draw for each (attribute, level, height) how far up its hierarchy it was taken."""
    marks: list[str] = []
    for i, (name, level, height) in enumerate(levels):
        y = 4.0 + i * 40
        steps = max(height, 1)
        marks.append(label(0, y + 12, _short(name), "axis", "start"))
        marks.append(label(100, y + 12, _level_words(level, height), "value", "end"))
        gap = 0.6 if steps <= 20 else 0.0
        for step in range(steps):
            kind = "after" if step < level else "track"
            x, width = 100 / steps * step, 100 / steps - (gap if step < steps - 1 else 0)
            marks.append(
                f'<rect class="{kind}" x="{x:.3f}%" y="{y + 18:.0f}" width="{width:.3f}%" height="10" rx="1.5"/>'
            )
    words = "; ".join(f"{name}: {_level_words(level, height)}" for name, level, height in levels)
    return svg(key, 4 + 40 * len(levels), "How far each attribute was generalized", words, marks)


def _level_words(level: int, height: int) -> str:
    if level <= 0:
        return "as it was" if height else "no levels"
    return f"level {level:,} of {height:,}" + (" (nothing left)" if level >= height else "")


def risk_chart(risks: Sequence[tuple[str, float]], limit: float, key: str = "risks") -> str:
    """Draw risks between 0 and 1 as bars, with a line at the limit they are compared with."""
    most = min(1.0, max([limit * 2, *[risk for _, risk in risks]]) * 1.05)
    marks: list[str] = []
    for i, (name, risk) in enumerate(risks):
        y = 24.0 + i * 44
        kind = "above" if risk > limit else "after"
        width = max(min(risk, 1.0) / most * 100, 0.3) if risk > 0 else 0.0
        marks.append(label(0, y + 12, name, "axis", "start"))
        marks.append(label(100, y + 12, percent(risk), "value", "end"))
        marks.append(f'<rect class="track" x="0" y="{y + 18:.0f}" width="100%" height="12" rx="1.5"/>')
        marks.append(f'<rect class="{kind}" x="0" y="{y + 18:.0f}" width="{width:.3f}%" height="12" rx="1.5"/>')
    x = limit / most * 100
    bottom = 24 + 44 * len(risks)
    for i in range(len(risks)):
        y = 24 + i * 44 + 15
        marks.append(f'<line class="mark" x1="{x:.3f}%" x2="{x:.3f}%" y1="{y}" y2="{y + 18}"/>')
    marks.append(label(x, 14, f"limit {limit:g}", "value", "middle"))
    words = "; ".join(f"{name}: {percent(risk)}" for name, risk in risks) + f"; limit {percent(limit)}"
    return svg(key, bottom, "Risk of being re-identified against the limit", words, marks)


def _short(name: str, most: int = 34) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def label(x: float, y: float, text: Any, kind: str, anchor: str) -> str:
    """Return words of a chart: at x percent of its width and y pixels down."""
    return f'<text class="{kind}" x="{x:.3f}%" y="{y:.1f}" text-anchor="{anchor}">{esc(text)}</text>'


def svg(key: str, height: float, title: str, words: str, marks: Iterable[str]) -> str:
    """Return a chart of so many pixels' height with its title and its numbers in words; `key` is its id on the page."""
    return (
        f'<svg class="chart" role="img" aria-labelledby="{key}-title {key}-words" width="100%" height="{height:.0f}">'
        f'<title id="{key}-title">{esc(title)}</title><desc id="{key}-words">{esc(words)}</desc>'
        + "".join(marks)
        + "</svg>\n"
    )
