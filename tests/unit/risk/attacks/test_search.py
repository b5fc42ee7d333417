"""The search for who fits best, against all pairs written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba  # noqa: F401 - or fallbacks would do what kernels are to do
import numpy as np
import pyarrow as pa
import pytest

from antifaz.kernels import attacks as kernels
from antifaz.kernels import attacks_numpy, compiling
from antifaz.risk.attacks import search
from antifaz.risk.attacks.search import Question, SearchIndex, about_person
from antifaz.risk.attacks.tables import ALL, BLANK, SOME, AttackColumn, read_tables


@pytest.fixture(params=["kernels", "fallbacks"], autouse=True)
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let compiled kernels search, and then their fallbacks."""
    if request.param == "fallbacks":
        for module in (attacks_numpy, compiling):
            monkeypatch.setattr(module, "small", lambda entries: True)
        for name in ("search", "count_rivals", "count_prefixes"):
            monkeypatch.setattr(kernels, name, getattr(attacks_numpy, name))
    return str(request.param)


def _random_tables(random: np.random.Generator) -> tuple[pa.Table, pa.Table]:
    n, m = int(random.integers(1, 40)), int(random.integers(1, 40))
    words, masks = ["ab", "ac", "bc", None], ["ab", "a*", "{ab, bc}", "*", None, "word"]
    numbers = [*map(str, range(12)), None]
    stretches = ["3", "7.5", "[2, 5)", "[0-9]", "> 8", "*", None, "2-4", "[2, 9]"]

    def drawn(pool: list[Any], size: int) -> pa.Array:
        return pa.array([pool[i] for i in random.integers(0, len(pool), size)], pa.string())

    before = pa.table({"w": drawn(words, n), "x": drawn(numbers, n), "y": drawn(numbers, n)})
    return before, pa.table({"w": drawn(masks, m), "x": drawn(stretches, m), "y": drawn(stretches, m)})


def _cost(column: AttackColumn, value: float, label: int) -> int:
    """What a person's value and a label cost: a fit nothing, silence least, a gap its share of the range, at most 1."""
    state, one = column.labels.states[label], 1_000_000
    missing = bool(np.isnan(value)) if column.scaled else value == column.values.size - 1
    if state == ALL:
        return 1
    if state == BLANK:
        return 0 if missing else 1
    if not column.scaled:
        return 0 if value in column.members(label) else one
    if missing:
        return one
    gap = max(value - column.labels.high[label], column.labels.low[label] - value)
    return 0 if gap <= 0 else int(min(one, 100 + gap * (one / column.width)))


def test_the_search_finds_what_all_pairs_written_out_do() -> None:
    random = np.random.default_rng(8)
    for _ in range(80):
        # With the words they lead the search, without them the numbers do.
        names = [["w", "x", "y"], ["x", "y"], ["x"], ["w"]][int(random.integers(4))]
        tables = read_tables(*(table.select(names) for table in _random_tables(random)), {})
        columns = tables.columns
        released = SearchIndex(columns, "labels", [column.released for column in columns])
        original = SearchIndex(columns, "values", [column.original for column in columns])
        values = np.stack([column.people(column.original) for column in columns], axis=1)
        records = np.stack([column.released for column in columns], axis=1)
        costs = np.array([[_total(columns, person, record) for record in records] for person in values])
        for i, person in enumerate(values):
            found = np.sort(released.rows(released.best(about_person(columns, person))))
            np.testing.assert_array_equal(found, np.flatnonzero(costs[i] == costs[i].min()))
        # In any order, and some twice: what was found out about a record serves the next person who is led to it.
        pairs = [(i, r) for i in range(len(values)) for r in range(len(records))]
        pairs = [pairs[i] for i in random.integers(0, len(pairs), 2 * len(pairs))]
        people, rows = np.array(pairs).T
        expected = [
            -1 if costs[i, r] > costs[:, r].min() else int((costs[:, r] == costs[i, r]).sum()) for i, r in pairs
        ]
        assert original.rivals(values[people], records[rows]).tolist() == expected
        # People who are not in the table may cost less than all who are.
        stranger = np.array([np.nan if column.scaled else column.values.size - 1 for column in columns], np.float64)
        paid = np.array([_total(columns, stranger, record) for record in records])
        alone = [
            -1 if costs[:, r].min() < paid[r] else int((costs[:, r] == paid[r]).sum()) for r in range(len(records))
        ]
        assert original.rivals(np.tile(stranger, (len(records), 1)), records).tolist() == alone


def test_all_at_once_find_what_each_alone_does(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with one record taken out for each, and in blocks: -1 takes none out."""
    random = np.random.default_rng(9)
    asked = 0
    for names, block in [(["w", "x", "y"], 200_000), (["x", "y"], 1), (["w", "x"], 60), (["x"], 9), (["w"], 9)] * 12:
        monkeypatch.setattr(search, "_BLOCK", block)
        columns = read_tables(*(table.select(names) for table in _random_tables(random)), {}).columns
        released = SearchIndex(columns, "labels", [column.released for column in columns])
        values = np.stack([column.people(column.original) for column in columns], axis=1)
        records = np.stack([column.released for column in columns], axis=1)
        out = random.integers(-1, len(records), len(values))
        skips = np.where(out < 0, -1, released.tuple_of[out])
        found = released.best_of_each(values, skips)
        assert (found is None) == (by == "kernels" or len(names) == 1)
        for person, one, skip, tuples in zip(values, out, skips, found or [], strict=found is not None):
            np.testing.assert_array_equal(tuples, released.best(about_person(columns, person), int(skip)))
            costs = np.array([_total(columns, person, record) for record in records])
            left = np.arange(len(records)) != one
            best = np.flatnonzero(left & (costs == costs[left].min(initial=10**9)))
            np.testing.assert_array_equal(np.setdiff1d(released.rows(tuples), [one]), best)
            asked += 1
    assert asked > 300 or by == "kernels"


def _total(columns: Sequence[AttackColumn], person: np.ndarray, record: np.ndarray) -> int:
    return sum(_cost(*cell) for cell in zip(columns, person.tolist(), record.tolist(), strict=True))


def _fits(column: AttackColumn, row: int, word: int, low: float, high: float) -> bool:
    label = int(column.released[row])
    if not column.scaled:
        return label == word
    ends = column.labels.low[label], column.labels.high[label]
    return bool(column.labels.states[label] == SOME and ends[0] <= high and low <= ends[1])


@pytest.mark.parametrize("compiled", [True, False])
def test_prefixes_of_columns_are_counted_as_row_by_row(
    by: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "kernels" and not compiled:
        # As plain Python, with no column small enough to be looked up.
        monkeypatch.setattr(kernels, "FEW", 0)
        for name in ("_fits", "_known", "count_prefixes"):
            monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    random, compared = np.random.default_rng(9), 0
    for _ in range(60):
        before, after = _random_tables(random)
        columns = read_tables(before, after, {}).columns
        if [column.scaled for column in columns] != [False, True, True]:
            continue
        store = SearchIndex(columns, "labels", [column.released for column in columns])
        sequence = [int(c) for c in random.permutation(3)[: int(random.integers(1, 4))]]
        word, low = int(random.integers(columns[0].labels.size)), float(random.integers(0, 9))
        high = low + float(random.integers(0, 4))
        question = Question(asked=np.zeros((3, 5)))
        question.fitting[0] = np.array([word])
        question.asked[1:, :2] = low, high
        expected = [
            sum(all(_fits(columns[c], row, word, low, high) for c in sequence[:size]) for row in range(after.num_rows))
            for size in range(1, len(sequence) + 1)
        ]
        assert store.fitting(question, sequence).tolist() == expected
        assert (store.fitting(question, sequence, enough=1)[-1] == 1) == (expected[-1] == 1)
        compared += 1
    assert compared > 40


def test_what_a_cell_costs() -> None:
    before = pa.table({"x": ["0", "10", None]})
    after = pa.table({"x": ["[0, 10)", "*", None, "20", "5"]})
    column = read_tables(before, after, {}).columns[0]
    found = [[_cost(column, x, int(label)) for label in column.released] for x in (0.0, 10.0, np.nan)]
    # An end that does not belong costs a little, a gap its share of the range (at most 1), silence least.
    assert found[0] == [0, 1, 1, 1_000_000, 500_100]
    assert found[1] == [100, 1, 1, 1_000_000, 500_100]
    assert found[2] == [1_000_000, 1, 0, 1_000_000, 1_000_000]
    people = SearchIndex([column], "values", [column.original])
    # Of the three people nobody, or another, costs less; 5 lies as far from 0 as from 10.
    asked = np.array([[0.0], [10.0], [0.0], [np.nan]])
    assert people.rivals(asked, column.released[[0, 0, 4, 2]][:, None]).tolist() == [1, -1, 2, 1]
