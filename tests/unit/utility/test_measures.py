"""Measures of a generalization, worked out on paper."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.types import DataType
from antifaz.counting.generalization import Generalization
from antifaz.utility import average_class_size, discernibility, gcp, height, ks, loss, precision
from oracles.counted import lattice_of
from oracles.tables import SIX_PEOPLE, SIX_TREES, TEN_PATIENTS, TEN_TREES


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


def test_an_attribute_of_one_value_has_nothing_to_lose() -> None:
    lattice = lattice_of([{"a": "x"}, {"a": "x"}], {"a": {"x": ["x", "*"]}})
    table = Generalization(lattice, (1,), np.array([True]))
    assert (loss(table), gcp(table), height(table), precision(table)) == (0, 0, 1, 0)


def test_ks_is_only_said_of_numbers() -> None:
    assert ks(six((0, 0))) == {}
    assert set(ks(ages(1))) == {"edad"}


def test_ks_of_what_was_not_touched_is_one() -> None:
    assert ks(ages(0)) == {"edad": pytest.approx(1)}
    assert ks(ages(0, 1, None)) == {"edad": pytest.approx(1)}


def test_ks_of_nothing_is_zero() -> None:
    assert ks(ages(0, 99)) == {"edad": 0}
