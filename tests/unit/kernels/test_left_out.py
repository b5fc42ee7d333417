"""Bounds from who is left out, against adding up and joining node by node."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest

from antifaz.kernels import left_out
from antifaz.kernels.left_out import GEOMETRIC_MEAN, LARGEST, MEAN, SUM, least_parts, raise_below

JOINED = {
    GEOMETRIC_MEAN: lambda parts: prod(1 + part for part in parts) ** (1 / len(parts)) - 1,
    MEAN: lambda parts: sum(parts) / len(parts),
    SUM: sum,
    LARGEST: max,
}


@pytest.mark.parametrize("kernel", [least_parts, left_out._least_parts])
def test_parts_grow_by_what_each_record_adds(kernel):
    # Two attributes of 3 and 2 labels at the levels (1, 0); the second and the third class are left out.
    keys = np.array([[0 | 0 << 4], [2 | 1 << 4], [1 | 1 << 4]], np.uint64)
    counts, out = np.array([9, 2, 1]), np.array([False, True, True])
    fields = np.array([0, 0]), np.array([0, 4], np.uint64), np.array([3, 1], np.uint64), np.array([0, 3, 5])
    parts = np.array([[0.1, 0.2], [0.3, 7.0]])
    added = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.25, 0.5])  # levels 0 and 1 of the first, 0 of the second
    least = kernel(keys, counts, out, *fields, np.array([1, 0]), parts, np.array([0, 6]), added)
    wanted = [[0.1 + 2 * 0.7 + 0.8, 0.2 + 2 * 0.4 + 0.5], [0.3 + 3 * 0.5, 7.0]]
    np.testing.assert_allclose(least, wanted, atol=1.1e-9)
    assert (least <= np.array(wanted)).all()  # a bound is never above
    assert parts[0, 0] == 0.1


@pytest.mark.parametrize("how", JOINED)
@pytest.mark.parametrize("shape", [(4,), (2, 3), (3, 1, 2, 4)])
@pytest.mark.parametrize("kernel", [raise_below, left_out._raise_below])
def test_bounds_below_a_node_are_raised_and_no_others(kernel, shape, how):
    random = np.random.default_rng(len(shape) + how)
    bounds, least = random.random(shape), 1.2 * random.random((len(shape), max(shape)))
    strides = np.array(bounds.strides) // bounds.itemsize
    for node in product(*map(range, shape)):
        found = bounds.copy()
        kernel(found.reshape(-1), strides, np.array(node), least, how, 0.8)
        for levels in np.ndindex(shape):
            below = all(a <= b for a, b in zip(levels, node, strict=True))
            joined = JOINED[how]([least[a, level] for a, level in enumerate(levels)])
            wanted = max(bounds[levels], joined) if below and bounds[levels] <= 0.8 else bounds[levels]
            assert found[levels] == pytest.approx(wanted, rel=1e-13)
