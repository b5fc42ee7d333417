"""From a cut to what is released, measured and told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.recoding import ColumnRecoding, Recoding
from antifaz.counting.domains import Domain
from antifaz.counting.frequencies import group_codes
from antifaz.counting.generalization import Generalization, Patch, Patchwork
from antifaz.counting.lattice import Lattice
from antifaz.methods.specialization.descent import Descent
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.source import Source

#: How many labels of a cut, and steps on the way to it, are told: evidence is read by people.
TOLD = 100


def recode_cut(domains: Sequence[Domain], forest: Forest, cut: Cut) -> Recoding:
    """Say what each value as read becomes at a cut; nobody is left out."""
    columns = []
    for a, (domain, levels) in enumerate(zip(domains, cut, strict=True)):
        nodes = forest.nodes(a, levels)[domain.codes].tolist()
        columns.append(
            ColumnRecoding(
                column=domain.column,
                values=domain.values,
                labels=tuple(forest.labels[node] for node in nodes),
                keeps_type=not levels.any(),
            )
        )
    return Recoding(columns=tuple(columns))


def table_of(lattice: Lattice, cut: Cut, *, level: bool) -> Generalization:
    """Return the table at a cut, for the measures."""
    if level:
        levels = tuple(int(own.max(initial=0)) for own in cut)
        return Generalization(lattice, levels, np.ones(lattice.sizes(levels).size, np.bool_))
    return _patchwork(lattice, cut)


def _patchwork(lattice: Lattice, cut: Cut) -> Patchwork:
    """Tuples whose values are at the same levels make a patch."""
    codes = lattice.frequencies.codes
    levels = [own[column] for own, column in zip(cut, codes, strict=True)]
    heights = [height + 1 for height in lattice.heights]
    first, group, _ = group_codes(levels, heights, lattice.frequencies.counts)
    order = np.argsort(group, kind="stable")
    tuples = np.split(order, np.searchsorted(group[order], np.arange(1, first.size)))
    patches = [Patch(tuple(int(own[t]) for own in levels), members) for t, members in zip(first, tuples, strict=True)]
    table = Patchwork(lattice, patches)
    # Where only one level of an attribute can be told it is the highest: no value is generalized further.
    table.levels = tuple(int(own.max(initial=0)) for own in levels)
    return table


def height(source: Source, cut: Cut) -> float:
    """Return how high records are in their trees: Σ over attributes of level/height, mean over records."""
    climbed = 0.0
    for ladder, levels, margin in zip(source.forest.ladders, cut, source.margins, strict=True):
        climbed += float(np.dot(levels, margin.counts)) / max(ladder.height, 1)
    return climbed / max(source.worth.rows, 1)


def describe(source: Source, end: Descent, *, level: bool) -> dict[str, Any]:
    """Return what is to be told of a descent: its cuts, how many steps it took and which."""
    forest, cuts = source.forest, {}
    for a, (ladder, levels) in enumerate(zip(forest.ladders, end.cut, strict=True)):
        nodes, first = np.unique(forest.nodes(a, levels), return_index=True)
        labels = [forest.labels[node] for node in nodes[np.argsort(first)]]
        cuts[ladder.column] = {"labels": labels[:TOLD], "size": len(labels)}
    told: dict[str, Any] = {
        "cuts": cuts,
        "specializations": len(end.steps),
        "trace": [_told(forest, step.attribute, step.nodes, step.score) for step in end.steps[:TOLD]],
        "height": height(source, end.cut),
    }
    if level:
        told["levels"] = {
            ladder.column: int(own.max(initial=0)) for ladder, own in zip(forest.ladders, end.cut, strict=True)
        }
    return told


def _told(forest: Forest, a: int, nodes: NDArray[np.int64], score: float) -> dict[str, Any]:
    """One step: the column, and the one node that was replaced, or the level that was left."""
    column = forest.ladders[a].column
    if nodes.size == 1:
        return {"column": column, "node": forest.labels[int(nodes[0])], "score": score}
    return {"column": column, "level": int(forest.level[nodes[0]]), "score": score}
