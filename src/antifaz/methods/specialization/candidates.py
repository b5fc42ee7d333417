"""Candidates: every specialization of a cut, and what it would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.methods.specialization.forest import Forest
from antifaz.methods.specialization.ground import Ground
from antifaz.methods.specialization.scores import Steps
from antifaz.methods.specialization.worth import Worth

CutKind = Literal["level", "subtree"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Specializations, by attribute, then by the first value concerned; each has some nodes, from its start on."""

    attributes: NDArray[np.int64]
    nodes: NDArray[np.int64]
    starts: NDArray[np.int64]
    steps: Steps

    def of(self, i: int) -> NDArray[np.int64]:
        """The nodes that a candidate replaces by their children."""
        end = self.starts[i + 1] if i + 1 < self.starts.size else self.nodes.size
        return self.nodes[self.starts[i] : end]


def candidates(forest: Forest, ground: Ground, known: Worth, kind: CutKind) -> Candidates | None:
    """Return all specializations of the present cut; None where everything is at its lowest level."""
    parts, wholes = ground.outlook()
    found, after = [], []
    for a, levels in enumerate(ground.cut):
        held, first = np.unique(forest.nodes(a, levels), return_index=True)
        nodes = held[np.argsort(first)].astype(np.int64)
        others = _least_of_others(wholes[nodes])
        inner = forest.level[nodes] > 0
        found.append(nodes[inner])
        # A whole level goes down together, and then no class stays as it was.
        after.append(parts[nodes[inner]] if kind == "level" else np.minimum(parts[nodes], others)[inner])
    inner_nodes, smallest = np.concatenate(found), np.concatenate(after)
    return _grouped(forest, known, kind, inner_nodes, smallest, ground.smallest) if inner_nodes.size else None


def _grouped(
    forest: Forest,
    known: Worth,
    kind: CutKind,
    nodes: NDArray[np.int64],
    after: NDArray[np.int64],
    before: int,
) -> Candidates:
    """Make candidates of nodes: each by itself, or all of an attribute together."""
    attributes, starts, shares = forest.attribute[nodes], np.arange(nodes.size), np.ones(nodes.size)
    if kind == "level":
        attributes, starts = np.unique(attributes, return_index=True)
        # Nodes that go down together gain by their records.
        shares = known.records[nodes] / known.rows
    steps = Steps(
        gains=np.add.reduceat(known.gains[nodes] * shares, starts),
        losses=np.add.reduceat(known.losses[nodes], starts),
        climbs=np.add.reduceat(known.climbs[nodes], starts),
        before=before,
        after=np.minimum.reduceat(after, starts),
    )
    return Candidates(attributes, nodes, starts, steps)


def _least_of_others(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each number the least of all others; for a single one, the largest integer."""
    least = np.full(numbers.size, np.iinfo(np.int64).max)
    if numbers.size > 1:
        first, second = np.argpartition(numbers, 1)[:2]
        least[:] = numbers[first]
        least[first] = numbers[second]
    return least
