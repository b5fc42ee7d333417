"""What perturbation did to numbers: every measure of a pair of tables, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.core.files import write_text

if TYPE_CHECKING:
    from antifaz.sources.paired_frames import PairedColumn

# The measures are imported inside the functions, because they bring SciPy and DuckDB.


def compare(
    original: Any, released: Any, columns: Sequence[str] | str | None = None, *, html: str | Path | None = None,
    k: float = 0.2, title: str = "Before and after",
) -> dict[str, Any]:  # fmt: skip
    """Measure what became of the numbers of a table: each column by itself, and all of them together.

    Returns plain data that can be written as JSON; what does not exist, such as the correlation of a constant column,
    is None. Means and standard deviations of the original are among it: this is for whoever holds the original, and
    of a table of a few rows it says nearly everything. The page shows changes only.

    Args:
        original: A pandas, polars or pyarrow table.
        released: The same rows in the same order, after perturbation.
        columns: Numeric columns; by default all that are numbers in both tables.
        html: Also write a page with the measures and with pictures of each column into this file.
        k: The width of the intervals of `interval_risk`, in standard deviations.
        title: The heading of the page.
    """
    from antifaz.sources.paired_frames import read_numbers

    pairs = read_numbers(original, released, columns, what="compare")
    # Read once, whatever came in; the measures get the same numbers.
    before, after = pa.table({c.name: c.original for c in pairs}), pa.table({c.name: c.released for c in pairs})
    measures = {
        "rows": before.num_rows,
        "interval": float(k),
        "columns": _by_column(pairs, before, after, k),
        "together": _together(pairs, before, after, k),
    }
    if html is not None:
        from antifaz.reports.comparison import comparison_html

        write_text(Path(html), comparison_html(before, after, k=k, title=title))
    return measures


def _by_column(pairs: Sequence[PairedColumn], before: pa.Table, after: pa.Table, k: float) -> dict[str, Any]:
    """Each column by itself. Only rows with a value in both tables count for means and standard deviations."""
    from antifaz.risk import interval_risk_by_column
    from antifaz.sources.paired_frames import standard_deviation
    from antifaz.utility import il1, il1s_by_column, ks_columns

    inside = interval_risk_by_column(before, after, k=k)
    distances = ks_columns(before, after)
    measures = {}
    for column in pairs:
        one, other = column.known()
        # IL1s is in standard deviations of the original, of which a constant has none.
        lost = il1s_by_column(before, after, column.name)[column.name] if standard_deviation(column.original) else None
        measures[column.name] = {
            "compared": one.size,
            "mean": _changed(*(float(side.mean()) if one.size else None for side in (one, other))),
            "sd": _changed(*(standard_deviation(side) if one.size > 1 else None for side in (one, other))),
            "il1s": lost,
            "il1s_per_record": None if lost is None else lost / max(one.size, 1),
            "il1_per_record": _finite(il1(before, after, column.name, mean=True)),
            "ks": {"statistic": float(distances[column.name].statistic), "p": float(distances[column.name].p)},
            "interval_risk": inside[column.name],
        }
    return measures


def _together(pairs: Sequence[PairedColumn], before: pa.Table, after: pa.Table, k: float) -> dict[str, Any]:
    """All columns at once: who can be found, what became of relations, whether a classifier sees a difference."""
    from antifaz.risk import interval_risk, linkage
    from antifaz.utility import propensity

    linked = linkage(before, after)
    # The rows that are looked at in a large table are drawn with this seed, so that the same tables measure the same.
    told_apart = propensity(before, after, seed=0)
    return {
        "interval_risk": interval_risk(before, after, k=k),
        "linkage": {name: getattr(linked, name) for name in ("share", "at_least", "at_most", "chance")},
        "propensity": {name: getattr(told_apart, name) for name in ("pmse", "expected", "ratio", "accuracy")},
        "moments": _moments(pairs, before, after),
    }


def _moments(pairs: Sequence[PairedColumn], before: pa.Table, after: pa.Table) -> dict[str, Any] | None:
    """How far statistics of all columns moved, over rows that miss nothing; None if there are not two such rows."""
    from antifaz.utility import differences

    gaps = [np.isnan(column.original) | np.isnan(column.released) for column in pairs if column.missing]
    if before.num_rows - (int(np.logical_or.reduce(gaps).sum()) if gaps else 0) < 2:
        return None
    moments = differences(before, after)
    names = ("means", "variances", "covariances", "correlations", "eigenvalues")
    moved: dict[str, Any] = {
        name: {key: _finite(getattr(getattr(moments, name), key)) for key in ("mean_absolute", "mean_relative")}
        for name in names
    }
    whole = {"eigen": _finite(moments.eigen), "il_correl": _finite(moments.il_correl)}
    return {"compared": moments.rows, **moved, **whole}


def _changed(before: float | None, after: float | None) -> dict[str, float | None]:
    """A figure of both tables, and its change as a share of the first; none from 0."""
    change = (after - before) / abs(before) if before and after is not None else None
    return {"original": before, "released": after, "change": change}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
