"""What every protection of a table declares: it gets the true cells and returns what may be published."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from antifaz.core.arrays import Flags, Ints
from antifaz.core.declaration import Declared
from antifaz.core.progress import Progress
from antifaz.tabulation.rules import Needs
from antifaz.tabulation.table import CellTable


@dataclass(frozen=True, kw_only=True, eq=False)
class ProtectionTask:
    """What is to be protected: the true table, and what the rules ask for each of its cells."""

    table: CellTable
    needs: Needs
    #: Of a table that was published before, which cells it shows; None for a new one.
    before: Flags | None = None
    #: Whether it is published at all; else it only ties others together.
    published: bool = True
    random: np.random.Generator = field(repr=False)
    progress: Progress = field(default_factory=Progress, repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class Protected:
    """What is published of a table, cell by cell, and the protection's own account of it for the evidence."""

    #: What each cell says, in units of the table; of cells that are not shown it is not looked at.
    values: Ints
    #: Which cells are published; the others are suppressed.
    shown: Flags
    #: JSON-ready; never a hidden value.
    details: dict[str, Any]
    warnings: tuple[str, ...] = ()


class Protection(Declared):
    """Turns the true cells of a table into cells that may be published."""

    #: Whether it protects the cells that rules find; without it all cells are changed alike, and no rule is needed.
    needs_rules: ClassVar[bool] = True
    #: Whether it can protect sums; all can protect counts.
    sums: ClassVar[bool] = True
    #: Whether each total must be the sum of its parts.
    needs_additive: ClassVar[bool] = False
    #: Whether it needs `CellTable.keys`, and so a person key.
    needs_keys: ClassVar[bool] = False

    #: Whether cells that are not shown are left out with their labels; else they stand there as suppressed.
    omits_hidden: ClassVar[bool] = False

    @property
    def cells_per_person(self) -> int | None:
        """In how many cells of values a person may count; None for all."""
        return None

    @property
    def privacy_spent(self) -> tuple[float, float] | None:
        """The ε and δ of a differentially private table; None for others."""
        return None

    def secret(self) -> bytes | None:
        """Return the secret from which the keys of contributors follow, where `needs_keys`."""
        return None

    def protect_together(self, tasks: Sequence[ProtectionTask]) -> list[Protected]:
        """Return what may be published of the new ones among tables of the same data, each by itself if left so."""
        return [self.protect(task) for task in tasks if task.published and task.before is None]

    @abstractmethod
    def protect(self, task: ProtectionTask) -> Protected:
        """Return what may be published, or raise `PrivacyNotReached` where nothing may."""
