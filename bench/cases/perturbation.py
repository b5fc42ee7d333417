"""Perturbation: frame in, frame out, against plain NumPy, sorts and sdcMicro's recorded times."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

import antifaz as az
from bench.measure import Case, Work, case, seconds
from bench.recorded import recorded, sdc_micro

#: How often a call of less than a millisecond is timed; the best counts.
OFTEN = 300


@cache
def salaries(rows: int) -> pa.Table:
    return az.datasets.salaries(rows, seed=1)


@cache
def correlated() -> pa.Table:
    """10,000 rows of five correlated columns, as large as the table that sdcMicro was timed with."""
    random = np.random.default_rng(1)
    values = random.normal(size=(10_000, 5)) @ random.normal(size=(5, 5))
    return pa.table({f"x{i}": column for i, column in enumerate(values.T)})


@cache
def households(rows: int) -> pa.Table:
    """Categories and numbers such as sdcMicro's test data has."""
    random = np.random.default_rng(1)
    age, income, savings = random.normal(size=(3, rows))
    return pa.table(
        {
            "roof": random.choice([2, 4, 5, 6, 9], rows),
            "walls": random.choice([2, 3, 9], rows),
            "region": random.choice([f"region {i:02d}" for i in range(17)], rows),
            "age": np.rint(40 + 15 * age),
            "income": np.exp(0.5 * age + income),
            "savings": np.exp(0.4 * income + savings),
        }
    )


@case(
    claim="additive noise of a million numbers, at most 1.5 times",
    against="one pass of plain NumPy: x + normal(0, p·sd(x))",
    limit=1.5,
    best_of=9,
)
def additive_noise(quick: bool) -> tuple[Work, Work]:
    frame = salaries(1_000_000)
    plain = frame["salary"].to_numpy()
    random = np.random.default_rng(1)

    def ours() -> None:
        az.perturb.additive_noise(frame, columns="salary", p=0.2, seed=1)

    def theirs() -> None:
        plain + random.normal(0.0, 0.2 * plain.std(ddof=1), plain.size)

    ours()
    return ours, theirs


@case(
    claim="rank swap of 148,651 salaries, p = 0.2, at least 100 times faster",
    against="sdcMicro's C++ on a table of that size, recorded in sorts",
    limit=0.01,
    best_of=7,
)
def rank_swap(quick: bool) -> tuple[Work, Work]:
    frame = salaries(148_651)

    def ours() -> None:
        az.perturb.rank_swap(frame, columns="salary", p=0.2, seed=1)

    ours()
    return ours, recorded(sdc_micro("rankSwap_P0.2/salaries"), quick)


def _no_slower(task: str, what: str, work: Work, best_of: int = 7) -> Case:
    """Register a case that is held against a recorded time of sdcMicro."""

    def prepare(quick: bool) -> tuple[Work, Work]:
        def ours() -> None:
            work()

        ours()
        return ours, recorded(sdc_micro(task), quick)

    prepare.__name__ = "sdc_" + task.replace("/", "_").replace(".", "_").lower()
    against = "sdcMicro's C++ on a table of that size, recorded in sorts"
    return case(claim=f"{what}, no slower", against=against, limit=1, best_of=best_of)(prepare)


def _ages() -> pa.Table:
    return salaries(714)


_P = az.perturb
_no_slower(
    "addNoise_additive20/ages",
    "additive noise of 714 ages",
    lambda: _P.additive_noise(_ages(), columns="age", p=0.2, seed=1),
    OFTEN,
)
_no_slower(
    "rankSwap_P0.2/ages",
    "rank swap of 714 ages",
    lambda: _P.rank_swap(_ages(), columns="age", p=0.2, seed=1),
    OFTEN,
)
_no_slower(
    "addNoise_correlated2_d0.1/ages",
    "noise that keeps mean and variance, 714 ages",
    lambda: _P.correlated_noise(_ages(), columns="age", p=0.1, restore=True, seed=1),
    OFTEN,
)
_no_slower(
    "addNoise_additive20/salaries",
    "additive noise of 148,651 salaries",
    lambda: _P.additive_noise(salaries(148_651), columns="salary", p=0.2, seed=1),
)
_no_slower(
    "addNoise_correlated2_d0.1/salaries",
    "noise that keeps mean and variance, 148,651 salaries",
    lambda: _P.correlated_noise(salaries(148_651), columns="salary", p=0.1, restore=True, seed=1),
)
_no_slower(
    "addNoise_additive20/multi",
    "additive noise of 10,000 rows × 5 columns",
    lambda: _P.additive_noise(correlated(), columns=correlated().column_names, p=0.2, seed=1),
)
_no_slower(
    "addNoise_correlated20/multi",
    "correlated noise of 10,000 rows × 5 columns",
    lambda: _P.correlated_noise(correlated(), columns=correlated().column_names, p=0.2, seed=1),
)
_no_slower(
    "addNoise_correlated2_d0.1/multi",
    "noise that keeps means and covariances, 10,000 rows × 5 columns",
    lambda: _P.correlated_noise(correlated(), columns=correlated().column_names, p=0.1, restore=True, seed=1),
)
_no_slower(
    "rankSwap_P0.2/multi",
    "rank swap of 10,000 rows × 5 columns",
    lambda: _P.rank_swap(correlated(), columns=correlated().column_names, p=0.2, seed=1),
)
_no_slower(
    "shuffle_ds/testdata",
    "data shuffling of 4,580 rows, two columns given one",
    lambda: _P.shuffle(households(4_580), columns=["income", "savings"], given="age", seed=1),
)
_no_slower(
    "pram_roof_walls_pd0.8/testdata",
    "PRAM of 4,580 rows, two columns",
    lambda: _P.pram(households(4_580), columns=["roof", "walls"], keep=0.8, seed=1),
)


@case(claim="each of eight perturbations of a million rows, the slowest of them", limit=1)
def million_rows(quick: bool) -> Work:
    frame = salaries(1_000_000)
    works: list[Work] = [
        lambda: _P.additive_noise(frame, columns="salary", seed=1),
        lambda: _P.correlated_noise(frame, columns=["age", "salary"], seed=1),
        lambda: _P.correlated_noise(frame, columns=["age", "salary"], restore=True, seed=1),
        lambda: _P.multiplicative_noise(frame, columns="salary", seed=1),
        lambda: _P.rank_swap(frame, columns="salary", seed=1),
        lambda: _P.rank_swap_blocks(frame, columns="salary", seed=1),
        lambda: _P.pram(frame, columns="age", seed=1),
        lambda: _P.shuffle(frame, columns="salary", given="age", seed=1),
    ]
    _P.rank_swap(salaries(714), columns="salary", seed=1)

    def slowest() -> float:
        return max(seconds(*works, best_of=1))

    return slowest
