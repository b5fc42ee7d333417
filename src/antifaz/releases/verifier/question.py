"""What a model of the verifier is asked, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import CheckFailed, ParameterError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.releases.verifier.distances import Integers, JudgedAttribute, Tree, is_finite, sum_by


class Counted(Protocol):
    """What was counted in a table: its rows, the size of each class, and per sensitive attribute its cells.

    Cells are arrays of one length (`classes`, `values`, `counts`: one entry per pair that occurs), `labels` of the
    value ids, and whether all labels are numbers (`numeric`). `classes`, where it was asked for, has for every
    quasi-identifier a number per class: the same where the value is, below 0 where it is missing.
    """

    @property
    def rows(self) -> int: ...  # noqa: D102
    @property
    def sizes(self) -> Ints: ...  # noqa: D102
    @property
    def cells(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def classes(self) -> Mapping[str, Ints] | None: ...  # noqa: D102


@dataclass(frozen=True)
class ModelFinding:
    """What one model found: a number per class, which classes pass, and whether the smallest number is the worst."""

    by_class: NDArray[Any]
    passes: Flags
    smallest: bool = False
    note: str = ""
    #: Sizes of the classes in the order of `by_class`, where that is not the table's own.
    sizes: NDArray[Any] | None = None
    #: What follows from the parameters and stands beside them in the verdict.
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelQuestion:
    """A model with its parameters, and the table that it is asked of."""

    table: Counted
    parameters: Mapping[str, Any]
    reference: Mapping[str, Mapping[str | None, int]]
    trees: Mapping[str, Tree]
    population: Counted | None = None
    paths: Mapping[str, Sequence[Sequence[str | None]]] = field(default_factory=dict)

    def number(self, name: str, least: float, most: float = 1e300) -> float:
        """Return a parameter that must be a number between two bounds."""
        value = self.parameters.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most:
            return value
        bounds = Message("verifier.number-from", least=least)
        if most != 1e300:
            bounds = Message("verifier.number-between", least=least, most=most)
        raise ParameterError("verifier.not-a-number", model=self.parameters["model"], name=name, bounds=bounds)

    def whole_number(self, name: str) -> int:
        """Return a parameter that must be a whole number from 1 up."""
        value = self.number(name, 1)
        if value != int(value):
            raise ParameterError("verifier.not-a-whole-number", model=self.parameters["model"], name=name)
        return int(value)

    def choice(self, name: str, choices: Sequence[object]) -> object:
        """Return a parameter that must be one of a few; there is no default, because a default could be weaker."""
        value = self.parameters.get(name)
        if value not in choices:
            model = self.parameters["model"]
            raise ParameterError("verifier.not-one-of", model=model, name=name, choices=str([*choices]))
        return value

    def sensitive(self) -> JudgedAttribute:
        """Return the attribute that the model protects, with the distribution it is compared with."""
        name = str(self.parameters.get("attribute"))
        if name not in self.table.cells:
            known = hint(name, self.table.cells)
            raise SchemaError("verifier.not-counted-sensitive", model=self.parameters["model"], name=name, known=known)
        cells = self.table.cells[name]
        counts = self.reference.get(name)
        if counts is None:
            counts = dict.fromkeys(cells.labels, 0)
            for value, count in zip(cells.values.tolist(), cells.counts.tolist(), strict=True):
                counts[cells.labels[value]] += count
        # What only the reference holds is a value too: a class may be far from p by lacking it.
        labels = tuple(dict.fromkeys((*cells.labels, *(label for label, n in counts.items() if n))))
        totals = np.array([counts.get(label, 0) for label in labels], dtype=np.int64)
        if not totals.sum():
            raise ParameterError("verifier.reference-counts-hold-no-records", name=name)
        numeric = cells.numeric and all(map(is_finite, labels))
        arrays = (cells.classes, cells.values, cells.counts)
        if not np.array_equal(sum_by(cells.counts, cells.classes, len(self.table.sizes)), self.table.sizes):
            raise CheckFailed("verifier.fewer-values-than-records", name=name)
        return JudgedAttribute(self.table.sizes, *arrays, labels, numeric, totals, self.trees.get(name))

    def population_counts(self) -> tuple[Integers, Integers]:
        """Return, per class, how many released rows it has and how many people of the population."""
        if self.population is None:
            raise ParameterError("verifier.population-not-counted", model=self.parameters["model"])
        cells = next(iter(self.population.cells.values()))
        sides = []
        for word in ("released", "person"):
            counts = np.where([cells.labels[value] == word for value in cells.values], cells.counts, 0)
            sides.append(sum_by(counts, cells.classes, len(self.population.sizes)))
        released, people = sides
        if not np.array_equal(np.sort(released[released > 0]), np.sort(self.table.sizes)):
            raise CheckFailed("verifier.rows-differ-beside-population")
        return released, people
