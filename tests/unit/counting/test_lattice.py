"""The lattice: sizes, cells and marginals of every node, against counting the rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.types import DataType
from antifaz.counting import rollup
from antifaz.counting.frequencies import frequency_set
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.hierarchies.binding import bind
from oracles import brute
from oracles.counted import hierarchy_of, lattice_of, tuples_of
from oracles.tables import NINETEEN_PEOPLE, NINETEEN_TREES, SIX_PEOPLE, SIX_TREES

TREES: dict[str, brute.Tree] = {
    "a": {"1": ["1", "12", "*"], "2": ["2", "12", "*"], "3": ["3", "3-", "*"], None: [None, None, "*"]},  # type: ignore[dict-item,list-item]
    "b": {"x": ["x", "all"], "y": ["y", "all"], None: [None, None]},  # type: ignore[dict-item,list-item]
    "c": {"only": ["only"]},
}
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "a": st.sampled_from(["1", "2", "3", None]),
            "b": st.sampled_from(["x", "y", None]),
            "c": st.just("only"),
            "s": st.sampled_from(["p", "q", "r", None]),
            "t": st.sampled_from(["u", "v"]),
        }
    ),
    min_size=1,
    max_size=25,
)


def labels_of(lattice: Lattice, levels: tuple[int, ...]) -> list[tuple[str | None, ...]]:
    """Return the labels of all classes of a node."""
    codes = lattice.codes(levels, np.arange(lattice.sizes(levels).size))
    steps = zip(lattice.ladders, levels, codes, strict=True)
    return list(zip(*([step.labels[level][code] for code in column] for step, level, column in steps), strict=True))


@settings(deadline=None, max_examples=40)
@given(ROWS)
def test_every_node_is_as_if_counted_from_the_rows(rows: list[dict[str, str | None]]) -> None:
    lattice = lattice_of(rows, TREES, ("s", "t"))
    for levels in brute.lattice(lattice.heights):
        table = brute.generalize(rows, TREES, levels)
        key = [tuple(row[name] for name in TREES) for row in table]
        names = labels_of(lattice, levels)
        classes = lattice.class_table(levels)
        assert Counter(dict(zip(names, classes.sizes.tolist(), strict=True))) == Counter(key)
        assert len(set(names)) == len(names)
        assert classes.rows == len(rows)
        for attribute in ("s", "t"):
            part = classes.sensitive[attribute]
            cells = [
                (names[owner], part.labels[value], count)
                for owner, value, count in zip(part.classes, part.values, part.counts.tolist(), strict=True)
            ]
            pairs = Counter((k, row[attribute]) for k, row in zip(key, table, strict=True))
            assert {(name, value): count for name, value, count in cells} == pairs
            assert len(cells) == len(pairs)
            assert part.offsets.tolist() == sorted(part.offsets.tolist())
            totals = dict(zip(part.labels, part.totals.tolist(), strict=True))
            assert totals == Counter(row[attribute] for row in rows)


@settings(deadline=None, max_examples=40)
@given(ROWS, st.integers(1, 4), st.data())
def test_marginals_count_the_kept_records_only(rows: list[dict[str, str | None]], k: int, data: st.DataObject) -> None:
    lattice = lattice_of(rows, TREES)
    levels = data.draw(st.sampled_from(list(brute.lattice(lattice.heights))))
    sizes = lattice.sizes(levels)
    described = Generalization(lattice, levels, sizes >= k)
    lost = brute.suppressed_by(rows, TREES, levels, brute.k_anonymous(k))
    released = [row for i, row in enumerate(brute.generalize(rows, TREES, levels)) if i not in lost]
    for a, name in enumerate(TREES):
        labels = lattice.ladders[a].labels[levels[a]]
        found = dict(zip(labels, described.marginals[a].tolist(), strict=True))
        assert {label: count for label, count in found.items() if count} == Counter(row[name] for row in released)
        before = dict(zip(lattice.ladders[a].labels[0], described.originals[a].tolist(), strict=True))
        assert before == Counter(row[name] for row in rows)
    assert sorted(described.sizes.tolist()) == sorted(Counter(tuple(r[n] for n in TREES) for r in released).values())
    assert (described.suppressed, described.rows) == (len(lost), len(rows))


def test_wide_keys_carry_sensitive_values_too() -> None:
    # Twelve attributes of 64 values and 200 sensitive values: 80 bits.
    random = np.random.default_rng(2)
    names = [f"q{i}" for i in range(12)]
    trees: dict[str, brute.Tree] = {name: {f"{v}": [f"{v}", f"{v // 8}-", "*"] for v in range(64)} for name in names}
    draws = random.integers(0, 64, (400, 12)).tolist()
    rows: list[dict[str, str | None]] = [
        {name: str(v) for name, v in zip(names, row, strict=True)} | {"s": str(i % 200)} for i, row in enumerate(draws)
    ]
    rows += [dict(row) for row in rows[:100]]
    lattice = lattice_of(rows, trees, ("s",))
    assert lattice.layouts.whole.words == 2
    for levels in [(0,) * 12, (2,) * 12, (2,) * 11 + (1,), (1, 1) + (2,) * 10, (2,) * 10 + (0, 0), (1,) * 12]:
        table = brute.generalize(rows, trees, levels)
        classes = lattice.class_table(levels, ("s",))
        names_of = labels_of(lattice, levels)
        part = classes.sensitive["s"]
        cells = {
            (names_of[owner], part.labels[value]): count
            for owner, value, count in zip(part.classes, part.values, part.counts.tolist(), strict=True)
        }
        assert cells == Counter((tuple(row[name] for name in names), row["s"]) for row in table)


def test_the_shape_of_the_lattice() -> None:
    lattice = lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES)
    assert (lattice.heights, lattice.bottom, lattice.size) == ((3, 1, 3), (0, 0, 0), 32)
    ranks = list(lattice.ranks())
    assert [sum(rank[0]) for rank in ranks] == list(range(8))
    assert ranks[1] == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    assert sorted(levels for rank in ranks for levels in rank) == list(brute.lattice([3, 1, 3]))


def test_only_the_sensitive_attributes_asked_for() -> None:
    lattice = lattice_of(SIX_PEOPLE, SIX_TREES, ("sexo", "dolencia"))
    assert set(lattice.class_table((0, 0)).sensitive) == {"sexo", "dolencia"}
    assert set(lattice.class_table((0, 0), ()).sensitive) == set()
    assert set(lattice.class_table((0, 0), ("sexo",)).sensitive) == {"sexo"}


def test_an_attribute_that_is_not_counted_is_not_guessed() -> None:
    with pytest.raises(KeyError):
        lattice_of(SIX_PEOPLE, SIX_TREES).class_table((0, 0), ("dolencia",))


def test_people_of_the_population_fall_into_the_classes_of_every_node() -> None:
    rows = [{"a": "1", "s": "p"}, {"a": "1", "s": "q"}, {"a": "2", "s": "p"}]
    people = [{"a": value} for value in ("1", "1", "1", "2", "3", "3")]
    frequencies = frequency_set(tuples_of(rows, ["a", "s"]), ["a"], ["s"], population=tuples_of(people, ["a"]))
    tree = {leaf: above for leaf, above in TREES["a"].items() if leaf is not None}
    lattice = Lattice(frequencies, [bind(frequencies.domains[0], hierarchy_of(tree), DataType.TEXT)])
    expected = {0: ({"1": (2, 3), "2": (1, 1)}, 2), 1: ({"12": (3, 4)}, 2), 2: ({"*": (3, 6)}, 0)}
    for level, (classes, absent) in expected.items():
        found = lattice.class_table((level,))
        assert found.population is not None
        names = [labels[0] for labels in labels_of(lattice, (level,))]
        pairs = zip(found.sizes.tolist(), found.population.sizes.tolist(), strict=True)
        assert (dict(zip(names, pairs, strict=True)), found.population.absent) == (classes, absent)
        assert list(found.sensitive) == ["s"]
    # Released records like which nobody is in the population are told so.
    strangers = frequency_set(tuples_of(rows, ["a", "s"]), ["a"], ["s"], population=tuples_of(people[:3], ["a"]))
    apart = Lattice(strangers, [bind(strangers.domains[0], hierarchy_of(tree), DataType.TEXT)]).class_table((0,))
    assert apart.population is not None
    assert (apart.sizes.tolist(), apart.population.sizes.tolist(), apart.population.absent) == ([2, 1], [3, 0], 0)
    bare = lattice.class_table((0,), ())
    assert (list(bare.sensitive), bare.population is None) == ([], False)
    assert (lattice.size, lattice.heights, lattice.bottom) == (3, (2,), (0,))
    assert lattice_of(rows, {"a": tree}, ("s",)).class_table((0,)).population is None


def test_a_table_without_rows_has_no_classes() -> None:
    frequencies = frequency_set(tuples_of([], ["a", "s"]), ["a"], ["s"])
    lattice = Lattice(frequencies, [bind(frequencies.domains[0], hierarchy_of(TREES["a"]), DataType.TEXT)])
    assert lattice.sizes((0,)).tolist() == lattice.sizes((1,)).tolist() == []
    assert lattice.majorities((0,), "s").tolist() == lattice.majorities((1,), "s").tolist() == []


# -- a part of a large table


def test_a_part_shows_that_too_many_fail_only_where_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollup, "LARGE", 1)
    random = np.random.default_rng(7)
    trees: dict[str, brute.Tree] = {
        name: {f"{v}": [f"{v}", f"{v // 4}-", "*"] for v in range(size)}
        for name, size in zip("abc", (9, 16, 30), strict=True)
    }
    drawn = [random.integers(0, size, 300).tolist() for size in (9, 16, 30)]
    rows: list[dict[str, str | None]] = [
        dict(zip("abc", map(str, row), strict=True)) for row in zip(*drawn, strict=True)
    ]
    shown = 0
    for k, allowed in [(1, 0), (2, 0), (3, 0), (2, 15), (5, 15), (5, 60), (5, 140), (20, 200), (5, 300)]:
        for levels in brute.lattice([2, 2, 2]):
            sizes = Counter(tuple(row.values()) for row in brute.generalize(rows, trees, levels)).values()
            failing = sum(size for size in sizes if size < k)
            if lattice_of(rows, trees).too_many_fail(levels, k, allowed):
                assert failing > allowed
                shown += 1
    assert shown > 30  # and of a part it can often be seen


def test_a_table_that_is_not_large_is_counted_whole() -> None:
    rows: list[dict[str, str | None]] = [{"a": str(i)} for i in range(50)]
    trees: dict[str, brute.Tree] = {"a": {f"{v}": [f"{v}", f"{v // 4}-", "*"] for v in range(50)}}
    assert not lattice_of(rows, trees).too_many_fail((1,), 5, 0)


def test_what_is_not_kept_is_counted_anew() -> None:
    lattice = lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES)
    before = {levels: lattice.sizes(levels) for rank in lattice.ranks() for levels in rank}
    lattice.keep_only((1, 0, 2))
    assert lattice.sizes((1, 0, 2)) is before[1, 0, 2]
    for levels, sizes in before.items():
        assert sorted(lattice.sizes(levels)) == sorted(sizes)
