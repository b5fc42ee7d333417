"""Any small table with its hierarchies, what may be asked of it, and both as a method gets them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from antifaz.counting.lattice import Lattice
from antifaz.methods import Task
from antifaz.privacy import KAnonymity, LDiversity, PrivacyModel
from oracles import brute

Rows = list[dict[str, str | None]]
Case = tuple[Rows, dict[str, brute.Tree]]


@st.composite
def trees(draw: st.DrawFn, highest: int = 3) -> brute.Tree:
    """A hierarchy over up to four leaves and missing; only under a top of '*' does missing join the others."""
    size = draw(st.integers(1, 4))
    height = draw(st.integers(0 if size == 1 else 1, highest))
    paths, group = [[f"v{i}"] for i in range(size)], list(range(size))
    for level in range(1, height + 1):
        # The top is one label; below it neighbours are joined at random, and what was joined stays so.
        parent = [0 if level == height else draw(st.integers(0, size - 1)) for _ in range(size)]
        group = [parent[g] for g in group]
        for path, g in zip(paths, group, strict=True):
            path.append(f"{level}:{g}")
    if top := draw(st.sampled_from(["*", "all"])) if height else "":
        for path in paths:
            path[-1] = top
    tree: dict[str | None, list[str]] = {path[0]: path for path in paths}
    tree[None] = [*[None] * height, "*"] if top == "*" else [None] * (height + 1)  # type: ignore[list-item]
    return tree


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A table of one to twelve records over two to four attributes and one sensitive one."""
    count = draw(st.integers(2, 4))
    named: dict[str, brute.Tree] = {f"q{a}": draw(trees(highest=3 if count < 4 else 2)) for a in range(count)}
    values = {name: st.sampled_from(list(tree)) for name, tree in named.items()}
    sensitive = st.sampled_from(["a", "b", "c", None])
    rows = draw(st.lists(st.fixed_dictionaries({**values, "s": sensitive}), min_size=1, max_size=12))
    for name, tree in named.items():
        if all(row[name] is not None for row in rows):
            # Missing is a leaf only where the data has it.
            named[name] = {leaf: labels for leaf, labels in tree.items() if leaf is not None}
    return rows, named


@st.composite
def asked(draw: st.DrawFn) -> tuple[tuple[PrivacyModel, ...], brute.ClassOk]:
    """Some models, and the same said to the brute force."""
    k, l = draw(st.integers(1, 4)), draw(st.integers(1, 3))  # noqa: E741
    kind = draw(st.sampled_from(["", "distinct", "entropy", "recursive"]))
    first = KAnonymity(k)
    if not kind:
        return (first,), brute.k_anonymous(k)
    if kind == "recursive":
        c = draw(st.sampled_from([0.5, 1.0, 1.5, 3.0]))
        second, ok = LDiversity(l, kind=kind, c=c, attribute="s"), brute.recursive_diverse(c, l, "s")
    else:
        made = {"distinct": brute.distinct_diverse, "entropy": brute.entropy_diverse}[kind]
        second, ok = LDiversity(l, kind=kind, attribute="s"), made(l, "s")
    if draw(st.booleans()):
        return (second,), ok
    return (first, second), brute.both(brute.k_anonymous(k), ok)


LIMITS = st.sampled_from([0.0, 0.1, 0.3, 1.0])


def task(lattice: Lattice, models: tuple[PrivacyModel, ...]) -> Task:
    return Task(
        frequencies=lattice.frequencies, ladders=lattice.ladders, models=models, random=np.random.default_rng(1)
    )
