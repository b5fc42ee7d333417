"""Methods that group records: who is in which group."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached, hint
from antifaz.core.messages import Message
from antifaz.counting.group_labels import GroupLabels, label_groups, merge_alike
from antifaz.counting.groups import GroupedTable
from antifaz.counting.interval_ends import round_ends
from antifaz.counting.records import Records
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recode import recode_groups, require_models

Release = Literal["interval", "mode", "median", "mean"]


class Grouping(Method):
    """Puts records into groups that satisfy the models; each group is released as one."""

    needs_hierarchies: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = True

    release: Release = Field(
        default="interval",
        description="A group is released as the span of its values ([20, 29], {a, b}), or as one value for all.",
    )
    release_columns: dict[str, Release] = Field(
        default_factory=dict, description="Columns that are released otherwise than the rest, each with its own way."
    )
    keep_type: bool = Field(
        default=True, description="Numbers released as one value stay numbers of the column's type."
    )
    round_ends: bool = Field(
        default=False, description="Round the ends of spans outward where fewer than k records have such a value."
    )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters, those that came later only where they are used: a plan without stays what it was."""
        later = ("release_columns", "round_ends")
        return {name: value for name, value in super().parameters().items() if value or name not in later}

    def __hash__(self) -> int:
        """Return the hash of all parameters; a mapping among them has none of its own."""
        return hash((self.name, *map(str, self.parameters().items())))

    @abstractmethod
    def group(self, records: Records, task: Task) -> tuple[Ints, dict[str, Any]]:
        """Return the group of every record (0, 1, …; -1 is left out), and an account of how it was done."""

    def decide(self, task: Task) -> Decision:
        """Group the records, and refuse what the models do not allow."""
        records = task.records
        if records is None:
            raise ParameterError("method.needs-rows", name=self.name)
        self._refuse(task, records)
        records = round_ends(records, task.k) if self.round_ends else records
        groups, details = self.group(records, task)
        # Groups that are released alike are one class, whatever the method thought of them.
        groups, labelled = merge_alike(groups, self._labels(records, groups))
        table = GroupedTable(records, groups, labelled.points)
        require_models("method.no-groups-satisfy-model", self.name, task.models, table.class_table())
        return Decision(
            recoding=recode_groups(self.name, records, groups, labelled.labels, labelled.released, labelled.numbers),
            details={**details, "groups": table.count},
            table=table,
            warnings=warnings_about(records),
        )

    def _labels(self, records: Records, groups: Ints) -> GroupLabels:
        return label_groups(records, groups, self.release, self.keep_type, self.release_columns)

    def _refuse(self, task: Task, records: Records) -> None:
        k, known = task.k, [attribute.column for attribute in records.attributes]
        for column in self.release_columns:
            if column not in known:
                raise ParameterError("method.releases-other-column", column=column, hint=hint(column, known))
        if k > records.rows:
            raise PrivacyNotReached("method.no-grouping-satisfies-k", name=self.name, rows=records.rows, k=k)


def warnings_about(records: Records) -> tuple[str, ...]:
    """Say which columns have values that no method can place."""
    return tuple(
        Message("warning.column-has-infinite-values", column=a.column) for a in records.attributes if a.unplaced
    )
