"""A search on remote tuples takes the same steps as with all of them in memory, whatever may come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from antifaz.counting.frequencies import FrequencySet, Tuples, frequency_set
from antifaz.counting.remote import Assign, Coded, GroupedTuples, RecodableTuples, Recode, Work
from antifaz.counting.targets import together
from antifaz.methods import Decision, Specialization, Task
from antifaz.methods.specialization.partition import Forest
from antifaz.methods.specialization.remote import RemoteFrequencies, RemoteTask
from antifaz.privacy import KAnonymity, LDiversity, PrivacyModel, TCloseness
from oracles.counted import lattice_of, tuples_of

Rows = list[tuple[int, ...]]

TREES: dict[str, Any] = {
    "colour": {c: [c, "cold" if c in "bgtv" else "warm", "any"] for c in "bgtvory"},
    "letter": {x: [x, "early" if x < "d" else "late", "all"] for x in "abcdef"},
    "number": {n: [n, "*"] for n in "123"},
}


class Counted(RecodableTuples):
    """Tuples in plain Python, laid out in parts anyhow; each record by itself, so that everything is to be added up."""

    def __init__(self, rows: Rows, max_tuples: int) -> None:
        self.rows, self.max_tuples = rows, max_tuples
        self.asked: list[str] = []

    def column_counts(self, together_with: Sequence[str] = ()) -> list[Tuples]:
        raise NotImplementedError

    def encode(self, codes: Sequence[Mapping[str | None, int]], known: Sequence[int] = ()) -> None:
        raise NotImplementedError

    def _under(self, recode: Recode) -> Rows:
        return [
            tuple(c if own is None else int(own[c]) for c, own in zip(row, recode, strict=True)) for row in self.rows
        ]

    def estimate(self, recodes: Sequence[Recode]) -> list[int]:
        return [len(set(self._under(recode))) for recode in recodes]

    def count(self, recode: Recode) -> Coded:
        assert len(set(self._under(recode))) <= max(self.max_tuples, 9) or self.asked, "more came out than may"
        self.asked.append("count")
        return _coded(self._under(recode))

    def sizes(self, recode: Recode | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return np.unique(_coded(self.rows if recode is None else self._under(recode))[1], return_counts=True)

    def map_partitions(self, recode: Recode, assign: Assign, work: Work) -> list[NDArray[np.int64]]:
        self.asked.append("scatter")
        parts: dict[int, list[tuple[tuple[int, ...], int]]] = {}
        codes, counts = _coded(self._under(recode))
        tuples = list(zip(*(own.tolist() for own in codes), strict=True))
        for where, part, n in zip(*(own.tolist() for own in assign((codes, counts))), strict=True):
            parts.setdefault(part, []).append((tuples[where], n))
        assert sum(n for part in parts.values() for _, n in part) == len(self.rows)
        return [work(_coded([row for row, n in part for _ in range(n)])) for part in parts.values()]

    def group_by(self, recode: Recode, by: Recode) -> GroupedTuples:
        self.asked.append("gather")
        parts: dict[int, Rows] = {}
        for row, key in zip(self._under(recode), self._under(by), strict=True):
            parts.setdefault(hash(key) % 3, []).append(row)
        return Groups([_coded(part) for part in parts.values()])

    def close(self) -> None:
        self.asked.append("close")


class Groups(GroupedTuples):
    def __init__(self, parts: list[Coded]) -> None:
        self.parts = parts

    def map(self, work: Work) -> list[NDArray[np.int64]]:
        return [work(part) for part in self.parts]

    def close(self) -> None:
        self.parts = []


def _coded(rows: Rows) -> Coded:
    distinct = sorted(set(rows))
    counts = np.array([rows.count(row) for row in distinct], np.int64)
    return [np.array(column, np.int32) for column in zip(*distinct, strict=True)], counts


def _people(seed: int, n: int) -> list[dict[str, str | None]]:
    random = Random(seed)
    found: list[dict[str, str | None]] = []
    for _ in range(n):
        row: dict[str, str | None] = {
            name: random.choices(list(tree), [i + 1 for i in range(len(tree))])[0] for name, tree in TREES.items()
        }
        found.append(row | {"s": random.choice("uvw"), "t": random.choice("xy")})
    return found


def _tasks(rows: list[dict[str, str | None]], models: tuple[PrivacyModel, ...], budget: int) -> tuple[Task, RemoteTask]:
    sensitive = ("s", "t")
    lattice = lattice_of(rows, TREES, sensitive)
    counted = tuples_of(rows, (*TREES, *sensitive))
    whole = together(lattice.frequencies, counted, sensitive)
    sets = []
    for name in TREES:
        own = tuples_of(rows, (name, *sensitive))
        sets.append(together(frequency_set(own, (name,), sensitive), own, sensitive))
    domains = [*(own.domains[0] for own in sets), *(sets[0].cells[name].domain for name in sensitive)]
    place = {domain.column: dict(zip(domain.values, domain.codes.tolist(), strict=True)) for domain in domains}
    coded = [tuple(place[name][row[name]] for name in (*TREES, *sensitive)) for row in rows]
    remote = RemoteFrequencies(tuples=Counted(coded, budget), sets=tuple(sets), fills=(None,) * len(sets))
    forest = Forest(lattice.ladders)
    roots: FrequencySet = remote.at(forest, forest.roots(), tuple(whole.cells))
    local = Task(frequencies=whole, ladders=lattice.ladders, models=models, random=np.random.default_rng(5))
    fields = {"ladders": local.ladders, "models": models, "random": np.random.default_rng(5)}
    return local, RemoteTask(frequencies=roots, remote=remote, **fields)


MODELS: tuple[tuple[PrivacyModel, ...], ...] = (
    (KAnonymity(4),),
    (KAnonymity(2), LDiversity(2, attribute="s")),
    (LDiversity(2, attribute="t"), TCloseness(0.4, attribute="s")),
)
METHODS = (
    Specialization(),
    Specialization(phases=2, partitions=3, k_first=9),
    Specialization(phases=2, partitions=2, target=("t",), score="information-gain"),
    Specialization(cut="subtree", phases=2, partitions=4),
    Specialization(cut="subtree", score="igpl", phases=2, partitions=2, k_first=6),
)


def _said(decision: Decision) -> tuple[Any, ...]:
    table = decision.table
    return decision.details, decision.recoding, sorted(table.sizes.tolist()), [own.tolist() for own in table.originals]


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", [1, 12, 40, 10_000])
def test_the_same_steps(method: Specialization, models: tuple[PrivacyModel, ...], budget: int) -> None:
    for seed in range(3):
        local, remote = _tasks(_people(seed, 150), models, budget)
        assert _said(method.decide(remote)) == _said(method.decide(local))
        asked = remote.remote.tuples.asked  # type: ignore[attr-defined]
        assert ("gather" in asked) == (budget < 40) or budget == 40
        assert ("scatter" in asked) == (method.phases == 2)
        assert asked[-1] == "close"


def test_the_information_of_tuples_is_that_of_all() -> None:
    local, remote = _tasks(_people(1, 80), (KAnonymity(5),), 1)
    tables = [Specialization().decide(task).table for task in (local, remote)]
    assert tables[0].tuple_information == pytest.approx(tables[1].tuple_information)


def test_missing_values_are_filled_on_the_way() -> None:
    _, remote = _tasks(_people(2, 60), (KAnonymity(3),), 1)
    fills = (np.array([0, 1, 2, 3, 4, 5, 6, 2], np.int32), None, None)
    recode = replace(remote.remote, fills=fills).recode([np.arange(7, dtype=np.int32)[::-1], None, None], ["t"])
    assert recode[0] is not None and recode[0].tolist() == [6, 5, 4, 3, 2, 1, 0, 4]
    assert recode[1] is None and recode[2] is None
    assert recode[3] is not None and not recode[3].any() and recode[4] is None
