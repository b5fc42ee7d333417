"""Measures of a generalization, worked out on paper."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples, frequency_set
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.hierarchies.binding import bind
from antifaz.utility import average_class_size, discernibility, gcp, height, ks, loss, precision
from oracles.tables import SIX_PEOPLE, SIX_TREES, TEN_PATIENTS, TEN_TREES
from oracles.test_documents import hierarchy_of, lattice_of


def six(levels: tuple[int, int], k: int = 1) -> Generalization:
    """Return the six people at these levels, classes of fewer than k left out."""
    lattice = lattice_of(SIX_PEOPLE, SIX_TREES)
    return Generalization(lattice, levels, lattice.sizes(levels) >= k)


def ages(level: int, k: int = 1, *more: str | None) -> Generalization:
    """Return the ages of the ten patients, and some more, as numbers at a level."""
    rows: list[dict[str, str | None]] = [{"edad": row["edad"]} for row in TEN_PATIENTS]
    rows += [{"edad": age} for age in more]
    lattice = lattice_of(rows, {"edad": TEN_TREES["edad"]}, edad=DataType.INTEGER)
    return Generalization(lattice, (level,), lattice.sizes((level,)) >= k)


def test_nothing_generalized_loses_nothing() -> None:
    table = six((0, 0))
    assert (loss(table), gcp(table), height(table), precision(table)) == (0, 0, 0, 1)
    assert (discernibility(table), average_class_size(table)) == (4 + 1 + 1 + 1 + 1, 6 / 5)


def test_everything_generalized_loses_all() -> None:
    table = six((2, 2))
    assert loss(table) == pytest.approx(1, abs=1e-9)
    assert (gcp(table), height(table), precision(table)) == (1, 2, 0)
    assert (discernibility(table), average_class_size(table)) == (36, 6)


def test_one_attribute_generalized_to_its_top() -> None:
    # Year as it is, postcode at its top: classes of 4 and 2.
    table = six((0, 2), k=2)
    assert table.suppressed == 0
    assert loss(table) == pytest.approx(2**0.5 - 1, abs=1e-9)
    assert (gcp(table), height(table), precision(table)) == (0.5, 1.0, 0.5)
    assert (discernibility(table), average_class_size(table)) == (16 + 4, 3)


def test_with_records_left_out() -> None:
    # At [1, 1] three people share 198*, 5370*; the other three are alone.
    table = six((1, 1), k=2)
    assert table.suppressed == 3
    # year: 3 · 1/2 + 3 lost = 4.5, less 3, over 3 = 1/2; postcode: 3 · 2/3 + 3 = 5, less 2, over 4 = 3/4
    assert loss(table) == pytest.approx((1.5 * 1.75) ** 0.5 - 1, abs=1e-9)
    # year: 0 for the kept (one leaf of two below 198*); postcode: (2 − 1)/(3 − 1) for each; 1 for each lost
    assert gcp(table) == pytest.approx((3 * 0 + 3 + 3 * 0.5 + 3) / 12)
    assert height(table) == pytest.approx(2 * (3 * 0.5 + 3) / 6)
    assert precision(table) == pytest.approx(0.25)
    assert discernibility(table) == 9 + 6 * 3
    assert average_class_size(table) == 3


def test_with_everybody_left_out() -> None:
    table = six((0, 0), k=7)
    assert (table.suppressed, table.sizes.size) == (6, 0)
    assert loss(table) == pytest.approx(1, abs=1e-9)
    assert (gcp(table), height(table), precision(table)) == (1, 2, 0)
    assert (discernibility(table), average_class_size(table)) == (36, 0)


def test_loss_is_cut_to_ten_decimals_as_arx_does() -> None:
    # Postcode at level 1: two of three leaves for 4 people, one for 2: (4 · 2/3 + 2/3 − 2)/4 = 1/3.
    assert loss(six((0, 1))) == pytest.approx((1 + 0.3333333333) ** 0.5 - 1, abs=1e-15)


def test_the_domain_is_that_of_the_hierarchy_not_of_the_data() -> None:
    tree = {str(i): [str(i), "low" if i < 4 else "high", "*"] for i in range(10)}
    lattice = lattice_of([{"a": "0"}, {"a": "1"}], {"a": tree})
    table = Generalization(lattice, (1,), np.array([True]))
    assert loss(table) == pytest.approx((2 * 0.4 - 0.2) / (2 - 0.2), abs=1e-9)
    assert gcp(table) == pytest.approx(3 / 9)


def test_numbers_lose_the_width_of_what_is_under_their_label() -> None:
    # 20…29 and 30…39 are 9 wide, 40…50 is 10 wide, all together 30: four, three and three people.
    assert gcp(ages(1)) == pytest.approx((4 * 9 + 3 * 9 + 3 * 10) / 30 / 10)
    assert gcp(ages(2)) == 1
    assert gcp(ages(0)) == 0
    assert gcp(ages(1, 4)) == pytest.approx((4 * 9 / 30 + 6) / 10)


def test_a_missing_number_that_stays_missing_loses_nothing() -> None:
    assert gcp(ages(1, 1, None)) == pytest.approx((4 * 9 + 3 * 9 + 3 * 10) / 30 / 11)
    assert height(ages(1, 1, None)) == pytest.approx(0.5)


def test_an_attribute_of_one_value_has_nothing_to_lose() -> None:
    lattice = lattice_of([{"a": "x"}, {"a": "x"}], {"a": {"x": ["x", "*"]}})
    table = Generalization(lattice, (1,), np.array([True]))
    assert (loss(table), gcp(table), height(table), precision(table)) == (0, 0, 1, 0)


def test_a_hierarchy_of_one_level_climbs_only_when_left_out() -> None:
    lattice = lattice_of(
        [{"a": "x", "b": b} for b in "122"], {"a": {"x": ["x"]}, "b": {"1": ["1", "*"], "2": ["2", "*"]}}
    )
    kept = Generalization(lattice, (0, 0), lattice.sizes((0, 0)) >= 1)
    assert (height(kept), precision(kept)) == (0, 1)
    lost = Generalization(lattice, (0, 0), lattice.sizes((0, 0)) >= 2)
    assert height(lost) == pytest.approx(2 / 3)


def test_discernibility_is_counted_in_whole_numbers() -> None:
    # The square of the first count does not fit 63 bits.
    counted = Tuples(
        columns=("a",),
        values=(("x", "y", "z"),),
        codes=(np.arange(3, dtype=np.int32),),
        counts=np.array([3_037_000_501, 5, 1], np.int64),
    )
    frequencies = frequency_set(counted, ["a"])
    tree = {leaf: [leaf, "*"] for leaf in "xyz"}
    lattice = Lattice(frequencies, [bind(frequencies.domains[0], hierarchy_of(tree))])
    table = Generalization(lattice, (0,), lattice.sizes((0,)) >= 2)
    assert discernibility(table) == 3_037_000_501**2 + 25 + 3_037_000_507


def test_ks_is_only_said_of_numbers() -> None:
    assert ks(six((0, 0))) == {}
    assert set(ks(ages(1))) == {"edad"}


def test_ks_of_what_was_not_touched_is_one() -> None:
    assert ks(ages(0)) == {"edad": pytest.approx(1)}
    assert ks(ages(0, 1, None)) == {"edad": pytest.approx(1)}


def test_ks_of_nothing_is_zero() -> None:
    assert ks(ages(0, 99)) == {"edad": 0}
