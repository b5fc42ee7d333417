"""What every hierarchy builder declares, and labels as people write them: text, but also numbers and dates."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from math import isfinite
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.core.declaration import Declared
from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.core.values import ANY, canonical
from antifaz.hierarchies.hierarchy import EncodedLevel, Hierarchy


class HierarchyBuilder(Declared):
    """Makes the hierarchy of one attribute, from what was declared or from the values in the data."""

    #: Whether the hierarchy is made from the values in the data; otherwise it is the same for any data.
    needs_data: ClassVar[bool]
    #: Whether what a value is called, at every level, and how many levels there are, follow from no other value.
    value_by_value: ClassVar[bool] = False
    #: Whether it is made from how often each value occurs with each sensitive one: then only `learn` makes it.
    needs_target: ClassVar[bool] = False

    suppression: bool = Field(default=False, description="Put a level of '*' on top, above whatever is there.")

    @abstractmethod
    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the hierarchy; `values` are the distinct canonical values in the data, without missing."""

    def learn(self, values: Sequence[str], kind: DataType, counts: Ints) -> Hierarchy:
        """Return the hierarchy; `counts[i, s]` says how often `values[i]` occurs with the sensitive value s."""
        return self.build(values, kind)

    def targets(self) -> tuple[str, ...]:
        """The attributes whose values the columns of `counts` are, taken together; none named: all sensitive ones."""
        return ()

    def _made(self, rows: Sequence[Sequence[str]], kind: DataType, **options: Any) -> Hierarchy:
        """Return the hierarchy of these rows, with '*' on top where the person asked for it."""
        return Hierarchy.from_rows(rows, kind=kind, **{"suppression": self.suppression, **options})

    def _made_of(
        self, leaves: Sequence[str], above: Sequence[EncodedLevel], kind: DataType, suppression: bool | None = None
    ) -> Hierarchy:
        """Return the hierarchy of distinct leaves and of the levels above them, each label of which is told once."""
        columns = [(leaves, np.arange(len(leaves), dtype=np.int32)), *above]
        top = self.suppression if suppression is None else suppression
        return Hierarchy.from_columns(columns, kind=kind, suppression=top)


class ExistingHierarchy(HierarchyBuilder):
    """Hands over a hierarchy made in Python; not for project files, so in no registry."""

    name: ClassVar[str] = "given"
    summary: ClassVar[str] = "A hierarchy made before."
    primary: ClassVar[str] = "hierarchy"
    needs_data: ClassVar[bool] = False

    hierarchy: Hierarchy = Field(description="The hierarchy.")

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the hierarchy as it is, or with '*' on top."""
        return self.hierarchy.with_suppression() if self.suppression else self.hierarchy

    def parameters(self) -> dict[str, Any]:
        """Return the hierarchy as the rows of a table."""
        return {"suppression": self.suppression, "rows": [list(path) for path in self.hierarchy.paths()]}


class Flat(HierarchyBuilder):
    """Generalizes every value to '*' in one step."""

    name: ClassVar[str] = "flat"
    summary: ClassVar[str] = "Each value as it is, or '*'."
    details: ClassVar[str] = "For attributes with few values and nothing between a value and all of them, such as sex."
    needs_data: ClassVar[bool] = True
    value_by_value: ClassVar[bool] = True

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the values, sorted, each under '*'."""
        leaves = sorted(set(values))
        return self._made_of(leaves, [((ANY,), np.zeros(len(leaves), np.int32))], kind)


def as_list(given: object) -> object:
    """Let one value of a parameter stand for a list of one."""
    return given if isinstance(given, list | tuple) else (given,)


#: The JSON Schema of a label.
LABEL_SCHEMA: dict[str, Any] = {"type": ["string", "number"]}


def as_label(given: object, where: str) -> str:
    """Return the canonical text of a label; `where` names its place in errors."""
    if isinstance(given, bool):
        # YAML reads a bare `no` as false: Norway must not become 'False'.
        raise HierarchyError("hierarchy.label-true-or-false", where=where)
    clean = canonical(_spelled(given, where))
    if clean is None:
        raise HierarchyError("hierarchy.label-empty", where=where)
    return clean


def _spelled(given: object, where: str) -> str | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, date):  # a datetime is one too
        return given.isoformat()
    if isinstance(given, Integral | float | Decimal):
        # A number of thousands of digits, and a signalling NaN, refuse to be looked at.
        with suppress(ValueError, OverflowError):
            if isinstance(given, Integral) or isfinite(given):
                return str(given)
    raise HierarchyError("hierarchy.label-not-text", where=where)
