"""Query error: how far counts go astray that somebody asks of the released table instead of the original."""

from __future__ import annotations

from typing import Any

import numpy as np

from antifaz.core.arrays import Flags, Floats
from antifaz.core.roles import Role
from antifaz.utility.pair import PairColumn, TablePair

#: A true count below this share of the records is taken for it, so that tiny counts do not decide.
SANITY = 0.001


def query_error(pair: TablePair, random: np.random.Generator, *, queries: int = 100, most: int = 3) -> dict[str, Any]:
    """Ask random range queries of both tables: how many records lie in a range of one to `most` columns?

    A query takes columns at random among the quasi-identifiers, and in each a stretch of neighbouring values with about
    the same share of records, so that a tenth of the records would be in it if columns had no relation. In the released
    table a label counts by the share of its values that lie in the stretch; records that were left out are missing.
    The error is |released − true| / max(true, 0.1 % of the records).
    """
    columns = [column for column in pair.of(Role.QUASI_IDENTIFIER) if column.domain.size > 1]
    if not columns or not pair.rows:
        return {"queries": 0, "median_relative_error": None, "mean_relative_error": None}
    counts = np.where(pair.informative, pair.released.counts, 0).astype(np.float64)
    errors = np.empty(queries)
    for q in range(queries):
        chosen = random.choice(len(columns), int(random.integers(1, min(most, len(columns)) + 1)), replace=False)
        asked = [(columns[i], *_stretch(columns[i], 0.1 ** (1 / chosen.size), random)) for i in chosen.tolist()]
        true, estimate = _answers(pair, asked, counts)
        errors[q] = abs(estimate - true) / max(true, SANITY * pair.rows)
    return {
        "queries": queries,
        "median_relative_error": float(np.median(errors)),
        "mean_relative_error": float(errors.mean()),
    }


def _stretch(column: PairColumn, share: float, random: np.random.Generator) -> tuple[int, int]:
    """Draw neighbouring values that hold about this share of the records, but at least one value and not all."""
    before = column.domain.records_before
    start = int(np.searchsorted(before, random.random() * (1 - share) * before[-1], side="right")) - 1
    stop = int(np.searchsorted(before, before[start] + share * before[-1], side="left"))
    stop = min(max(stop, start + 1), column.domain.size)
    return (start, stop) if stop - start < column.domain.size else (start, stop - 1)


def _answers(pair: TablePair, asked: list[tuple[PairColumn, int, int]], counts: Floats) -> tuple[float, float]:
    inside: Flags | None = None
    share: Floats | None = None
    for column, start, stop in asked:
        hit = (column.before >= start) & (column.before < stop)
        part = column.covers.inside(start, stop)[column.after]
        inside = hit if inside is None else inside & hit
        share = part if share is None else share * part
    if inside is None or share is None:
        return 0.0, 0.0
    return float(pair.original.counts[inside].sum()), float(np.dot(counts, share))
