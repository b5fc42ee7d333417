"""Auto: tries the methods that fit a table, and takes the one that serves the recipient's purpose best.

Which methods are tried follows from the size of the table and not from a clock, so a result does not depend on the
machine: `seconds` is compared with what each method takes by its `cells_per_second`.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.core.errors import AntifazError, ParameterError, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.counting.generalization import Generalization
from antifaz.counting.groups import GroupedTable
from antifaz.counting.released_table import ReleasedTable
from antifaz.methods.clustering.k_members import LOOKS, KMembers
from antifaz.methods.clustering.l_greedy import LGreedy
from antifaz.methods.clustering.mdav import Mdav
from antifaz.methods.clustering.mondrian import Mondrian
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recoding.full_domain import FullDomain
from antifaz.methods.suppression.local_suppression import LocalSuppression
from antifaz.utility import measure_table

#: Values that counting one generalization looks at in a second: distinct tuples times quasi-identifiers.
_COUNTING_RATE = 4_000_000
#: What one check takes beside that, in such values: on a small table it is nearly all.
_EACH_CHECK = 8_000
#: Methods that group rows are not tried on more.
_MOST_ROWS = 500_000
#: Shares of records that full-domain generalization may leave out.
_SUPPRESSIONS = (0.02, 0.05, 0.1)

Purpose = Literal["analyse", "read", "numbers"]


@dataclass(frozen=True, kw_only=True)
class _Reached:
    """What a method that was tried decided, and what it loses."""

    method: Method
    decision: Decision
    loss: float
    accuracy: float | None

    def as_dict(self) -> dict[str, Any]:
        measured = {"loss": self.loss, "left_out": self.decision.table.suppressed}
        measured |= {} if self.accuracy is None else {"accuracy": self.accuracy}
        return {"name": self.method.name, "settings": self.method.parameters(), **measured}

    @property
    def order(self) -> tuple[float, float, int]:
        """The best first: by accuracy where there is a target, then by loss, then by who is left out."""
        return -round(self.accuracy or 0.0, 6), round(self.loss, 9), self.decision.table.suppressed


@dataclass(frozen=True, kw_only=True)
class _Failed:
    """A method that was tried and could not decide, with what it said."""

    method: Method
    reason: Message

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.method.name, "settings": self.method.parameters(), "reason": self.reason}


class Auto(Method):
    """Try the methods that fit, and take what serves the purpose best."""

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "Tries the methods that fit the table, and takes the one that loses least for its purpose."
    details: ClassVar[str] = (
        "For tables that are read (read), full-domain generalization leaving out up to 2, 5 and 10 % of the records, "
        "so that a column has the same level everywhere. For analysis and training (analyse), also local suppression, "
        "Mondrian, l-greedy and, on small tables, k-members; with a target, the one from whose classes the target is "
        "guessed best is taken: for every record by the majority of the others of its class. To keep numbers "
        "(numbers), methods that release groups as the mean of their numbers. The evidence lists what was tried with "
        "its loss and the records left out. What is tried follows from the size of the table, not from a clock."
    )
    source: ClassVar[str] = "the sources of the methods that it tries"
    needs_hierarchies: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = True
    tries_others: ClassVar[bool] = True
    compares_classes: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True
    #: Local suppression may be taken, and a blank says nothing of its record.
    blanks: ClassVar[bool] = True
    #: What the common checks try; means of groups, which are true of no record, have tests of their own.
    examples: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"purpose": "read"})

    purpose: Purpose = Field(
        default="analyse",
        description="What the recipient will do: train and analyse (analyse), read tables (read), or keep numbers as "
        "numbers (numbers).",
    )
    target: str | None = Field(
        default=None, description="For analyse: the column to be predicted, by which the methods are compared."
    )
    seconds: float = Field(
        default=30, gt=0, le=86_400, description="About how long trying may take; it decides which methods are tried."
    )

    def needs(self) -> tuple[str, ...]:
        """The target, where there is one."""
        return (self.target,) if self.target is not None else ()

    def on_counts(self) -> "AutoOnCounts":
        """Return the same choice among the methods that need no rows."""
        return AutoOnCounts(**self.parameters())

    def level_search(self) -> Method:
        """Return full-domain generalization, as it is tried first: candidates and levels are its."""
        return FullDomain(suppression=_SUPPRESSIONS[0])

    def decide(self, task: Task) -> Decision:
        """Let every method that fits decide, and return the best decision with an account of all."""
        methods = self.fitting(task)
        if not methods:
            raise ParameterError("method.none-fits", purpose=self.purpose)
        tried: list[_Reached | _Failed] = []
        for place, method in enumerate(methods):
            task.progress.tell(place / len(methods), Message("progress.trying-method", method=method.name))
            tried.append(self._try_method(method, task))
        reached = [one for one in tried if isinstance(one, _Reached)]
        if not reached:
            reasons = dict.fromkeys(one.reason for one in tried if isinstance(one, _Failed))
            raise PrivacyNotReached("method.none-reaches", reasons=list(reasons)[:2])
        best = min(reached, key=lambda one: one.order)
        account = {
            "chosen": best.method.name,
            "settings": best.method.parameters(),
            "reason": self._reason(best, reached),
            "tried": [one.as_dict() for one in tried],
        }
        return replace(best.decision, details={**account, **best.decision.details})

    def fitting(self, task: Task) -> list[Method]:
        """Return the methods that are tried on a task."""
        return list(self._fitting(task))

    def _fitting(self, task: Task) -> Iterator[Method]:
        """Return the methods that are tried: they suit the purpose, the columns and the models, and there is time."""
        left = self.seconds
        rows, columns = task.frequencies.rows, max(len(task.frequencies.domains), 1)
        for method in self._candidates(task, left):
            # k-members begins several times on a small table, until it has grouped so many records.
            grouped = max(rows, LOOKS) if isinstance(method, KMembers) else rows
            seconds = grouped * columns / method.cells_per_second if method.cells_per_second else 0.0
            if seconds <= left and self._suits(method, task):
                left -= seconds
                yield method

    def _candidates(self, task: Task, seconds: float) -> Iterator[Method]:
        if self.purpose == "numbers":
            yield from (Mdav(), LGreedy(release="mean"), Mondrian(release="mean"), KMembers(release="mean"))
            return
        columns = len(task.ladders)
        # Where combinations of columns are counted, there are so many of them.
        known = max((model.any_columns[0] for model in task.models if model.any_columns is not None), default=0)
        counted = max(columns, comb(columns, min(known, columns)) if known else 0, 1)
        tuples = max(int(task.frequencies.counts.size) * counted, 1)
        checks = max(int(seconds * _COUNTING_RATE / 6 / (tuples + _EACH_CHECK)), 100)
        if len(task.ladders) == len(task.frequencies.domains):
            yield from (FullDomain(suppression=share, checks=checks) for share in _SUPPRESSIONS)
        if self.purpose == "analyse":
            yield from (LGreedy(), Mondrian(), LocalSuppression(suppression=_SUPPRESSIONS[0]), KMembers())

    def _suits(self, method: Method, task: Task) -> bool:
        if task.frequencies.people is not None and not method.counts_people:
            return False
        if method.needs_rows and (task.records is None or task.records.rows > _MOST_ROWS):
            return False
        if method.numbers_only and not _all_numbers(task):
            return False
        if any(model.any_columns is not None for model in task.models) and not method.compares_classes:
            return False
        try:
            method.refuse(task.models, [domain.column for domain in task.frequencies.domains])
        except AntifazError:
            return False
        return True

    def _try_method(self, method: Method, task: Task) -> _Reached | _Failed:
        # Each begins where it would begin alone, so that it decides what it decides alone.
        own = replace(task, random=copy.deepcopy(task.random))
        try:
            decision = method.decide(own)
        except AntifazError as error:
            return _Failed(method=method, reason=error.message)
        accuracy = None if self.target is None else guessed(decision.table, self.target)
        loss = float(measure_table(decision.table)["loss"])
        return _Reached(method=method, decision=decision, loss=loss, accuracy=accuracy)

    def _reason(self, best: _Reached, reached: Sequence[_Reached]) -> Message:
        about: dict[str, Any] = {"method": best.method.name, "number": len(reached), "loss": best.loss}
        if best.accuracy is not None:
            return Message("reason.auto-guesses-best", target=self.target, accuracy=best.accuracy, **about)
        return Message("reason.auto-loses-least", **about)


class AutoOnCounts(Auto):
    """The same where rows stay away or are too many: only methods that decide on counts are tried."""

    needs_rows: ClassVar[bool] = False

    def _candidates(self, task: Task, seconds: float) -> Iterator[Method]:
        # Numbers can't be averaged without rows.
        own = self if self.purpose != "numbers" else self.model_copy(update={"purpose": "read"})
        return super(AutoOnCounts, own)._candidates(task, seconds)


def guessed(table: ReleasedTable, target: str) -> float:
    """Return how often a record's target is what most of the others of its class have; those left out are wrong.

    Of values that are equally frequent among the others, one is guessed at random.
    """
    right = 0.0
    for counts in _counts_of(table, target):
        for value, own in enumerate(counts):
            others = counts.copy()
            others[value] -= 1
            most = others.max()
            if most > 0 and others[value] == most:
                right += own / int((others == most).sum())
    return right / max(table.rows, 1)


def _counts_of(table: ReleasedTable, target: str) -> Iterator[Ints]:
    """Return per released class how often each value of a column occurs in it."""
    if isinstance(table, Generalization):
        cells, kept = table.lattice.class_table(table.levels, [target]).sensitive[target], table.kept
    elif isinstance(table, GroupedTable):
        cells, kept = table.class_table().sensitive[target], None
    else:
        return
    for c, (begin, end) in enumerate(zip(cells.offsets[:-1], cells.offsets[1:], strict=True)):
        if kept is None or kept[c]:
            yield cells.counts[begin:end]


def _all_numbers(task: Task) -> bool:
    records = task.records
    return records is not None and all(
        attribute.scale is not None
        and attribute.kind.is_number
        and not np.isnan(attribute.scale[attribute.codes]).any()
        for attribute in records.attributes
    )
