"""Diversity per record, by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import antifaz as az


def test_diversity_by_hand():
    table = pa.table({"x": [1] * 6 + [2] * 2, "s": ["a", "a", "a", "b", "b", "c", "a", None]})
    found = az.risk.l_diversity(table, "x", "s", c=2)
    entropy = math.exp(-(0.5 * math.log(0.5) + 1 / 3 * math.log(1 / 3) + 1 / 6 * math.log(1 / 6)))
    assert found.distinct.tolist() == [3] * 6 + [2] * 2
    assert found.entropy == pytest.approx([entropy] * 6 + [2] * 2)
    # 3 < 2·(2 + 1), but not 3 < 2·1. And 1 < 2·1.
    assert found.recursive.tolist() == [2] * 8
