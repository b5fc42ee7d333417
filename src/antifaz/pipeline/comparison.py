"""What perturbation did to numbers: every measure of a pair of tables, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.core.files import write_text
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.pipeline.pairing import match_rows, read_columns
from antifaz.sources.frames import kind_of, to_arrow

if TYPE_CHECKING:
    from antifaz.sources.paired_frames import PairedColumn

#: Of larger tables so many released records are linked, with all originals.
LINKED = 200_000

# The measures are imported inside the functions, because they bring SciPy and Numba.


def compare(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    *,
    key: str | None = None,
    html: str | Path | None = None,
    k: float = 0.2,
    title: str | None = None,
    language: str = "en",
) -> dict[str, Any]:
    """Measure what became of the numbers of a table: each column by itself, and all of them together.

    Returns plain data that can be written as JSON; what does not exist, such as the correlation of a constant column,
    is None. Means and standard deviations of the original are among it: this is for whoever holds the original, and
    of a table of a few rows it says nearly everything. The page shows changes only.

    Args:
        original: A pandas, polars or pyarrow table, a path, or what `open` returned.
        released: The same rows in the same order, after perturbation.
        columns: Numeric columns; by default all that are numbers in both tables.
        key: A column of both tables that says which row is which; rows then need not be in the same order.
        html: Also write a page with the measures and with pictures of each column into this file.
        k: The width of the intervals of `interval_risk`, in standard deviations.
        title: The heading of the page.
        language: The language of the page: 'en', 'es' or 'ca'.
    """
    from antifaz.sources.paired_frames import read_numbers

    before, after = _frame(original), _frame(released)
    if key is not None:
        before, after = match_rows(key, to_arrow(before), to_arrow(after))
    found = compare_rows(read_numbers(before, after, columns, what="compare"), k)
    if html is not None:
        from antifaz.reports.report import comparison_html

        write_text(Path(html), comparison_html(found, language, title))
    return found


def _frame(place: Any) -> Any:
    if isinstance(place, Data):
        return read_columns(place, place.schema.names)
    if kind_of(place) is not None:
        return place
    with open_data(place) as data:
        return read_columns(data, data.schema.names)


def compare_rows(pairs: Sequence[PairedColumn], k: float = 0.2) -> dict[str, Any]:
    """Measure columns whose rows are side by side."""
    # Read once, whatever came in; the measures get the same numbers.
    before, after = pa.table({c.name: c.original for c in pairs}), pa.table({c.name: c.released for c in pairs})
    return {
        "rows": before.num_rows,
        "interval": float(k),
        "columns": _by_column(pairs, before, after, k),
        "together": _together(pairs, before, after, k),
    }


def _by_column(pairs: Sequence[PairedColumn], before: pa.Table, after: pa.Table, k: float) -> dict[str, Any]:
    """Each column by itself. Only rows with a value in both tables count for means and standard deviations."""
    from antifaz.releases.perturbation_evidence import measure_column
    from antifaz.sources.paired_frames import standard_deviation
    from antifaz.utility import il1, ks_columns

    distances = ks_columns(before, after)
    found = {}
    for column in pairs:
        one, other = column.known()
        measured = {"il1s": None, **measure_column(before, after, column.name, k).document()}
        lost = measured.pop("il1s")
        found[column.name] = {
            "compared": one.size,
            "mean": _changed(*(float(side.mean()) if one.size else None for side in (one, other))),
            "sd": _changed(*(standard_deviation(side) if one.size > 1 else None for side in (one, other))),
            "il1s": None if lost is None else lost * one.size,
            "il1s_per_record": lost,
            "il1_per_record": _finite(il1(before, after, column.name, mean=True)),
            "ks": {"statistic": float(distances[column.name].statistic), "p": float(distances[column.name].p)},
            **measured,
        }
    return found


def _together(pairs: Sequence[PairedColumn], before: pa.Table, after: pa.Table, k: float) -> dict[str, Any]:
    """All columns at once: who can be found, what became of relations, whether a classifier sees a difference."""
    from antifaz.risk import interval_risk, linkage
    from antifaz.utility import propensity

    linked = linkage(before, after, sample=LINKED)
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
