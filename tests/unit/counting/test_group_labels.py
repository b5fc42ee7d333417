"""Labels of groups, against plain Python that goes through the records one by one."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.types import DataType
from antifaz.counting import group_labels
from antifaz.counting.frequencies import Tuples
from antifaz.counting.group_labels import GroupLabels, label_groups, merge_alike
from antifaz.counting.groups import GroupedTable
from antifaz.counting.records import Records, records
from antifaz.counting.rollup import Ladder

RELEASES = ["interval", "mode", "median", "mean"]
#: Beside plain numbers those that sort differently as text, what has no place on a scale, and what is missing.
NUMBERS = ["1", "2", "9", "10", "100", "-5", "0.5", "inf", "-inf", None]
#: Names with commas make sets that read alike.
NAMES = ["a", "b", "a, b", "c", None]
TREE = {"a": "one", "b": "one", "a, b": "two", "c": "two", None: "two"}


def made(numbers: list[str | None], names: list[str | None], tree: bool = False) -> Records:
    """Make records of a column of numbers and one of names, the latter with a hierarchy or without."""
    values, codes = [], []
    for column in (numbers, names):
        distinct = list(dict.fromkeys(column))
        values.append(tuple(distinct))
        codes.append(np.array([distinct.index(value) for value in column], np.int32))
    counted = Tuples(columns=("x", "w"), values=tuple(values), codes=tuple(codes), counts=np.ones(len(names), np.int64))
    kinds = {"x": DataType.DECIMAL, "w": DataType.TEXT}
    plain = records(counted, ["x", "w"], [], kinds)
    return records(counted, ["x", "w"], [], kinds, {"w": _ladder(plain)}) if tree else plain


def _ladder(table: Records) -> Ladder:
    names = table.attributes[1].domain.labels
    above = list(dict.fromkeys(TREE[name] for name in names))
    up = np.arange(len(names)), np.array([above.index(TREE[name]) for name in names]), np.zeros(len(names))
    return Ladder(
        column="w",
        labels=(names, tuple(above), ("all",)),
        up=tuple(level.astype(np.int32) for level in up),
        shares=(np.ones(len(names)), np.ones(len(above)), np.ones(1)),
        leaves=len(names),
    )


def plain_span(held: list[str | None]) -> str | None:
    known = [text for text in held if text is not None and abs(float(text)) != float("inf")]
    if not known:
        return None
    if len(known) < len(held):
        return "*"
    low, high = min(known, key=float), max(known, key=float)
    return low if low == high else f"[{low}, {high}]"


def plain_set(held: list[str | None], tree: bool) -> str | None:
    distinct = set(held)
    if len(distinct) == 1:
        return held[0]
    if tree:
        above = {TREE[name] for name in distinct}
        return above.pop() if len(above) == 1 else "all"
    return "*" if None in distinct else "{" + ", ".join(sorted(map(str, distinct))) + "}"


def plain_average(held: list[str | None], release: str) -> float | None:
    numbers = [float(text) for text in held if text is not None and abs(float(text)) != float("inf")]
    if not numbers:
        return None
    if release == "mean":
        return sum(numbers) / len(numbers)
    counts = Counter(held)
    often = [value for value, many in counts.items() if many == max(counts.values())]
    if release == "mode" and len(often) == 1 and often[0] is not None and abs(float(often[0])) != float("inf"):
        return float(often[0])
    return median(numbers)


def plain_mode(held: list[str | None]) -> str | None:
    counts = Counter(held)
    return min((v for v in counts if counts[v] == max(counts.values())), key=lambda v: (v is None, v or ""))


def texts(labelled: GroupLabels, a: int) -> list[str | None]:
    return [labelled.labels[a][place] for place in labelled.released[a]]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str | None], list[str | None], list[int]]:
    rows = draw(st.integers(1, 40))
    many = draw(st.sampled_from([1, 2, 5, rows]))
    pick = lambda values: draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))  # noqa: E731
    numbers, names = pick(draw(st.sampled_from([NUMBERS, NUMBERS[:7], [None], ["3"]]))), pick(NAMES)
    raw = pick(range(-1, many))
    order = sorted({group for group in raw if group >= 0})
    return numbers, names, [order.index(group) if group >= 0 else -1 for group in raw]


@settings(max_examples=300, deadline=None)
@given(tables(), st.sampled_from(RELEASES), st.booleans())
def test_labels_are_what_going_through_the_records_gives(table: Any, release: str, tree: bool) -> None:
    numbers, names, groups = table
    labelled = label_groups(made(numbers, names, tree), np.array(groups, np.int64), release, keep_type=True)
    many = max(groups) + 1
    xs = [[x for x, g in zip(numbers, groups, strict=True) if g == one] for one in range(many)]
    ws = [[w for w, g in zip(names, groups, strict=True) if g == one] for one in range(many)]
    if release == "interval":
        assert texts(labelled, 0) == [plain_span(held) for held in xs]
        assert texts(labelled, 1) == [plain_set(held, tree) for held in ws]
    else:
        found = [None if text is None else float(text) for text in texts(labelled, 0)]
        for ours, held in zip(found, xs, strict=True):
            expected = plain_average(held, release)
            assert (ours is None) == (expected is None)
            assert ours is None or ours == pytest.approx(expected)
        assert texts(labelled, 1) == [plain_mode(held) for held in ws]
    for a in (0, 1):
        # Labels that read alike are one, numbered as they first occur.
        assert labelled.labels[a] == tuple(dict.fromkeys(texts(labelled, a)))


@settings(max_examples=200, deadline=None)
@given(tables(), st.sampled_from(RELEASES))
def test_groups_released_alike_become_one_as_they_occur(table: Any, release: str) -> None:
    numbers, names, groups = table
    labelled = label_groups(made(numbers, names), np.array(groups, np.int64), release, keep_type=True)
    merged, after = merge_alike(np.array(groups, np.int64), labelled)
    before = list(zip(texts(labelled, 0), texts(labelled, 1), strict=True))
    place: dict[Any, int] = {}
    expected = [place.setdefault(before[group], len(place)) if group >= 0 else -1 for group in groups]
    assert merged.tolist() == expected
    assert list(zip(texts(after, 0), texts(after, 1), strict=True)) == list(place)


@settings(max_examples=200, deadline=None)
@given(tables())
def test_what_groups_hold_is_what_counting_gives(table: Any) -> None:
    numbers, names, groups = table
    held = made(numbers, names)
    found = GroupedTable(held, np.array(groups, np.int64))
    for a in (0, 1):
        codes = held.attributes[a].codes.tolist()
        counted = Counter(pair for pair in zip(groups, codes, strict=True) if pair[0] >= 0)
        owner, code, many = (part.tolist() for part in found.pairs(a))
        assert list(zip(owner, code, many, strict=True)) == [(*pair, counted[pair]) for pair in sorted(counted)]
    low, high = found.spans(0)
    for one in range(found.count):
        known = [float(x) for x, g in zip(numbers, groups, strict=True) if g == one and x not in (None, "inf", "-inf")]
        assert np.isnan(low[one]) if not known else (low[one], high[one]) == (min(known), max(known))


def test_spans_follow_the_scale_where_codes_follow_the_text() -> None:
    table = made(["9", "10", "inf", "2"], ["a"] * 4)
    assert table.attributes[0].domain.spellings == ("10", "2", "9", "inf")
    assert texts(label_groups(table, np.array([0, 0, 1, 0]), "interval", True), 0) == ["[2, 10]", None]


def test_all_left_out_and_no_attributes() -> None:
    table = made(["1", "2"], ["a", "b"])
    nobody = np.array([-1, -1])
    merged, labelled = merge_alike(nobody, label_groups(table, nobody, "interval", True))
    assert merged.tolist() == [-1, -1] and labelled.labels == ((), ())
    bare = Records(attributes=(), rows=2)
    assert merge_alike(np.array([0, 1]), label_groups(bare, np.array([0, 1]), "mean", True))[0].tolist() == [0, 1]


@pytest.mark.parametrize("many", [62, 63, 64])  # sets of up to 63 values are bits of a number
@pytest.mark.parametrize("blank", [False, True])
def test_sets_of_few_and_of_many_values_read_alike(many: int, blank: bool) -> None:
    random = np.random.default_rng(many)
    names: list[str | None] = [f"v{code:02d}" for code in range(many - blank)]
    names += [None] if blank else []
    held = [*names, *(names[code] for code in random.integers(0, many, 200))]
    groups = np.concatenate([np.arange(many), random.integers(0, many, 200)])
    found = label_groups(made(["1"] * len(held), held), groups, "interval", True)
    for group in range(many):
        own = {name for name, at in zip(held, groups.tolist(), strict=True) if at == group}
        known = sorted(name for name in own if name is not None)
        wanted = next(iter(own)) if len(own) == 1 else "*" if None in own else "{" + ", ".join(known) + "}"
        assert found.labels[1][found.released[1][group]] == wanted


def test_many_rows_are_labelled_side_by_side_and_not_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    numbers = [NUMBERS[code] for code in random.integers(0, len(NUMBERS), 300)]
    names = [NAMES[code] for code in random.integers(0, len(NAMES), 300)]
    held, groups = made(numbers, names), random.integers(0, 40, 300)
    alone = label_groups(held, groups, "interval", True)
    monkeypatch.setattr(group_labels, "_MANY", 1)
    found = label_groups(held, groups, "interval", True)
    assert found.labels == alone.labels
    for a, part in enumerate(alone.released):
        np.testing.assert_array_equal(found.released[a], part)
