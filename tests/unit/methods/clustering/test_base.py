"""Clustering: complete partitions into groups of k, losses as a plain count has them, releases that hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import antifaz
from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples
from antifaz.counting.groups import GroupedTable
from antifaz.counting.records import Records, records
from antifaz.counting.rollup import Ladder
from antifaz.kernels.clustering import new_state, total_loss
from antifaz.kernels.hilbert import hilbert_keys
from antifaz.methods.clustering.base import Clustering, hilbert_order, make_table
from antifaz.methods.clustering.hilbert import Hilbert
from antifaz.methods.clustering.k_members import KMembers
from antifaz.methods.clustering.l_greedy import LGreedy
from antifaz.methods.clustering.one_pass import OnePass
from antifaz.methods.method import Task
from antifaz.privacy import KAnonymity, LDiversity, PrivacyModel, TCloseness
from antifaz.utility import gcp
from failing import failing

METHODS: list[type[Clustering]] = [KMembers, LGreedy, Hilbert, OnePass]
Column = Sequence[str | None]


def held(
    columns: dict[str, Column], numbers: Sequence[str] = (), sensitive: Sequence[str] = (), **ladders: Ladder
) -> Any:
    values = {name: sorted(set(column), key=lambda v: (v is None, v)) for name, column in columns.items()}
    counted = Tuples(
        columns=tuple(columns),
        values=tuple(tuple(part) for part in values.values()),
        codes=tuple(np.array([values[n].index(v) for v in column], np.int32) for n, column in columns.items()),
        counts=np.ones(len(next(iter(columns.values()))), np.int64),
    )
    names = [name for name in columns if name not in sensitive]
    return records(counted, names, sensitive, dict.fromkeys(numbers, DataType.INTEGER), ladders)


def task(table: Records, *models: PrivacyModel, seed: int = 1) -> Task:
    return Task(
        frequencies=None,  # type: ignore[arg-type]
        ladders=(),
        models=models,
        random=np.random.default_rng(seed),
        records=table,
    )


def whole_loss(table: Records, groups: NDArray[np.int64]) -> float:
    made = make_table(table)
    return float(total_loss(made, new_state(made), groups, int(groups.max()) + 1))


def plain_penalty(everybody: Column, group: Column, number: bool) -> float:
    """The definition, word for word."""
    if None in group and len(set(group)) > 1:
        return 1.0
    if None in group:
        return 0.0
    if number:
        all_of, some = [int(v) for v in everybody if v is not None], [int(v) for v in group if v is not None]
        width = max(all_of) - min(all_of)
        return (max(some) - min(some)) / width if width else 0.0
    return (len(set(group)) - 1) / max(len(set(everybody)) - 1, 1)


def plain_gcp(columns: dict[str, Column], numbers: Sequence[str], groups: Sequence[int]) -> float:
    members = defaultdict(list)
    for row, group in enumerate(groups):
        members[group].append(row)
    total = sum(
        len(rows) * plain_penalty(column, [column[row] for row in rows], name in numbers)
        for name, column in columns.items()
        for rows in members.values()
    )
    return total / (len(groups) * len(columns))


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, Column], list[str]]:
    rows = draw(st.integers(1, 30))
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    columns: dict[str, Column] = {}
    for i, number in enumerate(kinds):
        value = st.integers(0, 9).map(str) if number else st.sampled_from("abcd")
        some = st.one_of(st.none(), value) if draw(st.booleans()) else value
        columns[f"c{i}"] = draw(st.lists(some, min_size=rows, max_size=rows))
    return columns, [f"c{i}" for i, number in enumerate(kinds) if number]


@pytest.mark.parametrize("improve", [False, True])
@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None, max_examples=30)
@given(made=tables(), data=st.data())
def test_any_table_is_parted_into_groups_of_k(
    method: type[Clustering], improve: bool, made: tuple[dict[str, Column], list[str]], data: st.DataObject
) -> None:
    columns, numbers = made
    table = held(columns, numbers)
    k = data.draw(st.integers(1, table.rows))
    groups, details = method(improve=improve).group(table, task(table, KAnonymity(k)))
    again, _ = method(improve=improve).group(table, task(table, KAnonymity(k)))
    assert groups.tolist() == again.tolist()
    counts = np.bincount(groups)
    assert groups.min() == 0 and counts.sum() == table.rows and counts.min() >= k
    assert details["blocks"] == 1
    loss = whole_loss(table, groups) / (table.rows * len(columns))
    assert loss == pytest.approx(plain_gcp(columns, numbers, groups.tolist()))
    if improve:
        rough, _ = method().group(table, task(table, KAnonymity(k)))
        assert loss <= plain_gcp(columns, numbers, rough.tolist()) + 1e-9


def people(rows: int, missing: float = 0.0) -> dict[str, list[str | None]]:
    random = np.random.default_rng(3)
    made: dict[str, list[str | None]] = {
        "age": [str(v) for v in random.integers(20, 60, rows)],
        "weight": [str(v) for v in random.normal(70, 9, rows).round().astype(int)],
        "town": [str(v) for v in random.choice(["Avila", "Burgos", "Cuenca", "Deva"], rows)],
        "illness": [str(v) for v in random.choice(["cold", "flu", "gout"], rows, p=[0.8, 0.15, 0.05])],
    }
    for name in ("age", "town"):
        made[name] = [None if gone else v for v, gone in zip(made[name], random.random(rows) < missing, strict=True)]
    return made


@pytest.mark.parametrize("method", METHODS)
def test_what_the_kernels_count_is_what_the_measure_counts(method: type[Clustering]) -> None:
    columns = people(300, missing=0.1)
    table = held(columns, ("age", "weight"))
    groups, _ = method().group(table, task(table, KAnonymity(4)))
    assert gcp(GroupedTable(table, groups)) == pytest.approx(plain_gcp(columns, ("age", "weight"), groups.tolist()))


def test_hierarchies_count_by_their_leaves() -> None:
    ladder = Ladder(
        column="town",
        labels=(("a", "b", "c", "d"), ("ab", "cd"), ("*",)),
        up=(np.arange(4, dtype=np.int32), np.array([0, 0, 1, 1], np.int32), np.zeros(4, np.int32)),
        shares=(np.full(4, 0.25), np.full(2, 0.5), np.ones(1)),
        leaves=4,
    )
    table = held({"town": list("acbdacbd")}, town=ladder)
    for method in METHODS:
        groups, _ = method(improve=True).group(table, task(table, KAnonymity(4)))
        found = gcp(GroupedTable(table, groups))
        assert found == pytest.approx(whole_loss(table, groups) / 8)
    groups, _ = KMembers().group(table, task(table, KAnonymity(4)))
    assert gcp(GroupedTable(table, groups)) == pytest.approx(1 / 3)


@pytest.mark.parametrize("method", METHODS)
def test_blocks_are_said_and_valid(method: type[Clustering]) -> None:
    columns = people(5000)
    table = held(columns, ("age", "weight"))
    groups, details = method(block=1000).group(table, task(table, KAnonymity(7)))
    assert np.bincount(groups).min() >= 7 and groups.size == 5000
    assert (details["blocks"], details["block"], details["blocks_by"]) == (5, 1000, "hilbert order")


@pytest.mark.parametrize("method", METHODS)
def test_a_block_holds_at_least_k(method: type[Clustering]) -> None:
    table = held(people(50), ("age", "weight"))
    groups, details = method(block=2).group(table, task(table, KAnonymity(20)))
    assert np.bincount(groups).min() >= 20 and details["blocks"] == 2


@pytest.mark.parametrize("improve", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_groups_grow_or_unite_until_every_model_passes(method: type[Clustering], improve: bool) -> None:
    table = held(people(300), ("age", "weight"), ("illness",))
    models = (KAnonymity(4), LDiversity(2, attribute="illness"), TCloseness(0.3, attribute="illness"))
    groups, details = method(improve=improve).group(table, task(table, *models))
    classes = GroupedTable(table, groups).class_table()
    assert all(model.judge(classes).holds for model in models)
    assert method.heeds_models or details["united"] > 0
    assert classes.sizes.size > (20 if method.heeds_models else 3)


DIVERSE: list[PrivacyModel] = [
    LDiversity(2, attribute="illness"),
    LDiversity(3, attribute="illness"),
    LDiversity(1.5, kind="entropy", attribute="illness"),
    LDiversity(2, kind="recursive", c=4.0, attribute="illness"),
    TCloseness(0.25, attribute="illness"),
]


@pytest.mark.parametrize("model", DIVERSE, ids=repr)
@pytest.mark.parametrize("method", [KMembers, LGreedy])
def test_heeding_models_loses_less_than_uniting(
    method: type[Clustering], model: PrivacyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = people(400)
    table = held(columns, ("age", "weight"), ("illness",))
    del columns["illness"]
    grown, _ = method().group(table, task(table, KAnonymity(4), model))
    better, _ = method(improve=True).group(table, task(table, KAnonymity(4), model))
    monkeypatch.setattr(method, "heeds_models", False)
    united, details = method().group(table, task(table, KAnonymity(4), model))
    for groups in (grown, better, united):
        classes = GroupedTable(table, groups).class_table()
        assert model.judge(classes).holds and classes.sizes.min() >= 4
    assert details["united"] > 0
    lost = [plain_gcp(columns, ("age", "weight"), groups.tolist()) for groups in (better, grown, united)]
    assert lost[0] <= lost[1] < lost[2]


@settings(deadline=None, max_examples=60)
@given(made=tables(), data=st.data())
def test_models_are_heeded_wherever_they_can_be(made: tuple[dict[str, Column], list[str]], data: st.DataObject) -> None:
    """All records as one group pass distinct diversity if any grouping does, so one must be found."""
    columns, numbers = made
    rows = len(next(iter(columns.values())))
    columns = {**columns, "ill": data.draw(st.lists(st.sampled_from("xyz"), min_size=rows, max_size=rows))}
    table = held(columns, numbers, ("ill",))
    k, method = data.draw(st.integers(1, rows)), data.draw(st.sampled_from([KMembers, LGreedy]))
    model = LDiversity(len(set(columns["ill"])), attribute="ill")
    groups, _ = method(improve=data.draw(st.booleans())).group(table, task(table, KAnonymity(k), model))
    assert np.bincount(groups).min() >= k
    assert model.judge(GroupedTable(table, groups).class_table()).holds


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("models", [(KAnonymity(4),), (KAnonymity(4), LDiversity(2, attribute="illness"))])
def test_the_order_of_rows_and_threads_change_nothing(
    method: type[Clustering], models: tuple[PrivacyModel, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = people(300, missing=0.1)
    table = held(columns, ("age", "weight"), ("illness",))
    order = np.random.default_rng(1).permutation(300)
    mixed = held({name: [part[i] for i in order] for name, part in columns.items()}, ("age", "weight"), ("illness",))

    def released(records: Records) -> Counter[frozenset[tuple[tuple[str | None, ...], int]]]:
        groups, _ = method(block=100, improve=True).group(records, task(records, *models))
        parts = [*records.attributes, *records.sensitive.values()]
        rows = list(zip(*([a.domain.values[c] for c in a.codes] for a in parts), strict=True))
        members: defaultdict[int, Counter[tuple[str | None, ...]]] = defaultdict(Counter)
        for row, g in zip(rows, groups.tolist(), strict=True):
            members[g][row] += 1
        return Counter(frozenset(held.items()) for held in members.values())

    one = released(table)
    monkeypatch.setattr("antifaz.methods.clustering.base.processors", lambda: 1)
    assert one == released(mixed)


@pytest.mark.parametrize("method", METHODS)
def test_edges(method: type[Clustering]) -> None:
    alike = held({"a": ["1"] * 6, "b": ["x"] * 6}, ("a",))
    assert method(improve=True).decide(task(alike, KAnonymity(2))).details["groups"] == 1
    table = held(people(9), ("age", "weight"))
    assert method().decide(task(table, KAnonymity(9))).details["groups"] == 1
    with failing("method.no-grouping-satisfies-k", PrivacyNotReached, rows=9):
        method().decide(task(table, KAnonymity(10)))
    with pytest.raises(ParameterError):
        method(block=1)


def test_weights_say_what_matters() -> None:
    columns = people(400)
    del columns["illness"]
    table = held(columns, ("age", "weight"))
    heavy = KMembers(weights={"age": 100.0}).group(table, task(table, KAnonymity(5)))[0]
    plain = KMembers().group(table, task(table, KAnonymity(5)))[0]
    age = {"age": columns["age"]}
    assert plain_gcp(age, ("age",), heavy.tolist()) < plain_gcp(age, ("age",), plain.tolist())


def test_neighbours_on_the_curve_are_neighbours_in_the_plane() -> None:
    cells = np.array([[x, y, z] for x in range(8) for y in range(8) for z in range(8)], np.uint32)
    keys = hilbert_keys(cells, 3)[:, 0]
    assert np.unique(keys).size == 512
    along = cells[np.argsort(keys)].astype(int)
    assert (np.abs(np.diff(along, axis=0)).sum(axis=1) == 1).all()


def test_the_curve_takes_any_number_of_attributes() -> None:
    columns: dict[str, Column] = {f"c{i}": ["1", "2", "3"] for i in range(70)}
    assert sorted(hilbert_order(make_table(held(columns, tuple(columns)))).tolist()) == [0, 1, 2]


@pytest.mark.parametrize("release", ["interval", "mean"])
@pytest.mark.parametrize("method", METHODS)
def test_end_to_end(method: type[Clustering], release: str) -> None:
    made = people(200, missing=0.1)
    frame = pa.table(
        {
            name: pa.array([None if v is None else int(v) for v in made[name]])
            if name in ("age", "weight")
            else made[name]
            for name in made
        }
    )
    roles = {**dict.fromkeys(("age", "weight", "town"), "quasi-identifier"), "illness": "sensitive"}
    models = [KAnonymity(4), LDiversity(2)]
    done = antifaz.anonymize(frame, roles=roles, privacy=models, method=method(release=release, improve=True), seed=1)
    rows = zip(*(done.frame.column(name).to_pylist() for name in ("age", "weight", "town")), strict=True)
    assert done.frame.num_rows == 200 and min(Counter(rows).values()) >= 4
