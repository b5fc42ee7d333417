"""More records than memory: Mondrian part by part against Mondrian in memory, on data that fits.

What is measured is the run up to the decision: counting, cutting, labelling, measuring; the file is read before.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import antifaz as az
from antifaz.counting.remote import BoxedTuples
from antifaz.engines.local.data import LocalData, open_local
from antifaz.pipeline.plan import Plan, make_plan
from antifaz.pipeline.prepare import count_out_of_core, prepare, start_run
from bench.measure import Work, case

K = 10
COLUMNS = ("age", "income", "balance")


def clients(rows: int) -> pa.Table:
    """Make up clients of a bank: ages, and two amounts that are spread as amounts are."""
    random = np.random.default_rng(1)
    income = np.exp(random.normal(10, 0.7, rows)).astype(np.int64) // 10 * 10
    balance = np.exp(random.normal(7, 1.2, rows)).astype(np.int64) // 10 * 10
    return pa.table(dict(zip(COLUMNS, (random.integers(18, 95, rows), income, balance), strict=True)))


def _planned(data: LocalData, split: str) -> Plan:
    roles = dict.fromkeys(COLUMNS, "quasi-identifier")
    method = az.Mondrian(split=split, release="mode")
    return make_plan(data.schema, roles=roles, hierarchies={}, privacy=[az.KAnonymity(K)], method=method, seed=1)


def _both(split: str, quick: bool) -> tuple[Work, Work]:
    """Hold an eighth of the records at a time, against all of them."""
    rows = 10**5 if quick else 2 * 10**6
    table = clients(rows)

    def in_parts() -> None:
        with open_local(table, memory="2GB") as data:
            plan = _planned(data, split)
            boxes = data.remote(plan.quasi_identifiers, BoxedTuples)
            plan.method.decide(count_out_of_core(start_run(plan, data), boxes, rows // 8).task)

    def in_memory() -> None:
        with open_local(table) as data:
            plan = _planned(data, split)
            plan.method.decide(prepare(start_run(plan, data)).task)

    return in_parts, in_memory


@case(
    claim="Mondrian, distribution, 2 million rows × 3 QIs, k=10, part by part: an eighth held at a time",
    against="the same in memory",
    limit=4,
    best_of=2,
)
def out_of_core_distribution(quick: bool) -> tuple[Work, Work]:
    return _both("distribution", quick)


@case(
    claim="Mondrian at the median, 2 million rows × 3 QIs, k=10, part by part: an eighth held at a time",
    against="the same in memory",
    limit=4,
    best_of=2,
)
def out_of_core_median(quick: bool) -> tuple[Work, Work]:
    return _both("median", quick)
