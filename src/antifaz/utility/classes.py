"""Measures of the classes: discernibility, average size, ambiguity, and how well they still tell a target apart."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.released_table import ReleasedTable
from antifaz.counting.rollup import Levels
from antifaz.utility.quality import Quality


def discernibility(table: ReleasedTable) -> int:
    """Return the sum over records of the number of records each can't be told from; suppressed ones, from any."""
    return _squares(table.sizes) + table.rows * table.suppressed


def average_class_size(table: ReleasedTable) -> float:
    """Return the mean number of records per class of the released table."""
    return float(table.sizes.mean()) if table.sizes.size else 0.0


def _squares(sizes: Ints) -> int:
    # Python's integers: the square of a class of four thousand million records does not fit 64 bits.
    return int(np.sum(sizes.astype(object) ** 2)) if sizes.size and sizes.max() > 2**20 else int(np.dot(sizes, sizes))


class Discernibility(Quality):
    """How many records each record can't be told from."""

    name: ClassVar[str] = "discernibility"
    summary: ClassVar[str] = "How many records each record can't be told from, summed."
    details: ClassVar[str] = "Sees class sizes only, not how much a value was generalized."
    formula: ClassVar[str] = "Σ over kept classes |E|² + N·s"
    source: ClassVar[str] = "R. Bayardo, R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005"

    def score(self, table: Generalization) -> float:
        """Return the discernibility."""
        return float(discernibility(table))

    def floor(self, lattice: Lattice, levels: Levels, allowed: int) -> float:
        """Return the sum of squares with nobody left out: classes only grow, and leaving out costs N ≥ |E| each."""
        return float(_squares(lattice.sizes(levels)))


class ClassSize(Quality):
    """The average size of a class, those left out counting as one class."""

    name: ClassVar[str] = "average-class-size"
    summary: ClassVar[str] = "How many records a class has on average, those left out being one class."
    details: ClassVar[str] = "Sees the number of classes only."
    formula: ClassVar[str] = "N / (classes + 1 if anyone is left out)"
    source: ClassVar[str] = "K. LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"

    def score(self, table: Generalization) -> float:
        """Return the average."""
        classes = table.sizes.size + (table.suppressed > 0)
        return table.rows / classes if classes else 0.0

    def floor(self, lattice: Lattice, levels: Levels, allowed: int) -> float:
        """Return the average if all classes were kept: further up there are no more of them."""
        return lattice.rows / (lattice.sizes(levels).size + (allowed > 0))


class Ambiguity(Quality):
    """How many combinations of original values a released record may stand for."""

    name: ClassVar[str] = "ambiguity"
    summary: ClassVar[str] = "How many combinations of original values a released record may stand for, summed."
    details: ClassVar[str] = "Counts combinations of the hierarchies' leaves, whether or not the data has them."
    formula: ClassVar[str] = "Σ over kept records of Π over attributes of leaves under its value, + s·Π leaves"
    source: ClassVar[str] = "J. Goldberger, T. Tassa, Efficient anonymizations with enhanced utility, TDP 3, 2010"

    def score(self, table: Generalization) -> float:
        """Return the number of combinations, summed over records."""
        whole = float(np.prod([float(ladder.leaves) for ladder in table.ladders]))
        return float(np.dot(table.sizes, table.volumes)) + table.suppressed * whole

    def floor(self, lattice: Lattice, levels: Levels, allowed: int) -> float:
        """Return the sum with nobody left out: volumes only grow, and one left out has the largest."""
        return float(np.dot(lattice.sizes(levels), lattice.volumes(levels)))


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
