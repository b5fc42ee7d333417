"""The search from a cut downwards: at every step the valid specialization with the largest score."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.counting.lattice import Lattice
from antifaz.methods.specialization.partition import AnonymityRequirement, Cut, Forest, LocalPartition, Partition
from antifaz.methods.specialization.two_phases import partition_records

CutKind = Literal["level", "subtree"]
ScoreName = Literal["igpl", "information-gain", "loss", "height"]

#: Gains are cut to so many decimals: what is equal by its formula must be equal in floating point.
DECIMALS = 12


@dataclass(frozen=True, eq=False)
class NodeGains:
    """Per node: its records, the information gained by specializing it, and how much loss and height that takes away.

    `rows` are the records of the whole table; `gains` are per record of the node, `losses` and `climbs` per record of
    the whole table.
    """

    rows: int
    records: Ints
    gains: Floats
    losses: Floats
    climbs: Floats


#: Codes, sensitive values, and how often each pair occurs.
Pairs = tuple[Codes, Codes, Ints]


@dataclass(frozen=True, eq=False)
class AttributeCounts:
    """One attribute by itself: the records of each code, and those of each code and sensitive value."""

    counts: Ints
    pairs: Pairs | None


def attribute_counts(frequencies: FrequencySet, cells: SensitiveCells | None) -> list[AttributeCounts]:
    """Count every attribute by itself, with the values of the sensitive attribute where there is one."""
    known = []
    for domain, codes in zip(frequencies.domains, frequencies.codes, strict=True):
        # Sums of whole numbers below 2^53 are exact in floating point.
        counts = np.bincount(codes, weights=frequencies.counts, minlength=domain.size).astype(np.int64)
        pairs = None
        if cells is not None:
            both = [codes[cells.tuples], cells.values]
            first, _, many = group_codes(both, [domain.size, cells.domain.size], cells.counts)
            pairs = (both[0][first], both[1][first], many)
        known.append(AttributeCounts(counts, pairs))
    return known


def node_gains(forest: Forest, known: Sequence[AttributeCounts]) -> NodeGains:
    """Weigh every node against its children; without sensitive cells nothing is gained anywhere."""
    size, rows = forest.size, max(int(known[0].counts.sum()), 1)
    records, entropies, shares = np.zeros(size, np.int64), np.zeros(size), np.zeros(size)
    kept, covered, climbs = np.zeros(size), np.zeros(size), np.zeros(size)
    for a, (ladder, own) in enumerate(zip(forest.ladders, known, strict=True)):
        for h, path in enumerate(forest.paths[a]):
            records += np.bincount(path, weights=own.counts, minlength=size).astype(np.int64)
            shares[path] = ladder.shares[h][ladder.up[h]]
            if own.pairs is not None:
                # |R_x| · I(R_x) of the nodes of one level.
                codes, values, counts = own.pairs
                keys, place = np.unique(path[codes].astype(np.int64) << 32 | values, return_inverse=True)
                summed = np.bincount(place, weights=counts, minlength=keys.size)
                whole = np.bincount(keys >> 32, weights=summed, minlength=size)
                inside = np.bincount(keys >> 32, weights=summed * np.log2(summed), minlength=size)
                entropies += whole * np.log2(np.maximum(whole, 1)) - inside
            if h:
                children, first = np.unique(forest.paths[a][h - 1], return_index=True)
                parents = path[first]
                np.add.at(kept, parents, entropies[children])
                np.add.at(covered, parents, shares[children] * records[children])
                climbs[parents] = records[parents] / ladder.height
    inner = climbs > 0
    scale = np.array([1 - 1 / max(ladder.leaves, 1) or 1.0 for ladder in forest.ladders])[forest.attribute]
    gains = np.where(inner, (entropies - kept) / np.maximum(records, 1), 0.0)
    losses = np.where(inner, (shares * records - covered) / scale, 0.0)
    return NodeGains(
        rows=int(known[0].counts.sum()),
        records=records,
        gains=np.maximum(np.round(gains, DECIMALS), 0.0),
        losses=np.maximum(losses / rows, 0.0),
        climbs=climbs / rows,
    )


#: The bits of anonymity that a step which costs none is taken to cost: free steps come first, large ones before small.
FREE = 1e-6
#: So many bits of scores are compared.
_BITS = 40


#: PL, the privacy lost, is A before − A after.
SCORES: "Mapping[ScoreName, Callable[[SpecializationCandidates], Floats]]" = {
    "igpl": lambda of: of.gains / (of.before - of.after + 1),
    "information-gain": lambda of: of.gains,
    "loss": lambda of: of.losses / (of.before - of.after + 1),
    # How many times the smallest class is halved.
    "height": lambda of: of.climbs / np.maximum(np.log2(of.before / of.after), FREE),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class SpecializationCandidates:
    """Specializations, by attribute, then by the first value concerned, and what each would gain and cost."""

    attributes: Ints
    #: Each has some nodes, from its start on.
    nodes: Ints
    starts: Ints
    #: IG: how much less uncertain the sensitive value gets for the records concerned, in bits.
    gains: Floats
    #: How much of the loss is taken away: the share of its domain that a label covers, mean over records.
    losses: Floats
    #: How much of the height is taken away: height(value)/height(tree), mean over records.
    climbs: Floats
    #: A: the size of the smallest class before, and after each.
    before: int
    after: Ints

    def of(self, i: int) -> Ints:
        """The nodes that a candidate replaces by their children."""
        end = self.starts[i + 1] if i + 1 < self.starts.size else self.nodes.size
        return self.nodes[self.starts[i] : end]


def candidates(
    forest: Forest, partition: Partition, gains: NodeGains, kind: CutKind
) -> SpecializationCandidates | None:
    """Return all specializations of the present cut: of single nodes, or of all nodes of an attribute together.

    None where everything is at its lowest level.
    """
    parts, wholes = partition.smallest_sizes()
    inner_nodes, smallest = [], []
    for a, levels in enumerate(partition.cut):
        present, first = np.unique(forest.nodes(a, levels), return_index=True)
        at = present[np.argsort(first)].astype(np.int64)
        # For each node the smallest class of all others: a whole level goes down together, and none stays as it was.
        others = np.full(at.size, np.iinfo(np.int64).max)
        if at.size > 1 and kind != "level":
            least, second = np.argpartition(wholes[at], 1)[:2]
            others[:] = wholes[at[least]]
            others[least] = wholes[at[second]]
        inner = forest.level[at] > 0
        inner_nodes.append(at[inner])
        smallest.append(np.minimum(parts[at], others)[inner])
    nodes, after = np.concatenate(inner_nodes), np.concatenate(smallest)
    if not nodes.size:
        return None
    attributes, starts, shares = forest.attribute[nodes], np.arange(nodes.size), np.ones(nodes.size)
    if kind == "level":
        attributes, starts = np.unique(attributes, return_index=True)
        # Nodes that go down together gain by their records.
        shares = gains.records[nodes] / gains.rows
    return SpecializationCandidates(
        attributes=attributes,
        nodes=nodes,
        starts=starts,
        gains=np.add.reduceat(gains.gains[nodes] * shares, starts),
        losses=np.add.reduceat(gains.losses[nodes], starts),
        climbs=np.add.reduceat(gains.climbs[nodes], starts),
        before=partition.smallest,
        after=np.minimum.reduceat(after, starts),
    )


@dataclass(frozen=True, eq=False)
class SpecializationStep:
    """One step: an attribute, those of its nodes that were replaced by their children, and the score of that."""

    attribute: int
    nodes: Ints
    score: float

    def below(self, forest: Forest, cut: Cut) -> Cut:
        """Return the cut to which the step leads."""
        a = self.attribute
        lower = cut[a] - np.isin(forest.nodes(a, cut[a]), self.nodes).astype(np.int32)
        return (*cut[:a], lower, *cut[a + 1 :])


@dataclass(frozen=True, eq=False)
class Descent:
    """The cut at which a search ended, the steps to there, and whether the models hold there."""

    cut: Cut
    steps: tuple[SpecializationStep, ...]
    holds: bool


@dataclass(frozen=True, eq=False)
class TopDownSearch:
    """How to specialize: what must hold, by which cuts and by which score."""

    forest: Forest
    requirement: AnonymityRequirement
    kind: CutKind
    score: ScoreName

    def run(self, partition: Partition, gains: NodeGains, progress: Progress | None = None) -> Descent:
        """Apply the best valid specialization again and again until there is none; some records are needed."""
        required = self.requirement
        holds = partition.smallest >= required.k and (
            not required.others or all(partition.satisfies(required, [partition.cut]))
        )
        made: list[SpecializationStep] = []
        never = np.zeros(self.forest.size, np.bool_)
        while (options := candidates(self.forest, partition, gains, self.kind)) is not None:
            best = self._best(options, partition, never, held=holds)
            if best is None:
                break
            partition.specialize(best.attribute, best.nodes)
            made.append(best)
            holds = True
            if progress is not None:
                classes = partition.classes
                progress.tell(None, Message("progress.specializations", steps=len(made), classes=classes))
        return Descent(partition.cut, tuple(made), holds)

    def _best(
        self, options: SpecializationCandidates, partition: Partition, never: Flags, *, held: bool
    ) -> SpecializationStep | None:
        """Return the valid candidate with the largest score, of equal ones the first.

        `never`, by a candidate's first node, are those that can't be valid any more: further down there are more
        classes, and smaller ones.
        """
        # What is equal by its formula must be equal: scores are compared without the last of their 53 bits.
        mantissa, exponent = np.frexp(SCORES[self.score](options))
        scores = np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS)
        first = options.nodes[options.starts]
        never[first[options.after < self.requirement.k]] = True
        order = [i for i in np.argsort(-scores, kind="stable").tolist() if not never[first[i]]]
        for start in range(0, len(order), partition.batch):
            some = order[start : start + partition.batch]
            steps = [SpecializationStep(int(options.attributes[i]), options.of(i), float(scores[i])) for i in some]
            good = [True] * len(steps)
            if self.requirement.others:
                below = [step.below(self.forest, partition.cut) for step in steps]
                good = partition.satisfies(self.requirement, below, held=held)
            for i, step, valid in zip(some, steps, good, strict=True):
                if valid:
                    return step
                never[first[i]] = self.requirement.monotone
        return None


class SpecializedTable(ABC):
    """The table that is specialized: the forest over it, and the counts of each of its attributes."""

    def __init__(self, forest: Forest, known: Sequence[AttributeCounts]) -> None:
        self.forest = forest
        self.counts = known

    @cached_property
    def gains(self) -> NodeGains:
        """What each specialization gains."""
        return node_gains(self.forest, self.counts)

    def descend(self, search: TopDownSearch, start: Cut, progress: Progress | None = None) -> Descent:
        """Search downwards from a cut."""
        return search.run(self.partition(search.requirement, start), self.gains, progress)

    @abstractmethod
    def partition(self, requirement: AnonymityRequirement, cut: Cut) -> Partition:
        """Return the classes at a cut, for which this is to hold."""

    @abstractmethod
    def first_phase(self, search: TopDownSearch, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Assign the records to partitions, search in each, and return the cuts at which these end."""

    @abstractmethod
    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table, right at this cut and above it."""

    def close(self) -> None:
        """Give back what was needed on the way."""
        return


class LocalSpecializedTable(SpecializedTable):
    """A table whose distinct tuples are in memory."""

    def __init__(self, forest: Forest, frequencies: FrequencySet, cells: SensitiveCells | None) -> None:
        super().__init__(forest, attribute_counts(frequencies, cells))
        self._frequencies, self._cells = frequencies, cells

    def partition(self, requirement: AnonymityRequirement, cut: Cut) -> Partition:
        """Group the tuples at a cut."""
        return LocalPartition(self.forest, self._frequencies, cut)

    def first_phase(self, search: TopDownSearch, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Search in one partition after the other."""
        cuts: list[Cut] = []
        target = None if self._cells is None else self._cells.domain.column
        for part in partition_records(self._frequencies, target, partitions, seed):
            cells = None if target is None else part.cells[target]
            progress.tell(None, Message("progress.partition", partition=len(cuts) + 1, partitions=partitions))
            cuts.append(LocalSpecializedTable(self.forest, part, cells).descend(search, self.forest.roots()).cut)
        return cuts

    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table, right everywhere."""
        return Lattice(self._frequencies, self.forest.ladders)
