"""Microaggregation: frame in, frame out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import antifaz as az
from bench.measure import Work, case
from bench.recorded import recorded, sdc_micro


@case(claim="MDAV of one column of 148,651 salaries, k=5", limit=0.1, best_of=5)
def mdav_one_column(quick: bool) -> Work:
    frame = az.datasets.salaries(148_651, seed=1)

    def ours() -> None:
        az.perturb.microaggregate(frame, columns=["salary"], k=5)

    ours()
    return ours


@case(
    claim="MDAV of 10,000 rows × 5 correlated columns, k=5, no slower",
    against="sdcMicro's C++ on a table of that size, recorded in sorts",
    limit=1,
)
def mdav_five_columns(quick: bool) -> tuple[Work, Work]:
    random = np.random.default_rng(1)
    values = random.normal(size=(10_000, 5)) @ random.normal(size=(5, 5))
    frame = pa.table({f"x{i}": column for i, column in enumerate(values.T)})

    def ours() -> None:
        az.perturb.microaggregate(frame, columns=frame.column_names, k=5)

    ours()
    return ours, recorded(sdc_micro("microagg_mdav5/multi"), quick)
