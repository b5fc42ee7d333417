"""The attacks' kernels by NumPy: the same figures, to the last digit, and the same tuples in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antifaz.kernels import attacks, attacks_numpy
from antifaz.risk.attacks.run import run_attacks
from antifaz.risk.attacks.search import SearchIndex, about_person
from antifaz.risk.attacks.tables import read_tables

_NAMES = ("search", "count_rivals", "count_prefixes")


def _tables(random: np.random.Generator) -> tuple[pa.Table, pa.Table]:
    """People, and what was released of them: exact, in stretches and groups, blank, or of somebody else."""
    n = int(random.integers(2, 60))
    age, word = random.integers(0, 30, n), random.integers(0, 6, n)
    before = {"age": [str(a) for a in age], "word": ["abcdef"[w] for w in word], "pay": random.normal(0, 1, n).round(2)}
    ways = random.integers(0, 4, (2, n))
    ages = [[f"[{a // 5 * 5}, {a // 5 * 5 + 5})", str(a), "*", None][i] for a, i in zip(age, ways[0], strict=True)]
    words = [["abcdef"[w], "{abc}" if w < 3 else "{def}", "*", None][i] for w, i in zip(word, ways[1], strict=True)]
    pay = before["pay"] + np.where(random.random(n) < 0.3, 0.5, 0)
    return pa.table(before), pa.table({"age": ages, "word": words, "pay": pay}).take(random.permutation(n))


def _use_fallbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks_numpy, "small", lambda entries: True)
    for name in _NAMES:
        monkeypatch.setattr(attacks, name, getattr(attacks_numpy, name))


def _figures(seed: int) -> list[dict[str, Any]]:
    before, after = _tables(np.random.default_rng(seed))
    covers = {"word": {"{abc}": list("abc"), "{def}": list("def")}}
    roles = {"age": "quasi-identifier", "word": "quasi-identifier", "pay": "sensitive"}
    neighbours = [{"name": f"knows the {name}", "knows": [name], "of": 20} for name in ("age", "word")]
    return run_attacks(before, after, roles, seed=seed, covers=covers, attacks=50, attackers=neighbours)


def test_attacks_have_the_same_figures_by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = [_figures(seed) for seed in range(25)]
    _use_fallbacks(monkeypatch)
    assert [_figures(seed) for seed in range(25)] == compiled


@pytest.mark.parametrize("names", [["age"], ["word"], ["age", "word", "pay"]])
def test_the_best_come_in_the_same_order(names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[bool, list[list[int]]] = {False: [], True: []}
    for fallbacks in (False, True):
        if fallbacks:
            _use_fallbacks(monkeypatch)
        for seed in range(20):
            columns = read_tables(*(table.select(names) for table in _tables(np.random.default_rng(seed))), {}).columns
            index = SearchIndex(columns, "labels", [column.released for column in columns])
            values = np.stack([column.people(column.original) for column in columns], axis=1)
            for i, person in enumerate(values):
                found[fallbacks].append(index.best(about_person(columns, person), skip=i % index.counts.size).tolist())
    assert found[True] == found[False]
    assert any(len(best) > 1 for best in found[True])
