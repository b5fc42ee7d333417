"""Classification: how well the released classes still tell a target apart."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.utility.quality import Quality


class Classification(Quality):
    """The share of records that do not have the most frequent target value of their class."""

    name: ClassVar[str] = "classification"
    summary: ClassVar[str] = "How many records don't share the most frequent value of a target in their class."
    details: ClassVar[str] = (
        "For data released to train classifiers: generalizing within what the target does not depend on costs nothing. "
        "Records left out count as misclassified."
    )
    formula: ClassVar[str] = "(suppressed + Σ over classes of records without its majority value) / N"
    source: ClassVar[str] = "V. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002"
    primary: ClassVar[str] = "target"

    target: str = Field(description="The column that the released data should still predict.")

    def needs(self) -> tuple[str, ...]:
        """The target's counts."""
        return (self.target,)

    def score(self, table: Generalization) -> float:
        """Return the share of records that a majority vote in their class gets wrong."""
        right = int(table.majorities(self.target).sum())
        return (table.rows - right) / table.rows if table.rows else 0.0

    def floor(self, lattice: Lattice, levels: Levels, allowed: int) -> float:
        """Return the share with nobody left out: merging classes never makes a majority larger than both had."""
        right = int(lattice.majorities(levels, self.target).sum())
        rows = lattice.rows
        return (rows - right) / rows if rows else 0.0
