"""The loss that the search minimizes, against brute force, and the bounds that let it stop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError
from antifaz.counting.generalization import Generalization
from antifaz.utility import QUALITIES, Loss
from failing import failing, near
from oracles import brute
from oracles.tables import NINETEEN_PEOPLE, NINETEEN_TREES
from oracles.test_documents import lattice_of


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
