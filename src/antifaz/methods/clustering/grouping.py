"""What every method is that groups records: it says who is in which group, and the rest follows from that."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.core.recoding import ColumnRecoding, Recoding, RowRecoding, TupleRecoding
from antifaz.counting.frequencies import group_codes
from antifaz.counting.groups import GroupedTable
from antifaz.counting.piecewise import OutOfCoreTable
from antifaz.counting.records import Records
from antifaz.methods.clustering.labels import GroupLabels, label_groups, merge_alike
from antifaz.methods.method import Decision, Method, Task


class Grouping(Method):
    """Puts records into groups that satisfy the models; each group is released as one."""

    needs_hierarchies: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = True

    release: Literal["interval", "mode", "median", "mean"] = Field(
        default="interval",
        description="A group is released as the span of its values ([20, 29], {a, b}), or as one value for all.",
    )
    keep_type: bool = Field(
        default=True, description="Numbers released as one value stay numbers of the column's type."
    )

    @abstractmethod
    def group(self, records: Records, task: Task) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Return the group of every record (0, 1, …; -1 is left out), and an account of how it was done."""

    def decide(self, task: Task) -> Decision:
        """Group the records, and refuse what the models do not allow."""
        records = task.records
        if records is None:
            raise ParameterError("method.needs-rows", name=self.name)
        self._refuse(task, records)
        groups, details = self.group(records, task)
        # Groups that are released alike are one class, whatever the method thought of them.
        groups, labelled = merge_alike(groups, label_groups(records, groups, self.release, self.keep_type))
        table = GroupedTable(records, groups, labelled.points)
        self._judge(task, table)
        return Decision(
            recoding=self._by_tuple(records, groups, labelled)
            if records.copies
            else _by_row(records, groups, labelled),
            details={**details, "groups": table.count},
            generalization=table,
            warnings=warnings_about(records),
        )

    def _by_tuple(self, records: Records, groups: NDArray[np.int64], labelled: GroupLabels) -> Recoding:
        """Say what each combination of values becomes, where rows can't be told apart."""
        codes = [attribute.codes for attribute in records.attributes]
        sizes = [attribute.domain.size for attribute in records.attributes]
        first, alike, _ = group_codes(codes, sizes, np.ones(records.rows, np.int64))
        if not np.array_equal(groups[first][alike], groups):
            raise ParameterError("method.splits-same-values", name=self.name)
        kept = first[groups[first] >= 0]
        return Recoding(
            columns=tuple(
                ColumnRecoding(column=a.column, values=a.domain.values, labels=a.domain.values)
                for a in records.attributes
            ),
            tuples=TupleRecoding(
                codes=tuple(_plain(a.domain.codes) for a in records.attributes),
                tuples=tuple(_plain(part[kept]) for part in codes),
                labels=labelled.labels,
                released=tuple(_plain(part[groups[kept]]) for part in labelled.released),
                typed=labelled.numbers,
            ),
        )

    def _refuse(self, task: Task, records: Records) -> None:
        k = task.k
        if k > records.rows:
            raise PrivacyNotReached("method.no-grouping-satisfies-k", name=self.name, rows=records.rows, k=k)

    def _judge(self, task: Task, table: GroupedTable | OutOfCoreTable) -> None:
        """A method's own opinion is no evidence, but it spares a run that the gate would refuse."""
        classes = table.class_table()
        for model in task.models:
            verdict = model.judge(classes)
            if not verdict.holds:
                raise PrivacyNotReached(
                    "method.no-groups-satisfy-model",
                    name=self.name,
                    model=model.name,
                    achieved=verdict.achieved,
                    failing=verdict.failing,
                )


def warnings_about(records: Records) -> tuple[str, ...]:
    """Say which columns have values that no method can place."""
    return tuple(
        Message("warning.column-has-infinite-values", column=a.column) for a in records.attributes if a.unplaced
    )


def _by_row(records: Records, groups: NDArray[np.int64], labelled: GroupLabels) -> Recoding:
    return Recoding(
        columns=tuple(
            ColumnRecoding(column=a.column, values=(), labels=(), keeps_type=number)
            for a, number in zip(records.attributes, labelled.numbers, strict=True)
        ),
        rows=RowRecoding(
            groups=_plain(groups),
            labels=labelled.labels,
            released=tuple(_plain(part) for part in labelled.released),
        ),
    )


def _plain(numbers: NDArray[np.int64] | NDArray[np.int32]) -> array[int]:
    return array("i", numbers.astype(np.int32).tobytes())
