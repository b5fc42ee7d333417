"""Mondrian: small tables cut by hand, and what must be true of any table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples
from antifaz.counting.mondrian_cuts import cut_records, cut_rows, rank_space, sorted_rows
from antifaz.counting.records import Records, records
from antifaz.counting.rollup import Ladder
from antifaz.methods import Task
from antifaz.methods.clustering.mondrian import Mondrian
from antifaz.methods.clustering.mondrian_models import ModelMondrian, SplitCheck
from antifaz.privacy import AverageRisk, HighestRisk, KAnonymity, LDiversity, PrivacyModel, TCloseness
from failing import failing

NUMBER, TEXT = DataType.INTEGER, DataType.TEXT
WAYS = [{"split": "median"}, {"split": "median", "mode": "relaxed"}, {"split": "distribution"}]


def made(columns: dict[str, list[Any]], sensitive: list[str] | None = None, ladder: Ladder | None = None) -> Records:
    """Make records of plain columns: numbers where all values are, else categories; None is missing."""
    held = {**columns, **({"s": sensitive} if sensitive is not None else {})}
    values, codes = [], []
    for column in held.values():
        texts = [None if value is None else str(value) for value in column]
        distinct = list(dict.fromkeys(texts))
        values.append(tuple(distinct))
        codes.append(np.array([distinct.index(text) for text in texts], np.int32))
    rows = len(next(iter(held.values())))
    tuples = Tuples(columns=tuple(held), values=tuple(values), codes=tuple(codes), counts=np.ones(rows, np.int64))
    kinds = {name: NUMBER if all(isinstance(v, int | None) for v in column) else TEXT for name, column in held.items()}
    return records(
        tuples, list(columns), ["s"] if sensitive is not None else [], kinds, {ladder.column: ladder} if ladder else {}
    )


def grouped(method: Mondrian, table: Records, *models: PrivacyModel) -> list[int]:
    task = Task(
        frequencies=None,  # type: ignore[arg-type]  # never asked for rows
        ladders=(),
        models=tuple(model.bound(("s",)) for model in models),
        random=np.random.default_rng(1),
        records=table,
    )
    return method.group(table, task)[0].tolist()


def sets(groups: list[int], values: list[Any]) -> list[list[Any]]:
    """What each group holds, sorted."""
    order = sorted(set(groups))
    key = lambda value: (value is None, value)  # noqa: E731
    return sorted(
        (sorted((v for v, g in zip(values, groups, strict=True) if g == one), key=key) for one in order), key=str
    )


# -- by hand


def test_strict_median_keeps_equal_values_together() -> None:
    ages = [1, 2, 2, 2, 3, 4]
    # The median, 2, goes left with what is below it: 1 2 2 2 | 3 4. Neither side can be cut again: 1 | 2 2 2.
    assert sets(grouped(Mondrian(), made({"age": ages}), KAnonymity(2)), ages) == [[1, 2, 2, 2], [3, 4]]


def test_strict_median_cuts_below_the_median_where_that_alone_is_allowed() -> None:
    ages = [1, 1, 5, 5, 5, 5, 5]
    assert sets(grouped(Mondrian(), made({"age": ages}), KAnonymity(2)), ages) == [[1, 1], [5, 5, 5, 5, 5]]


def test_relaxed_median_balances_both_sides() -> None:
    ages = [1, 2, 2, 2, 3, 4]
    found = sets(grouped(Mondrian(mode="relaxed"), made({"age": ages}), KAnonymity(3)), ages)
    assert found == [[1, 2, 2], [2, 3, 4]]


def test_the_distribution_split_takes_the_first_value_with_k_on_both_sides() -> None:
    ages = [1, 2, 3, 3, 3, 4, 8, 9]
    # 1 2 | 3 3 3 4 8 9, then 3 3 3 | 4 8 9; 4 | 8 9 leaves one alone.
    found = sets(grouped(Mondrian(split="distribution"), made({"age": ages}), KAnonymity(2)), ages)
    assert found == [[1, 2], [3, 3, 3], [4, 8, 9]]


def test_the_widest_share_of_the_data_is_cut_first_and_of_equals_the_first() -> None:
    both = {"x": [0, 0, 10, 10], "y": [0, 9, 0, 9]}
    assert grouped(Mondrian(), made(both), KAnonymity(2)) == [0, 0, 1, 1]
    assert grouped(Mondrian(), made({"y": both["y"], "x": both["x"]}), KAnonymity(2)) == [0, 1, 0, 1]


@pytest.mark.parametrize("split", ["median", "distribution"])
def test_the_next_widest_is_cut_where_the_widest_can_not(split: str) -> None:
    # In x, the first of equals, only one record differs.
    columns = {"x": [0, 0, 0, 9], "y": [1, 1, 2, 2]}
    groups = grouped(Mondrian(split=split), made(columns), KAnonymity(2))
    assert sets(groups, columns["y"]) == [[1, 1], [2, 2]]


def test_categories_are_as_wide_as_they_have_values_and_cut_in_order() -> None:
    colours = ["d", "c", "b", "a"]
    assert sets(grouped(Mondrian(), made({"colour": colours}), KAnonymity(2)), colours) == [["a", "b"], ["c", "d"]]
    # Two of four colours are a third of their width, two of three numbers a half: after the first cut, numbers win.
    table = made({"colour": ["a", "b", "c", "d"] * 2, "x": [0, 0, 0, 0, 0, 4, 4, 8]})
    assert len(set(grouped(Mondrian(), table, KAnonymity(2)))) >= 3


def test_categories_with_a_hierarchy_are_cut_between_siblings() -> None:
    up = (np.arange(4, dtype=np.int32), np.array([0, 1, 0, 1], np.int32), np.zeros(4, np.int32))
    ladder = Ladder(
        column="colour",
        labels=(("a", "b", "c", "d"), ("one", "two"), ("*",)),
        up=up,
        shares=(np.full(4, 0.25), np.full(2, 0.5), np.ones(1)),
        leaves=4,
    )
    colours = ["a", "b", "c", "d"]
    table = made({"colour": colours}, ladder=ladder)
    assert sets(grouped(Mondrian(), table, KAnonymity(2)), colours) == [["a", "c"], ["b", "d"]]


@pytest.mark.parametrize("way", WAYS)
def test_missing_values_are_apart_where_they_can_be(way: dict[str, Any]) -> None:
    ages = [7, None, 3, None, 5, 1]
    found = sets(grouped(Mondrian(**way), made({"age": ages}), KAnonymity(2)), ages)
    assert found == [[1, 3], [5, 7], [None, None]]
    # One alone goes with the largest.
    ages = [7, None, 3, 1]
    assert sets(grouped(Mondrian(**way), made({"age": ages}), KAnonymity(2)), ages) == [[1, 3], [7, None]]


@pytest.mark.parametrize("way", WAYS)
def test_constant_columns_all_missing_and_k_of_all_make_one_group(way: dict[str, Any]) -> None:
    for columns in ({"x": [3] * 6}, {"x": [None] * 6}, {"x": ["a"] * 6, "y": [1] * 6}):
        assert grouped(Mondrian(**way), made(columns), KAnonymity(2)) == [0] * 6
    assert grouped(Mondrian(**way), made({"x": [1, 2, 3]}), KAnonymity(3)) == [0] * 3
    assert len(set(grouped(Mondrian(**way), made({"x": [1, 2, 3]}), KAnonymity(1)))) == 3


def test_l_diversity_moves_the_cut() -> None:
    ages, ills = [1, 1, 2, 2, 3, 3], ["a", "a", "a", "b", "a", "b"]
    table = made({"age": ages}, ills)
    # 1 1 | … would leave a group of one illness.
    method = Mondrian(split="distribution")
    assert sets(grouped(method, table, KAnonymity(2), LDiversity(2)), ages) == [[1, 1, 2, 2], [3, 3]]


def test_a_population_file_is_refused() -> None:
    with failing("method.cannot-compare-with-population", az.ParameterError):
        grouped(Mondrian(), made({"x": [1, 2]}), az.KMap(k=2, population="people.csv"))


# -- whatever the table

cells = st.one_of(st.none(), st.integers(0, 6))
words = st.one_of(st.none(), st.sampled_from("abcd"))


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[Any]], list[str]]:
    rows = draw(st.integers(1, 40))
    wide = st.one_of(st.none(), st.integers(0, 100_000))
    columns = {
        name: draw(st.lists(kind, min_size=rows, max_size=rows))
        for name, kind in (("x", cells), ("w", words), ("y", wide))
    }
    return columns, draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=rows, max_size=rows))


def _can_be_cut(columns: dict[str, list[Any]], members: list[int], k: int) -> bool:
    for column in columns.values():
        counts = Counter(
            (column[i] is None, column[i] or (0 if not isinstance(column[i], str) else "")) for i in members
        )
        left = 0
        for value in sorted(counts):
            left += counts[value]
            if left >= k and len(members) - left >= k:
                return True
    return False


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(1, 6), st.sampled_from(WAYS))
def test_groups_hold_k_and_can_not_be_cut_further(table: Any, k: int, way: dict[str, Any]) -> None:
    columns, _ = table
    rows = len(columns["x"])
    k = min(k, rows)
    groups = grouped(Mondrian(**way), made(columns), KAnonymity(k))
    sizes = Counter(groups)
    assert len(groups) == rows and sorted(sizes) == list(range(len(sizes))) and min(sizes.values()) >= k
    if way.get("mode") != "relaxed":
        for group in sizes:
            assert not _can_be_cut(columns, [i for i in range(rows) if groups[i] == group], k)


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(1, 6), st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table: Any, k: int, way: dict[str, Any], random: Any) -> None:
    columns, _ = table
    rows = list(zip(*columns.values(), strict=True))
    k = min(k, len(rows))
    shuffled = random.sample(rows, len(rows))
    other = dict(zip(columns, map(list, zip(*shuffled, strict=True)), strict=True))

    def found(held: dict[str, list[Any]], order: list[Any]) -> Counter[Any]:
        groups = grouped(Mondrian(**way), made(held), KAnonymity(k))
        return Counter(
            tuple(sorted(str(r) for r, g in zip(order, groups, strict=True) if g == one)) for one in set(groups)
        )

    assert found(columns, rows) == found(other, shuffled)


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(1, 6), st.sampled_from(WAYS))
def test_asking_models_cuts_as_counting_does(table: Any, k: int, way: dict[str, Any]) -> None:
    columns, ills = table
    k = min(k, len(ills))
    held = made(columns, ills)
    relaxed = way.get("mode") == "relaxed"
    ranks, space = rank_space(held)
    order = sorted_rows(held, ranks, space) if relaxed else np.arange(len(ills))
    check = SplitCheck(held, [KAnonymity(k)], 1)
    cutter = ModelMondrian(ranks=np.stack(ranks, 1), space=space, check=check, split=way["split"], relaxed=relaxed)
    asked = cutter.parts(order.astype(np.int64))[0]
    counted = grouped(Mondrian(**way), held, KAnonymity(k))
    assert len(set(zip(asked.tolist(), counted, strict=True))) == len(set(counted)) == asked.max() + 1


def _plain(columns: dict[str, list[Any]], ills: list[str], members: list[int], k: int) -> list[list[int]]:
    """The distribution split with two different illnesses on both sides, each cut judged from scratch."""

    def good(side: list[int]) -> bool:
        return len(side) >= k and len({ills[i] for i in side}) >= 2

    def cut(apart: Callable[[int], bool]) -> list[list[int]] | None:
        sides = [i for i in members if not apart(i)], [i for i in members if apart(i)]
        if not all(map(good, sides)):
            return None
        return _plain(columns, ills, sides[0], k) + _plain(columns, ills, sides[1], k)

    widths = {}
    for name, column in columns.items():
        found = cut(lambda i, column=column: column[i] is None)
        if found:
            return found
        everyone = sorted(set(column) - {None})
        here = [everyone.index(column[i]) if name == "w" else column[i] for i in members if column[i] is not None]
        widths[name] = (max(here) - min(here)) / np.std(here) if len(set(here)) > 1 else 0
        widths[name] *= 1000 if name == "w" else 1  # categories before numbers
    for name in sorted(widths, key=lambda name: -round(widths[name], 6)):
        column = columns[name]
        for value in sorted({column[i] for i in members} - {None}) if widths[name] > 0 else []:
            found = cut(lambda i, column=column, value=value: column[i] is None or column[i] > value)
            if found:
                return found
    return [members]


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(1, 3))
def test_peeling_under_a_model_cuts_as_judging_from_scratch_does(table: Any, k: int) -> None:
    columns, ills = table
    k = min(k, len(ills))
    groups = grouped(Mondrian(split="distribution"), made(columns, ills), KAnonymity(k), LDiversity(2))
    expected = _plain(columns, ills, list(range(len(ills))), k)
    assert [[i for i, g in enumerate(groups) if g == one] for one in range(max(groups) + 1)] == expected


@settings(max_examples=100, deadline=None)
@given(tables(), st.sampled_from(WAYS), st.sampled_from(["equal", "ordered"]))
def test_sensitive_models_hold_in_every_group(table: Any, way: dict[str, Any], distance: str) -> None:
    columns, ills = table
    held = made(columns, ills)
    close = TCloseness(0.3, distance=distance)
    groups = grouped(Mondrian(**way), held, close)
    whole = Counter(ills)
    for one in set(groups):
        here = Counter(ill for ill, group in zip(ills, groups, strict=True) if group == one)
        gaps = [here[v] / here.total() - whole[v] / whole.total() for v in sorted(whole)]
        far = sum(max(gap, 0) for gap in gaps)
        if distance == "ordered":
            far = float(np.abs(np.cumsum(gaps)).sum()) / max(len(whole) - 1, 1)
        assert far <= 0.3 + 1e-9
    if len(whole) > 1:
        groups = grouped(Mondrian(**way), held, LDiversity(2))
        assert all(len({ills[i] for i in range(len(ills)) if groups[i] == one}) > 1 for one in set(groups))


@pytest.mark.parametrize("way", WAYS)
def test_risks_are_asked_of_every_part(way: dict[str, Any]) -> None:
    held = made({"x": list(range(40))})
    for model in (AverageRisk(0.25), HighestRisk(0.25)):
        assert 4 <= min(Counter(grouped(Mondrian(**way), held, model)).values()) < 8


def _cut(table: Records, k: int, way: dict[str, Any], **how: int) -> tuple[list[int], int]:
    relaxed = way.get("mode") == "relaxed"
    ranks, space = rank_space(table)
    order = sorted_rows(table, ranks, space) if relaxed else np.arange(table.rows, dtype=np.int32)
    rows = np.stack([*(part[order] for part in ranks), order], axis=1)
    groups, parts = cut_rows(rows, space, k, split=way["split"], relaxed=relaxed, **how)
    # Records that fit a word are cut as words, and not otherwise than as rows.
    found, again = cut_records(ranks, order, space, k, split=way["split"], relaxed=relaxed, **how)
    assert (found.tolist(), again) == (groups.tolist(), parts)
    return groups.tolist(), parts


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(1, 6), st.sampled_from(WAYS), st.sampled_from([1, 3, 10]))
def test_any_number_of_threads_cuts_alike(table: Any, k: int, way: dict[str, Any], grain: int) -> None:
    held = made(table[0])
    k = min(k, held.rows)
    alone = _cut(held, k, way, threads=1)
    assert alone == _cut(held, k, way, threads=2, grain=grain) == _cut(held, k, way, threads=8, grain=grain)
    assert sorted(set(alone[0])) == list(range(alone[1]))


@pytest.mark.parametrize("way", WAYS)
def test_any_number_of_threads_cuts_large_tables_alike(way: dict[str, Any]) -> None:
    random = np.random.default_rng(5)
    columns = {name: random.integers(0, size, 20_000).tolist() for name, size in (("x", 9), ("y", 70), ("z", 4_000))}
    columns["y"][::7] = [None] * len(columns["y"][::7])
    # Categories of fewer and of more values than a word has bits, and of just as many.
    for name, size in (("few", 5), ("bits", 62), ("more", 63), ("many", 300)):
        columns[name] = [f"{name} {value:03d}" for value in random.integers(0, size, 20_000).tolist()]
    columns["few"][::5] = [None] * len(columns["few"][::5])
    held = made(columns)
    alone = _cut(held, 5, way, threads=1)
    assert alone == _cut(held, 5, way, threads=2, grain=500) == _cut(held, 5, way, threads=8, grain=500)


def test_it_may_be_called_from_threads() -> None:
    held = made({"x": list(range(500)), "w": ["a", "b"] * 250})
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: _cut(held, 3, WAYS[0], threads=2, grain=50), range(8)))
    assert all(one == found[0] for one in found)


# -- end to end


def _people() -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": random.integers(18, 90, 300),
            "pay": random.normal(2000, 500, 300).round(2),
            "town": random.choice(["Sur", "Norte", "Este"], 300),
            "ill": random.choice(["flu", "cold", "gout"], 300),
        }
    )


ROLES = {**dict.fromkeys(["age", "pay", "town"], "quasi-identifier"), "ill": "sensitive"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("release", ["interval", "mode", "median", "mean"])
def test_released_rows_keep_what_was_promised(way: dict[str, Any], release: str) -> None:
    people = _people()
    models = [KAnonymity(4), LDiversity(2), TCloseness(0.5)]
    out = az.anonymize(people, roles=ROLES, privacy=models, method=Mondrian(release=release, **way), seed=1).frame
    assert len(out) == 300 and Counter(out["ill"]) == Counter(people["ill"])
    classes = out.groupby(["age", "pay", "town"])["ill"]
    assert classes.size().min() >= 4 and classes.nunique().min() >= 2
    if release != "interval":
        assert pd.api.types.is_integer_dtype(out["age"]) and pd.api.types.is_float_dtype(out["pay"])


def test_more_than_all_records_is_refused() -> None:
    with failing("method.no-grouping-satisfies-k", az.PrivacyNotReached, rows=300):
        az.anonymize(_people(), roles=ROLES, privacy=KAnonymity(301), method=Mondrian())
