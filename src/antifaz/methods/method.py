"""What every method is: it takes a task and returns a decision, or says the nearest that can be reached."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from antifaz.core.arrays import Flags
from antifaz.core.declaration import Declared
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.recoding import Recoding
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.lattice import Lattice
from antifaz.counting.records import Records
from antifaz.counting.released_table import ReleasedTable
from antifaz.counting.rollup import Ladder, Levels
from antifaz.privacy.model import PrivacyModel, in_order, largest_class_size


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What is to be protected, how far it may be generalized, and what must hold afterwards."""

    frequencies: FrequencySet
    ladders: tuple[Ladder, ...]
    models: tuple[PrivacyModel, ...]
    random: np.random.Generator = field(repr=False)
    progress: Progress = field(default_factory=Progress, repr=False)
    #: All rows, for methods that need them.
    records: Records | None = field(default=None, repr=False)
    #: What is left out where something fails: its rows, or everybody who has one of them, with all rows.
    leave_out: Literal["rows", "people"] = "rows"

    def in_classes(self) -> Self:
        """Return the task in which whole classes satisfy what models ask of some columns."""
        return replace(self, models=tuple(model.in_classes() for model in self.models))

    @property
    def k(self) -> int:
        """How many records a class must have: the largest k that is asked for, or 1; no fewer than people."""
        return max([largest_class_size(self.models), *(model.least for model in self.models if model.by_people)])


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision:
    """What a method decided: the recoding to apply, its own account of it, and the counts to measure it by."""

    recoding: Recoding
    details: dict[str, Any]
    table: ReleasedTable
    warnings: tuple[str, ...] = ()
    #: Who is left out with all rows, by person; what becomes of the others is in the recoding.
    left_out: Flags | None = field(default=None, repr=False)


class Method(Declared):
    """Decides what each value becomes so that the models hold."""

    needs_hierarchies: ClassVar[bool]
    needs_rows: ClassVar[bool] = False
    #: Whether it tries other methods and takes one of them.
    tries_others: ClassVar[bool] = False
    #: Whether every quasi-identifier must be a number, none of them missing.
    numbers_only: ClassVar[bool] = False
    #: Of a slow one, cells (records times quasi-identifiers) per second: half of what a notebook of 2020 does.
    cells_per_second: ClassVar[int | None] = None
    #: Whether it can decide part by part where the records don't fit in memory.
    out_of_core: ClassVar[bool] = False
    #: Whether it can decide while the distinct tuples stay on the executors.
    remote_tuples: ClassVar[bool] = False
    #: Whether it finds one level for each column, so that levels can be bounded (`lowest`, `highest`) and chosen.
    chooses_levels: ClassVar[bool] = False
    #: Whether it makes use of a model that compares classes by some of their columns; else whole classes satisfy it.
    compares_classes: ClassVar[bool] = False
    #: Whether it decides by what models say of the people of classes, where a person may have several rows.
    counts_people: ClassVar[bool] = False
    #: Whether every sensitive attribute is counted, whether or not a model asks about it.
    wants_sensitive: ClassVar[bool] = False
    #: Six people, two with the flu, of whose illnesses a release promises at most one half: how sure of somebody's
    #: illness those can be who know the method, in hundredths. None where nobody tried every table of the six.
    surest_of_six: ClassVar[int | None] = None

    @property
    def keeps_equal_together(self) -> bool:
        """Whether records with the same values are always in one group, so that counts of them are enough."""
        return False

    def out_of_core_obstacle(self) -> str | None:
        """Say which parameters keep it from deciding part by part; None where nothing does."""
        return None

    @property
    def one_label_per_value(self) -> bool:
        """Whether a value is released under the same label wherever it occurs."""
        return False

    def on_counts(self) -> "Method":
        """Return the method that decides on counts alone, where it has the choice; else itself."""
        return self

    def level_search(self) -> "Method":
        """Return the method whose candidates are listed and whose levels are chosen: itself, or one that it tries."""
        return self

    def search(self, task: Task, *, largest: int | None = None) -> Any:
        """Return the search of all candidates, where the method chooses levels.

        A lattice of more than the `largest` number of nodes is not gone through: the best that are found are listed.
        """
        raise NotImplementedError

    def needs(self) -> tuple[str, ...]:
        """The columns, beside quasi-identifiers and what the models ask, whose counts the method needs."""
        return ()

    def refuse(self, models: Sequence[PrivacyModel], quasi_identifiers: Sequence[str]) -> None:
        """Raise where this method can't be meant for these models and columns; it is asked before any work."""
        return

    @abstractmethod
    def decide(self, task: Task) -> Decision:
        """Decide, or raise `PrivacyNotReached` naming the nearest that can be reached."""


def nearest(lattice: Lattice, models: tuple[PrivacyModel, ...], allowed: int, highest: Levels | None = None) -> Message:
    """Say what can't be had, and what could: a smaller k, what the top achieves, or more records left out."""
    rows = lattice.rows
    asked = [f"{m.name} ({', '.join(f'{key}={value}' for key, value in m.parameters().items())})" for m in models]
    failure = Message("method.no-generalization", rows=rows, asked=asked, allowed=allowed)
    if not rows:
        return Message("method.not-reached-without-records", failure=failure)
    compares = any(model.any_columns is not None for model in models)
    top = lattice.class_table(highest or lattice.heights, values=compares)
    reached = []
    for model in models:
        if model.class_size is not None:
            # The largest k for which the records in smaller classes may all be left out, and some class remains.
            ordered = np.sort(top.sizes)
            k = int(ordered[np.cumsum(ordered) - ordered <= allowed][-1])
            if k < model.class_size:
                reached.append(Message("method.nearest-k", k=k))
        elif not (verdict := model.judge(top)).holds:
            far = Message("method.nothing") if verdict.achieved is None else f"{verdict.achieved:.6g}"
            reached.append(Message("method.nearest-model", model=model.name, achieved=far))
    # How many records fail at the top of the lattice, where fewest do under most models.
    kept = np.ones(top.sizes.size, np.bool_)
    for model in in_order(models):
        kept = model.keep(top, kept)
    lost = int(top.sizes[~kept].sum())
    if allowed < lost < rows:
        reached.append(Message("method.nearest-suppression", lost=lost, share=np.ceil(lost / rows * 1e4) / 1e4))
    if not reached:
        return Message("method.not-reached", failure=failure)
    return Message("method.not-reached-but", failure=failure, nearest=reached)


def why_not(method: str, lattice: Lattice, models: tuple[PrivacyModel, ...], allowed: int, monotone: str) -> Message:
    """Say what can't be had by a greedy method; `monotone` names what must hold of all models for the top to tell."""
    failure = nearest(lattice, models, allowed)
    if all(getattr(model, monotone) for model in models):
        return failure
    # Where generalizing can break a model, the top failing says nothing of the nodes beside the way.
    return Message("method.of-those-looked-at", name=method, failure=failure)
