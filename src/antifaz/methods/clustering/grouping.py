"""What every method is that groups records: it says who is in which group, and the rest follows from that."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.counting.groups import GroupedTable
from antifaz.counting.piecewise import OutOfCoreTable
from antifaz.counting.records import Records
from antifaz.methods.clustering.labels import label_groups, merge_alike
from antifaz.methods.group_recoding import recode_groups, require_models
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
            recoding=recode_groups(self.name, records, groups, labelled.labels, labelled.released, labelled.numbers),
            details={**details, "groups": table.count},
            generalization=table,
            warnings=warnings_about(records),
        )

    def _refuse(self, task: Task, records: Records) -> None:
        k = task.k
        if k > records.rows:
            raise PrivacyNotReached("method.no-grouping-satisfies-k", name=self.name, rows=records.rows, k=k)

    def _judge(self, task: Task, table: GroupedTable | OutOfCoreTable) -> None:
        """Refuse what the gate would refuse."""
        require_models("method.no-groups-satisfy-model", self.name, task.models, table.class_table())


def warnings_about(records: Records) -> tuple[str, ...]:
    """Say which columns have values that no method can place."""
    return tuple(
        Message("warning.column-has-infinite-values", column=a.column) for a in records.attributes if a.unplaced
    )
