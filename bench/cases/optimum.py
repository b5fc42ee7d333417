"""The optimum of full-domain generalization, against ARX 3.9.2.

ARX was measured warmed up, its data loaded, in sorts of its own machine (best of five); half of that is the limit, and
a tenth for k of 2 and 5 where records may be left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter

from antifaz.counting.lattice import Lattice
from antifaz.engines.local.data import LocalData
from antifaz.methods.recoding.search import LatticeSearch
from antifaz.privacy import KAnonymity
from antifaz.utility import Loss
from bench.data import QIS, adult, cup_shaped, lattice
from bench.measure import Work, case

#: Sorts that ARX takes to find the optimum of Adult's 8 quasi-identifiers by loss: (k, suppression limit) → sorts.
ARX = {
    (2, 0.0): 0.0539, (2, 0.02): 0.5339, (2, 0.05): 0.5538, (2, 1.0): 1.1264,
    (5, 0.0): 0.0279, (5, 0.02): 0.4526, (5, 0.05): 0.5912, (5, 1.0): 1.5744,
    (10, 0.0): 0.0279, (10, 0.02): 0.4132, (10, 0.05): 0.6572, (10, 1.0): 2.4273,
    (50, 0.0): 0.0172, (50, 0.02): 0.2115, (50, 0.05): 0.3917, (50, 1.0): 2.2479,
    (100, 0.0): 0.0122, (100, 0.02): 0.0937, (100, 0.05): 0.17, (100, 1.0): 2.2927,
    (500, 0.0): 0.0103, (500, 0.02): 0.0286, (500, 0.05): 0.042, (500, 1.0): 2.5695,
    (1000, 0.0): 0.0101, (1000, 0.02): 0.0185, (1000, 0.05): 0.0308, (1000, 1.0): 2.6617,
}  # fmt: skip


@cache
def _counted() -> Lattice:
    """Count Adult once for all cases, which take a quarter of the time so."""
    return lattice(adult())


def _optimum(k: int, suppression: float) -> Callable[[bool], Work]:
    def prepare(quick: bool) -> Work:
        counted = _counted()

        def ours() -> float:
            # A fresh one each time, made before: a lattice remembers what it counted.
            nodes = Lattice(counted.frequencies, counted.ladders)
            began = perf_counter()
            LatticeSearch(nodes, (KAnonymity(k),), Loss(), int(suppression * nodes.rows)).find_best()
            return perf_counter() - began

        ours()
        return ours

    prepare.__name__ = f"optimum_k{k}_s{suppression:g}"
    return prepare


for (_k, _s), _sorts in ARX.items():
    _share, _part = (10, "a tenth") if _k <= 5 and _s else (2, "half")
    _claim = f"Adult, 8 QIs, k={_k}, suppression up to {_s:.0%}: the optimum in {_part} of ARX's {_sorts:g} sorts"
    case(claim=_claim, limit=_sorts / _share, best_of=5)(_optimum(_k, _s))


@case(
    claim="made-up records of the shape of KDD Cup 98 (63,441 × 8 QIs, 45,000 nodes), k=5, up to 2%: the optimum; "
    "ARX's recorded 12 s are for the real ones, with which this does not compare",
    limit=1,
)
def cup_shape(quick: bool) -> Work:
    counted = cup_shaped()

    def ours() -> float:
        nodes = Lattice(counted.frequencies, counted.ladders)
        began = perf_counter()
        LatticeSearch(nodes, (KAnonymity(5),), Loss(), int(0.02 * nodes.rows)).find_best()
        return perf_counter() - began

    ours()
    return ours


@case(claim="Adult, 8 QIs, k=5: all generalizations that satisfy it (Incognito's output), from the counts", limit=0.5)
def candidates(quick: bool) -> Work:
    data = adult()
    ready = [lattice(data) for _ in range(8)]

    def ours() -> None:
        LatticeSearch(ready.pop(), (KAnonymity(5),), Loss(), 0).find_all()

    ours()
    return ours


@case(
    claim="Adult ×100 (3 million rows), k=5, 2 %: counting and deciding",
    against="the same on Adult itself, plus one GROUP BY of the 3 million rows",
    limit=1.2,
)
def adult_times_100(quick: bool) -> tuple[Work, Work]:
    one, many = adult(), adult(10 if quick else 100)
    names = ", ".join(f'"{name}"' for name in QIS)

    def decide(data: LocalData, k: int) -> None:
        nodes = lattice(data)
        LatticeSearch(nodes, (KAnonymity(k),), Loss(), int(0.02 * nodes.rows)).find_best()

    def theirs() -> None:
        decide(one, 5)
        many.db.sql(f"SELECT {names}, count(*) AS n FROM {many.table} GROUP BY ALL").to_arrow_table()

    copies = many.rows // one.rows
    return lambda: decide(many, 5 * copies), theirs
