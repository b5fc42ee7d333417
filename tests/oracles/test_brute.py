"""The brute force itself, against answers worked out on paper and against what ARX computed."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest

from oracles import brute
from oracles.tables import (
    NINETEEN_K3,
    NINETEEN_PEOPLE,
    NINETEEN_TREES,
    SIX_K2,
    SIX_PEOPLE,
    SIX_TREES,
    TEN_K3_CLASSES,
    TEN_PATIENTS,
    TEN_TREES,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
ADULT = SHARED / "data" / "adult-arx"
GOLDEN = SHARED / "golden" / "arx_adult.json"


def test_six_people() -> None:
    assert brute.satisfying(SIX_PEOPLE, SIX_TREES, brute.every(brute.k_anonymous(2))) == SIX_K2


def test_six_people_best_by_sum_of_levels() -> None:
    best = brute.optimum(SIX_PEOPLE, SIX_TREES, brute.k_anonymous(2), 0, brute.level_sum)
    assert best == (2, [(0, 2), (2, 0)])


def test_nineteen_people() -> None:
    assert brute.satisfying(NINETEEN_PEOPLE, NINETEEN_TREES, brute.every(brute.k_anonymous(3))) == NINETEEN_K3


def test_ten_patients() -> None:
    released = brute.generalize(TEN_PATIENTS, TEN_TREES, (1, 1, 0))
    assert brute.classes(released, ["edad", "cod_postal"]) == TEN_K3_CLASSES
    assert released[4] == {**TEN_PATIENTS[4], "edad": "[40 - 50]", "cod_postal": "11***"}
    assert brute.generalize(TEN_PATIENTS, TEN_TREES, (1, 1, 1))[6]["estado_civil"] == "[Divorciado/a o Viudo/a]"


def test_suppression_and_loss_by_hand() -> None:
    # At [0, 0] only the two of 1986 in 53703 share a class; the other four go.
    ok = brute.k_anonymous(2)
    assert brute.suppressed_by(SIX_PEOPLE, SIX_TREES, (0, 0), ok) == {0, 1, 4, 5}
    # year: 2 kept at 1/2, 4 lost: (1 + 4 − 3)/(6 − 3) = 2/3; postcode: 2 at 1/3, 4 lost: (2/3 + 4 − 2)/(6 − 2) = 2/3
    assert brute.loss(SIX_PEOPLE, SIX_TREES, (0, 0), ok) == pytest.approx(0.6666666666, abs=1e-12)
    # [0, 2] keeps all: 0 for the year, 1 for the postcode, so √2 − 1.
    assert brute.loss(SIX_PEOPLE, SIX_TREES, (0, 2), ok) == pytest.approx(2**0.5 - 1, abs=1e-12)


def test_an_attribute_of_one_value_loses_nothing() -> None:
    assert brute.attribute_loss(6, 6, 1) == 0.0


def test_optimum_out_of_reach() -> None:
    assert brute.optimum(SIX_PEOPLE, SIX_TREES, brute.k_anonymous(7), 0.9, brute.loss) is None


def test_the_limit_is_the_decimal_that_was_written() -> None:
    # 0.29 · 100 is 28.999999999999996 in binary; 29 records may go.
    rows = [{"a": str(i) if i < 29 else "x"} for i in range(100)]
    trees = {"a": {value: [value] for value in {row["a"] for row in rows}}}
    assert brute.optimum(rows, trees, brute.k_anonymous(2), 0.29, brute.level_sum) == (0, [(0,)])


@pytest.mark.parametrize(
    ("values", "ok", "expected"),
    [
        ("aabb", brute.entropy_diverse(2, "s"), True),
        ("aaab", brute.entropy_diverse(2, "s"), False),
        ("abcabc", brute.entropy_diverse(3, "s"), True),
        ("aab", brute.recursive_diverse(2, 2, "s"), False),
        ("aab", brute.recursive_diverse(2.1, 2, "s"), True),
        ("aab", brute.recursive_diverse(9, 3, "s"), False),
        ("aab", brute.alpha_share(0.66, "s"), False),
        ("aab", brute.distinct_diverse(2, "s"), True),
    ],
)
def test_models_by_hand(values: str, ok: brute.ClassOk, expected: bool) -> None:
    rows = [{"s": value} for value in values]
    assert ok(rows, rows) is expected


def test_distances_by_hand() -> None:
    # p: 3, 4, …, 11, once each; the class of 3, 4, 5 is at 0.375 in order (the t-closeness paper), at 2/3 otherwise.
    table = [{"s": str(salary)} for salary in range(3, 12)]
    assert brute.ordered_close(0.375, "s", int)(table[:3], table)
    assert not brute.ordered_close(0.3749, "s", int)(table[:3], table)
    assert brute.equal_close(0.6667, "s")(table[:3], table)
    assert not brute.equal_close(0.6666, "s")(table[:3], table)
    # Four leaves under two nodes; the class has both leaves of one node: half of the mass moves over the root.
    tree = {"a": ["a", "x", "*"], "b": ["b", "x", "*"], "c": ["c", "y", "*"], "d": ["d", "y", "*"]}
    table = [{"s": value} for value in "abcd"]
    assert brute.hierarchical_close(0.5, "s", tree)(table[:2], table)
    assert not brute.hierarchical_close(0.49, "s", tree)(table[:2], table)
    # The class of a and c: half of the mass moves between siblings only, at half the cost.
    assert brute.hierarchical_close(0.25, "s", tree)([table[0], table[2]], table)


@cache
def _adult() -> list[dict[str, str]]:
    with (ADULT / "adult.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=";"))


@cache
def _tree(name: str) -> dict[str, list[str]]:
    with (ADULT / f"adult_hierarchy_{name}.csv").open(encoding="utf-8", newline="") as lines:
        return {path[0]: path for path in csv.reader(lines, delimiter=";")}


def _model(text: str) -> brute.ClassOk:
    name, *given = text.split(":")
    if name == "k":
        return brute.k_anonymous(int(given[0]))
    attribute, numbers = given[0], [float(number) for number in given[1:]]
    makers = {
        "dl": lambda: brute.distinct_diverse(int(numbers[0]), attribute),
        "el": lambda: brute.entropy_diverse(int(numbers[0]), attribute),
        "cl": lambda: brute.recursive_diverse(numbers[0], int(numbers[1]), attribute),
        "te": lambda: brute.equal_close(numbers[0], attribute),
        "th": lambda: brute.hierarchical_close(numbers[0], attribute, _tree(attribute)),
        "dd": lambda: brute.delta_disclosed(numbers[0], attribute),
        "bb": lambda: brute.beta_like(numbers[0], attribute, enhanced=False),
        "eb": lambda: brute.beta_like(numbers[0], attribute, enhanced=True),
    }
    return makers[name]()


@pytest.mark.skipif(not GOLDEN.exists(), reason="the results of ARX are not here")
@pytest.mark.parametrize(
    "case",
    [
        "adult8-k2-s0-loss",
        "adult8-k5-s0.02-loss",
        "adult8-k50-s1.0-loss",
        "occ7-dl5-s0.05-loss",
        "occ7-el4-s0.02-loss",
        "occ7-cl3_3-s0.02-loss",
        "occ7-te0.2-s0.02-loss",
        "occ7-th0.2-s0.05-loss",
        "occ7-dd2-s0.05-loss",
        "occ7-bb2-s0.02-loss",
        "sal8-te0.1-s0.05-loss",
        "occ7-eb1-s1.0-loss",
    ],
)
def test_arx(case: str) -> None:
    found = next(c for c in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"] if c["id"] == case)
    trees = {name: _tree(name) for name in found["quasi_identifiers"]}
    ok, levels = brute.both(*map(_model, found["models"])), tuple(found["optimum"])
    assert len(brute.suppressed_by(_adult(), trees, levels, ok)) == found["classes"]["suppressed"]
    assert brute.arx_loss(_adult(), trees, None, levels, ok) == pytest.approx(found["score"], abs=1e-9)
