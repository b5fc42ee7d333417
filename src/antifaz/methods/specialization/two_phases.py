"""Two phases (TPTDS): records are assigned to partitions by their values, and each partition is searched by itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Ints
from antifaz.counting.domains import Domain
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.counting.remote import Coded
from antifaz.counting.targets import TupleCells

#: Numbers that the table of an assignment may have: cells are assigned so many at a time.
_AT_A_TIME = 4_000_000


def partition_records(
    frequencies: FrequencySet, target: str | None, partitions: int, seed: int
) -> Iterator[FrequencySet]:
    """Yield the partitions that have records, each as a frequency set with the cells of the target.

    Records with the same quasi-identifiers and sensitive value are alike: they are numbered 0, 1, …, and record j goes
    to partition mix(h + j·γ) mod p. h is folded from the values in the order of the columns, the sensitive one last:
    h = 0, then h = mix(h xor v), v being the first eight bytes (little-endian) of BLAKE2b, keyed with the seed's eight
    bytes (big-endian), of 1 and the value's spelling in UTF-8, or of 0 for missing. mix is the finalizer of splitmix64,
    γ = 0x9E3779B97F4A7C15. So it is decided by values and counts alone: rows may lie and come in any order.
    """
    template = FrequencyTemplate.of(frequencies.domains, frequencies.cells).part(target)
    template = replace(template, counted=template.combined(target))
    codes, counts = list(frequencies.codes), frequencies.counts
    if target is not None:
        cells = frequencies.cells[target]
        columns = [part[cells.values] for part in cells.parts] if isinstance(cells, TupleCells) else [cells.values]
        codes, counts = [*(own[cells.tuples] for own in codes), *columns], cells.counts
    where, parts, assigned = AssignRecords.of(template, target, partitions, seed)((codes, counts))
    order = np.argsort(parts, kind="stable")
    for mine in np.split(order, np.flatnonzero(np.diff(parts[order])) + 1):
        yield template.frequencies(([own[where[mine]] for own in codes], assigned[mine]))


@dataclass(frozen=True, eq=False)
class FrequencyTemplate:
    """A frequency set without its tuples: makes one of coded tuples, columns as the quasi-identifiers and `counted`."""

    domains: tuple[Domain, ...]
    counted: tuple[str, ...]
    #: Of each sensitive attribute and each combination of some, what does not depend on the tuples.
    cells: Mapping[str, SensitiveCells]

    @classmethod
    def of(cls, domains: Sequence[Domain], cells: Mapping[str, SensitiveCells]) -> "FrequencyTemplate":
        """Keep of cells what the whole table has, and drop the rest."""
        none = np.zeros(0, np.int64)
        kept = {
            name: replace(own, whole=own.totals, tuples=none, values=none.astype(np.int32), counts=none)
            for name, own in cells.items()
        }
        return cls(tuple(domains), tuple(name for name in cells if not isinstance(cells[name], TupleCells)), kept)

    def only(self, names: Sequence[str]) -> "FrequencyTemplate":
        """Return the template with some of its cells."""
        return replace(self, cells={name: self.cells[name] for name in names})

    def part(self, target: str | None) -> "FrequencyTemplate":
        """Return the template of a part of the table, with the cells that a target is made of."""
        names = dict.fromkeys(() if target is None else (target, *self.combined(target)))
        return replace(self, cells={name: replace(self.cells[name], whole=None) for name in names})

    def combined(self, target: str | None) -> tuple[str, ...]:
        """Return the sensitive attributes that a target is made of."""
        cells = None if target is None else self.cells[target]
        return cells.names if isinstance(cells, TupleCells) else () if target is None else (target,)

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

    def values(self, template: SensitiveCells, codes: Sequence[Codes]) -> Codes:
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

    @classmethod
    def of(cls, template: FrequencyTemplate, target: str | None, partitions: int, seed: int) -> "AssignRecords":
        """Hash the spellings of all values."""
        domains = (*template.domains, *(() if target is None else (template.cells[target].domain,)))
        return cls(template, target, tuple(hashes(domain, seed) for domain in domains), partitions)

    def __call__(self, coded: Coded) -> tuple[Ints, Ints, Ints]:
        """Return which tuples go to which partitions, and how often."""
        from antifaz.kernels.specialization import assign_partitions

        codes, counts = coded
        columns = list(codes[: len(self.template.domains)])
        if self.target is not None:
            columns.append(self.template.values(self.template.cells[self.target], codes))
        step = max(1, _AT_A_TIME // self.partitions)
        where, parts, assigned = [], [], []
        for start in range(0, counts.size, step):
            some = slice(start, start + step)
            folded = np.zeros(counts[some].size, np.uint64)
            for own, column in zip(self.keys, columns, strict=True):
                folded = mix(folded ^ own[column[some]])
            table = np.zeros((folded.size, self.partitions), np.int64)
            assign_partitions(folded, counts[some], table)
            row, part = np.nonzero(table)
            where.append(row + start)
            parts.append(part)
            assigned.append(table[row, part])
        return np.concatenate(where), np.concatenate(parts), np.concatenate(assigned)


def mix(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the finalizer of splitmix64."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def hashes(domain: Domain, seed: int) -> NDArray[np.uint64]:
    """Return the hash v of each code's spelling."""
    key = seed.to_bytes(8, "big")
    texts = (b"\x00" if label is None else b"\x01" + label.encode() for label in domain.labels)
    found = [int.from_bytes(blake2b(text, digest_size=8, key=key).digest(), "little") for text in texts]
    return np.array(found, np.uint64)
