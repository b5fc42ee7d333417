"""The score of every specialization: the information that it gains, the loss it takes away, the anonymity it costs.

Gain and loss depend on the node alone, and are worked out once. The smallest class before and after depends on the cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.methods.specialization.forest import Forest
from antifaz.methods.specialization.partition import Partition

CutKind = Literal["level", "subtree"]
ScoreName = Literal["igpl", "information-gain", "loss", "height"]
Numbers = NDArray[np.float64]

#: Gains are cut to so many decimals: what is equal by its formula must be equal in floating point.
DECIMALS = 12


@dataclass(frozen=True, eq=False)
class NodeGains:
    """Per node: its records, the information gained by specializing it, and how much loss and height that takes away.

    `rows` are the records of the whole table; `gains` are per record of the node, `losses` and `climbs` per record of
    the whole table.
    """

    rows: int
    records: NDArray[np.int64]
    gains: NDArray[np.float64]
    losses: NDArray[np.float64]
    climbs: NDArray[np.float64]


#: Codes, sensitive values, and how often each pair occurs.
Pairs = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class AttributeCounts:
    """One attribute by itself: the records of each code, and those of each code and sensitive value."""

    counts: NDArray[np.int64]
    pairs: Pairs | None


def attribute_counts(frequencies: FrequencySet, cells: SensitiveCells | None) -> list[AttributeCounts]:
    """Count every attribute by itself, with the values of the sensitive attribute where there is one."""
    found = []
    for domain, codes in zip(frequencies.domains, frequencies.codes, strict=True):
        # Sums of whole numbers below 2^53 are exact in floating point.
        counts = np.bincount(codes, weights=frequencies.counts, minlength=domain.size).astype(np.int64)
        found.append(AttributeCounts(counts, None if cells is None else _pairs(codes, domain.size, cells)))
    return found


def node_gains(forest: Forest, known: Sequence[AttributeCounts]) -> NodeGains:
    """Weigh every node against its children; without sensitive cells nothing is gained anywhere."""
    records, entropies = np.zeros(forest.size, np.int64), np.zeros(forest.size)
    shares = np.zeros(forest.size)
    for a, (ladder, own) in enumerate(zip(forest.ladders, known, strict=True)):
        for h, path in enumerate(forest.paths[a]):
            records += np.bincount(path, weights=own.counts, minlength=forest.size).astype(np.int64)
            shares[path] = ladder.shares[h][ladder.up[h]]
            if own.pairs is not None:
                entropies += _entropies(path, own.pairs, forest.size)
    return _against_children(forest, int(known[0].counts.sum()), records, entropies, shares)


def _pairs(codes: NDArray[np.int32], size: int, cells: SensitiveCells) -> Pairs:
    """The (code, sensitive value) pairs of one attribute, with their counts."""
    both = [codes[cells.tuples], cells.values]
    first, _, counts = group_codes(both, [size, cells.domain.size], cells.counts)
    return both[0][first], both[1][first], counts


def _entropies(path: NDArray[np.int32], pairs: Pairs, nodes: int) -> NDArray[np.float64]:
    """|R_x| · I(R_x) of the nodes of one level, 0 for all others."""
    codes, values, counts = pairs
    nodes_held = path[codes]
    keys, place = np.unique(nodes_held.astype(np.int64) << 32 | values, return_inverse=True)
    summed = np.bincount(place, weights=counts, minlength=keys.size)
    whole = np.bincount(keys >> 32, weights=summed, minlength=nodes)
    inner = np.bincount(keys >> 32, weights=summed * np.log2(summed), minlength=nodes)
    return np.asarray(whole * np.log2(np.maximum(whole, 1)) - inner, np.float64)


def _against_children(
    forest: Forest,
    rows: int,
    records: NDArray[np.int64],
    entropies: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NodeGains:
    kept, covered = np.zeros(forest.size), np.zeros(forest.size)
    climbs = np.zeros(forest.size)
    for a, ladder in enumerate(forest.ladders):
        for h in range(1, ladder.height + 1):
            children, first = np.unique(forest.paths[a][h - 1], return_index=True)
            parents = forest.paths[a][h][first]
            np.add.at(kept, parents, entropies[children])
            np.add.at(covered, parents, shares[children] * records[children])
            climbs[parents] = records[parents] / ladder.height
    inner = climbs > 0
    scale = np.array([1 - 1 / max(ladder.leaves, 1) or 1.0 for ladder in forest.ladders])[forest.attribute]
    gains = np.where(inner, (entropies - kept) / np.maximum(records, 1), 0.0)
    losses = np.where(inner, (shares * records - covered) / scale, 0.0)
    return NodeGains(
        rows=rows,
        records=records,
        gains=np.maximum(np.round(gains, DECIMALS), 0.0),
        losses=np.maximum(losses / max(rows, 1), 0.0),
        climbs=climbs / max(rows, 1),
    )


#: The bits of anonymity that a step which costs none is taken to cost: free steps come first, large ones before small.
FREE = 1e-6
#: Scores are compared without the last of their 53 bits: what is equal by its formula must be equal.
_BITS = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Effects:
    """What each of several specializations would gain, and what anonymity it would cost."""

    #: IG: how much less uncertain the sensitive value gets for the records concerned, in bits.
    gains: Numbers
    #: How much of the loss is taken away: the share of its domain that a label covers, mean over records.
    losses: Numbers
    #: How much of the height is taken away: height(value)/height(tree), mean over records.
    climbs: Numbers
    #: A: the size of the smallest class before, and after each.
    before: int
    after: NDArray[np.int64]

    @property
    def privacy_losses(self) -> NDArray[np.int64]:
        """PL = A before − A after."""
        return self.before - self.after

    @property
    def bits(self) -> Numbers:
        """How many times the smallest class is halved: log₂(A before / A after)."""
        return np.log2(self.before / self.after)


SCORES: Mapping[ScoreName, Callable[[Effects], Numbers]] = {
    "igpl": lambda of: of.gains / (of.privacy_losses + 1),
    "information-gain": lambda of: of.gains,
    "loss": lambda of: of.losses / (of.privacy_losses + 1),
    "height": lambda of: of.climbs / np.maximum(of.bits, FREE),
}


def score_candidates(name: ScoreName, effects: Effects) -> Numbers:
    """Return the score of every step, equal ones being equal to the bit."""
    mantissa, exponent = np.frexp(SCORES[name](effects))
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS), np.float64)


@dataclass(frozen=True, eq=False)
class SpecializationCandidates:
    """Specializations, by attribute, then by the first value concerned; each has some nodes, from its start on."""

    attributes: NDArray[np.int64]
    nodes: NDArray[np.int64]
    starts: NDArray[np.int64]
    effects: Effects

    def of(self, i: int) -> NDArray[np.int64]:
        """The nodes that a candidate replaces by their children."""
        end = self.starts[i + 1] if i + 1 < self.starts.size else self.nodes.size
        return self.nodes[self.starts[i] : end]


def candidates(
    forest: Forest, partition: Partition, gains: NodeGains, kind: CutKind
) -> SpecializationCandidates | None:
    """Return all specializations of the present cut; None where everything is at its lowest level."""
    parts, wholes = partition.smallest_sizes()
    found, after = [], []
    for a, levels in enumerate(partition.cut):
        present, first = np.unique(forest.nodes(a, levels), return_index=True)
        nodes = present[np.argsort(first)].astype(np.int64)
        others = _least_of_others(wholes[nodes])
        inner = forest.level[nodes] > 0
        found.append(nodes[inner])
        # A whole level goes down together, and then no class stays as it was.
        after.append(parts[nodes[inner]] if kind == "level" else np.minimum(parts[nodes], others)[inner])
    inner_nodes, smallest = np.concatenate(found), np.concatenate(after)
    return _grouped(forest, gains, kind, inner_nodes, smallest, partition.smallest) if inner_nodes.size else None


def _grouped(
    forest: Forest,
    gains: NodeGains,
    kind: CutKind,
    nodes: NDArray[np.int64],
    after: NDArray[np.int64],
    before: int,
) -> SpecializationCandidates:
    """Make candidates of nodes: each by itself, or all of an attribute together."""
    attributes, starts, shares = forest.attribute[nodes], np.arange(nodes.size), np.ones(nodes.size)
    if kind == "level":
        attributes, starts = np.unique(attributes, return_index=True)
        # Nodes that go down together gain by their records.
        shares = gains.records[nodes] / gains.rows
    effects = Effects(
        gains=np.add.reduceat(gains.gains[nodes] * shares, starts),
        losses=np.add.reduceat(gains.losses[nodes], starts),
        climbs=np.add.reduceat(gains.climbs[nodes], starts),
        before=before,
        after=np.minimum.reduceat(after, starts),
    )
    return SpecializationCandidates(attributes, nodes, starts, effects)


def _least_of_others(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each number the least of all others; for a single one, the largest integer."""
    least = np.full(numbers.size, np.iinfo(np.int64).max)
    if numbers.size > 1:
        first, second = np.argpartition(numbers, 1)[:2]
        least[:] = numbers[first]
        least[first] = numbers[second]
    return least
