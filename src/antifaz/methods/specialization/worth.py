"""What each step down is worth: the information it gains and the loss it takes away. Both depend on the node alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.methods.specialization.forest import Forest

#: Gains are cut to so many decimals: what is equal by its formula must be equal in floating point.
DECIMALS = 12


@dataclass(frozen=True, eq=False)
class Worth:
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
class Margin:
    """One attribute by itself: the records of each code, and those of each code and sensitive value."""

    counts: NDArray[np.int64]
    pairs: Pairs | None


def margins(frequencies: FrequencySet, cells: SensitiveCells | None) -> list[Margin]:
    """Count every attribute by itself, with the values of the sensitive attribute where there is one."""
    found = []
    for domain, codes in zip(frequencies.domains, frequencies.codes, strict=True):
        # Sums of whole numbers below 2^53 are exact in floating point.
        counts = np.bincount(codes, weights=frequencies.counts, minlength=domain.size).astype(np.int64)
        found.append(Margin(counts, None if cells is None else _pairs(codes, domain.size, cells)))
    return found


def worth(forest: Forest, known: Sequence[Margin]) -> Worth:
    """Weigh every node against its children; without sensitive cells nothing is gained anywhere."""
    records, entropies = np.zeros(forest.size, np.int64), np.zeros(forest.size)
    shares = np.zeros(forest.size)
    for a, (ladder, margin) in enumerate(zip(forest.ladders, known, strict=True)):
        for h, path in enumerate(forest.paths[a]):
            records += np.bincount(path, weights=margin.counts, minlength=forest.size).astype(np.int64)
            shares[path] = ladder.shares[h][ladder.up[h]]
            if margin.pairs is not None:
                entropies += _entropies(path, margin.pairs, forest.size)
    return _against_children(forest, int(known[0].counts.sum()), records, entropies, shares)


def _pairs(codes: NDArray[np.int32], size: int, cells: SensitiveCells) -> Pairs:
    """The (code, sensitive value) pairs of one attribute, with their counts."""
    both = [codes[cells.tuples], cells.values]
    first, _, counts = group_codes(both, [size, cells.domain.size], cells.counts)
    return both[0][first], both[1][first], counts


def _entropies(path: NDArray[np.int32], pairs: Pairs, nodes: int) -> NDArray[np.float64]:
    """|R_x| · I(R_x) of the nodes of one level, 0 for all others."""
    codes, values, counts = pairs
    held = path[codes]
    keys, place = np.unique(held.astype(np.int64) << 32 | values, return_inverse=True)
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
) -> Worth:
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
    return Worth(
        rows=rows,
        records=records,
        gains=np.maximum(np.round(gains, DECIMALS), 0.0),
        losses=np.maximum(losses / max(rows, 1), 0.0),
        climbs=climbs / max(rows, 1),
    )
