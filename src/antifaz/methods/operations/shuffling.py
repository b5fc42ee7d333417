"""Data shuffling: confidential values change places, by a model of how they go with the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from antifaz.methods.operations.columns import (
    column_list,
    is_number_type,
    move,
    read_categories,
    read_numbers,
    require_apart,
    require_column,
    stable_order,
)
from antifaz.methods.operations.moments import combined, moments, whitened
from antifaz.methods.operations.operation import Perturbation

Floats = NDArray[np.float64]


class Shuffle(Perturbation):
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

    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Draw new ranks for all columns together, and move the values there."""
        require_apart(self.name, columns, self.given, "given")
        known = [scores for name in self.given for scores in self._given(table, name)]
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
        """The columns that stay."""
        return self.given

    def _given(self, table: pa.Table, name: str) -> list[Floats]:
        """The normal scores of a column of numbers; or a 0/1 column for each category but the first."""
        if is_number_type(require_column(table, name).type):
            values = read_numbers(self.name, table, name, missing=False).values
            return [_scores(values, stable_order(values))]
        read = read_categories(self.name, table, name, missing=False)
        return [(read.codes == code).astype(np.float64) for code in range(1, len(read.labels))]


def _scores(values: Floats, order: NDArray[np.int64]) -> Floats:
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
