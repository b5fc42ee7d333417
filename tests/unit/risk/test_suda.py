"""Minimal sample uniques against a look at every set of columns."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import combinations
from math import factorial

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.risk.suda import suda


def _brute(rows, m, skip):
    """All minimal sample uniques of every row, found from the definition."""
    found = [[] for _ in rows]
    for size in range(1, m + 1):
        for places in combinations(range(m), size):
            parts = [tuple(row[a] for a in places) for row in rows]
            known = [not skip or None not in part for part in parts]
            counted = Counter(part for part, whole in zip(parts, known, strict=True) if whole)
            for i, (part, whole) in enumerate(zip(parts, known, strict=True)):
                if whole and counted[part] == 1 and not any(set(s) <= set(places) for s in found[i]):
                    found[i].append(places)
    return found


def _table(rows, m):
    return pa.table({f"c{a}": pa.array([row[a] for row in rows], pa.int64()) for a in range(m)})


def _made_up(seed, missing):
    random = np.random.default_rng(seed)
    n, m = int(random.integers(1, 60)), int(random.integers(1, 7))
    codes = random.integers(0, random.integers(1, 5, m) + 1, (n, m))
    gone = random.random((n, m)) < missing
    return [
        tuple(None if g else int(c) for c, g in zip(*pair, strict=True)) for pair in zip(codes, gone, strict=True)
    ], m


@pytest.mark.parametrize("missing", ["skip", "value"])
@pytest.mark.parametrize("room", [True, False])
def test_it_finds_what_a_look_at_every_set_finds(missing, room, monkeypatch):
    if not room:
        # The module; the package gives the function of that name.
        monkeypatch.setattr(sys.modules["antifaz.risk.suda"], "_ROOM", 0)
    for seed in range(60):
        rows, m = _made_up(seed, 0.1 if seed % 2 else 0.0)
        sets = _brute(rows, m, missing == "skip")
        found = suda(_table(rows, m), [f"c{a}" for a in range(m)], missing=missing)
        assert found.scores.tolist() == [sum(factorial(m - len(s)) for s in own) for own in sets]
        assert found.by_size == tuple(sum(len(s) == size for own in sets for s in own) for size in range(1, m + 1))
        for i, own in enumerate(sets):
            for a in range(m):
                share = sum(factorial(m - len(s)) for s in own if a in s) / max(found.scores[i], 1)
                assert found.contributions[i, a] == pytest.approx(share, abs=1e-12)


def test_scores_by_hand():
    # The first is alone by x; the second and third only by x and y together; the others are a pair.
    table = pa.table({"x": [1, 2, 2, 3, 3], "y": [1, 1, 2, 2, 2]})
    found = az.risk.suda(table, ["x", "y"])
    assert found.scores.tolist() == [1, 1, 1, 0, 0]
    assert found.by_size == (1, 2)
    assert found.contributions.tolist() == [[1, 0], [1, 1], [1, 1], [0, 0], [0, 0]]
    assert found.column_contributions == pytest.approx({"x": 100, "y": 200 / 3})
    # 2 records in pairs, all scores alike: 1/(1 + 2·99/3).
    assert found.dis == pytest.approx([1 / 67] * 3 + [0, 0])
    # (2² ⁻ ¹ − 1)·1!·1!/2! for one column, nothing for both.
    other = az.risk.suda(table, ["x", "y"], original_scores=False)
    assert other.scores.tolist() == [0.5, 0, 0, 0, 0]


def test_larger_sets_are_not_looked_for_beyond_the_largest_asked():
    table = pa.table({"x": [1, 2, 2, 3, 3], "y": [1, 1, 2, 2, 2]})
    found = az.risk.suda(table, ["x", "y"], largest=1)
    assert (found.scores.tolist(), found.by_size) == ([1, 0, 0, 0, 0], (1, 0))


def test_frames_of_pandas_and_polars_are_read_alike():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"x": [1, 2, 2, 3, 3], "y": ["a", "a", "b", "b", "b"]}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), pa.table(columns)):
        assert az.risk.suda(frame, columns=["x", "y"]).scores.tolist() == [1, 1, 1, 0, 0]
