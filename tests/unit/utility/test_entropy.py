"""Measures of information, worked out on paper and from their definitions."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.counting.generalization import Generalization
from antifaz.utility import Divergence, Entropy, NormalizedEntropy
from oracles import brute
from oracles.counted import lattice_of
from oracles.tables import NINETEEN_PEOPLE, NINETEEN_TREES

Rows = list[dict[str, str | None]]
#: One attribute: four values below two labels below '*'.
TREE: brute.Tree = {v: [v, "low" if v in "ab" else "high", "*"] for v in "abcd"}
#: a three times, b once, c and d twice.
EIGHT: Rows = [{"q": value} for value in "aaabccdd"]


def at(level: int, k: int = 1, rows: Rows = EIGHT) -> Generalization:
    lattice = lattice_of(rows, {"q": TREE})
    return Generalization(lattice, (level,), lattice.sizes((level,)) >= k)


def test_nothing_generalized_loses_nothing() -> None:
    assert Entropy().score(at(0)) == 0
    assert NormalizedEntropy().score(at(0)) == 0


def test_bits_lost_by_hand() -> None:
    # Among 'low' 3 of 4 were a and 1 was b; among 'high' half and half: 3 log₂ 4/3 + log₂ 4 + 4 · 1.
    low = 3 * math.log2(4 / 3) + 2
    assert Entropy().score(at(1)) == pytest.approx(low + 4, abs=1e-9)
    # At the top: 3 log₂ 8/3 + log₂ 8 + 4 log₂ 4.
    most = 3 * math.log2(8 / 3) + 3 + 8
    assert Entropy().score(at(2)) == pytest.approx(most, abs=1e-9)
    assert NormalizedEntropy().score(at(1)) == pytest.approx((low + 4) / most, abs=1e-9)
    assert NormalizedEntropy().score(at(2)) == pytest.approx(1, abs=1e-9)


def test_a_frequent_value_costs_less_than_a_rare_one() -> None:
    even = at(2, rows=[{"q": value} for value in "aaaabbbb"])
    uneven = at(2, rows=[{"q": value} for value in "aaaaaaab"])
    assert Entropy().score(even) == pytest.approx(8, abs=1e-9)
    assert Entropy().score(uneven) == pytest.approx(7 * math.log2(8 / 7) + 3, abs=1e-9)


def test_who_is_left_out_loses_what_was_still_told_among_them() -> None:
    # At level 0 with k = 2 only b goes: alone, so nothing more is lost. With k = 3 five go: 1, 2, 2 of 5.
    assert Entropy().score(at(0, 2)) == 0
    spread = math.log2(5) + 4 * math.log2(5 / 2)
    assert Entropy().score(at(0, 3)) == pytest.approx(spread, abs=1e-9)
    # The normalized one counts a record left out as one that lost everything.
    assert NormalizedEntropy().score(at(0, 3)) == pytest.approx(5 / 8, abs=1e-9)


def test_an_attribute_of_one_value_has_nothing_to_lose() -> None:
    for level in range(3):
        table = at(level, rows=[{"q": "a"}] * 3)
        assert Entropy().score(table) == 0
        assert NormalizedEntropy().score(table) == 0


def test_divergence_by_hand() -> None:
    # Nothing generalized: every record stands for itself.
    assert Divergence().score(at(0)) == pytest.approx(0, abs=1e-12)
    # At the top each of four leaves gets 1/4: Σ p log₂ 4p.
    p = [3 / 8, 1 / 8, 2 / 8, 2 / 8]
    assert Divergence().score(at(2)) == pytest.approx(sum(x * math.log2(4 * x) for x in p))
    # At level 1 'low' and 'high' have half of the records and two leaves each, so each leaf gets 1/4 again.
    assert Divergence().score(at(1)) == pytest.approx(Divergence().score(at(2)))


def test_divergence_spreads_who_is_left_out_over_the_whole_domain() -> None:
    # a, c and d stay as they are; the one b gets 1/8 · 1/4.
    assert Divergence().score(at(0, 2)) == pytest.approx(1 / 8 * math.log2(4))


def _bits(rows: Rows, tree: brute.Tree, name: str, level: int, lost: set[int]) -> float:
    """Gionis and Tassa, as ARX.md says it: per record, and then among those left out."""
    values = [row[name] for row in rows]
    labels = [tree[value][level] for value in values]
    one, other = Counter(values), Counter(labels)
    bits = -sum(math.log2(one[v] / other[label]) for v, label in zip(values, labels, strict=True))
    gone = Counter(labels[i] for i in lost)
    return bits - sum(n * math.log2(n / len(lost)) for n in gone.values())


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(NINETEEN_PEOPLE), min_size=1, max_size=12), st.integers(1, 4))
def test_every_node_scores_as_the_definitions_say(rows: Rows, k: int) -> None:
    lattice = lattice_of(rows, NINETEEN_TREES)
    top = lattice.heights
    for levels in brute.lattice(top):
        table = Generalization(lattice, levels, lattice.sizes(levels) >= k)
        lost = brute.suppressed_by(rows, NINETEEN_TREES, levels, brute.k_anonymous(k))
        parts = list(zip(NINETEEN_TREES.items(), levels, top, strict=True))
        bits = [_bits(rows, tree, name, level, lost) for (name, tree), level, _ in parts]
        assert Entropy().score(table) == pytest.approx(sum(bits), abs=1e-8)
        shares = []
        for (name, tree), level, most in parts:
            whole = _bits(rows, tree, name, most, set())
            share = _bits(rows, tree, name, level, set()) / whole if whole else 0.0
            shares.append(share + len(lost) / len(rows) * (1 - share))
        assert NormalizedEntropy().score(table) == pytest.approx(sum(shares), abs=1e-8)
        assert Divergence().score(table) == pytest.approx(_divergence(rows, levels, lost), abs=1e-9)


def _divergence(rows: Rows, levels: brute.Levels, lost: set[int]) -> float:
    """Σ p log₂(p/q) over the original tuples, q being what a released class spreads over each of its leaves."""
    names = list(NINETEEN_TREES)
    released = brute.generalize(rows, NINETEEN_TREES, levels)
    keys = [tuple(row[name] for name in names) for row in released]
    leaves = [
        Counter(labels[level] for labels in tree.values())
        for tree, level in zip(NINETEEN_TREES.values(), levels, strict=True)
    ]
    under = [math.prod(some[label] for some, label in zip(leaves, key, strict=True)) for key in keys]
    whole, kept = math.prod(len(tree) for tree in NINETEEN_TREES.values()), Counter(keys)
    chances: Counter[tuple[str | None, ...]] = Counter()
    q = {}
    for i, row in enumerate(rows):
        own = tuple(row[name] for name in names)
        chances[own] += 1
        q[own] = len(lost) / whole if i in lost else kept[keys[i]] / under[i]
    return sum(n / len(rows) * math.log2(n / q[own]) for own, n in chances.items())


def test_scores_do_not_fall_when_a_level_rises_and_nobody_is_left_out() -> None:
    lattice = lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES)
    for quality in (Entropy(), NormalizedEntropy(), Divergence()):
        scores = np.zeros([height + 1 for height in lattice.heights])
        for levels in np.ndindex(scores.shape):
            scores[levels] = quality.score(Generalization(lattice, levels, lattice.sizes(levels) >= 1))
        for axis in range(scores.ndim):
            assert (np.diff(scores, axis=axis) >= -1e-9).all()
