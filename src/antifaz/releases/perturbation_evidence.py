"""How far the values of perturbed columns moved, and two pictures of that as numbers; no value of the data.

Histograms: a bar stands for none or at least five records of either table, neighbouring bars being merged until it
does; the axis runs between round numbers near the fifth least and the fifth greatest value, and whatever lies beyond is
in the outermost bars. Error curve: at most a hundred points, each the mean of at least five errors. A column with fewer
than ten records has neither.
"""

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import AntifazError
from antifaz.releases.evidence import Histogram, PerturbedColumn
from antifaz.risk import interval_risk_by_column
from antifaz.sources.paired_frames import read_numbers, standard_deviation
from antifaz.utility import il1s_by_column

#: The width of the intervals of `interval_risk`, in standard deviations.
WIDTH = 0.2
#: The least number of records that a bar or a point stands for.
FEWEST = 5
_BARS, _POINTS = 30, 100


def measured(before: pa.Table | None, after: pa.Table | None) -> dict[str, PerturbedColumn]:
    """Measure columns, given the same rows in the same order; nothing where they did not come to this machine."""
    if before is None or after is None or not before.num_rows:
        return {}
    return {name: measure_column(before, after, name) for name in before.column_names}


def measure_column(before: pa.Table, after: pa.Table, name: str, k: float = WIDTH) -> PerturbedColumn:
    """Measure one column; `k` is the width of the intervals of `interval_risk`, in standard deviations."""
    column = PerturbedColumn(changed=_changed(before.column(name), after.column(name)))
    try:
        (pair,) = read_numbers(before, after, [name], what="measures")
        risk = interval_risk_by_column(before, after, [name], k=k)[name]
        moved, widened = shifts(before, after, [name])[name]
        lost = None if widened is None else il1s_by_column(before, after, name, mean=True)[name]
    except AntifazError:
        return column  # categories, or numbers too large to be squared
    column.interval_risk, column.mean_moved, column.sd_times = risk, moved, widened
    if lost is not None:
        column.il1s = lost
    one, other = pair.known()
    counted, curve = bars(one, other), error_curve(one, other)
    if counted is not None and curve is not None:
        column.histogram = Histogram.model_validate({key: side.tolist() for key, side in vars(counted).items()})
        # Two digits draw the same curve, and do not tell what the last of an error's are.
        column.errors = [float(f"{error:.2g}") for error in curve]
    return column


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
    step = round_step((high - low) / _BARS if high - low > 1e-9 * size else size / 10 or 1.0)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    edges = step * np.arange(first, last + 1)
    counts = [
        np.bincount(np.clip(np.searchsorted(edges, side, "right") - 1, 0, edges.size - 2), minlength=edges.size - 1)
        for side in (before, after)
    ]
    bins = _merged(counts[0], counts[1], fewest)
    stops = [*bins[1:], edges.size - 1]
    sums = [np.array([side[a:b].sum() for a, b in zip(bins, stops, strict=True)]) for side in counts]
    return Bars(edges=edges[[*bins, edges.size - 1]], before=sums[0], after=sums[1])


def _merged(before: Ints, after: Ints, fewest: int) -> list[int]:
    """Where bars begin, such that each has none or enough of either; a remainder goes to the last."""

    def fit(start: int, stop: int) -> bool:
        sums = (int(side[start:stop].sum()) for side in (before, after))
        return all(records == 0 or records >= fewest for records in sums)

    starts = [0]
    for at in range(1, before.size):
        if fit(starts[-1], at):
            starts.append(at)
    while len(starts) > 1 and not fit(starts[-1], before.size):
        starts.pop()
    return starts


def error_curve(before: Floats, after: Floats) -> Floats | None:
    """Return the sorted errors |x − x'| as at most a hundred means of at least five each; None if there are too few."""
    if before.size < 2 * FEWEST:
        return None
    errors = np.sort(np.abs(before - after))
    groups = min(_POINTS, errors.size // FEWEST)
    starts = np.arange(groups) * errors.size // groups
    sizes = np.diff(np.append(starts, errors.size))
    return np.asarray(np.add.reduceat(errors, starts) / sizes)


def shifts(original: pa.Table, released: pa.Table, names: list[str]) -> dict[str, tuple[float | None, float | None]]:
    """By column: how far the mean moved in standard deviations, and by what factor these changed; constants: None."""
    moments: dict[str, tuple[float | None, float | None]] = dict.fromkeys(names, (None, None))
    for column in read_numbers(original, released, names, what="page"):
        before, after = column.known()
        width = standard_deviation(column.original)
        if width > 0 and before.size > 0:
            moments[column.name] = float((after - before).mean() / width), standard_deviation(after) / width
    return moments


def round_step(least: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 … that is not less."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9))


def _changed(before: pa.ChunkedArray, after: pa.ChunkedArray) -> float:
    """The share of the values that are there which are others afterwards."""
    dictionary = pa.types.is_dictionary
    one, other = (c.cast(c.type.value_type) if dictionary(c.type) else c for c in (before, after))
    if one.type != other.type:
        one, other = one.cast(pa.float64(), safe=False), other.cast(pa.float64(), safe=False)
    differ = pc.not_equal(one, other)
    there = len(differ) - differ.null_count
    return float(np.round((pc.sum(differ).as_py() or 0) / there, 4)) if there else 0.0
