"""Specialization against one in plain Python, written from the formulas, on records: the same cuts, always."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import PrivacyNotReached
from antifaz.methods import Specialization
from antifaz.privacy import KAnonymity, PrivacyModel
from oracles import brute
from oracles.cases import Case, Rows, asked, cases, task
from oracles.counted import lattice_of

#: Per attribute, the level of each leaf that the table has.
Cut = dict[str, dict[str | None, int]]
#: A node: its attribute, level and label.
Node = tuple[str, int, str | None]
#: Where a way down ends, its steps (attribute and score), and whether the models hold there.
End = tuple[Cut, list[tuple[str, float]], bool]
M64 = 2**64


# -- the definitions, in plain Python


def node(trees: Mapping[str, brute.Tree], cut: Cut, name: str, leaf: str | None) -> Node:
    level = cut[name][leaf]
    return name, level, trees[name][leaf][level]


def entropy(rows: Sequence[brute.Row]) -> float:
    return -sum(n / len(rows) * log2(n / len(rows)) for n in Counter(row["s"] for row in rows).values())


def under(rows: Sequence[brute.Row], trees: Mapping[str, brute.Tree], of: Node) -> list[brute.Row]:
    name, level, label = of
    return [row for row in rows if trees[name][row[name]][level] == label]


def information_gain(rows: Sequence[brute.Row], trees: Mapping[str, brute.Tree], of: Node) -> float:
    name, level, _ = of
    records = under(rows, trees, of)
    if not records:
        return 0.0
    children = {(name, level - 1, trees[name][row[name]][level - 1]) for row in records}
    parts = [under(records, trees, child) for child in children]
    gain = entropy(records) - sum(len(part) / len(records) * entropy(part) for part in parts)
    return gain if gain > 1e-12 else 0.0


def classes(rows: Sequence[brute.Row], trees: Mapping[str, brute.Tree], cut: Cut) -> list[list[brute.Row]]:
    found: dict[tuple[Node, ...], list[brute.Row]] = {}
    for row in rows:
        found.setdefault(tuple(node(trees, cut, name, row[name]) for name in trees), []).append(row)
    return list(found.values())


def height(rows: Sequence[brute.Row], trees: Mapping[str, brute.Tree], cut: Cut) -> float:
    tops = dict(zip(trees, brute.heights(trees), strict=True))
    return sum(cut[name][row[name]] / max(tops[name], 1) for row in rows for name in trees) / len(rows)


def loss(rows: Sequence[brute.Row], trees: Mapping[str, brute.Tree], cut: Cut) -> float:
    """Σ over attributes of (mean share covered − 1/d)/(1 − 1/d)."""
    total = 0.0
    for name, tree in trees.items():
        d = len(tree)
        shares = [brute.shares(tree, cut[name][row[name]], d)[row[name]] for row in rows]
        total += float((sum(shares) / len(rows) - 1 / d) / (1 - 1 / d)) if d > 1 else 0.0
    return total


def score(rows: Rows, trees: Mapping[str, brute.Tree], kind: str, nodes: list[Node], cuts: tuple[Cut, Cut]) -> float:
    before, after = (min(map(len, classes(rows, trees, cut))) for cut in cuts)
    if kind in ("igpl", "information-gain"):
        # Nodes that go down together gain the mean over records.
        gain = sum(len(under(rows, trees, n)) / len(rows) * information_gain(rows, trees, n) for n in nodes)
        return gain / (before - after + 1) if kind == "igpl" else gain
    if kind == "loss":
        return (loss(rows, trees, cuts[0]) - loss(rows, trees, cuts[1])) / (before - after + 1)
    return (height(rows, trees, cuts[0]) - height(rows, trees, cuts[1])) / max(log2(before / after), 1e-6)


def node_score(rows: Rows, trees: Mapping[str, brute.Tree], kind: str, of: Node, cuts: tuple[Cut, Cut]) -> float:
    if kind not in ("igpl", "information-gain"):
        return score(rows, trees, kind, [of], cuts)
    before, after = (min(map(len, classes(rows, trees, cut))) for cut in cuts)
    gain = information_gain(rows, trees, of)
    return gain / (before - after + 1) if kind == "igpl" else gain


@dataclass(frozen=True)
class Plain:
    """Top-down specialization on records."""

    trees: Mapping[str, brute.Tree]
    leaves: Mapping[str, Sequence[str | None]]
    score: str

    def roots(self) -> Cut:
        tops = dict(zip(self.trees, brute.heights(self.trees), strict=True))
        return {name: dict.fromkeys(leaves, tops[name]) for name, leaves in self.leaves.items()}

    def holds(self, rows: Rows, ok: brute.ClassOk, cut: Cut) -> bool:
        return all(ok(members, rows) for members in classes(rows, self.trees, cut))

    def candidates(self, cut: Cut, kind: str) -> list[list[Node]]:
        found = []
        for name, leaves in self.leaves.items():
            nodes = list(dict.fromkeys(node(self.trees, cut, name, leaf) for leaf in leaves))
            inner = [each for each in nodes if each[1] > 0]
            found += ([inner] if inner else []) if kind == "level" else [[each] for each in inner]
        return found

    def lowered(self, cut: Cut, nodes: list[Node]) -> Cut:
        lower = {name: dict(levels) for name, levels in cut.items()}
        for name, levels in cut.items():
            for leaf in levels:
                lower[name][leaf] -= node(self.trees, cut, name, leaf) in nodes
        return lower

    def descend(self, rows: Rows, ok: brute.ClassOk, kind: str, cut: Cut) -> End:
        steps: list[tuple[str, float]] = []
        holds = self.holds(rows, ok, cut)
        while True:
            valid = []
            for nodes in self.candidates(cut, kind):
                lower = self.lowered(cut, nodes)
                if self.holds(rows, ok, lower):
                    rate = partial(score, nodes=nodes) if kind == "level" else partial(node_score, of=nodes[0])
                    valid.append((rate(rows, self.trees, self.score, cuts=(cut, lower)), lower, nodes[0][0]))
            if not valid:
                return cut, steps, holds
            best = max(value for value, _, _ in valid)
            value, cut, name = next(each for each in valid if each[0] >= best - 1e-9 * abs(best))
            steps.append((name, value))
            holds = True

    def in_phases(self, rows: Rows, ok: brute.ClassOk, kind: str, parts: list[Rows], first: brute.ClassOk) -> End:
        if parts:
            cuts = [self.descend(part, first, kind, self.roots())[0] for part in parts]
            start = {n: {leaf: max(cut[n][leaf] for cut in cuts) for leaf in own} for n, own in self.leaves.items()}
            end = self.descend(rows, ok, kind, start)
            if end[2]:
                return end
        return self.descend(rows, ok, kind, self.roots())


def mix(key: int) -> int:
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9 % M64
    key = (key ^ (key >> 27)) * 0x94D049BB133111EB % M64
    return key ^ (key >> 31)


def dealt(rows: Rows, columns: Sequence[str], partitions: int, seed: int) -> list[Rows]:
    """The partitions as documented: by values, by the number among those alike, and by the seed."""
    parts: list[Rows] = [[] for _ in range(partitions)]
    seen: Counter[tuple[str | None, ...]] = Counter()
    for row in rows:
        values = tuple(row[name] for name in columns)
        h = 0
        for value in values:
            text = b"\x00" if value is None else b"\x01" + value.encode()
            v = int.from_bytes(blake2b(text, digest_size=8, key=seed.to_bytes(8, "big")).digest(), "little")
            h = mix(h ^ v)
        parts[mix((h + seen[values] * 0x9E3779B97F4A7C15) % M64) % partitions].append(row)
        seen[values] += 1
    return [part for part in parts if part]


# -- the comparison


def plain(
    case: Case, kind: str, ok: brute.ClassOk, score: str, parts: list[Rows] | None = None, first: Any = None
) -> End:
    rows, trees = case
    leaves = {n: sorted({row[n] for row in rows}, key=lambda v: (v is None, v)) for n in trees}  # missing last
    method = Plain(trees, leaves, score)
    return method.in_phases(rows, ok, kind, parts or [], first)


def check(case: Case, models: Sequence[PrivacyModel], method: Specialization, expected: End) -> None:
    _, trees = case
    cut, steps, holds = expected
    given = task(lattice_of(*case, ("s",)), tuple(models))
    if not holds:
        with pytest.raises(PrivacyNotReached):
            method.decide(given)
        return
    decision = method.decide(given)
    for column in decision.recoding.columns:
        own = {leaf: trees[column.column][leaf][level] for leaf, level in cut[column.column].items()}
        assert dict(zip(column.values, column.labels, strict=True)) == own
    assert decision.details["specializations"] == len(steps)
    assert [step["column"] for step in decision.details["trace"]] == [name for name, _ in steps]
    assert [step["score"] for step in decision.details["trace"]] == pytest.approx(
        [value for _, value in steps], rel=1e-9
    )
    assert decision.details["height"] == pytest.approx(height(case[0], trees, cut), abs=1e-9)
    sizes = sorted(map(len, classes(case[0], trees, cut)))
    assert sorted(decision.table.sizes.tolist()) == sizes
    assert decision.table.suppressed == 0 and not decision.recoding.suppressed


@st.composite
def larger(draw: st.DrawFn) -> Case:
    """The records of a small table again and again, and some of them changed, so that there is a way to go."""
    rows, trees = draw(cases())
    copies = draw(st.integers(2, 4))
    own = {name: st.sampled_from([row[name] for row in rows]) for name in (*trees, "s")}
    more = draw(st.lists(st.fixed_dictionaries(own), max_size=8))
    return rows * copies + more, trees


TABLES = st.one_of(cases(), larger())
CUTS = st.sampled_from(["level", "subtree"])
SCORES = st.sampled_from(["igpl", "information-gain", "loss", "height"])
Asked = tuple[tuple[PrivacyModel, ...], brute.ClassOk]


@settings(deadline=None, max_examples=150)
@given(TABLES, asked(), CUTS, SCORES)
def test_one_phase_ends_where_plain_python_does(case: Case, models: Asked, cut: str, score: str) -> None:
    ways = {"ways": "one"} if cut == "subtree" else {}
    check(case, models[0], Specialization(cut=cut, score=score, **ways), plain(case, cut, models[1], score))


@settings(deadline=None, max_examples=100)
@given(TABLES, asked(), CUTS, SCORES, st.integers(1, 4), st.integers(0, 2))
def test_two_phases_end_where_plain_python_does(
    case: Case, models: Asked, cut: str, score: str, partitions: int, more: int
) -> None:
    rows, trees = case
    k = max((model.k for model in models[0] if isinstance(model, KAnonymity)), default=1)
    # Within partitions: k_first, and the other model if unions of good classes are good.
    first = brute.k_anonymous(k + more)
    for model in models[0]:
        if not isinstance(model, KAnonymity) and model.parameters()["kind"] == "distinct":
            first = brute.both(first, brute.distinct_diverse(model.parameters()["l"], "s"))
    seed = int(np.random.default_rng(1).integers(2**63))
    parts = dealt(rows, [*trees, "s"], partitions, seed)
    ways = {"ways": "one"} if cut == "subtree" else {}
    method = Specialization(cut=cut, score=score, phases=2, partitions=partitions, k_first=k + more, **ways)
    check(case, models[0], method, plain(case, cut, models[1], score, parts, first))


@settings(deadline=None, max_examples=60)
@given(TABLES, asked(), SCORES)
def test_of_two_ways_the_lower_end_is_taken(case: Case, models: Asked, score: str) -> None:
    rows, trees = case
    one = plain(case, "subtree", models[1], score)
    by_levels = plain(case, "level", models[1], score)
    on = Plain(trees, {n: list(levels) for n, levels in by_levels[0].items()}, score).descend(
        rows, models[1], "subtree", by_levels[0]
    )
    other = (on[0], by_levels[1] + on[1], by_levels[2] or on[2])
    lower = height(rows, trees, other[0]) < height(rows, trees, one[0]) - 1e-12
    expected = other if other[2] and (lower or not one[2]) else one
    check(case, models[0], Specialization(cut="subtree", score=score, ways="two"), expected)
