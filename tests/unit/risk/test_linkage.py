"""Record linkage: by hand, and against all distances written out."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz import DataError, ParameterError
from antifaz.risk import interval_risk, interval_risk_by_column, linkage
from failing import failing, like, near

LINE = pa.table({"x": [0.0, 10.0, 20.0, 30.0]})


def ranked(distances: np.ndarray, nearest: int) -> tuple[float, float, float]:
    """The share, and its bounds, from all distances: released by original."""
    shares = []
    for i, row in enumerate(distances):
        nearer, equal = int((row < row[i] - 1e-9).sum()), int((np.abs(row - row[i]) <= 1e-9).sum())
        free = nearest - nearer
        shares.append((min(max(free / equal, 0), 1), float(free >= equal), float(free > 0)))
    return tuple(np.mean(shares, axis=0))  # type: ignore[return-value]


def gower(before: dict[str, list[Any]], after: dict[str, list[Any]]) -> np.ndarray:
    total = np.zeros((len(before["n"]), len(before["n"])))
    known = [value for side in (before, after) for value in side["n"] if value is not None]
    span = (max(known) - min(known) if known else 0) or 1
    for name in before:
        for i, y in enumerate(after[name]):
            for j, x in enumerate(before[name]):
                if x is None or y is None or isinstance(x, str):
                    total[i, j] += x != y
                else:
                    total[i, j] += abs(x - y) / span
    return total / len(before)


def test_who_lies_nearest_to_the_own_original_is_linked() -> None:
    found = linkage(LINE, pa.table({"x": [1.0, 16.0, 19.0, 34.0]}))
    assert (found.share, found.at_least, found.at_most, found.chance) == (0.75, 0.75, 0.75, 0.25)
    assert float(found) == 0.75
    assert linkage(LINE, pa.table({"x": [1.0, 16.0, 19.0, 34.0]}), nearest=2).share == 1


def test_ties_count_by_their_chance_and_are_told() -> None:
    # 5 lies between two originals, 15 too; the others are clear, one wrong.
    found = linkage(LINE, pa.table({"x": [5.0, 15.0, 0.0, 30.0]}))
    assert (found.share, found.at_least, found.at_most) == (0.5, 0.25, 0.75)


def test_a_constant_release_can_only_be_guessed_at() -> None:
    same = pa.table({"x": [7.0] * 8})
    found = linkage(same, same)
    assert (found.share, found.at_least, found.at_most, found.chance) == (1 / 8, 0, 1, 1 / 8)
    assert linkage(same, same, nearest=4).share == 0.5
    assert linkage(same, same, nearest=8).at_least == 1
    assert linkage(same, same, assignment=True).share == 1 / 8


def test_units_do_not_matter_but_constant_columns_neither() -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 60))
    before = pa.table({"x": x, "y": y, "c": np.ones(60)})
    after = pa.table({"x": x + random.normal(0, 0.5, 60), "y": y, "c": np.arange(60.0)})
    rescaled = [table.set_column(0, "x", [np.asarray(table["x"]) * 1e6]) for table in (before, after)]
    for distance in ("euclidean", "mahalanobis"):
        found = linkage(before, after, distance=distance)  # type: ignore[arg-type]
        assert found == linkage(*rescaled, distance=distance)  # type: ignore[arg-type]
        assert found == linkage(before, after, ["x", "y"], distance=distance)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 120), st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32), st.booleans())
def test_the_same_as_all_distances_written_out(n: int, p: int, nearest: int, seed: int, coarse: bool) -> None:
    random = np.random.default_rng(seed)
    before = random.normal(size=(n, p)) * 3
    after = before + random.normal(size=(n, p))
    if coarse:
        before, after = np.round(before), np.round(after)
    tables = [pa.table({f"x{c}": side[:, c] for c in range(p)}) for side in (before, after)]
    width = before.std(axis=0, ddof=1) if n > 1 else np.zeros(p)
    some = np.ptp(before, axis=0) > 0
    gaps = (after[:, None, some] - before[None, :, some]) / width[some]
    found = linkage(*tables, nearest=min(nearest, n))
    expected = ranked(np.sqrt((gaps**2).sum(axis=2)), min(nearest, n))
    assert (found.share, found.at_least, found.at_most) == pytest.approx(expected, abs=1e-12)


CELLS = {
    "n": st.none() | st.integers(0, 9).map(float),
    "t": st.none() | st.sampled_from("abc"),
    "u": st.sampled_from("xy"),
}


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(1, 60), st.integers(1, 3))
def test_gower_is_the_same_as_all_distances_written_out(data: st.DataObject, n: int, nearest: int) -> None:
    before, after = (
        {name: data.draw(st.lists(cell, min_size=n, max_size=n)) for name, cell in CELLS.items()} for _ in range(2)
    )
    types = pa.schema([("n", pa.float64()), ("t", pa.string()), ("u", pa.string())])
    tables = [pa.table(side, schema=types) for side in (before, after)]
    found = linkage(*tables, nearest=min(nearest, n), distance="gower")
    expected = ranked(gower(before, after), min(nearest, n))
    assert (found.share, found.at_least, found.at_most) == pytest.approx(expected, abs=1e-12)
    assert linkage(*tables, nearest=min(nearest, n), distance="gower") == found


def test_many_alike_are_counted_and_not_searched() -> None:
    random = np.random.default_rng(1)
    ages = random.integers(0, 5, 20_000)
    table = pa.table({"age": ages, "sex": np.where(random.random(20_000) < 0.5, "a", "b")})
    groups = np.unique(np.stack([ages, np.asarray(table["sex"]) == "a"]), axis=1, return_counts=True)[1]
    found = linkage(table, table)
    assert found.share == pytest.approx(groups.size / 20_000)
    assert (found.at_least, found.at_most) == (0, 1)


def test_mahalanobis_takes_correlation_out() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=200)
    before = np.column_stack([x, x + 0.1 * random.normal(size=200)])
    after = before + 0.05 * random.normal(size=(200, 2))
    tables = [pa.table({"x": side[:, 0], "y": side[:, 1]}) for side in (before, after)]
    inverse = np.linalg.inv(np.cov(before, rowvar=False))
    gaps = after[:, None] - before[None]
    expected = ranked(np.sqrt(np.einsum("ijk,kl,ijl->ij", gaps, inverse, gaps)), 1)
    found = linkage(*tables, distance="mahalanobis")
    assert (found.share, found.at_least, found.at_most) == pytest.approx(expected, abs=1e-12)


def test_the_best_assignment_is_the_best_of_all() -> None:
    random = np.random.default_rng(2)
    for _ in range(10):
        before, after = random.normal(size=(2, 6, 2))
        tables = [pa.table({"x": side[:, 0], "y": side[:, 1]}) for side in (before, after)]
        width = before.std(axis=0, ddof=1)
        costs = np.sqrt((((after[:, None] - before[None]) / width) ** 2).sum(axis=2))
        best = min(permutations(range(6)), key=lambda order: costs[np.arange(6), order].sum())
        assert linkage(*tables, assignment=True).share == np.mean(np.array(best) == np.arange(6))


def test_an_assignment_can_find_what_the_nearest_does_not() -> None:
    after = pa.table({"x": [6.0, 14.0, 26.0, 34.0]})
    assert linkage(LINE, after).share == 0.5
    assert linkage(LINE, after, assignment=True).share == 1


def test_an_assignment_is_not_helped_by_the_order_of_rows() -> None:
    # Averages of two: either of a pair may be whom the first record is assigned to.
    found = linkage(LINE, pa.table({"x": [5.0, 5.0, 25.0, 25.0]}), assignment=True)
    assert (found.share, found.at_least, found.at_most) == (0.5, 0, 1)


@pytest.mark.parametrize("nearest", [0, 5, 1.5, True])
def test_nearest_must_be_some_of_the_rows(nearest: object) -> None:
    with failing("linkage.nearest-out-of-bounds", ParameterError, rows=4):
        linkage(LINE, LINE, nearest=nearest)  # type: ignore[arg-type]


def test_what_a_distance_can_not_measure_is_said() -> None:
    mixed = pa.table({"x": [1.0, None], "t": ["a", "b"]})
    with failing("linkage.column-needs-gower", DataError, column="x", trouble=like("risk.has-missing-values")):
        linkage(mixed, mixed, "x", distance="euclidean")
    with failing("linkage.column-needs-gower", DataError, column="t", trouble=like("risk.is-not-numbers")):
        linkage(mixed, mixed, "t", distance="mahalanobis")
    assert linkage(mixed, mixed).share == 1
    twice = pa.table({"x": [1.0, 2.0, 4.0], "y": [2.0, 4.0, 8.0]})
    with failing("linkage.columns-depend-on-each-other", DataError):
        linkage(twice, twice, distance="mahalanobis")
    with failing("linkage.unknown-distance", ParameterError, distance="manhattan"):
        linkage(LINE, LINE, distance="manhattan")  # type: ignore[arg-type]


def test_an_assignment_of_too_many_is_refused() -> None:
    many = pa.table({"x": np.arange(5_001.0)})
    with failing("linkage.too-many-rows-to-assign", DataError, rows=5001, most=5000):
        linkage(many, many, assignment=True)
    with failing("linkage.assignment-with-nearest", ParameterError):
        linkage(LINE, LINE, nearest=2, assignment=True)


# The sample standard deviation of 1 … 5 is √2.5 = 1.5811; of the released x it is √(2.5·4) = 3.1623.
ORIGINAL = pa.table({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": [0.0, 0.0, 0.0, 0.0, 10.0]})
RELEASED = pa.table({"x": [2.0, 4.0, 6.0, 8.0, 10.0], "y": [0.0, 0.0, 0.0, 0.0, 10.0]})


@pytest.mark.parametrize(
    ("k", "sd", "share"),
    [
        (0.0, "released", 0.0),
        (0.32, "released", 0.2),  # 1 ≤ 1.012
        (0.31, "released", 0.0),  # 1 > 0.980
        (0.64, "original", 0.2),  # 1 ≤ 1.012
        (0.63, "original", 0.0),
        (1.0, "released", 0.6),
        (2.0, "released", 1.0),
        # The median of the released is 6, of the distances to it 2: 2.965.
        (1.02, "robust", 0.6),  # 3 ≤ 3.02
        (1.01, "robust", 0.4),
    ],
)
def test_as_many_lie_inside_as_by_hand(k: float, sd: str, share: float) -> None:
    assert interval_risk(ORIGINAL, RELEASED, "x", k=k, sd=sd) == share  # type: ignore[arg-type]


def test_the_ends_are_inside() -> None:
    before, after = pa.table({"x": [0.0, 2.0]}), pa.table({"x": [1.0, 3.0]})
    assert interval_risk(before, after, k=1 / math.sqrt(2)) == 1  # 1/√2 times the released width, which is √2
    assert interval_risk(before, after, k=0.999 / math.sqrt(2)) == 0


def test_all_columns_must_lie_inside() -> None:
    before = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    after = pa.table({"x": [1.0, 2.0, 3.0, 9.0], "y": [9.0, 2.0, 3.0, 4.0]})
    assert interval_risk(before, after) == 0.5
    assert interval_risk_by_column(before, after) == {"x": 0.75, "y": 0.75}


def test_a_constant_column_has_no_width() -> None:
    before = pa.table({"x": [5.0, 5.1, 4.9, 5.0]})
    constant = pa.table({"x": [5.0, 5.0, 5.0, 5.0]})
    assert interval_risk(before, constant, k=100) == 0.5
    assert interval_risk(constant, before, k=100, sd="original") == 0.5
    assert interval_risk(constant, constant, k=0) == 1


def test_a_blank_rules_nothing_out() -> None:
    before = pa.table({"x": [1.0, 2.0, 3.0, 4.0]})
    after = pa.table({"x": [None, 20.0, float("nan"), 40.0]})
    assert interval_risk(before, after, k=0.1) == 0.5
    assert interval_risk(before, pa.table({"x": pa.array([None] * 4, pa.float64())}), sd="robust") == 1


@pytest.mark.parametrize("k", [-0.1, float("nan"), float("inf"), "0.2", True])
def test_a_width_that_is_none_is_refused(k: object) -> None:
    with failing("interval-risk.k-negative", ParameterError):
        interval_risk(ORIGINAL, RELEASED, k=k)  # type: ignore[arg-type]


def test_an_unknown_width_names_the_known_ones() -> None:
    with failing("interval-risk.unknown-sd", ParameterError, sd="release", hint=near("released")):
        interval_risk(ORIGINAL, RELEASED, sd="release")  # type: ignore[arg-type]


def test_of_a_sample_each_record_is_linked_with_all_originals() -> None:
    random = np.random.default_rng(1)
    before = random.normal(size=(500, 2))
    tables = [
        pa.table({"a": side[:, 0], "b": side[:, 1]}) for side in (before, before + random.normal(0, 0.1, (500, 2)))
    ]
    whole, drawn = linkage(*tables), linkage(*tables, sample=250)
    assert drawn.chance == whole.chance == 1 / 500
    # Two standard deviations of a share of 250.
    assert abs(drawn.share - whole.share) < 2 * np.sqrt(whole.share / 250)
    assert linkage(*tables, sample=500).share == linkage(*tables, sample=501).share == whole.share
    with failing("linkage.sample-below-1", ParameterError, sample=0):
        linkage(*tables, sample=0)
