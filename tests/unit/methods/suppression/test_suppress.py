"""Local suppression of frames: frame in, frame of the same kind out."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from antifaz.methods.suppression import suppress_locally
from unit.methods.suppression.test_local_suppression import TABLE, rows_of


def matching(rows):
    """How many rows match each, a blank matching anything: the plainest way there is."""
    return [sum(all(a is None or b is None or a == b for a, b in zip(r, s, strict=True)) for s in rows) for r in rows]


def made_up(seed, rows=None, missing=0.0):
    random = np.random.default_rng(seed)
    n, m = rows or int(random.integers(8, 120)), int(random.integers(2, 6))
    columns = {}
    for a in range(m):
        values = np.minimum(random.geometric(random.uniform(0.2, 0.7), n), random.integers(2, 8))
        columns[f"c{a}"] = pa.array(values, mask=random.random(n) < missing)
    return pa.table(columns)


def as_sdcmicro_does(rows, k):
    """The greedy way: every record below k loses a cell towards its nearest others, then all are counted again."""
    rows, m = [list(row) for row in rows], len(rows[0])
    values = [len({row[a] for row in rows} - {None}) for a in range(m)]
    order = sorted(range(m), key=lambda a: (values[a], a), reverse=True)
    seen, work = Counter(), []
    for row in rows:
        seen[tuple(row)] += 1
        if seen[tuple(row)] <= k:
            work.append(row)
    while min(found := matching(work)) < k:
        for i in sorted((i for i, f in enumerate(found) if f < k), key=lambda i: found[i]):
            own = work[i]
            differ = [{a for a in range(m) if r[a] != own[a] and None not in (r[a], own[a])} for r in work]
            nearest = min((len(d) for d in differ if d), default=0)
            where = set().union(*(d for d in differ if len(d) == nearest)) if nearest else set()
            if where:
                own[next(a for a in order if a in where)] = None
    return sum(cell is None for row in rows for cell in row)


@pytest.mark.parametrize("seed", range(40))
def test_both_readings_hold_and_nothing_else_changes(seed):
    table = made_up(seed, missing=0.05 if seed % 3 == 0 else 0.0)
    names, k = table.column_names, 2 + seed % 4
    before = rows_of(table, names)
    for reading in ("strict", "match"):
        found = suppress_locally(table, names, k, reading=reading, seed=seed)
        after = rows_of(found.frame, names)
        assert found.frame.schema.types == table.schema.types
        kept = [
            new in (None, old)
            for row, other in zip(before, after, strict=True)
            for old, new in zip(row, other, strict=True)
        ]
        assert all(kept)
        gone = sum(
            new is None and old is not None
            for row, other in zip(before, after, strict=True)
            for old, new in zip(row, other, strict=True)
        )
        assert found.total == gone
        assert min(Counter(after).values() if reading == "strict" else matching(after)) >= k
        assert found.below_strictly == sum(size for size in Counter(after).values() if size < k)


@pytest.mark.parametrize("seed", range(25))
def test_it_never_blanks_more_than_the_greedy_way(seed):
    table = made_up(seed)
    rows, k = rows_of(table, table.column_names), 2 + seed % 4
    for importance in (None, table.column_names):
        found = suppress_locally(table, table.column_names, k, reading="match", importance=importance)
        assert found.total <= as_sdcmicro_does(rows, k)


def fewest_strictly(rows, k):
    """The fewest cells to blank so that a blank is a value of its own, found by trying every way."""
    cells = [(i, a) for i in range(len(rows)) for a in range(len(rows[0]))]
    for many in range(len(cells) + 1):
        for chosen in combinations(cells, many):
            gone = set(chosen)
            new = [tuple(None if (i, a) in gone else x for a, x in enumerate(row)) for i, row in enumerate(rows)]
            if min(Counter(new).values()) >= k:
                return many
    raise AssertionError


@pytest.mark.parametrize("seed", range(12))
def test_small_tables_lose_few_cells_more_than_they_must(seed):
    random = np.random.default_rng(seed)
    rows = [tuple(int(x) for x in random.integers(0, 2 + seed % 2, 2)) for _ in range(7)]
    table = pa.table({"a": [row[0] for row in rows], "b": [row[1] for row in rows]})
    best = fewest_strictly(rows, 2)
    found = suppress_locally(table, ["a", "b"], 2, seed=1).total
    assert best <= found <= best + 2


def test_one_rare_record_borrows_from_a_frequent_combination():
    # The unique (a, y) needs one more record without its y: one of the ten (a, x) is blanked, nine stay.
    table = pa.table({"p": ["a"] * 11 + ["b"] * 5, "q": ["x"] * 10 + ["y"] + ["z"] * 5})
    found = suppress_locally(table, ["p", "q"], 2, seed=3)
    assert found.blanked == {"p": 0, "q": 2}
    assert Counter(rows_of(found.frame, ["p", "q"])) == {("a", "x"): 9, ("a", None): 2, ("b", "z"): 5}


def test_in_the_matching_reading_only_the_rare_record_is_blanked():
    table = pa.table({"p": ["a"] * 11 + ["b"] * 5, "q": ["x"] * 10 + ["y"] + ["z"] * 5})
    found = suppress_locally(table, ["p", "q"], 2, reading="match")
    assert (found.blanked, found.below_strictly) == ({"p": 0, "q": 1}, 1)
    assert found.frame["q"].to_pylist().index(None) == 10


@pytest.mark.parametrize("importance", [["p", "q"], {"p": 2, "q": 1}, ["p"], "p"])
@pytest.mark.parametrize("reading", ["strict", "match"])
def test_what_is_important_is_kept(importance, reading):
    # The last record is hidden by blanking either cell.
    table = pa.table({"p": [1] * 4 + [2] * 4 + [1], "q": [1] * 4 + [2] * 4 + [2]})
    found = suppress_locally(table, ["p", "q"], 2, importance=importance, reading=reading, seed=1)
    assert (found.blanked["p"], found.blanked["q"]) == (0, 2 if reading == "strict" else 1)
    other = {"p": "q", "q": "p"}
    turned = suppress_locally(
        table, ["p", "q"], 2, importance=other["p"] if isinstance(importance, str) else ["q"], reading=reading, seed=1
    )
    assert turned.blanked["q"] == 0


@pytest.mark.parametrize("reading", ["strict", "match"])
@pytest.mark.parametrize("k", [None, 2])
def test_all_combinations_of_some_columns_hold(reading, k):
    table = made_up(3, rows=80)
    names = table.column_names
    assert len(names) >= 3
    found = suppress_locally(table, names, k, combinations={2: 4, 1: 6}, reading=reading, seed=1)
    for size, needed in ((2, 4), (1, 6), *(((len(names), k),) if k else ())):
        for some in combinations(names, size):
            rows = rows_of(found.frame, some)
            assert min(Counter(rows).values() if reading == "strict" else matching(rows)) >= needed


def test_many_columns_are_suppressed_without_trying_every_set():
    random = np.random.default_rng(2)
    table = pa.table({f"c{a:02}": random.integers(0, 2, 40) for a in range(14)})
    for reading in ("strict", "match"):
        found = suppress_locally(table, table.column_names, 3, reading=reading, seed=1)
        rows = rows_of(found.frame, table.column_names)
        assert min(Counter(rows).values() if reading == "strict" else matching(rows)) >= 3


def test_frames_come_back_as_they_went_in():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"p": ["a", "a", "a", "b"], "q": ["x", "x", "y", "y"], "other": [1.5, 2.5, None, 4.5]}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        found = suppress_locally(frame, ["p", "q"], 2, reading="match")
        assert type(found.frame) is type(frame)
        assert list(found.frame.columns) == ["p", "q", "other"]
        assert found.total > 0
    category = pandas.DataFrame(columns).astype({"p": "category", "q": "category"})
    assert suppress_locally(category, ["p", "q"], 2, seed=1).below_strictly == 0


def test_one_record_is_one_in_itself():
    assert suppress_locally(TABLE.slice(0, 1), ["x", "y"], 1).total == 0


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_very_many_combinations_are_dealt_with_in_blocks(missing, monkeypatch):
    import antifaz.methods.suppression.blanking as matching_reading

    monkeypatch.setattr(matching_reading, "_MANY", 20)
    monkeypatch.setattr(matching_reading, "_BLOCK", 8)
    for seed in range(10):
        table = made_up(seed, rows=150, missing=missing)
        found = suppress_locally(table, table.column_names, 4, reading="match")
        assert min(matching(rows_of(found.frame, table.column_names))) >= 4
