"""What is told of a perturbed column: how far its values moved, and two pictures as numbers; no value of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import AntifazError
from antifaz.reports.perturbation_charts import bars, error_curve, shifts
from antifaz.risk import interval_risk_by_column
from antifaz.sources.paired_frames import read_numbers
from antifaz.utility import il1s_by_column

#: The width of the intervals of `interval_risk`, in standard deviations.
WIDTH = 0.2


def measured(before: pa.Table | None, after: pa.Table | None) -> dict[str, Any]:
    """Measure columns, given the same rows in the same order; nothing where they did not come to this machine.

    Pictures follow the rule of `perturbation_charts`: every number stands for none or at least five records.
    """
    if before is None or after is None or not before.num_rows:
        return {}
    return {name: _column(before.select([name]), after.select([name]), name) for name in before.column_names}


def _column(before: pa.Table, after: pa.Table, name: str) -> dict[str, Any]:
    told: dict[str, Any] = {"changed": _changed(before.column(0), after.column(0))}
    try:
        (pair,) = read_numbers(before, after, [name], what="measures")
        told |= _numbers(before, after, name)
    except AntifazError:
        return told  # categories, or numbers too large to be squared
    one, other = pair.known()
    counted, curve = bars(one, other), error_curve(one, other)
    if counted is not None and curve is not None:
        told["histogram"] = {
            "edges": [float(edge) for edge in counted.edges],
            "before": counted.before.tolist(),
            "after": counted.after.tolist(),
        }
        # Two digits draw the same curve, and do not tell what the last of an error's are.
        told["errors"] = [float(f"{error:.2g}") for error in curve]
    return told


def _numbers(before: pa.Table, after: pa.Table, name: str) -> dict[str, Any]:
    moved, widened = shifts(before, after, [name])[name]
    told: dict[str, Any] = {
        "interval_risk": interval_risk_by_column(before, after, [name], k=WIDTH)[name],
        "mean_moved": moved,
        "sd_times": widened,
    }
    if widened is not None:
        told["il1s"] = il1s_by_column(before, after, name, mean=True)[name]
    return told


def _changed(before: pa.ChunkedArray, after: pa.ChunkedArray) -> float:
    """The share of the values that are there which are others afterwards."""
    one, other = (_plain(column) for column in (before, after))
    if one.type != other.type:
        one, other = one.cast(pa.float64(), safe=False), other.cast(pa.float64(), safe=False)
    differ = pc.not_equal(one, other)
    there = len(differ) - differ.null_count
    return float(np.round((pc.sum(differ).as_py() or 0) / there, 4)) if there else 0.0


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
