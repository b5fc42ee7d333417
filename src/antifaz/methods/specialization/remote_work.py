"""What is done with remote tuples where they are: pickled with the forest, run there; a few numbers come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.domains import Domain
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.counting.targets import TupleCells
from antifaz.engines.remote import Coded
from antifaz.methods.specialization.descent import LocalSpecializedTable, TopDownSearch
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.partition import AnonymityRequirement, LocalPartition
from antifaz.methods.specialization.two_phases import partition_counts

#: Numbers that the table of an assignment may have: cells are assigned so many at a time.
_AT_A_TIME = 4_000_000


@dataclass(frozen=True, eq=False)
class FrequencyTemplate:
    """A frequency set without its tuples: makes one of coded tuples, columns as the quasi-identifiers and `counted`."""

    domains: tuple[Domain, ...]
    counted: tuple[str, ...]
    #: Of each sensitive attribute and each combination of some, what does not depend on the tuples.
    cells: Mapping[str, SensitiveCells]

    @classmethod
    def of(cls, domains: Sequence[Domain], cells: Mapping[str, SensitiveCells]) -> FrequencyTemplate:
        """Keep of cells what the whole table has, and drop the rest."""
        none = np.zeros(0, np.int64)
        kept = {
            name: replace(own, whole=own.totals, tuples=none, values=none.astype(np.int32), counts=none)
            for name, own in cells.items()
        }
        return cls(tuple(domains), tuple(name for name in cells if not isinstance(cells[name], TupleCells)), kept)

    def only(self, names: Sequence[str], *, part: bool = False) -> FrequencyTemplate:
        """Return the template with some of its cells; `part` forgets what is known of the whole table."""
        kept = {name: replace(self.cells[name], whole=None) if part else self.cells[name] for name in names}
        return replace(self, cells=kept)

    def frequencies(self, coded: Coded) -> FrequencySet:
        """Return the frequency set of some tuples; tuples that are the same are added up."""
        codes, counts = coded
        own = codes[: len(self.domains)]
        first, owner, summed = group_codes(own, [domain.size for domain in self.domains], counts)
        cells = {}
        for name, template in self.cells.items():
            pair = [owner.astype(np.int32), self.values(template, codes)]
            at, _, each = group_codes(pair, [summed.size, template.domain.size], counts)
            cells[name] = replace(template, tuples=owner[at], values=pair[1][at], counts=each)
        return FrequencySet(
            domains=self.domains, codes=tuple(column[first] for column in own), counts=summed, cells=cells
        )

    def values(self, template: SensitiveCells, codes: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
        """Return the value that tuples have of a sensitive attribute, or of a combination of some."""
        place = {name: len(self.domains) + i for i, name in enumerate(self.counted)}
        if not isinstance(template, TupleCells):
            return codes[place[template.domain.column]]
        known = template.domain.size
        both = [
            np.concatenate([part, codes[place[name]]])
            for name, part in zip(template.names, template.parts, strict=True)
        ]
        sizes = [int(part.max(initial=0)) + 1 for part in template.parts]
        _, group, summed = group_codes(both, sizes, np.ones(both[0].size, np.int64))
        found = np.zeros(summed.size, np.int32)
        found[group[:known]] = np.arange(known, dtype=np.int32)
        return found[group[known:]]


@dataclass(frozen=True, eq=False)
class AssignRecords:
    """Assigns records to partitions, as `partition_records` does."""

    template: FrequencyTemplate
    target: str | None
    #: Per quasi-identifier, then for the target, the hashes of its codes.
    keys: tuple[NDArray[np.uint64], ...]
    partitions: int

    def __call__(self, coded: Coded) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return which tuples go to which partitions, and how often."""
        codes, counts = coded
        columns = list(codes[: len(self.template.domains)])
        if self.target is not None:
            columns.append(self.template.values(self.template.cells[self.target], codes))
        step = max(1, _AT_A_TIME // self.partitions)
        where, parts, assigned = [], [], []
        for start in range(0, counts.size, step):
            some = slice(start, start + step)
            table = partition_counts(self.keys, [own[some] for own in columns], counts[some], self.partitions)
            row, part = np.nonzero(table)
            where.append(row + start)
            parts.append(part)
            assigned.append(table[row, part])
        return np.concatenate(where), np.concatenate(parts), np.concatenate(assigned)


@dataclass(frozen=True, eq=False)
class SpecializePartition:
    """Searches in one partition, and says where that ends: the levels of all codes."""

    search: TopDownSearch
    template: FrequencyTemplate
    target: str | None

    def __call__(self, coded: Coded) -> NDArray[np.int64]:
        """Return the levels, attribute after attribute."""
        part = self.template.frequencies(coded)
        cells = None if self.target is None else part.cells[self.target]
        forest = self.search.forest
        end = LocalSpecializedTable(forest, part, cells).descend(self.search, forest.roots())
        return np.concatenate(end.cut).astype(np.int64)

    def cut(self, levels: NDArray[np.int64]) -> Cut:
        """Return the cut that these levels are."""
        ends = np.cumsum([ladder.up[0].size for ladder in self.search.forest.ladders])
        return tuple(np.split(levels.astype(np.int32), ends[:-1]))


@dataclass(frozen=True, eq=False)
class SmallestSizes:
    """Finds the smallest class of every node, and what each step down would leave of it."""

    forest: Forest
    template: FrequencyTemplate
    cut: Cut

    def __call__(self, coded: Coded) -> NDArray[np.int64]:
        """Return the smallest sizes, per node two numbers, then the number of classes."""
        partition = LocalPartition(self.forest, self.template.frequencies(coded), self.cut)
        return np.concatenate([*partition.smallest_sizes(), [partition.classes]])


@dataclass(frozen=True, eq=False)
class CheckCuts:
    """Judges some tuples, whole classes of them, at several cuts."""

    forest: Forest
    template: FrequencyTemplate
    requirement: AnonymityRequirement
    cuts: tuple[Cut, ...]

    def __call__(self, coded: Coded) -> NDArray[np.int64]:
        """Return for each cut 1 where the models hold, else 0."""
        frequencies = self.template.frequencies(coded)
        return np.array([self.requirement.holds(self.forest, frequencies, cut) for cut in self.cuts], np.int64)
