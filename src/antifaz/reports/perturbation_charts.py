"""Pictures of numbers before and after perturbation; no value of the data is in them."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats
from antifaz.core.language import Words
from antifaz.releases.evidence import under
from antifaz.releases.perturbation_evidence import FEWEST, Bars, round_step
from antifaz.reports.charts import Chart, label
from antifaz.reports.templating import is_number, values

# The area of a chart: percent of the width, pixels of the height.
_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 9.0, 98.0, 12.0, 212.0, 256.0


def counted(measure: Mapping[str, Any]) -> Bars | None:
    """Return the bars of a perturbed column's evidence; None where there are none to draw."""
    edges, before, after = (_numbers(under(measure, "histogram", key)) for key in ("edges", "before", "after"))
    if not (edges.size > 1 and before.size == after.size == edges.size - 1 and min(before.sum(), after.sum()) > 0):
        return None
    return Bars(edges=edges, before=before.astype(np.int64), after=after.astype(np.int64))


def curve(measure: Mapping[str, Any]) -> Floats | None:
    """Return the error curve of a perturbed column's evidence; None where there is none."""
    errors = _numbers(measure.get("errors"))
    return errors if errors.size else None


def _numbers(given: object) -> Floats:
    return np.array([each for each in values(given) if is_number(each)], np.float64)


def histogram(w: Words, column: str, bars: Bars | None, place: int = 0) -> Chart:
    """Draw how a column is distributed before and after, over one axis; the area of a bar is its share of records."""
    key, title = f"h{place}", w("histogram.title", column=str(column))
    if bars is None:
        return _too_few(key, title, w)
    edges, spans = bars.edges, np.diff(bars.edges)
    shares = [side / side.sum() for side in (bars.before, bars.after)]
    # Bars that were merged are wider; their height is per width, so that area stays the share.
    heights = [share / spans for share in shares]
    most = float(max(side.max() for side in heights))
    marks = _bottom_axis(edges[0], edges[-1], w("histogram.axis"), w)
    for a, b, one, other in zip(edges[:-1], edges[1:], *heights, strict=True):
        x, end = _x(a, edges[0], edges[-1]), _x(b, edges[0], edges[-1])
        # After is filled and before an outline, as in the other charts.
        for share, kind in ((other, "after pale"), (one, "outline")):
            top = _y(share / most)
            area = f'x="{x:.3f}%" y="{top:.1f}" width="{end - x:.3f}%" height="{_BOTTOM - top:.1f}"'
            marks.append(f'<rect class="{kind}" {area}/>')
    marks.append(label(_LEFT, _TOP - 2, w("histogram.up"), "value", "start"))
    words = "; ".join(
        w("histogram.words", low=_tick(a, w), high=_tick(b, w), before=w.percent(float(o)), after=w.percent(float(n)))
        for a, b, o, n in zip(edges[:-1], edges[1:], *shares, strict=True)
    )
    return Chart(key, _HEIGHT, title, f"{words}; {w('histogram.beyond')}", marks)


def errors(w: Words, column: str, curve: Floats | None, place: int = 0) -> Chart:
    """Draw the errors |x − x'| from the least to the greatest."""
    key, title = f"e{place}", w("errors.title", column=str(column))
    if curve is None:
        return _too_few(key, title, w)
    top = float(curve[-1])
    step = round_step(top / 4) if top > 0 else 0.25
    limit = max(math.ceil(top / step - 1e-9), 1) * step
    marks = _bottom_axis(0.0, 100.0, w("errors.axis"), w)
    for i in range(round(limit / step) + 1):
        y = _y(i * step / limit)
        ends = f'x1="{_LEFT}%" x2="{_RIGHT}%" y1="{y:.1f}" y2="{y:.1f}"'
        marks.append(f'<line {ends} style="stroke:var(--line);stroke-width:1"/>')
        marks.append(label(_LEFT - 1, y + 4, _tick(i * step, w), "value", "end"))
    marks.append(label(_LEFT, _TOP - 2, w("errors.up"), "value", "start"))
    places = [_x(float(at), 0.0, 100.0) for at in (np.arange(curve.size) + 0.5) / curve.size * 100]
    points = [(x, _y(float(error) / limit)) for x, error in zip(places, curve, strict=True)]
    for (x, y), (next_x, next_y) in pairwise(points):
        ends = f'x1="{x:.3f}%" y1="{y:.1f}" x2="{next_x:.3f}%" y2="{next_y:.1f}"'
        marks.append(f'<line {ends} style="stroke:var(--after);stroke-width:2.5;stroke-linecap:round"/>')
    quarters = [curve[min(int(curve.size * share), curve.size - 1)] for share in (0.25, 0.5, 0.75)]
    moved = ", ".join(_tick(float(f"{quarter:.2g}"), w) for quarter in quarters)
    return Chart(key, _HEIGHT, title, w("errors.words", moved=moved), marks)


def _too_few(key: str, title: str, w: Words) -> Chart:
    text = w("histogram.too_few", least=w.number(2 * FEWEST))
    return Chart(key, 24, title, text, [label(0, 16, text, "none", "start")])


def _bottom_axis(low: float, high: float, title: str, w: Words) -> list[str]:
    """The line below a chart, round numbers on it, and what they are."""
    step = round_step((high - low) / 6)
    marks = [f'<line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{_BOTTOM}" y2="{_BOTTOM}" style="stroke:var(--before)"/>']
    for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        x = _x(i * step, low, high)
        ends = f'x1="{x:.3f}%" x2="{x:.3f}%" y1="{_BOTTOM}" y2="{_BOTTOM + 4}"'
        marks.append(f'<line {ends} style="stroke:var(--before)"/>')
        marks.append(label(x, _BOTTOM + 18, _tick(i * step, w), "value", "middle"))
    return [*marks, label((_LEFT + _RIGHT) / 2, _BOTTOM + 38, title, "value none", "middle")]


def _tick(value: float, w: Words) -> str:
    """A round number as an axis shows it."""
    if value and (abs(value) >= 1e15 or abs(value) < 1e-4):
        return w.localized(f"{value:.3g}")
    text = w.localized(f"{value:,.10f}".rstrip("0").rstrip("."))
    return "0" if text == "-0" else text.replace("-", "−")


def _x(value: float, low: float, high: float) -> float:
    return _LEFT + (float(value) - low) / (high - low) * (_RIGHT - _LEFT)


def _y(share: float) -> float:
    return _BOTTOM - share * (_BOTTOM - _TOP - 6)
