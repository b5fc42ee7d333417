"""What every privacy model is: a judge of class tables."""

from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.arrays import Codes
from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError, hint
from antifaz.core.verdicts import Verdict
from antifaz.counting.classes import ClassTable, SensitiveTable


class PrivacyModel(Declared):
    """A condition on every class of a released table.

    A table holds the model when every class passes, or when the classes that don't are left out of it.
    """

    #: If a table passes, so does every generalization of it (nothing being left out).
    monotone_generalization: ClassVar[bool]
    needs_sensitive: ClassVar[bool] = False
    #: The parameter that says how many records must look alike; empty where none does.
    size_parameter: ClassVar[str] = ""
    #: Whether what is achieved is how many records look alike, in the smallest class.
    achieves_size: ClassVar[bool] = False
    #: The condition is on the table as a whole, so it is judged after every model that looks at single classes.
    whole_table: ClassVar[bool] = False
    #: Whether it asks how much of its information a class has lost, which the levels of hierarchies tell.
    needs_levels: ClassVar[bool] = False
    #: Whether it can be asked about people instead of records, where a person has several.
    counts_people: ClassVar[bool] = False
    #: Whether it can be asked where a cell of a quasi-identifier holds several items of a person.
    counts_items: ClassVar[bool] = False
    #: Whether it is asked about people; see `privacy.people`.
    by_people: ClassVar[bool] = False

    @property
    @abstractmethod
    def monotone_suppression(self) -> bool:
        """If a class passes, so does its union with any other: generalizing never makes more records be left out."""

    @abstractmethod
    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it satisfies the model."""

    @abstractmethod
    def achieved(self, classes: ClassTable) -> float | int | None:
        """Return the strictest parameter that the table satisfies; None for a table without records."""

    def keep(self, classes: ClassTable, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the kept classes may stay when records may be left out: those that pass."""
        return kept & self.passes(classes)

    def keep_within(self, classes: ClassTable, kept: NDArray[np.bool_], allowed: int) -> NDArray[np.bool_]:
        """Return the same; once more than the `allowed` records can't stay, none need be returned."""
        return self.keep(classes, kept)

    def judge(self, classes: ClassTable) -> Verdict:
        """Judge a table as it is, nothing being left out."""
        failing = int(classes.sizes[~self.passes(classes)].sum())
        parameters, achieved = self.parameters(), self.achieved(classes)
        return Verdict(model=self.name, parameters=parameters, achieved=achieved, holds=failing == 0, failing=failing)

    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes whose counts the model needs."""
        return ()

    @property
    def class_size(self) -> int | None:
        """The k of a model that asks for classes of k records and nothing else; None for all others."""
        return None

    def with_class_size(self, k: int) -> Self:
        """Return the same model with another k; only where `class_size` is not None."""
        raise NotImplementedError

    @property
    def least(self) -> int:
        """The smallest number of records that a class which passes can have, as far as the parameters say."""
        return self.class_size or 1

    @property
    def least_values(self) -> int:
        """How many sensitive values a class which passes has at least; 0 where the parameters don't say."""
        return 0

    @property
    def different_values(self) -> int | None:
        """How many different sensitive values a model asks for that asks for nothing else; None for all others."""
        return None

    @property
    def divides_people(self) -> bool:
        """Whether a person with several values counts for each of them in part: where a distribution is asked for."""
        return False

    @property
    def known_rows(self) -> int | Literal["all"]:
        """How many rows of a person somebody may know, where people are counted."""
        return 1

    @property
    def needs_tree(self) -> bool:
        """Whether the model asks for the hierarchy of its sensitive attribute."""
        return False

    def bound(self, sensitive: tuple[str, ...]) -> Self:
        """Return the model tied to the table's sensitive attributes."""
        return self

    @property
    def needs_values(self) -> bool:
        """Whether the sizes of classes are not enough to judge a release: their values are compared."""
        return False

    @property
    def any_columns(self) -> tuple[int, int] | None:
        """The m and k of a model that asks that the values in any m columns be shared by k records; None for others.

        It compares classes by their values, so leaving one out may make others fail.
        """
        return None

    def blame(self, classes: ClassTable) -> Codes:
        """Return, per column and class, in how many combinations of too few records the value is; for `any_columns`."""
        raise NotImplementedError

    def in_classes(self) -> Self:
        """Return the model that asks of all columns what this one asks of some: where it holds, so does this one."""
        return self

    def holds_after(self, classes: ClassTable, changed: int) -> bool:
        """Say whether all classes pass, given that they did before the values of one column were told apart further."""
        return bool(self.passes(classes).all())

    @property
    def population_path(self) -> str | None:
        """The file with the population that the model compares with, where it needs one."""
        return None

    def placed(self, folder: Path) -> Self:
        """Return the model with its paths taken as relative to a project's folder."""
        return self


class SensitiveModel(PrivacyModel):
    """A privacy model about one sensitive attribute."""

    needs_sensitive: ClassVar[bool] = True

    attribute: str | None = Field(
        default=None, description="The sensitive attribute; may be left out when there is only one."
    )

    def sensitive(self) -> tuple[str, ...]:
        """The one attribute this model is about."""
        return () if self.attribute is None else (self.attribute,)

    def bound(self, sensitive: tuple[str, ...]) -> Self:
        """Fill in the attribute where there is only one, and refuse one that is not sensitive."""
        if self.attribute in sensitive:
            return self
        if self.attribute is not None:
            near = hint(self.attribute, sensitive)
            raise ParameterError("model.not-sensitive-attribute", name=self.name, attribute=self.attribute, hint=near)
        if len(sensitive) == 1:
            return self.model_copy(update={"attribute": sensitive[0]})
        if not sensitive:
            raise ParameterError("model.no-sensitive-attribute", name=self.name)
        raise ParameterError("model.which-attribute", name=self.name, sensitive=sensitive)

    def table(self, classes: ClassTable) -> SensitiveTable:
        """Return the counts of this model's attribute."""
        if self.attribute is None:
            raise ParameterError("model.attribute-needed", name=self.name)
        return classes.sensitive[self.attribute]


def largest_class_size(models: Iterable[PrivacyModel], default: int = 1) -> int:
    """Return the largest k that models ask for, or the default where none does."""
    return max((model.class_size for model in models if model.class_size is not None), default=default)


def per_class(table: SensitiveTable, cells: NDArray[Any]) -> NDArray[np.float64]:
    """Add up a number per cell over the cells of each class."""
    return np.bincount(table.classes, weights=cells, minlength=table.offsets.size - 1).astype(np.float64)


def largest_per_class(table: SensitiveTable, cells: NDArray[Any]) -> NDArray[np.float64]:
    """Return the largest of a number per cell over the cells of each class."""
    # Every class has a cell, so no stretch between two offsets is empty.
    return np.maximum.reduceat(cells, table.offsets[:-1]).astype(np.float64) if cells.size else np.zeros(0)


def largest(figures: NDArray[np.float64]) -> float | None:
    """Return the largest of the classes' figures; None where there are none, and where no limit would do."""
    worst = float(figures.max(initial=-np.inf))
    return worst if np.isfinite(worst) else None


def odds(table: SensitiveTable, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return per cell how many times more frequent its value is in the class than in the whole table: q/p.

    One division of whole numbers, so that a class exactly at a limit is found to be at it.
    """
    whole, size = table.whole, sizes[table.classes]
    if whole * int(sizes.max(initial=0)) < 2**53:
        return np.asarray(table.counts * whole / (table.totals[table.values] * size), np.float64)
    cells = zip(table.counts.tolist(), table.totals[table.values].tolist(), size.tolist(), strict=True)
    # Python's division of integers rounds once, whatever their size.
    return np.array([count * whole / (total * of) for count, total, of in cells], np.float64)


def in_order(models: Iterable[PrivacyModel]) -> list[PrivacyModel]:
    """Return the models in the order to judge them: the cheap ones first, those of the whole table last."""
    return sorted(models, key=lambda model: (model.whole_table or model.any_columns is not None, model.needs_sensitive))
