"""Local recoding in rounds: by hand, against a recount in plain Python, and through the gate."""

from __future__ import annotations

import csv
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import antifaz as az
from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.recoding import Recoding
from antifaz.counting.classes import ClassTable
from antifaz.counting.generalization import Generalization, LevelGroup, LocalGeneralization, part_of, tuples_within
from antifaz.datasets import people
from antifaz.datasets.people_trees import EDUCATION, MARITAL_STATUS
from antifaz.methods import Decision, FullDomain
from antifaz.methods.recoding.full_domain import objection
from antifaz.privacy import KAnonymity, PrivacyModel, TCloseness
from antifaz.utility import MEASURES, QUALITIES, Entropy, Loss
from failing import failing
from oracles import brute
from oracles.cases import LIMITS, Case, Rows, asked, cases, task
from oracles.counted import lattice_of
from unit.methods.recoding.test_search import NEEDED, quality_of

#: Four leaves in two groups.
TREE: brute.Tree = {leaf: [leaf, leaf[0].upper(), "*"] for leaf in ("a1", "a2", "b1", "b2")}
REFINEMENT = "refinement attacks"


def column(**counts: int) -> Rows:
    return [{"q": value, "s": f"s{i % 2}"} for value, times in counts.items() for i in range(times)]


def decide(case: Case, models: tuple[PrivacyModel, ...], limit: float = 0.0, **said: Any) -> Decision:
    return FullDomain(suppression=limit, **said).decide(task(lattice_of(*case, ("s",)), models))


def released(rows: Rows, recoding: Recoding) -> dict[int, tuple[str | None, ...]]:
    """Apply a recoding in the plainest way: what becomes of each row that is released."""
    if recoding.tuples is None:
        tables = [dict(zip(c.values, c.labels, strict=True)) for c in recoding.columns]
        found = {
            i: tuple(t[row[c.column]] for t, c in zip(tables, recoding.columns, strict=True))
            for i, row in enumerate(rows)
        }
        return {i: labels for i, labels in found.items() if labels not in set(recoding.suppressed)}
    parts = recoding.tuples
    codes = [dict(zip(c.values, own, strict=True)) for c, own in zip(recoding.columns, parts.codes, strict=True)]
    names = [[labels[i] for i in places] for labels, places in zip(parts.labels, parts.released, strict=True)]
    becomes = dict(zip(zip(*parts.tuples, strict=True), zip(*names, strict=True), strict=True))
    assert len(becomes) == len(parts.tuples[0])
    found = {}
    for i, row in enumerate(rows):
        key = tuple(place[row[c.column]] for place, c in zip(codes, recoding.columns, strict=True))
        if key in becomes:
            found[i] = becomes[key]
    return found


# -- by hand


def test_what_the_first_round_leaves_out_is_released_at_levels_of_its_own() -> None:
    rows = column(a1=4, a2=4, b1=1, b2=2)
    decision = decide((rows, {"q": TREE}), (KAnonymity(3),), rounds=2)
    # Untouched, three records fail: shares 8/4 + 3 = 5. One level up nobody does: 11/2. So the first round stays low.
    assert decision.details["rounds"] == [{"levels": {"q": 0}, "records": 8}, {"levels": {"q": 1}, "records": 3}]
    assert decision.details["levels"] == {"q": 0}
    assert Counter(released(rows, decision.recoding).values()) == {("a1",): 4, ("a2",): 4, ("B",): 3}
    table = decision.table
    assert sorted(table.sizes) == [3, 4, 4]
    assert table.suppressed == 0
    # (8/4 + 3/2 − 11/4) / (11 − 11/4), while a single search goes up with everybody: (11/2 − 11/4) / (11 − 11/4).
    assert decision.details["score"] == pytest.approx(1 / 11, abs=1e-9)
    assert decide((rows, {"q": TREE}), (KAnonymity(3),)).details["score"] == pytest.approx(1 / 3, abs=1e-9)
    assert MEASURES["height"](table) == pytest.approx(3 / 11 * 1 / 2)
    assert MEASURES["gcp"](table) == pytest.approx(3 / 11 * 1 / 3)
    assert MEASURES["discernibility"](table) == 4**2 + 4**2 + 3**2
    [warning] = decision.warnings
    assert "different levels in 2 rounds" in warning
    assert REFINEMENT in warning


def test_one_round_that_is_enough_is_a_plain_release() -> None:
    rows = column(a1=4, a2=4, b1=1)
    many, one = (decide((rows, {"q": TREE}), (KAnonymity(3),), 0.2, rounds=n) for n in (5, 1))
    assert many.recoding == one.recoding
    assert many.recoding.tuples is None
    assert many.details.pop("rounds") == [{"levels": {"q": 0}, "records": 8}]
    assert many.details == one.details
    assert many.warnings == ()


def test_where_too_many_are_left_over_a_single_search_is_made_and_said() -> None:
    rows = column(a=4, b=1)
    tree = {"a": ["a", "*"], "b": ["b", "*"]}
    # The first round leaves one record out (4/2 + 1 < 5), which no second round can hide.
    decision = decide((rows, {"q": tree}), (KAnonymity(3),), rounds=2)
    assert Counter(released(rows, decision.recoding).values()) == {("*",): 5}
    assert decision.details["rounds"] == [{"levels": {"q": 1}, "records": 5}]
    [warning] = decision.warnings
    assert "at the same levels" in warning
    assert "leave out 1 records where 0" in warning


def test_classes_of_two_rounds_with_the_same_labels_are_one_class() -> None:
    rows = column(a=9, b=1, c=2)
    # The group is named like one of its values.
    tree = {leaf: [leaf, "a", "*"] for leaf in ("a", "b", "c")} | {"d": ["d", "d", "*"]}
    decision = decide((rows, {"q": tree}), (KAnonymity(3),), rounds=3)
    assert [made["records"] for made in decision.details["rounds"]] == [9, 3]
    assert list(decision.table.sizes) == [12]
    assert Counter(released(rows, decision.recoding).values()) == {("a",): 12}
    assert list(decision.table.volumes) == [3]


class AtMost(PrivacyModel):
    """No class is larger than a size: what holds of two classes need not hold of both together."""

    name: ClassVar[str] = "at-most"
    summary: ClassVar[str] = "Small classes only."
    details: ClassVar[str] = "For tests."
    formula: ClassVar[str] = "|E| ≤ size"
    source: ClassVar[str] = "nobody"
    monotone_generalization: ClassVar[bool] = False

    size: int

    @property
    def monotone_suppression(self) -> bool:
        return False

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        return classes.sizes <= self.size

    def achieved(self, classes: ClassTable) -> int | None:
        return int(classes.sizes.max()) if classes.sizes.size else None


def test_merged_classes_are_judged_as_one() -> None:
    tree = {leaf: [leaf, "a", "*"] for leaf in ("a", "b", "c")}
    lattice = lattice_of(column(a=3, b=1, c=2), {"q": tree}, ("s",))
    table = LocalGeneralization(lattice, [LevelGroup((0,), np.array([0])), LevelGroup((1,), np.array([1, 2]))])
    assert objection(table, (KAnonymity(3), AtMost(size=6)), 0) is None
    said = objection(table, (KAnonymity(3), AtMost(size=5)), 0)
    assert said is not None
    assert "at-most" in said
    assert "k-anonymity" not in said
    with pytest.raises(PrivacyNotReached):
        # Each round would do by itself; together they don't, and no single search does.
        decide((column(a=3, b=1, c=2), {"q": tree}), (KAnonymity(3), AtMost(size=5)), rounds=2)


# -- what is known of the whole table


def test_part_of_a_table_remembers_the_whole_tables_distribution() -> None:
    lattice = lattice_of(column(a1=4, a2=3, b1=2), {"q": TREE}, ("s",))
    whole = lattice.frequencies.cells["s"].totals
    part = part_of(lattice.frequencies, np.array([1, 2]))
    assert part.rows == 5
    assert int(part.cells["s"].counts.sum()) == 5
    assert set(part.cells["s"].tuples) == {0, 1}
    np.testing.assert_array_equal(part.cells["s"].totals, whole)
    again = part_of(part, np.array([0]))
    np.testing.assert_array_equal(again.cells["s"].totals, whole)


@settings(deadline=None, max_examples=60)
@given(cases(), st.data())
def test_a_patchwork_of_one_patch_is_the_generalization(case: Case, data: st.DataObject) -> None:
    lattice = lattice_of(*case, ("s",))
    levels = tuple(data.draw(st.integers(0, top)) for top in lattice.heights)
    kept = lattice.sizes(levels) >= data.draw(st.integers(1, 2))
    inside = tuples_within(lattice, levels, kept)
    node = Generalization(lattice, levels, kept)
    assert int(lattice.frequencies.counts[inside].sum()) == int(node.sizes.sum())
    if not kept.any():
        return
    table = LocalGeneralization(lattice, [LevelGroup(levels, np.flatnonzero(inside))])
    assert sorted(zip(table.sizes, table.volumes, table.majorities("s"), strict=True)) == sorted(
        zip(node.sizes, node.volumes, node.majorities("s"), strict=True)
    )
    assert table.suppressed == node.suppressed
    for name, measure in MEASURES.items():
        assert measure(table) == pytest.approx(measure(node)), name
    for quality in QUALITIES:
        if not issubclass(quality, Entropy):
            made = quality_of(quality.name)
            assert made.score(table) == pytest.approx(made.score(node)), quality.name


# -- any table


@settings(deadline=None, max_examples=150)
@given(cases(), asked(), LIMITS, st.integers(2, 4))
def test_no_recount_finds_a_violation(
    case: Case, models: tuple[tuple[PrivacyModel, ...], brute.ClassOk], limit: float, rounds: int
) -> None:
    rows, named = case
    single = decided(case, models[0], limit)
    decision = decided(case, models[0], limit, rounds=rounds)
    if decision is None:
        # What a single search reaches is what rounds fall back to; they may reach more.
        assert single is None
        return
    kept = released(rows, decision.recoding)
    assert len(kept) > 0
    assert len(rows) - len(kept) <= math.floor(Fraction(str(limit)) * len(rows))
    assert sum(made["records"] for made in decision.details["rounds"]) == len(kept)
    for i, labels in kept.items():
        for (name, tree), label in zip(named.items(), labels, strict=True):
            assert label in tree[rows[i][name]]
    table = [{**dict(zip(named, labels, strict=True)), "s": rows[i]["s"]} for i, labels in kept.items()]
    found = brute.classes(table, list(named))
    assert all(models[1]([table[i] for i in members], rows) for members in found)
    assert sorted(map(len, found)) == sorted(decision.table.sizes)
    assert decision.details["score"] == pytest.approx(recounted(rows, named, kept), abs=1e-9)
    # A search takes what it leaves out for lost, so whatever later rounds save of it is gain.
    assert single is None or decision.details["score"] <= single.details["score"] + 1e-9


def decided(case: Case, models: tuple[PrivacyModel, ...], limit: float, rounds: int = 1) -> Decision | None:
    try:
        return decide(case, models, limit, rounds=rounds)
    except PrivacyNotReached:
        return None


def recounted(rows: Rows, named: dict[str, brute.Tree], kept: dict[int, tuple[str | None, ...]]) -> float:
    """Return the loss of released labels, record by record."""
    product = 1.0
    for a, (name, tree) in enumerate(named.items()):
        total = Fraction(len(rows) - len(kept))
        for i, labels in kept.items():
            level = list(tree[rows[i][name]]).index(labels[a])  # type: ignore[arg-type]
            total += brute.shares(tree, level, len(tree))[rows[i][name]]
        product *= 1 + brute.attribute_loss(total, len(rows), len(tree))
    return product ** (1 / len(named)) - 1


@pytest.mark.parametrize("name", [cls.name for cls in QUALITIES if not issubclass(cls, Entropy)])
def test_every_other_quality_can_be_searched_in_rounds(name: str) -> None:
    said = {"publisher-payout": {"stakes": NEEDED["publisher-payout"]}}.get(name, NEEDED.get(name, {}))
    rows = column(a1=4, a2=5, b1=1, b2=2)
    decision = decide((rows, {"q": TREE}), (KAnonymity(3),), quality=name, rounds=3, **said)
    assert len(released(rows, decision.recoding)) == len(rows)
    assert isinstance(decision.details["score"], float)


# -- what can't be had


@pytest.mark.parametrize("quality", ["entropy", "normalized-entropy"])
def test_entropy_is_refused(quality: str) -> None:
    FullDomain(quality=quality)
    with failing("method.quality-needs-one-round", ParameterError):
        FullDomain(quality=quality, rounds=2)


@pytest.mark.parametrize("rounds", [0, 101])
def test_rounds_have_bounds(rounds: int) -> None:
    with failing("declared.parameter-wrong", ParameterError, where="rounds"):
        FullDomain(rounds=rounds)


def test_a_population_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "population.csv"
    path.write_text("q\n" + "a1\na2\nb1\nb2\n" * 9)
    with failing("method.population-needs-one-round", ParameterError):
        az.anonymize(
            pa.table({"q": [row["q"] for row in column(a1=4, a2=4, b1=1, b2=2)]}),
            roles={"q": "quasi-identifier"},
            hierarchies={"q": az.hierarchy.table([list(labels) for labels in TREE.values()])},
            privacy=[az.KMap(2, population=str(path))],
            method=FullDomain(rounds=2),
        )


def test_chosen_levels_are_released_in_one_round() -> None:
    rows = column(a1=4, a2=4, b1=1, b2=2)
    decision = decide((rows, {"q": TREE}), (KAnonymity(3),), rounds=3, levels={"q": 2})
    assert Counter(released(rows, decision.recoding).values()) == {("*",): 11}
    assert "one round" in decision.warnings[0]


def test_a_time_budget_is_shared_by_the_rounds() -> None:
    rows = column(a1=4, a2=4, b1=1, b2=2)
    decision = decide((rows, {"q": TREE}), (KAnonymity(3),), rounds=2, seconds=60)
    assert decision.details["gap"] == 0
    assert len(decision.details["rounds"]) == 2


# -- through the gate

ROLES = dict.fromkeys(("age", "sex", "postcode", "education", "marital_status"), "quasi-identifier")
ROLES |= {"id_number": "identifier", "name": "identifier", "birth_date": "identifier", "diagnosis": "sensitive"}


def run(rounds: int, *models: PrivacyModel, rows: int = 4000) -> Any:
    return az.anonymize(
        people(rows, seed=3),
        roles=ROLES,
        others="release",
        hierarchies={
            "age": az.hierarchy.intervals(5, 10, 20, 40),
            "sex": az.hierarchy.flat(),
            "postcode": az.hierarchy.masking(1),
            "education": az.hierarchy.table(EDUCATION),
            "marital_status": az.hierarchy.table(MARITAL_STATUS),
        },
        privacy=list(models),
        method=FullDomain(suppression=0.02, rounds=rounds),
        seed=1,
    )


def test_three_rounds_lose_less_than_one(tmp_path: Path) -> None:
    one, three = run(1, KAnonymity(5)), run(3, KAnonymity(5))
    assert three.evidence["utility"]["loss"] < one.evidence["utility"]["loss"]
    assert three.evidence["rows"]["suppressed"] <= 0.02 * 4000
    assert len(three.evidence["method"]["rounds"]) > 1
    assert any(REFINEMENT in warning for warning in three.evidence["warnings"])
    columns = [name for name, role in ROLES.items() if role == "quasi-identifier"]
    frame = three.frame.select(columns).to_pylist()
    assert min(Counter(tuple(row.values()) for row in frame).values()) >= 5
    three.save(tmp_path / "out")
    [path] = (tmp_path / "out").glob("*.csv")
    with path.open(newline="", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert len(written) == three.evidence["rows"]["released"]
    assert min(Counter(tuple(row[name] for name in columns) for row in written).values()) >= 5
    assert "name" not in written[0]


def test_closeness_to_the_whole_table_holds_in_every_round() -> None:
    # The gate compares with the distribution of all records, so that is what each round must be judged by.
    release = run(3, KAnonymity(4), TCloseness(0.4, attribute="diagnosis"), rows=3000)
    assert all(verdict["holds"] for verdict in release.evidence["privacy"])
    assert len(release.evidence["method"]["rounds"]) > 1


def test_the_same_seed_gives_the_same_rows() -> None:
    assert run(3, KAnonymity(5), rows=1000).frame.equals(run(3, KAnonymity(5), rows=1000).frame)


def test_the_loss_of_a_round_is_measured_as_ever() -> None:
    assert Loss().score(decide((column(a1=4), {"q": TREE}), (KAnonymity(3),), rounds=2).table) == 0
