"""Values that change places: rank swapping, and data shuffling."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field

from antifaz.core.arrays import Floats, Ints
from antifaz.methods.operations.grouped import GroupedPerturbation
from antifaz.methods.operations.noise import combined, moments, whitened
from antifaz.sources.column_values import (
    column_list,
    is_number_type,
    move,
    read_categories,
    read_numbers,
    read_order,
    require_apart,
    require_column,
    share_of,
    stable_order,
)

_SHARED = (
    "Every value stays in its column, so all statistics of one column stay exactly what they are, and so do types; "
    "relations between columns weaken as p grows. Missing values stay in their rows and have no rank; equal values "
    "are ranked as they come; in a constant column nothing is seen to change. Infinite values and NaN are refused."
)


class _BySorting(GroupedPerturbation):
    """Sorts each column by itself and moves values among ranks."""

    primary: ClassVar[str] = "p"

    @abstractmethod
    def _sources(self, n: int, random: np.random.Generator) -> Ints:
        """For every rank of n the rank whose value it gets."""

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
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


class Shuffle(GroupedPerturbation):
    """Gives each row values of other rows, by ranks drawn from a model of the columns together."""

    name: ClassVar[str] = "shuffle"
    summary: ClassVar[str] = "Values change places among all rows so that ranks go together about as before."
    details: ClassVar[str] = (
        "For every row, normal scores of the confidential columns are drawn from their distribution given the other "
        "columns; the value of the same rank takes the row's place. Every value stays in its column, so all statistics "
        "of one column stay exactly what they are; rank correlations stay nearly, as far as the columns rise and fall "
        "together: other relations are lost. What a row gets depends on its own confidential values only through "
        "'given'. A 'given' column of text or booleans counts as one 0/1 column for each of its categories. Missing, "
        "infinite values and NaN are refused; a constant column stays as it is."
    )
    formula: ClassVar[str] = "y* ~ N(R_xs·R_ss⁻¹·s*, R_xx − R_xs·R_ss⁻¹·R_sx), x* = Φ⁻¹((rank − ½)/n); y = x₍rank(y*)₎"
    source: ClassVar[str] = (
        "K. Muralidhar, R. Sarathy, Data shuffling: a new masking approach for numerical data, Management Science "
        "52(5), 2006"
    )

    given: Annotated[tuple[str, ...], BeforeValidator(column_list)] = Field(
        default=(), description="The columns that stay as they are and that the shuffled ones should still go with."
    )
    method: Literal["ds"] = Field(
        default="ds", description="How the new ranks are drawn: 'ds', by the normal copula of Muralidhar and Sarathy."
    )

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Draw new ranks for all columns together, and move the values there."""
        require_apart(self.name, columns, self.given, "given")
        known = [scores for name in self.given for scores in self._given_scores(table, name)]
        confidential = [read_numbers(self.name, table, name, missing=False).values for name in columns]
        orders = [stable_order(values) for values in confidential]
        own = [_scores(values, order) for values, order in zip(confidential, orders, strict=True)]
        shape = moments([*known, *own])
        first = len(known)
        loose = whitened(shape.triangle[:first, :first], shape.standardized[:first])
        loose += [random.standard_normal(table.num_rows) for _ in columns]
        for j, (name, order) in enumerate(zip(columns, orders, strict=True)):
            drawn = combined(shape.triangle[first + j], loose, table.num_rows)
            sources = np.empty(table.num_rows, np.int64)
            sources[stable_order(drawn)] = order
            table = move(table, name, sources)
        return table

    def other_columns(self) -> tuple[str, ...]:
        """The columns that stay, the strata and the household."""
        return tuple(dict.fromkeys((*self.given, *super().other_columns())))

    def _given_scores(self, table: pa.Table, name: str) -> list[Floats]:
        """The normal scores of a column of numbers; or a 0/1 column for each category but the first."""
        if is_number_type(require_column(table, name).type):
            values = read_numbers(self.name, table, name, missing=False).values
            return [_scores(values, stable_order(values))]
        read = read_categories(self.name, table, name, missing=False)
        return [(read.codes == code).astype(np.float64) for code in range(1, len(read.labels))]


def _scores(values: Floats, order: Ints) -> Floats:
    """The normal scores of values, given their order; equal values share the mean of their ranks."""
    from scipy.special import ndtri

    if not values.size:
        return values
    ordered = values[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.append(begins[1:], values.size)
    # Ranks from 1 on: of those from begin + 1 to end the mean, less a half.
    middles = ndtri((begins + ends) / 2 / values.size)
    scores = np.empty(values.size)
    scores[order] = np.repeat(middles, ends - begins)
    return scores
