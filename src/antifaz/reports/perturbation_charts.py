"""Pictures of numbers before and after perturbation, and a page with them and the measures of each column.

No value of the data is shown. Histograms: a bar stands for none or at least five records of either table, neighbouring
bars being merged until it does; the axis runs between round numbers near the fifth least and the fifth greatest value,
and whatever lies beyond is in the outermost bars. Error curve: at most a hundred points, each the mean of at least five
errors. A column with fewer than ten records is not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.language import Words
from antifaz.reports.charts import label, svg
from antifaz.reports.parts import figure, legend, name, paragraph, section, table
from antifaz.reports.parts import page as whole_page
from antifaz.reports.texts import ENGLISH

if TYPE_CHECKING:
    from antifaz.sources.paired_frames import Paired

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: The least number of records that a bar or a point stands for.
FEWEST = 5
_BARS, _POINTS = 30, 100
#: Linking all records with all is left out of the page beyond this many.
_MOST_LINKED = 20_000
# The area of a chart: percent of the width, pixels of the height.
_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 9.0, 98.0, 12.0, 212.0, 256.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Bars:
    """A histogram of two samples over the same bars: edges, and how many of each lie between them."""

    edges: Floats
    before: Ints
    after: Ints


def bars(before: Floats, after: Floats, fewest: int = FEWEST) -> Bars | None:
    """Count two samples in bars between round numbers, each with none or at least `fewest` of either; None if too few.

    What lies beyond the outermost edges counts in the outermost bars.
    """
    if min(before.size, after.size) < 2 * fewest:
        return None
    ends = [np.partition(side, (fewest - 1, side.size - fewest)) for side in (before, after)]
    low, high = min(side[fewest - 1] for side in ends), max(side[-fewest] for side in ends)
    size = max(abs(low), abs(high))
    step = _round_step((high - low) / _BARS if high - low > 1e-9 * size else size / 10 or 1.0)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    edges = step * np.arange(first, last + 1)
    counts = [
        np.bincount(np.clip(np.searchsorted(edges, side, "right") - 1, 0, edges.size - 2), minlength=edges.size - 1)
        for side in (before, after)
    ]
    kept = _merged(counts[0], counts[1], fewest)
    stops = [*kept[1:], edges.size - 1]
    return Bars(
        edges=edges[[*kept, edges.size - 1]],
        before=np.array([counts[0][a:b].sum() for a, b in zip(kept, stops, strict=True)]),
        after=np.array([counts[1][a:b].sum() for a, b in zip(kept, stops, strict=True)]),
    )


def _merged(before: Ints, after: Ints, fewest: int) -> list[int]:
    """Where bars begin, such that each has none or enough of either; a remainder goes to the last."""

    def fit(start: int, stop: int) -> bool:
        sums = (int(side[start:stop].sum()) for side in (before, after))
        return all(found == 0 or found >= fewest for found in sums)

    starts = [0]
    for at in range(1, before.size):
        if fit(starts[-1], at):
            starts.append(at)
    while len(starts) > 1 and not fit(starts[-1], before.size):
        starts.pop()
    return starts


def histogram_chart(before: Floats, after: Floats, title: str, key: str = "histogram") -> str:
    """Draw how a column is distributed before and after, over one axis; the area of a bar is its share of records."""
    return bars_chart(bars(before, after), title, key)


def bars_chart(found: Bars | None, title: str, key: str = "histogram", w: Words = ENGLISH) -> str:
    """Draw what `bars` counted."""
    if found is None:
        return _too_few(key, title, w)
    edges, spans = found.edges, np.diff(found.edges)
    shares = [side / side.sum() for side in (found.before, found.after)]
    # Bars that were merged are wider; their height is per width, so that area stays the share.
    heights = [share / spans for share in shares]
    most = float(max(side.max() for side in heights))
    marks = _bottom_axis(edges[0], edges[-1], w("histogram.axis"), w)
    for a, b, one, other in zip(edges[:-1], edges[1:], *heights, strict=True):
        x, end = _x(a, edges[0], edges[-1]), _x(b, edges[0], edges[-1])
        # After is filled and before an outline, as in the other charts.
        for share, kind in ((other, "after pale"), (one, "outline")):
            top = _y(share / most)
            marks.append(
                f'<rect class="{kind}" x="{x:.3f}%" y="{top:.1f}" width="{end - x:.3f}%" height="{_BOTTOM - top:.1f}"/>'
            )
    marks.append(label(_LEFT, _TOP - 2, w("histogram.up"), "value", "start"))
    words = "; ".join(
        w("histogram.words", low=_tick(a, w), high=_tick(b, w), before=w.percent(float(o)), after=w.percent(float(n)))
        for a, b, o, n in zip(edges[:-1], edges[1:], *shares, strict=True)
    )
    return svg(key, _HEIGHT, title, f"{words}; {w('histogram.beyond')}", marks)


def error_curve(before: Floats, after: Floats) -> Floats | None:
    """Return the sorted errors |x − x'| as at most a hundred means of at least five each; None if there are too few."""
    if before.size < 2 * FEWEST:
        return None
    errors = np.sort(np.abs(before - after))
    groups = min(_POINTS, errors.size // FEWEST)
    starts = np.arange(groups) * errors.size // groups
    sizes = np.diff(np.append(starts, errors.size))
    return np.asarray(np.add.reduceat(errors, starts) / sizes)


def error_chart(before: Floats, after: Floats, title: str, key: str = "errors") -> str:
    """Draw the errors |x − x'| from the least to the greatest."""
    return curve_chart(error_curve(before, after), title, key)


def curve_chart(curve: Floats | None, title: str, key: str = "errors", w: Words = ENGLISH) -> str:
    """Draw what `error_curve` found."""
    if curve is None:
        return _too_few(key, title, w)
    top = float(curve[-1])
    step = _round_step(top / 4) if top > 0 else 0.25
    limit = max(math.ceil(top / step - 1e-9), 1) * step
    marks = _bottom_axis(0.0, 100.0, w("errors.axis"), w)
    for i in range(round(limit / step) + 1):
        y = _y(i * step / limit)
        marks.append(
            f'<line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{y:.1f}" y2="{y:.1f}" style="stroke:var(--line);stroke-width:1"/>'
        )
        marks.append(label(_LEFT - 1, y + 4, _tick(i * step, w), "value", "end"))
    marks.append(label(_LEFT, _TOP - 2, w("errors.up"), "value", "start"))
    places = [_x(float(at), 0.0, 100.0) for at in (np.arange(curve.size) + 0.5) / curve.size * 100]
    points = [(x, _y(float(error) / limit)) for x, error in zip(places, curve, strict=True)]
    for (x, y), (next_x, next_y) in pairwise(points):
        marks.append(
            f'<line x1="{x:.3f}%" y1="{y:.1f}" x2="{next_x:.3f}%" y2="{next_y:.1f}" '
            'style="stroke:var(--after);stroke-width:2.5;stroke-linecap:round"/>'
        )
    quarters = [curve[min(int(curve.size * share), curve.size - 1)] for share in (0.25, 0.5, 0.75)]
    moved = ", ".join(_tick(float(f"{quarter:.2g}"), w) for quarter in quarters)
    return svg(key, _HEIGHT, title, w("errors.words", moved=moved), marks)


def page(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    *,
    k: float = 0.2,
    title: str = "Before and after",
) -> str:
    """Return one self-contained HTML page: the measures of each numeric column, and both pictures of it.

    Args:
        original: A pandas, polars or pyarrow table.
        released: The same rows in the same order, after perturbation.
        columns: Numeric columns; by default all that are numbers in both tables.
        k: The width of the intervals of `interval_risk`, in standard deviations.
        title: The heading of the page.
    """
    from antifaz.sources.paired_frames import read_numbers

    pairs = read_numbers(original, released, columns, what="page")
    # Read once, whatever came in; the measures get the same numbers.
    before, after = pa.table({c.name: c.original for c in pairs}), pa.table({c.name: c.released for c in pairs})
    body = section("measures", "In numbers", _measures(before, after, [c.name for c in pairs], k))
    body += "".join(_drawn(i, column) for i, column in enumerate(pairs))
    w = ENGLISH
    meta = w("perturbed.meta", records=w.count("records", pairs[0].original.size), columns=w.number(len(pairs)))
    return whole_page(
        w, title=title, eyebrow=w("perturbed.eyebrow"), meta=f'<p class="meta">{meta}</p>\n', body=body,
        foot=w("perturbed.foot", fewest=w.number(FEWEST)),
    )  # fmt: skip


def _measures(original: pa.Table, released: pa.Table, names: list[str], k: float) -> str:
    """The table of measures, and what can be said of all columns together."""
    from antifaz.risk import interval_risk, interval_risk_by_column
    from antifaz.utility import il1s_by_column, ks_columns

    inside = interval_risk_by_column(original, released, names, k=k)
    everywhere = interval_risk(original, released, names, k=k)
    distances, moments = ks_columns(original, released, names), shifts(original, released, names)
    rows = []
    for column in names:
        shift, widths = moments[column]
        lost = il1s_by_column(original, released, column, mean=True)[column] if widths is not None else None
        found = (
            ENGLISH.number(lost),
            ENGLISH.number(shift),
            ENGLISH.number(widths),
            ENGLISH.number(distances[column].statistic),
            ENGLISH.percent(inside[column]),
        )
        rows.append((name(column), *found))
    heads = ("Column", "IL1s per cell", "mean moved by (sd)", "sd, times", "KS distance", f"within {k:g} sd")
    said = paragraph(
        f"In {ENGLISH.percent(everywhere)} of the records all columns lie within {k:g} standard deviations of the "
        "original.",
        _linked(original, released, names),
    )
    return said + table("Each column by itself", heads, rows, numeric=range(1, len(heads)))


def shifts(original: pa.Table, released: pa.Table, names: list[str]) -> dict[str, tuple[float | None, float | None]]:
    """By column: how far the mean moved in standard deviations, and by what factor these changed; constants: None."""
    from antifaz.sources.paired_frames import deviation, read_numbers

    found: dict[str, tuple[float | None, float | None]] = {}
    for column in read_numbers(original, released, names, what="page"):
        before, after = column.known()
        width = deviation(column.original)
        enough = width > 0 and before.size > 0
        found[column.name] = (
            (float((after - before).mean() / width), deviation(after) / width) if enough else (None, None)
        )
    return found


def _linked(original: pa.Table, released: pa.Table, names: list[str]) -> str:
    from antifaz.risk import linkage

    if original.num_rows > _MOST_LINKED:
        return ""
    found = linkage(original, released, names)
    return (
        f"Whoever holds the original values and links each released record to the nearest finds "
        f"{ENGLISH.percent(found.share)} of the people; guessing finds {ENGLISH.percent(found.chance)}."
    )


def _drawn(place: int, column: Paired) -> str:
    """The pictures of one column."""
    before, after = column.known()
    both = pictures(place, column.name, bars(before, after), error_curve(before, after))
    return section(f"column-{place}", name(column.name), both)


def pictures(place: int, column: str, found: Bars | None, curve: Floats | None, w: Words = ENGLISH) -> str:
    """Return both pictures of a column, from what was counted; `place` keeps them apart on a page."""
    both = legend(("before", w("legend.before")), ("after", w("legend.after")))
    title, moved = w("histogram.title", column=name(column)), w("errors.title", column=name(column))
    bars_drawn = bars_chart(found, w("histogram.title", column=column), f"h{place}", w)
    curve_drawn = curve_chart(curve, w("errors.title", column=column), f"e{place}", w)
    return figure(w, title, bars_drawn, w("histogram.shows"), w("histogram.how"), both) + figure(
        w, moved, curve_drawn, w("errors.shows"), w("errors.how")
    )


def _too_few(key: str, title: str, w: Words) -> str:
    said = w("histogram.too_few", least=w.number(2 * FEWEST))
    return svg(key, 24, title, said, [label(0, 16, said, "none", "start")])


def _round_step(least: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50 … that is not less."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9))


def _bottom_axis(low: float, high: float, said: str, w: Words) -> list[str]:
    """The line below a chart, round numbers on it, and what they are."""
    step = _round_step((high - low) / 6)
    marks = [f'<line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{_BOTTOM}" y2="{_BOTTOM}" style="stroke:var(--before)"/>']
    for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        x = _x(i * step, low, high)
        marks.append(
            f'<line x1="{x:.3f}%" x2="{x:.3f}%" y1="{_BOTTOM}" y2="{_BOTTOM + 4}" style="stroke:var(--before)"/>'
        )
        marks.append(label(x, _BOTTOM + 18, _tick(i * step, w), "value", "middle"))
    return [*marks, label((_LEFT + _RIGHT) / 2, _BOTTOM + 38, said, "value none", "middle")]


def _tick(value: float, w: Words) -> str:
    """A round number as an axis shows it."""
    if value and (abs(value) >= 1e15 or abs(value) < 1e-4):
        return w.localized(f"{value:.3g}")
    said = w.localized(f"{value:,.10f}".rstrip("0").rstrip("."))
    return "0" if said == "-0" else said.replace("-", "−")


def _x(value: float, low: float, high: float) -> float:
    return _LEFT + (float(value) - low) / (high - low) * (_RIGHT - _LEFT)


def _y(share: float) -> float:
    return _BOTTOM - share * (_BOTTOM - _TOP - 6)
