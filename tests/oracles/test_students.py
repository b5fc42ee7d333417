"""500 students: losses no greater than those of the l-greedy authors' program and of a reference k-members.

Marks and year are numbers, the professor is a category. Taken so, a reference k-members' losses are met within a
percent; no order of ties reproduces the authors' l-greedy figures to all digits, so they are bounds here.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples
from antifaz.counting.groups import GroupedTable
from antifaz.counting.records import Records, records
from antifaz.methods.clustering.base import Clustering
from antifaz.methods.clustering.hilbert import Hilbert
from antifaz.methods.clustering.k_members import KMembers
from antifaz.methods.clustering.l_greedy import LGreedy
from antifaz.methods.clustering.one_pass import OnePass
from antifaz.methods.method import Task
from antifaz.privacy import KAnonymity
from antifaz.utility import gcp as mean_penalty

STUDENTS = Path(__file__).parents[3] / "shared" / "golden" / "clustering" / "students500.csv"
pytestmark = pytest.mark.skipif(not STUDENTS.is_file(), reason="the students are not beside this repository")

L_GREEDY = {2: 0.0561, 3: 0.1034, 5: 0.1841, 10: 0.3083, 20: 0.4484, 40: 0.6103}
#: The reference's best of five seeds. Ours tries sixteen first records per seed by default, and either rule for ties:
#: of single starts, one in seven gets to 0.5816 at k = 40, where there are but twelve groups.
K_MEMBERS = {2: 0.0560, 3: 0.1039, 5: 0.1800, 10: 0.3109, 20: 0.4501, 40: 0.5816}


@pytest.fixture(scope="module")
def students() -> Records:
    with STUDENTS.open(newline="") as file:
        head, *rows = csv.reader(file)
    columns = list(zip(*rows, strict=True))
    values = tuple(tuple(sorted(set(column))) for column in columns)
    codes = tuple(
        np.array([held.index(value) for value in column], np.int32)
        for held, column in zip(values, columns, strict=True)
    )
    counted = Tuples(columns=tuple(head), values=values, codes=codes, counts=np.ones(len(rows), np.int64))
    return records(counted, head, (), {name: DataType.INTEGER for name in head if name != "professor"})


#: Losses by method, k and seed: several tests compare with the same ones.
_LOSSES: dict[tuple[str, int, int], float] = {}


def gcp(held: Records, method: Clustering, k: int, seed: int = 0) -> float:
    known = repr(method), k, seed
    if known not in _LOSSES:
        _LOSSES[known] = _gcp(held, method, k, seed)
    return _LOSSES[known]


def _gcp(held: Records, method: Clustering, k: int, seed: int) -> float:
    task = Task(
        frequencies=None,  # type: ignore[arg-type]
        ladders=(),
        models=(KAnonymity(k),),
        random=np.random.default_rng(seed),
        records=held,
    )
    groups, _ = method.group(held, task)
    assert np.bincount(groups).min() >= k
    return mean_penalty(GroupedTable(held, groups))


@pytest.mark.parametrize("k", L_GREEDY)
def test_l_greedy_loses_no_more_than_its_authors(students: Records, k: int) -> None:
    assert round(gcp(students, LGreedy(), k), 4) <= L_GREEDY[k]


@pytest.mark.parametrize("k", K_MEMBERS)
def test_k_members_loses_no_more_than_the_reference(students: Records, k: int) -> None:
    assert round(min(gcp(students, KMembers(), k, seed) for seed in range(5)), 4) <= K_MEMBERS[k]


@pytest.mark.parametrize("k", [5, 40])
def test_more_starts_lose_no_more(students: Records, k: int) -> None:
    one, four = (gcp(students, KMembers(starts=starts), k, seed=3) for starts in (1, 4))
    assert four <= one


@pytest.mark.parametrize("method", [LGreedy, KMembers, Hilbert, OnePass])
@pytest.mark.parametrize("k", L_GREEDY)
def test_improving_lowers_the_loss_by_five_percent(students: Records, method: type[Clustering], k: int) -> None:
    assert gcp(students, method(improve=True), k) <= 0.95 * gcp(students, method(), k)


@pytest.mark.parametrize("k", L_GREEDY)
def test_the_fast_methods_lose_more(students: Records, k: int) -> None:
    exact = gcp(students, LGreedy(), k)
    assert exact < gcp(students, Hilbert(), k) < 1
    assert exact < gcp(students, OnePass(), k) < 1
