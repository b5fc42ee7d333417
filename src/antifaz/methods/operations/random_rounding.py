"""Random rounding: up or down to a multiple of a base, so that the mean stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from antifaz.methods.operations.number_columns import Floats, Numbers, OfNumbers, read_numbers, write_numbers
from antifaz.methods.operations.perturbation import as_function


class Rounding(OfNumbers):
    """Rounds every number to a multiple of a base, up or down at random."""

    name: ClassVar[str] = "rounding"
    summary: ClassVar[str] = "Every number is rounded to a multiple of a base, up or down at random."
    details: ClassVar[str] = (
        "The nearer multiple is the likelier one, so that the expected value of what comes out is what went in; a "
        "number that is a multiple already stays. Not random, the nearest is taken, a half to the even one. Missing "
        "values stay missing; infinite values and NaN are refused."
    )
    formula: ClassVar[str] = "x' = b·(⌊x/b⌋ + 1) with probability x/b − ⌊x/b⌋, else b·⌊x/b⌋"
    source: ClassVar[str] = "L. Willenborg, T. de Waal, Elements of Statistical Disclosure Control, 2001"
    primary: ClassVar[str] = "base"
    by_cell: ClassVar[bool] = True

    base: float = Field(gt=0, allow_inf_nan=False, description="Numbers become multiples of this.")
    random: bool = Field(default=True, description="Up or down at random; otherwise to the nearest.")

    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Round each column by itself."""
        for name in columns:
            column = read_numbers(self.name, table, name, missing=True)
            table = self._rounded(table, column, random.random(column.values.size) if self.random else None)
        return table

    def cells(self, table: pa.Table, column: str, draws: Floats, spread: float) -> pa.Table:
        """Round some rows of a column."""
        read = read_numbers(self.name, table, column, missing=True)
        return self._rounded(table, read, read.there(draws) if self.random else None)

    def _rounded(self, table: pa.Table, column: Numbers, draws: Floats | None) -> pa.Table:
        with np.errstate(over="ignore"):
            steps = column.values / self.base
        down = np.floor(steps)
        whole = np.rint(steps) if draws is None else down + (draws < steps - down)
        return write_numbers(self.name, table, column, self._multiples(whole), self.keep_type)

    def _multiples(self, steps: Floats) -> Floats:
        # 3 / 10 is 0.3, and 3 * 0.1 is not.
        parts = 1 / self.base
        return steps / parts if self.base < 1 and parts == round(parts) else steps * self.base


rounding = as_function(Rounding)
