"""Rank swapping: values of nearly the same rank change places."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from antifaz.methods.operations.columns import move, read_order, share_of
from antifaz.methods.operations.operation import Perturbation

Ints = NDArray[np.int64]

_SHARED = (
    "Every value stays in its column, so all statistics of one column stay exactly what they are, and so do types; "
    "relations between columns weaken as p grows. Missing values stay in their rows and have no rank; equal values "
    "are ranked as they come; in a constant column nothing is seen to change. Infinite values and NaN are refused."
)


class _BySorting(Perturbation):
    """Sorts each column by itself and moves values among ranks."""

    primary: ClassVar[str] = "p"

    @abstractmethod
    def _sources(self, n: int, random: np.random.Generator) -> Ints:
        """For every rank of n the rank whose value it gets."""

    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Move the values of each column by itself."""
        for name in columns:
            ordered = read_order(self.name, table, name, missing=True)
            sources = np.arange(table.num_rows)
            sources[ordered] = ordered[self._sources(ordered.size, random)]
            table = move(table, name, sources)
        return table


class RankSwap(_BySorting):
    """Exchanges each value with a random one that is at most p·n ranks ahead."""

    name: ClassVar[str] = "rank-swap"
    summary: ClassVar[str] = "Each value changes places with a random one at most p·n ranks ahead."
    details: ClassVar[str] = (
        "From the lowest rank up, a value that was not swapped yet is exchanged with one drawn from those not yet "
        "swapped among the next p·n ranks (at least one rank); where all of these were, it stays where it is. "
    ) + _SHARED
    formula: ClassVar[str] = "x₍ᵢ₎ ↔ x₍ⱼ₎, j uniform among the unswapped of i + 1 … i + max(1, ⌊p·n⌋)"
    source: ClassVar[str] = "R. Moore, Controlled data-swapping techniques for masking public use microdata, 1996"

    p: float = Field(default=0.2, gt=0, le=1, description="How far apart two values may be, as a share of all ranks.")

    def _sources(self, n: int, random: np.random.Generator) -> Ints:
        from antifaz.kernels.swapping import swap_ranks

        partners = np.arange(n)
        swap_ranks(share_of(self.p, n, 1), random.random(n // 2), partners)
        return partners


class RankSwapBlocks(_BySorting):
    """Permutes values at random within blocks of p·n ranks."""

    name: ClassVar[str] = "rank-swap-blocks"
    summary: ClassVar[str] = "The sorted values are cut into blocks of p·n, and each block is permuted at random."
    details: ClassVar[str] = (
        "Blocks have at least two values; what remains at the greatest values is a smaller block, and one value that "
        "remains alone joins the block before. Nothing crosses the border of a block, so whoever finds the borders "
        "knows more than after rank swapping. "
    ) + _SHARED
    formula: ClassVar[str] = "(x₍ᵢ₎ … x₍ᵢ₊ₛ₋₁₎) → a random permutation, i = 1, 1 + s, 1 + 2s, …, s = max(2, ⌊p·n⌋)"
    source: ClassVar[str] = "J. Domingo-Ferrer, V. Torra, Disclosure control methods and information loss, 2001"

    p: float = Field(default=0.2, gt=0, le=1, description="The size of a block, as a share of all values.")

    def _sources(self, n: int, random: np.random.Generator) -> Ints:
        size = share_of(self.p, n, 2)
        blocks = n // size
        ranks = np.arange(n)
        alone = n % size == 1 and blocks > 0
        full = (blocks - alone) * size
        if full:
            ranks[:full] = random.permuted(ranks[:full].reshape(-1, size), axis=1).ravel()
        ranks[full:] = random.permutation(ranks[full:])
        return ranks
