"""Putting records into groups: Mondrian, k-members, l-greedy.

What is measured is the whole decision: the groups, their labels, and judging them; the rows are read before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np

import antifaz as az
from antifaz.counting.records import Records
from antifaz.engines.local.data import open_local
from antifaz.methods.clustering.base import Clustering
from antifaz.methods.method import Method, Task
from bench.data import adult, census, rows_of
from bench.measure import Work, case, peak_memory
from bench.recorded import python_peer, recorded

if TYPE_CHECKING:
    from antifaz.counting.frequencies import FrequencySet

K = 10
#: How many times faster than recorded Python programs the clustering must be.
FASTER = 300
STUDENT = ("participation", "exam", "practice", "year", "professor")
PERSON = ("age", "sex", "postcode", "education", "marital_status", "occupation", "country", "income")
#: Methods that group rows never look at the counts.
NO_COUNTS = cast("FrequencySet", None)


def _decide(method: Method, rows: Records) -> Work:
    def work() -> None:
        # A new generator each time, so that every repetition does the same.
        random = np.random.default_rng(1)
        method.decide(Task(frequencies=NO_COUNTS, ladders=(), models=(az.KAnonymity(K),), random=random, records=rows))

    return work


@case(claim="Mondrian at the median on 10 million rows × 6 QIs, k=10: cuts and labels", limit=15, best_of=2)
def mondrian_10_million(quick: bool) -> Work:
    _decide(az.Mondrian(), census(1_000))()
    return _decide(az.Mondrian(), census(10**5 if quick else 10**7))


@case(
    claim="what Mondrian holds in memory besides the columns, 10 million rows × 6 QIs, k=10",
    against="the QI columns, four bytes a cell",
    limit=4,
    best_of=1,
    unit="MB",
)
def mondrian_memory(quick: bool) -> tuple[Work, Work]:
    rows = 10**6 if quick else 10**7
    columns = rows * 6 * 4 / 1e6

    def ours() -> float:
        # A thousand rows hold what does not grow: Python, the libraries, the compiled kernels.
        whole, bare = (peak_memory(_once(many)) for many in (rows, 1_000))
        return (whole - bare) / 1e6 - columns

    return ours, lambda: columns


def _once(rows: int) -> list[str]:
    return [sys.executable, "-c", f"from bench.cases.groups import decide_once; decide_once({rows})"]


def decide_once(rows: int) -> None:
    """Decide once, in a process of its own."""
    _decide(az.Mondrian(), census(rows))()


def _growth(rows: int) -> Callable[[bool], tuple[Work, Work]]:
    def prepare(quick: bool) -> tuple[Work, Work]:
        many = rows // 100 if quick else rows
        fewer = _decide(az.Mondrian(), census(many // 10))
        fewer()  # compiles the kernels
        return _decide(az.Mondrian(), census(many)), fewer

    prepare.__name__ = f"mondrian_growth_to_{rows:.0e}".replace("+0", "")
    return prepare


for _rows in (10**6, 10**7):
    case(
        claim=f"Mondrian on {_rows:,} rows: ten times the rows take little more than ten times as long",
        against=f"the same on {_rows // 10:,} rows",
        # n·log(n/k) says 12.5 and 12; half as much again is for caches that are too small.
        limit=18,
        best_of=2,
    )(_growth(_rows))


_GONG = "k-members by Q. Gong in Python, recorded in sorts"
_LIANG = "l-greedy by its authors in Python, recorded in sorts"


@case(claim="k-members, 2,000 records of Adult × 8, k=10: 100 times faster", against=_GONG, limit=1 / 100)
def k_members_2000(quick: bool) -> tuple[Work, Work]:
    sorts = python_peer("qiyuangong/Clustering kmember", "adult 8QI(tool trees) n=2000 k=10")
    ours = _decide(az.KMembers(), rows_of(open_local(adult().to_arrow().slice(0, 2_000))))
    ours()
    return ours, recorded(sorts, quick)


@case(claim="l-greedy, 500 students × 5, k=10: 100 times faster", against=_LIANG, limit=1 / 100, best_of=5)
def l_greedy_500(quick: bool) -> tuple[Work, Work]:
    sorts = python_peer("Liang-Samavi greedy", "student500 5QI k=10")
    ours = _decide(az.LGreedy(), rows_of(open_local(az.datasets.students(500, seed=1)), STUDENT))
    ours()
    return ours, recorded(sorts, quick)


def _whole_adult(method: Clustering, sorts: float, measured: int, quick: bool) -> tuple[Work, Work]:
    """Compare on all of Adult, where nobody had the patience: their time grows with the square of the records."""
    table = adult().to_arrow()
    table = table.slice(0, 3_000) if quick else table
    ours = _decide(method, rows_of(open_local(table)))
    ours()
    return ours, recorded(sorts * (table.num_rows / measured) ** 2, quick)


@case(
    claim=f"k-members, Adult, 30,162 × 8, k=10: {FASTER} times faster",
    against=f"{_GONG} for 2,000 records, scaled by the square of the records",
    limit=1 / FASTER,
    best_of=2,
)
def k_members_adult(quick: bool) -> tuple[Work, Work]:
    sorts = python_peer("qiyuangong/Clustering kmember", "adult 8QI(tool trees) n=2000 k=10")
    return _whole_adult(az.KMembers(), sorts, 2_000, quick)


@case(
    claim=f"l-greedy, Adult, 30,162 × 8, k=10: {FASTER} times faster",
    against=f"{_LIANG} for 500 records × 5, scaled by the square of the records",
    limit=1 / FASTER,
    best_of=2,
)
def l_greedy_adult(quick: bool) -> tuple[Work, Work]:
    return _whole_adult(az.LGreedy(), python_peer("Liang-Samavi greedy", "student500 5QI k=10"), 500, quick)


def _million(method: Clustering, quick: bool) -> Work:
    people = az.datasets.people(10**4 if quick else 10**6, seed=1)
    # Smaller blocks in a quick run, so that there are some.
    chosen = method.model_copy(update={"block": 2_000}) if quick else method
    _decide(chosen, rows_of(open_local(people.slice(0, 3_000)), PERSON))()
    return _decide(chosen, rows_of(open_local(people), PERSON))


@case(claim="k-members, a million made-up people × 8 in blocks, k=10", limit=100, best_of=1)
def k_members_million(quick: bool) -> Work:
    return _million(az.KMembers(), quick)


@case(claim="l-greedy, a million made-up people × 8 in blocks, k=10", limit=100, best_of=1)
def l_greedy_million(quick: bool) -> Work:
    return _million(az.LGreedy(), quick)
