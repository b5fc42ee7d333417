"""The page on numbers before and after perturbation: the measures of each column, and both pictures of it."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from antifaz.releases.perturbation_evidence import FEWEST, bars, error_curve, shifts
from antifaz.reports.documents import write_html
from antifaz.reports.templating import ENGLISH
from antifaz.risk import interval_risk, interval_risk_by_column, linkage
from antifaz.sources.paired_frames import read_numbers
from antifaz.utility import il1s_by_column, ks_columns

#: Linking all records with all is left out of the page beyond this many.
_MOST_LINKED = 20_000


def comparison_html(
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
    pairs = read_numbers(original, released, columns, what="page")
    # Read once, whatever came in; the measures get the same numbers.
    before, after = pa.table({c.name: c.original for c in pairs}), pa.table({c.name: c.released for c in pairs})
    measured = _measured(before, after, [c.name for c in pairs], k)
    for column, pair in zip(measured["columns"], pairs, strict=True):
        one, other = pair.known()
        column |= {"counted": bars(one, other), "curve": error_curve(one, other)}
    w = ENGLISH
    records, number = w.count("records", pairs[0].original.size), w.number(len(pairs))
    return write_html(
        "perturbation.j2", "en", measured=measured, title=title, eyebrow=w("perturbed.eyebrow"),
        about=w("perturbed.meta", records=records, columns=number),
        foot=w("perturbed.foot", fewest=w.number(FEWEST)),
    )  # fmt: skip


def _measured(original: pa.Table, released: pa.Table, names: list[str], k: float) -> dict[str, Any]:
    """Measure each column, and what can be said of all columns together."""
    inside = interval_risk_by_column(original, released, names, k=k)
    distances, moments = ks_columns(original, released, names), shifts(original, released, names)
    columns = []
    for name in names:
        moved, widened = moments[name]
        lost = il1s_by_column(original, released, name, mean=True)[name] if widened is not None else None
        ks = distances[name].statistic
        columns.append({"name": name, "il1s": lost, "moved": moved, "sd": widened, "ks": ks, "within": inside[name]})
    linked = linkage(original, released, names) if original.num_rows <= _MOST_LINKED else None
    everywhere = interval_risk(original, released, names, k=k)
    return {"columns": columns, "everywhere": everywhere, "width": f"{k:g}", "linked": linked}
