"""How far up its hierarchy a value is."""

from __future__ import annotations

import pytest

from antifaz.counting.generalization import Generalization
from antifaz.utility import height, precision
from oracles.test_documents import lattice_of


def test_a_hierarchy_of_one_level_climbs_only_when_left_out() -> None:
    lattice = lattice_of(
        [{"a": "x", "b": b} for b in "122"], {"a": {"x": ["x"]}, "b": {"1": ["1", "*"], "2": ["2", "*"]}}
    )
    kept = Generalization(lattice, (0, 0), lattice.sizes((0, 0)) >= 1)
    assert (height(kept), precision(kept)) == (0, 1)
    lost = Generalization(lattice, (0, 0), lattice.sizes((0, 0)) >= 2)
    assert height(lost) == pytest.approx(2 / 3)
