"""Measures of perturbation: an original table against a released one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import antifaz as az
from bench.measure import Work, case
from bench.recorded import recorded, sdc_micro


def pair(rows: int, width: int, noise: float = 0.2) -> tuple[pa.Table, pa.Table]:
    """Return correlated columns, and the same with noise."""
    random = np.random.default_rng(1)
    before = random.normal(size=(rows, width)) @ random.normal(size=(width, width))
    after = before + noise * before.std(axis=0) * random.normal(size=before.shape)
    one, other = (pa.table({f"x{i}": column for i, column in enumerate(side.T)}) for side in (before, after))
    return one, other


def arrays(table: pa.Table) -> list[np.ndarray]:
    return [column.to_numpy() for column in table.columns]


@case(
    claim="Interval risk of 148,651 salaries within 1.5 times a plain pass",
    against="the same arithmetic in plain NumPy",
    limit=1.5,
    best_of=25,
)
def interval_risk_one_column(quick: bool) -> tuple[Work, Work]:
    before, after = pair(148_651, 1)

    def plain() -> None:
        x, y = arrays(before)[0], arrays(after)[0]
        (np.abs(x - y) <= 0.2 * y.std(ddof=1)).mean()

    return lambda: az.risk.interval_risk(before, after, k=0.2) and None, plain


@case(
    claim="IL1s of 148,651 salaries within 1.5 times a plain pass",
    against="the same arithmetic in plain NumPy",
    limit=1.5,
    best_of=25,
)
def il1s_one_column(quick: bool) -> tuple[Work, Work]:
    before, after = pair(148_651, 1)

    def plain() -> None:
        x, y = arrays(before)[0], arrays(after)[0]
        (np.abs(x - y) / (np.sqrt(2) * x.std(ddof=1))).sum()

    return lambda: az.utility.il1s(before, after) and None, plain


@case(
    claim="Interval risk and IL1s of a million rows × 5 columns within 1.5 times a plain pass",
    against="the same arithmetic in plain NumPy",
    limit=1.5,
    best_of=7,
)
def both_of_a_million(quick: bool) -> tuple[Work, Work]:
    before, after = pair(100_000 if quick else 1_000_000, 5)

    def ours() -> None:
        az.risk.interval_risk(before, after, k=0.2)
        az.utility.il1s(before, after)

    def plain() -> None:
        sides = list(zip(arrays(before), arrays(after), strict=True))
        np.logical_and.reduce([np.abs(x - y) <= 0.2 * y.std(ddof=1) for x, y in sides]).mean()
        sum((np.abs(x - y) / (np.sqrt(2) * x.std(ddof=1))).sum() for x, y in sides)

    return ours, plain


@case(claim="Interval risk, IL1s, IL1, differences and KS of a million rows in under a sort", limit=1)
def linear_measures_of_a_million(quick: bool) -> Work:
    before, after = pair(1_000_000, 1)

    def ours() -> None:
        az.risk.interval_risk(before, after, k=0.2)
        az.utility.il1s(before, after)
        az.utility.il1(before, after)
        az.utility.differences(before, after)
        az.utility.ks(before, after)

    ours()
    return ours


@case(
    claim="Record linkage of 834 × 5 at least 100 times faster",
    against="sdcMicro on a table of that size, recorded in sorts",
    limit=0.01,
    best_of=5,
)
def linkage_of_834(quick: bool) -> tuple[Work, Work]:
    before, after = pair(834, 5)

    def ours() -> None:
        az.risk.linkage(before, after)

    ours()
    return ours, recorded(sdc_micro("recordLinkage_5vars/Tarragona"), quick)


@case(claim="Record linkage of 148,651 rows × 5 columns, every pair of records considered", limit=4)
def linkage_of_all_salaries(quick: bool) -> Work:
    before, after = pair(20_000 if quick else 148_651, 5)

    def ours() -> None:
        az.risk.linkage(before, after)

    ours()
    return ours
