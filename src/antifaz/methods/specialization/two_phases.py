"""Two phases (TPTDS): records are assigned to partitions by their values, and each partition is searched by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.domains import Domain
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.counting.targets import TupleCells


def partition_records(
    frequencies: FrequencySet, cells: SensitiveCells | None, partitions: int, seed: int
) -> Iterator[tuple[FrequencySet, SensitiveCells | None]]:
    """Yield the partitions that have records, each as a frequency set with the cells of the sensitive attribute.

    Records with the same quasi-identifiers and sensitive value are alike: they are numbered 0, 1, …, and record j goes
    to partition mix(h + j·γ) mod p. h is folded from the values in the order of the columns, the sensitive one last:
    h = 0, then h = mix(h xor v), v being the first eight bytes (little-endian) of BLAKE2b, keyed with the seed's eight
    bytes (big-endian), of 1 and the value's spelling in UTF-8, or of 0 for missing. mix is the finalizer of splitmix64,
    γ = 0x9E3779B97F4A7C15. So it is decided by values and counts alone: rows may lie and come in any order.
    """
    tuples = np.arange(frequencies.counts.size) if cells is None else cells.tuples
    counts = frequencies.counts if cells is None else cells.counts
    columns = [codes[tuples] for codes in frequencies.codes]
    if cells is not None:
        columns.append(cells.values)
    domains = (*frequencies.domains, *(() if cells is None else (cells.domain,)))
    assigned = partition_counts([hashes(domain, seed) for domain in domains], columns, counts, partitions)
    for part in assigned.T:
        if part.any():
            yield _part(frequencies, cells, tuples, part)


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


def partition_counts(
    keys: Sequence[NDArray[np.uint64]],
    columns: Sequence[NDArray[np.int32]],
    counts: NDArray[np.int64],
    partitions: int,
) -> NDArray[np.int64]:
    """Return how many records of each cell every partition gets; `keys` are the hashes of each column's codes."""
    from antifaz.kernels.specialization import assign_partitions

    folded = np.zeros(counts.size, np.uint64)
    for own, codes in zip(keys, columns, strict=True):
        folded = mix(folded ^ own[codes])
    assigned = np.zeros((counts.size, partitions), np.int64)
    assign_partitions(folded, counts, assigned)
    return assigned


def _part(
    frequencies: FrequencySet, cells: SensitiveCells | None, tuples: NDArray[np.int64], assigned: NDArray[np.int64]
) -> tuple[FrequencySet, SensitiveCells | None]:
    """One partition: what it has of each cell, and of each tuple the sum of that."""
    inside = assigned > 0
    here, place = np.unique(tuples[inside], return_inverse=True)
    counts = np.bincount(place, weights=assigned[inside], minlength=here.size).astype(np.int64)
    own: SensitiveCells | None = None
    by_name: Mapping[str, SensitiveCells] = {}
    if cells is not None:
        own = replace(cells, tuples=place, values=cells.values[inside], counts=assigned[inside], whole=None)
        by_name = _by_name(frequencies, own, here.size)
    part = FrequencySet(
        domains=frequencies.domains,
        codes=tuple(codes[here] for codes in frequencies.codes),
        counts=counts,
        cells=by_name,
    )
    return part, own


def _by_name(frequencies: FrequencySet, own: SensitiveCells, tuples: int) -> dict[str, SensitiveCells]:
    """The cells that models ask about: of the one attribute, or of each one of several."""
    if not isinstance(own, TupleCells):
        return {own.domain.column: own}
    by_name: dict[str, SensitiveCells] = {}
    for name, part in zip(own.names, own.parts, strict=True):
        base = frequencies.cells[name]
        pair = [own.tuples.astype(np.int32), part[own.values]]
        first, _, counts = group_codes(pair, [tuples, base.domain.size], own.counts)
        by_name[name] = replace(base, tuples=own.tuples[first], values=pair[1][first], counts=counts, whole=None)
    return by_name
