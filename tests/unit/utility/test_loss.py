"""The loss that the search minimizes, against brute force, and the bounds that let it stop."""

from __future__ import annotations

from math import log2

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.generalization import Generalization
from antifaz.utility import QUALITIES, Loss, gcp, height, precision
from antifaz.utility.loss import lost_detail
from failing import failing, near
from oracles import brute
from oracles.counted import lattice_of
from oracles.tables import NINETEEN_PEOPLE, NINETEEN_TREES
from unit.utility.test_measures import ages


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(NINETEEN_PEOPLE), min_size=1, max_size=12), st.integers(1, 4))
def test_every_node_scores_as_brute_force_says(rows: list[dict[str, str | None]], k: int) -> None:
    lattice = lattice_of(rows, NINETEEN_TREES)
    quality = Loss()
    bounds = quality.bounds(lattice, len(rows))
    assert bounds.shape == (4, 2, 4)
    for levels in brute.lattice(lattice.heights):
        table = Generalization(lattice, levels, lattice.sizes(levels) >= k)
        score = quality.score(table)
        assert score == pytest.approx(brute.loss(rows, NINETEEN_TREES, levels, brute.k_anonymous(k)), abs=2e-10)
        assert bounds[levels] <= score + 2e-10
        everybody = Generalization(lattice, levels, np.ones(lattice.sizes(levels).size, np.bool_))
        assert bounds[levels] == pytest.approx(quality.score(everybody), abs=1e-12)


def test_bounds_do_not_fall_when_a_level_rises() -> None:
    bounds = Loss().bounds(lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES), 0)
    for axis in range(bounds.ndim):
        assert (np.diff(bounds, axis=axis) >= 0).all()
    assert bounds[0, 0, 0] == 0
    assert bounds[-1, -1, -1] == pytest.approx(1, abs=1e-9)


def test_it_is_found_by_name() -> None:
    assert QUALITIES["loss"] is Loss
    with failing("declared.unknown-name", ParameterError, kind="quality model", name="los", hint=near("loss")):
        QUALITIES["los"]


def test_numbers_lose_the_width_of_what_is_under_their_label() -> None:
    # 20…29 and 30…39 are 9 wide, 40…50 is 10 wide, all together 30: four, three and three people.
    assert gcp(ages(1)) == pytest.approx((4 * 9 + 3 * 9 + 3 * 10) / 30 / 10)
    assert gcp(ages(2)) == 1
    assert gcp(ages(0)) == 0
    assert gcp(ages(1, 4)) == pytest.approx((4 * 9 / 30 + 6) / 10)


def test_a_missing_number_that_stays_missing_loses_nothing() -> None:
    assert gcp(ages(1, 1, None)) == pytest.approx((4 * 9 + 3 * 9 + 3 * 10) / 30 / 11)
    assert height(ages(1, 1, None)) == pytest.approx(0.5)


def test_a_hierarchy_of_one_level_climbs_only_when_left_out() -> None:
    lattice = lattice_of(
        [{"a": "x", "b": b} for b in "122"], {"a": {"x": ["x"]}, "b": {"1": ["1", "*"], "2": ["2", "*"]}}
    )
    kept = Generalization(lattice, (0, 0), lattice.sizes((0, 0)) >= 1)
    assert (height(kept), precision(kept)) == (0, 1)
    lost = Generalization(lattice, (0, 0), lattice.sizes((0, 0)) >= 2)
    assert height(lost) == pytest.approx(2 / 3)


# Four values of age on a width of 30, two of sex; the order of the released rows is another.
BEFORE = pa.table({"age": [20, 25, 30, 50], "sex": ["m", "f", "m", "f"]})
AFTER = pa.table({"age": ["[30, 50]", "[20, 30)", "[30, 50]", "[20, 30)"], "sex": ["f", "m", "m", "f"]})


def test_loss_is_the_share_of_the_domain_less_that_of_an_untouched_value() -> None:
    found = lost_detail(BEFORE, AFTER)
    # Each label covers 2 of 4 ages: (4·½ − 1)/(4 − 1); sex is untouched.
    assert found["columns"]["age"]["loss"] == pytest.approx(1 / 3, abs=1e-10)
    assert found["columns"]["sex"]["loss"] == 0
    assert found["loss"] == pytest.approx((4 / 3) ** 0.5 - 1, abs=1e-10)
    assert az.utility.loss(BEFORE, AFTER) == found["loss"]


def test_gcp_is_width_for_numbers_and_values_for_words() -> None:
    # 20 and 25 are 5 of 30 apart, 30 and 50 are 20 of 30 apart.
    assert lost_detail(BEFORE, AFTER)["columns"]["age"]["gcp"] == pytest.approx((5 / 30 + 20 / 30) / 2)
    sets = pa.table({"sex": ["{f, m}", "{f, m}", "m", "f"]})
    assert az.utility.gcp(BEFORE, sets, "sex") == pytest.approx(0.5)
    assert az.utility.gcp(BEFORE, AFTER) == pytest.approx(5 / 24)


def test_a_record_that_is_missing_or_all_stars_lost_everything() -> None:
    stars = pa.table({"age": ["20", "25", "30", "*"], "sex": ["m", "f", "m", "*"]})
    for released in (stars, stars.slice(0, 3)):
        found = lost_detail(BEFORE, released)
        assert found["gcp"] == found["suppressed"] == 0.25
        # (3·¼ + 1 − 1)/3 and (3·½ + 1 − 2)/2
        assert found["columns"]["age"]["loss"] == 0.25
        assert found["columns"]["sex"]["loss"] == 0.25
        # Three classes of one, and the one left out can't be told from four.
        assert found["discernibility"] == 3 + 4
        assert found["average_class_size"] == 1


def test_a_column_that_was_taken_out_lost_everything() -> None:
    assert lost_detail(BEFORE, AFTER.drop_columns("sex"), ["age", "sex"])["columns"]["sex"]["gcp"] == 1


def test_the_information_kept_is_that_of_the_label_over_that_of_the_value() -> None:
    found = lost_detail(BEFORE, AFTER)
    # Two bits of age, one of which says which interval.
    assert found["columns"]["age"]["entropy"] == pytest.approx(0.5)
    assert found["columns"]["age"]["non_uniform_entropy"] == pytest.approx(0.5)
    assert found["columns"]["sex"]["entropy"] == 1


def test_information_of_uneven_values() -> None:
    before = pa.table({"town": ["a"] * 6 + ["b"] + ["c"]})
    after = pa.table({"town": ["a"] * 6 + ["{b, c}"] * 2})
    bits = -(6 * log2(6 / 8) + 2 * log2(1 / 8))
    kept = -(6 * log2(6 / 8) + 2 * log2(2 / 8))
    assert lost_detail(before, after)["entropy"] == pytest.approx(kept / bits)


def test_levels_need_a_hierarchy() -> None:
    assert lost_detail(BEFORE, AFTER)["precision"] is None
    trees = {"age": az.hierarchy.intervals(10, 20), "sex": az.hierarchy.flat()}
    after = pa.table({"age": ["[20, 40)", "[20, 40)", "30", "*"], "sex": ["m", "f", "m", "*"]})
    found = lost_detail(BEFORE, after, hierarchies=trees)
    # Levels 2, 2, 0 of 3, and one left out: (2/3 + 2/3 + 0 + 1)/4 of age, (0 + 0 + 0 + 1)/4 of sex.
    assert found["columns"]["age"]["level"] == pytest.approx(4 / 3)
    assert found["precision"] == pytest.approx(1 - ((7 / 3) / 4 + 1 / 4) / 2)
    assert found["height"] == pytest.approx((7 / 3) / 4 + 1 / 4)
    assert found["levels"] == pytest.approx(4 / 3)


def test_a_label_that_nobody_understands_counts_as_anything() -> None:
    strange = pa.table({"age": ["young", "young", "old", "old"], "sex": ["m", "f", "m", "f"]})
    assert lost_detail(BEFORE, strange)["columns"]["age"]["gcp"] == 1
    assert lost_detail(BEFORE, strange)["columns"]["age"]["loss"] == 1


def test_an_empty_release_lost_everything_and_an_empty_pair_nothing() -> None:
    none = AFTER.slice(0, 0)
    assert lost_detail(BEFORE, none)["gcp"] == 1
    assert lost_detail(BEFORE.slice(0, 0), none)["gcp"] == 0


def test_a_copy_lost_nothing() -> None:
    found = lost_detail(BEFORE, BEFORE)
    assert (found["loss"], found["gcp"], found["entropy"], found["suppressed"]) == (0, 0, 1, 0)
