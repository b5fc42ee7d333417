"""The checks of perturbations find what is broken."""

from __future__ import annotations

from typing import ClassVar

import pyarrow as pa
import pytest

from antifaz.methods.operations.perturb import AdditiveNoise, Perturbation
from antifaz.sources.column_values import require_column
from antifaz.testing import Broken, check


class _Mine(Perturbation):
    """Draws a column's values anew from all of them."""

    name: ClassVar[str] = "mine"
    summary: ClassVar[str] = "Every value is one of the column's, drawn at random."
    details: ClassVar[str] = "For tests."
    numbers: ClassVar[bool] = False

    def apply(self, table, columns, random):
        for name in columns:
            drawn = require_column(table, name).take(pa.array(random.integers(0, table.num_rows, table.num_rows)))
            table = table.set_column(table.column_names.index(name), name, drawn)
        return table


class _Sorted(_Mine):
    """Sorts the rows."""

    def apply(self, table, columns, random):
        return super().apply(table, columns, random).sort_by("age")


class _Fewer(_Mine):
    """Leaves a row out."""

    def apply(self, table, columns, random):
        return super().apply(table, columns, random).slice(1)


class _Fixed(_Mine):
    """Says that it draws nothing."""

    draws: ClassVar[bool] = False


class _Piecewise(AdditiveNoise):
    """Looks at the rows beside a cell."""

    def cells(self, table, column, draws, spread):
        return super().cells(table, column, draws, spread * table.num_rows)


def test_a_perturbation_of_a_plug_in_passes():
    check(_Mine)


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (_Sorted, "leave the other columns"),
        (_Fewer, "keep all rows"),
        (_Fixed, "declared not to draw"),
        (_Piecewise, "must not depend on those worked on beside it"),
    ],
)
def test_what_is_broken_is_found(broken, expected):
    with pytest.raises(Broken, match=expected):
        check(broken)
