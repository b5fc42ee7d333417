"""k-anonymity where somebody knows some of the columns, whichever: against counting every set of columns."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.counting.classes import ClassTable
from antifaz.methods import FullDomain
from antifaz.privacy import KAnonymity
from oracles.cases import Case, cases, task
from oracles.counted import lattice_of

Rows = list[tuple[int, ...]]
#: Four people of the definition: every value has two people, every pair is alone.
FOUR = pa.table({"age": ["30", "30", "40", "40"], "sex": ["F", "M", "M", "F"]})


def rarest(rows: Rows, known: int) -> list[int]:
    """Return for every row the fewest rows that share its values in up to so many columns, by counting them all."""
    fewest = [len(rows)] * len(rows)
    many = len(rows[0]) if rows else 0
    for size in range(1, min(known, many) + 1):
        for chosen in combinations(range(many), size):
            count = Counter(tuple(row[a] for a in chosen) for row in rows)
            for i, row in enumerate(rows):
                fewest[i] = min(fewest[i], count[tuple(row[a] for a in chosen)])
    return fewest


def most_kept(rows: Rows, known: int, k: int) -> list[int]:
    """Return the rows that are left when those that fail are left out, again and again."""
    left = list(range(len(rows)))
    while left:
        fewest = rarest([rows[i] for i in left], known)
        if min(fewest) >= k:
            break
        left = [i for i, n in zip(left, fewest, strict=True) if n >= k]
    return left


def table_of(rows: Rows) -> ClassTable:
    counts = Counter(rows)
    values = tuple(np.array(column, np.int32) for column in zip(*counts, strict=True))
    return ClassTable(sizes=np.array(list(counts.values()), np.int64), values=values)


TABLES = st.integers(1, 5).flatmap(
    lambda columns: st.lists(st.tuples(*[st.integers(0, 2)] * columns), min_size=1, max_size=30)
)


@settings(deadline=None, max_examples=150)
@given(rows=TABLES, known=st.integers(1, 6), k=st.integers(1, 6))
def test_the_model_counts_every_set_of_columns(rows: Rows, known: int, k: int) -> None:
    model, table = KAnonymity(k, known=known), table_of(rows)
    fewest = dict(zip(rows, rarest(rows, known), strict=True))
    classes = list(Counter(rows))
    assert model.passes(table).tolist() == [fewest[row] >= k for row in classes]
    assert model.achieved(table) == min(fewest.values())
    kept = model.keep(table, np.ones(len(classes), np.bool_))
    left = {rows[i] for i in most_kept(rows, known, k)}
    assert [row for row, stays in zip(classes, kept.tolist(), strict=True) if stays] == [
        r for r in classes if r in left
    ]


@settings(deadline=None, max_examples=60)
@given(rows=TABLES, known=st.integers(1, 6), k=st.integers(1, 6))
def test_the_gate_counts_the_same_in_its_own_way(rows: Rows, known: int, k: int) -> None:
    columns = {f"q{a}": [str(row[a]) for row in rows] for a in range(len(rows[0]))}
    (verdict,) = az.verify(pa.table(columns), list(columns), [KAnonymity(k, known=known)])
    fewest = rarest(rows, known)
    assert verdict.achieved == min(fewest)
    assert verdict.holds == (min(fewest) >= k)
    assert verdict.failing == sum(n < k for n in fewest)


def test_the_definition_by_hand() -> None:
    (one,) = az.verify(FOUR, ["age", "sex"], [KAnonymity(2, known=1)])
    (two,) = az.verify(FOUR, ["age", "sex"], [KAnonymity(2, known=2)])
    assert (one.holds, one.achieved) == (True, 2)
    assert (two.holds, two.achieved) == (False, 1)


def test_many_labels_are_counted_by_hashing() -> None:
    random = np.random.default_rng(1)
    values = tuple(random.integers(0, 40_000, 5000).astype(np.int32) for _ in range(3))
    table = ClassTable(sizes=np.ones(5000, np.int64), values=values)
    rows = list(zip(*(column.tolist() for column in values), strict=True))
    assert KAnonymity(2, known=2).achieved(table) == min(rarest(rows, 2)) == 1
    assert KAnonymity(2, known=1).passes(table).tolist() == [n >= 2 for n in rarest(rows, 1)]


@settings(deadline=None, max_examples=60)
@given(case=cases(), k=st.integers(1, 4), known=st.integers(1, 3), limit=st.sampled_from([0.0, 0.3]))
def test_full_domain_finds_the_best_of_those_that_hold(case: Case, k: int, known: int, limit: float) -> None:
    rows, named = case
    lattice, allowed = lattice_of(rows, named), int(limit * len(rows) + 1e-9)
    scores = {}
    for levels in product(*(range(height + 1) for height in lattice.heights)):
        made = [
            tuple(hash(tree[row[name]][level]) for (name, tree), level in zip(named.items(), levels, strict=True))
            for row in rows
        ]
        left = most_kept(made, known, k)
        if left and len(rows) - len(left) <= allowed:
            scores[levels] = len(rows) - len(left)
    method = FullDomain(suppression=limit, quality="height")
    if not scores:
        with pytest.raises(az.PrivacyNotReached):
            method.decide(task(lattice, (KAnonymity(k, known=known),)))
        return
    decision = method.decide(task(lattice, (KAnonymity(k, known=known),)))
    assert sum(decision.table.levels) == min(map(sum, scores))
    assert decision.table.suppressed == scores[decision.table.levels]


def survey(rows: int = 400, columns: int = 20) -> pa.Table:
    random = np.random.default_rng(3)
    return pa.table({f"v{a}": random.choice(["yes", "no", "maybe"], rows) for a in range(columns)})


def test_a_wide_release_promises_what_it_says_and_keeps_more() -> None:
    data = survey()
    asked = {"roles": dict.fromkeys(data.column_names, "quasi-identifier"), "seed": 1,
             "hierarchies": dict.fromkeys(data.column_names, az.hierarchy.flat())}  # fmt: skip
    release = az.anonymize(data, privacy=[az.KAnonymity(5, known=3)], method=FullDomain(checks=300), **asked)
    released = list(zip(*(column.to_pylist() for column in release.frame.columns), strict=True))
    assert min(rarest([tuple(map(hash, row)) for row in released], 3)) >= 5
    (verdict,) = release.evidence["privacy"]
    assert (verdict["k"], verdict["known"], verdict["holds"]) == (5, 3, True)
    strict = az.anonymize(data, privacy=[az.KAnonymity(5)], method=FullDomain(checks=300), **asked)
    assert release.evidence["utility"]["loss"] < strict.evidence["utility"]["loss"]


@pytest.mark.parametrize("known", [1, 2, 3])
def test_local_suppression_blanks_until_known_columns_are_shared(known: int) -> None:
    data = survey(60, 5)
    release = az.anonymize(
        data, roles=dict.fromkeys(data.column_names, "quasi-identifier"), privacy=[az.KAnonymity(6, known=known)],
        method=az.LocalSuppression(), seed=1,
    )  # fmt: skip
    released = list(zip(*(column.to_pylist() for column in release.frame.columns), strict=True))
    assert min(rarest([tuple(map(hash, row)) for row in released], known)) >= 6
    kept = sum(cell is not None for row in released for cell in row)
    assert kept > (250 if known == 1 else 1)


METHODS = [
    az.Mondrian(), az.Mondrian(mode="relaxed"), az.Mondrian(split="distribution", release="mode"), az.KMembers(),
    az.LGreedy(), az.Hilbert(), az.OnePass(), az.Specialization(), az.Specialization(cut="subtree"),
    az.Specialization(phases=2, partitions=2), FullDomain(rounds=2), FullDomain(suppression=0.1), az.Datafly(),
    az.BottomUp(), az.Auto(seconds=10), az.LocalSuppression(), az.LocalSuppression(importance=["v0", "v3"]),
]  # fmt: skip


def shared_by(table: pa.Table, known: int) -> int:
    """Return how many rows share what is rarest in so many columns."""
    released = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return min(rarest([tuple(map(hash, row)) for row in released], known))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method)[:60])
def test_every_method_reaches_it(method: az.Mondrian) -> None:
    data = survey(150, 6).append_column("v6", pa.array([str(i % 40) for i in range(150)]))
    release = az.anonymize(
        data, roles=dict.fromkeys(data.column_names, "quasi-identifier"), privacy=[az.KAnonymity(4, known=2)],
        hierarchies=dict.fromkeys(data.column_names, az.hierarchy.flat()), method=method, seed=1,
    )  # fmt: skip
    assert shared_by(release.frame, 2) >= 4


def test_every_method_reaches_it_together_with_other_models() -> None:
    data = survey(150, 5).append_column("s", pa.array([str(i % 3) for i in range(150)]))
    roles = dict.fromkeys(data.column_names, "quasi-identifier") | {"s": "sensitive"}
    asked = [az.KAnonymity(4, known=2), az.LDiversity(2)]
    for method in (az.Mondrian(), az.LGreedy(), az.LocalSuppression(), az.Specialization(), FullDomain()):
        release = az.anonymize(
            data, roles=roles, privacy=asked, method=method, seed=1,
            hierarchies=dict.fromkeys(data.column_names[:-1], az.hierarchy.flat()),
        )  # fmt: skip
        assert shared_by(release.frame.drop_columns(["s"]), 2) >= 4


def test_numbers_are_grouped_only_where_they_are_rare() -> None:
    random = np.random.default_rng(2)
    data = pa.table({"a": random.integers(0, 3, 300), "b": np.append(random.integers(0, 3, 297), [7, 8, 9])})
    release = az.anonymize(
        data, roles=dict.fromkeys(data.column_names, "quasi-identifier"), privacy=[az.KAnonymity(5, known=1)],
        method=az.Mdav(), seed=1,
    )  # fmt: skip
    assert shared_by(release.frame, 1) >= 5
    # The three that are alone, and the combination that fewest others have.
    assert release.evidence["method"]["released_exactly"] == 272


@pytest.mark.parametrize("method", [az.Mondrian(), az.LGreedy(), az.Specialization(), az.LocalSuppression()])
def test_knowing_less_keeps_more(method: az.Mondrian) -> None:
    data = survey(400, 12)
    asked = {"roles": dict.fromkeys(data.column_names, "quasi-identifier"), "seed": 1, "method": method,
             "hierarchies": dict.fromkeys(data.column_names, az.hierarchy.flat())}  # fmt: skip
    few = az.anonymize(data, privacy=[az.KAnonymity(5, known=2)], **asked).evidence["utility"]["loss"]
    everything = az.anonymize(data, privacy=[az.KAnonymity(5)], **asked).evidence["utility"]["loss"]
    assert few < everything / 2


def test_a_hardened_release_holds_it_too() -> None:
    data = survey(300, 5)
    release = az.anonymize(
        data, roles=dict.fromkeys(data.column_names, "quasi-identifier"), privacy=[az.KAnonymity(4, known=2)],
        hierarchies=dict.fromkeys(data.column_names, az.hierarchy.flat()), method=az.Mondrian(), hardened=True,
    )  # fmt: skip
    assert shared_by(release.frame, 2) >= 4
