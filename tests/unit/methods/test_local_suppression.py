"""Local suppression: what holds afterwards, counted here, and how little is blanked."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.methods.suppression import suppress_locally
from antifaz.methods.suppression.importance import sets_in_order
from antifaz.methods.suppression.strict_blanking import gather_rare, merge_failing
from antifaz.testing import check


def rows_of(frame, names):
    return list(zip(*(frame[name].to_pylist() for name in names), strict=True))


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


def test_it_keeps_what_every_method_promises():
    check(az.LocalSuppression)


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


def test_sets_come_smaller_first_and_by_the_column_kept_longest():
    assert sets_in_order(3, 100) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert sets_in_order(3, 2) == [(0,), (1,), (0, 1, 2)]


def test_where_nobody_can_spare_a_record_classes_are_joined():
    # Two classes of exactly 2 and one record: it must join one of them.
    codes, counts = np.array([[0, 0], [1, 1], [1, 2]], np.int32), np.array([2, 2, 1])
    gathered = merge_failing(gather_rare(codes, counts, 2, np.arange(2)), lambda parts: parts.sizes >= 2)
    assert sorted(gathered.sizes.tolist()) == [2, 3]
    assert sorted(gathered.labels.tolist()) == [[0, 0], [1, -1]]


def test_a_record_may_be_left_out_where_hiding_it_costs_more_than_it_has():
    people = pa.table({"p": [1] * 6 + [2] * 6 + [3], "q": [1] * 6 + [2] * 6 + [3]})
    roles = {"p": "quasi-identifier", "q": "quasi-identifier"}
    for share, left_out, blanked in ((0.0, 0, 6), (0.1, 1, 0)):
        method = az.LocalSuppression(suppression=share)
        told = az.anonymize(people, roles=roles, privacy=az.KAnonymity(3), method=method, seed=1)
        assert told.frame.num_rows == 13 - left_out
        assert told.evidence["rows"]["suppressed"] == left_out
        assert sum(told.evidence["method"]["blanked"].values()) == blanked


def test_a_release_keeps_types_and_is_checked_by_the_gate():
    random = np.random.default_rng(1)
    days = np.array(["2020-01-01", "2020-01-02", "2021-05-05"], "datetime64[D]")
    table = pa.table(
        {
            "age": random.integers(20, 24, 60),
            "height": random.choice([1.5, 1.75], 60),
            "day": random.choice(days, 60),
            "vote": random.choice([True, False], 60),
            "word": pa.array(random.choice(["a", "b"], 60)).dictionary_encode(),
        }
    )
    roles = dict.fromkeys(table.column_names, "quasi-identifier")
    release = az.anonymize(table, roles=roles, privacy=az.KAnonymity(3), method=az.LocalSuppression(), seed=1)
    rows = rows_of(release.frame, table.column_names)
    assert min(Counter(rows).values()) >= 3
    assert release.frame.schema.types[:4] == table.schema.types[:4]
    blanked = release.evidence["method"]["blanked"]
    assert blanked == {name: release.frame[name].null_count for name in table.column_names}
    assert sum(blanked.values()) > 0
    # A blank says nothing: at least the share of cells that are blank is lost.
    assert release.evidence["utility"]["loss"] == pytest.approx(sum(blanked.values()) / (60 * 5))
    (verdict,) = az.verify(release.frame, table.column_names, az.KAnonymity(3))
    assert verdict.holds


TABLE = pa.table({"x": [1, 2, 3], "y": [1, 1, 2]})


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: suppress_locally(TABLE, ["x"], 4), az.PrivacyNotReached, "k = 4 is more than the 3 records"),
        (lambda: suppress_locally(TABLE, ["x"], 0), az.ParameterError, "k should be a whole number of at least 1"),
        (lambda: suppress_locally(TABLE, ["z"], 2), az.SchemaError, "There is no column 'z'"),
        (lambda: suppress_locally(TABLE, ["x"]), az.ParameterError, "say k, or how many records"),
        (lambda: suppress_locally(TABLE, ["x"], 2, reading="loose"), az.ParameterError, "reading can't be 'loose'"),
        (lambda: suppress_locally(TABLE, ["x"], 2, importance=["y"]), az.ParameterError, "importance names 'y'"),
        (lambda: suppress_locally(TABLE, ["x", "y"], 2, importance=["y", "y"]), az.ParameterError, "column twice"),
        (lambda: suppress_locally(TABLE, ["x"], combinations={2: 2}), az.ParameterError, "of 1 to 1 columns"),
        (lambda: suppress_locally(TABLE, ["x"], 2, combinations={1: 2}), az.ParameterError, "and so does k"),
        (lambda: suppress_locally(TABLE.slice(0, 0), ["x"], 1), az.PrivacyNotReached, "more than the 0 records"),
        (lambda: suppress_locally(TABLE, ["x"], 2, importance={"x": "a"}), az.ParameterError, "each column a number"),
        (lambda: suppress_locally(TABLE, ["x"], 2, importance=3), az.ParameterError, "importance should list columns"),
        (lambda: suppress_locally(TABLE, ["x"], combinations=[3]), az.ParameterError, "combinations should say"),
        (lambda: suppress_locally(TABLE, ["x"], 2, seed=-1), az.ParameterError, "seed should be a whole number"),
        (lambda: az.LocalSuppression(importance=3), az.ParameterError, "importance"),
    ],
)
def test_bad_input_is_said_in_one_sentence(call, error, words):
    with pytest.raises(error, match=re.escape(words)) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_one_record_is_one_in_itself():
    assert suppress_locally(TABLE.slice(0, 1), ["x", "y"], 1).total == 0


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_very_many_combinations_are_dealt_with_in_blocks(missing, monkeypatch):
    import antifaz.methods.suppression.match_blanking as matching_reading

    monkeypatch.setattr(matching_reading, "_MANY", 20)
    monkeypatch.setattr(matching_reading, "_BLOCK", 8)
    for seed in range(10):
        table = made_up(seed, rows=150, missing=missing)
        found = suppress_locally(table, table.column_names, 4, reading="match")
        assert min(matching(rows_of(found.frame, table.column_names))) >= 4


@pytest.mark.parametrize("models", [[], [az.LDiversity(2, attribute="d")]], ids=["k", "l"])
def test_where_rows_can_not_be_told_apart_equal_records_are_blanked_alike(monkeypatch, models):
    from antifaz.engines.local.data import LocalData

    monkeypatch.setattr(LocalData, "by_row", False)
    random = np.random.default_rng(3)
    columns = {name: np.minimum(random.geometric(p, 150), 5) for name, p in (("a", 0.5), ("b", 0.6), ("c", 0.4))}
    table = pa.table({**columns, "d": random.choice(["x", "y", "z"], 150), "row": np.arange(150)})
    roles = {**dict.fromkeys("abc", "quasi-identifier"), "d": "sensitive", "row": "insensitive"}
    method = az.LocalSuppression(suppression=0.05)
    frame = az.anonymize(table, roles=roles, privacy=[az.KAnonymity(3), *models], method=method, seed=1).frame
    assert min(Counter(rows_of(frame, "abc")).values()) >= 3
    assert frame.num_rows >= 143
    before = rows_of(table, "abc")
    became = {}
    for row, new in zip(frame["row"].to_pylist(), rows_of(frame, "abc"), strict=True):
        assert all(y in (None, x) for x, y in zip(before[row], new, strict=True))
        assert became.setdefault(before[row], new) == new
    assert frame.schema.types == table.schema.types
