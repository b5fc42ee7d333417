"""Charts, drawn by hand: no script, no library, the same bytes for the same numbers.

Widths are percentages and heights pixels, so a chart fits a phone and a sheet of paper with letters of one size.
Colours come from style.css and chart.css; shapes and words say the same, so that a chart can be read in black and
white. Each carries a title and its numbers in words for screen readers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from antifaz.core.language import Words
from antifaz.releases.criteria import CRITERIA, criterion_of
from antifaz.reports.templating import esc, is_number, style
from antifaz.reports.view import attack, is_pair

Sizes = Sequence[Sequence[int]]

#: How wide a chart is drawn where nothing else says so; its letters then have the size of the text around them.
_WIDTH = 620
# Where bars begin and how far the longest goes, in percent of the width; the rest is for labels and numbers.
_LEFT, _SPAN = 22.0, 58.0


@dataclass(frozen=True)
class Chart:
    """A chart of so many pixels' height: its title, its numbers in words, its marks; `key` is its id on a page."""

    key: str
    height: float
    title: str
    words: str
    marks: Sequence[str]

    @property
    def description(self) -> str:
        """The chart for those who do not see it."""
        return f"{self.title}. {self.words}"

    def __html__(self) -> str:
        """Return it as a part of a page, which has the style sheet."""
        key = esc(self.key)
        return (
            f'<svg class="chart" role="img" aria-labelledby="{key}-title {key}-words" width="100%" '
            f'height="{self.height:.0f}"><title id="{key}-title">{esc(self.title)}</title>'
            f'<desc id="{key}-words">{esc(self.words)}</desc>{"".join(self.marks)}</svg>\n'
        )

    def standalone(self) -> str:
        """Return it as a picture that stands by itself, in the colours of print."""
        rules = re.findall(r"^\.chart (\.[a-z-]+|text) \{([^}]*)\}", style("chart.css"), re.MULTILINE)
        css = "".join(f"{selector} {{{rule}}}" for selector, rule in rules)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{self.height:.0f}" '
            f'viewBox="0 0 {_WIDTH} {self.height:.0f}" font-family="Libertinus Serif"><style>{_printed(css)}</style>'
            f"{_printed(''.join(self.marks))}</svg>"
        )


def _printed(text: str) -> str:
    """Give the style sheet's names of colours the colours of print: what stands alone has no variables."""
    sheet = style("style.css")
    colours = dict(re.findall(r"(--[a-z-]+):\s*(#[0-9a-f]+)", sheet[sheet.index("@media print") :]))
    return re.sub(r"var\((--[a-z-]+)\)", lambda match: colours.get(match[1], "#000"), text)


@dataclass(frozen=True, kw_only=True)
class Bin:
    """Class sizes from `low` to `high` (both inside), and the records in classes of such a size."""

    low: int
    high: int
    before: int
    after: int

    def label(self, w: Words) -> str:
        """Return how the bin is called on the axis."""
        low, high = w.number(self.low), w.number(self.high)
        return low if self.low == self.high else f"{low}–{high}"


def edges(largest: int, k: int | None = None) -> list[int]:
    """Return the sizes at which bins begin: 1, 2, 3, 5, 10, 20, 50, 100, …, and k, so that no bin straddles it."""
    starts, step = {1, 2, 3, 5, k or 1}, 10
    while step <= largest:
        starts |= {step, 2 * step, 5 * step}
        step *= 10
    return sorted(start for start in starts if 1 <= start <= max(1, largest))


def class_size_bins(before: Sizes, after: Sizes, k: int | None = None) -> list[Bin]:
    """Count records by the size of their class; `before` and `after` are pairs (size, number of classes)."""
    largest = max([size for size, _ in [*before, *after]], default=0)
    if largest < 1:
        return []

    def records(sizes: Sizes, low: int, high: int) -> int:
        return sum(size * classes for size, classes in sizes if low <= size <= high)

    starts = edges(largest, k)
    # The last bin ends where it would if larger ones followed.
    after_last = next(edge for edge in edges(starts[-1] * 10) if edge > starts[-1])
    spans = [(low, stop - 1) for low, stop in pairwise([*starts, after_last])]
    return [Bin(low=a, high=b, before=records(before, a, b), after=records(after, a, b)) for a, b in spans]


def class_sizes(w: Words, bins: Sequence[Bin], k: int | None = None, key: str = "sizes") -> Chart:
    """Draw the records in classes of each size, before and after, with a line where classes reach k."""
    most = max([max(b.before, b.after) for b in bins], default=0) or 1
    marks: list[str] = []
    y = 6.0
    for b in bins:
        if k is not None and k > 1 and b.low == k:
            marks.append(f'<line class="limit" x1="0" x2="100%" y1="{y + 13:.0f}" y2="{y + 13:.0f}"/>')
            marks.append(label(100, y + 9, f"k = {w.number(k)}", "limit-label", "end"))
            marks.append(label(0, y + 9, w("sizes.too_small"), "limit-label", "start"))
            y += 30
        marks.append(label(_LEFT - 2, y + 18, b.label(w), "axis", "end"))
        marks += _bar(w, y, b.before, most, "before") + _bar(w, y + 14, b.after, most, "after")
        y += 38
    words = [w("sizes.words", size=b.label(w), before=w.number(b.before), after=w.number(b.after)) for b in bins]
    return Chart(key, y, w("sizes.alt"), "; ".join(words), marks)


def _bar(w: Words, y: float, value: int, most: int, kind: str) -> list[str]:
    # A bar for something must be seen, or one record among a million would look like none.
    width = max(value / most * _SPAN, 0.4) if value else 0.0
    bar = f'<rect class="{kind}" x="{_LEFT}%" y="{y:.0f}" width="{width:.3f}%" height="12" rx="1.5"/>'
    shown = label(_LEFT + width + 1, y + 10.5, w.number(value), "value" if value else "value none", "start")
    return [bar, shown] if value else [shown]


def levels(w: Words, columns: Sequence[tuple[str, int, int]], key: str = "levels") -> Chart:
    """Draw for each (attribute, level, height) how far up its hierarchy it was taken."""
    marks: list[str] = []
    for i, (name, level, height) in enumerate(columns):
        y = 4.0 + i * 40
        steps = max(height, 1)
        marks.append(label(0, y + 12, shortened(name), "axis", "start"))
        marks.append(label(100, y + 12, _level_words(w, level, height), "value", "end"))
        gap = 0.6 if steps <= 20 else 0.0
        for step in range(steps):
            kind = "after" if step < level else "track"
            x, width = 100 / steps * step, 100 / steps - (gap if step < steps - 1 else 0)
            place = f'x="{x:.3f}%" y="{y + 18:.0f}" width="{width:.3f}%"'
            marks.append(f'<rect class="{kind}" {place} height="10" rx="1.5"/>')
    words = "; ".join(f"{name}: {_level_words(w, level, height)}" for name, level, height in columns)
    return Chart(key, 4 + 40 * len(columns), w("levels.title"), words, marks)


def _level_words(w: Words, level: int, height: int) -> str:
    if level <= 0:
        return w("levels.as_was") if height else w("levels.none")
    text = w("levels.at", level=w.number(level), height=w.number(height))
    return text + (w("levels.nothing_left") if level >= height else "")


def risks(w: Words, risks: Sequence[tuple[str, float]], limit: float, key: str = "risks") -> Chart:
    """Draw risks between 0 and 1 as bars, with a line at the limit they are compared with."""
    most = min(1.0, max([limit * 2, *[risk for _, risk in risks]]) * 1.05)
    marks, words = [], []
    for i, (name, risk) in enumerate(risks):
        y = 24.0 + i * 44
        kind, against = ("above", w("risks.above")) if risk > limit else ("after", w("risks.within"))
        words.append(f"{name}: {w.percent(risk)}, {against}")
        width = max(min(risk, 1.0) / most * 100, 0.3) if risk > 0 else 0.0
        marks.append(label(0, y + 12, name, "axis", "start"))
        marks.append(label(100, y + 12, f"{w.percent(risk)} · {against}", "value", "end"))
        marks.append(f'<rect class="track" x="0" y="{y + 18:.0f}" width="100%" height="12" rx="1.5"/>')
        marks.append(f'<rect class="{kind}" x="0" y="{y + 18:.0f}" width="{width:.3f}%" height="12" rx="1.5"/>')
        x = limit / most * 100
        marks.append(f'<line class="mark" x1="{x:.3f}%" x2="{x:.3f}%" y1="{y + 15:.0f}" y2="{y + 33:.0f}"/>')
    named = w("risks.limit", limit=w.number(limit))
    # Near an edge the words would be cut off in the middle.
    anchor = "start" if x < 12 else "end" if x > 88 else "middle"
    marks.append(label(x, 14, named, "value", anchor))
    return Chart(key, 24 + 44 * len(risks), w("risks.alt"), "; ".join([*words, named]), marks)


@dataclass(frozen=True, kw_only=True)
class AttackMarks:
    """One attack as it is drawn: shares between 0 and 1."""

    name: str
    success: float
    low: float
    high: float
    control: float | None
    chance: float | None


def attacks(w: Words, attempts: Sequence[Mapping[str, Any]]) -> Chart:
    """Draw attacks of the evidence under the criteria that they answer."""
    drawn = [attempt for attempt in attempts if is_number(attempt.get("success"))]
    groups = [(w(f"criteria.{key}"), [_marks(a, w) for a in drawn if criterion_of(a) == key]) for key in CRITERIA]
    return attack_groups(w, [(heading, tried) for heading, tried in groups if tried])


def _marks(attempt: Mapping[str, Any], w: Words) -> AttackMarks:
    ends: Any = attempt.get("interval")
    low, high = ends if is_pair(ends) else (attempt["success"],) * 2
    # Under the heading of its criterion an attack needs no more than its own word: a phone is narrow.
    _, own = attack(attempt.get("name", ""))
    return AttackMarks(
        name=shortened(w.either(f"attack.short.{own}", own)),
        success=float(attempt["success"]),
        low=float(low) if is_number(low) else 0.0,
        high=float(high) if is_number(high) else 1.0,
        control=attempt["control"] if is_number(attempt.get("control")) else None,
        chance=attempt["chance"] if is_number(attempt.get("chance")) else None,
    )


def attack_groups(w: Words, groups: Sequence[tuple[str, Sequence[AttackMarks]]]) -> Chart:
    """Draw for each attack how often it succeeds, with its interval, its control and chance; grouped under headings."""
    marks: list[str] = []
    words: list[str] = []
    y = 0.0
    for heading, tried in groups:
        marks.append(label(0, y + 16, heading, "axis strong", "start"))
        y += 22
        for one in tried:
            marks += _attack(w, y, one)
            y += 46
            known = [f"{w('attacks.control')} {w.percent(one.control)}"] if one.control is not None else []
            known += [f"{w('attacks.chance')} {w.percent(one.chance)}"] if one.chance is not None else []
            between = w("interval", low=w.percent(one.low), high=w.percent(one.high))
            words.append(f"{heading}, {one.name}: {w.percent(one.success)} ({between}); {', '.join(known)}")
        y += 8
    for share in (0, 25, 50, 75, 100):
        anchor = {0: "start", 100: "end"}.get(share, "middle")
        marks.append(label(_at(share / 100), y + 12, w.percent(share / 100), "value none", anchor))
    return Chart("criteria", y + 20, w("criteria.alt"), "; ".join(words), marks)


def _at(share: float) -> float:
    """Where a share lies, in percent of the width; room is left for marks at either end."""
    return 1.0 + min(max(share, 0.0), 1.0) * 98.0


def _attack(w: Words, y: float, one: AttackMarks) -> list[str]:
    x, low, high = _at(one.success), _at(one.low), _at(one.high)
    drawn = [
        label(0, y + 13, one.name, "axis", "start"),
        label(100, y + 13, w.percent(one.success), "value", "end"),
        f'<line class="axis-line" x1="1%" x2="99%" y1="{y + 28:.0f}" y2="{y + 28:.0f}"/>',
        f'<line class="reach" x1="{low:.3f}%" x2="{high:.3f}%" y1="{y + 28:.0f}" y2="{y + 28:.0f}"/>',
    ]
    for end in (low, high):
        drawn.append(f'<line class="reach" x1="{end:.3f}%" x2="{end:.3f}%" y1="{y + 23:.0f}" y2="{y + 33:.0f}"/>')
    if one.chance is not None:
        at = _at(one.chance)
        drawn.append(f'<line class="mark" x1="{at:.3f}%" x2="{at:.3f}%" y1="{y + 19:.0f}" y2="{y + 37:.0f}"/>')
    if one.control is not None:
        drawn.append(f'<circle class="control" cx="{_at(one.control):.3f}%" cy="{y + 28:.0f}" r="6.5"/>')
    drawn.append(f'<circle class="after" cx="{x:.3f}%" cy="{y + 28:.0f}" r="4.5"/>')
    return drawn


def shortened(name: str, most: int = 34) -> str:
    """Return a name, cut where it would run into what stands at its right."""
    return name if len(name) <= most else name[: most - 1] + "…"


def label(x: float, y: float, text: Any, kind: str, anchor: str) -> str:
    """Return words of a chart: at x percent of its width and y pixels down."""
    return f'<text class="{kind}" x="{x:.3f}%" y="{y:.1f}" text-anchor="{anchor}">{esc(text)}</text>'
