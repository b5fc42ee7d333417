"""Methods that group records: who is in which group."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached, hint
from antifaz.counting.classes import ClassTable
from antifaz.counting.frequencies import group_codes
from antifaz.counting.group_labels import GroupLabels, Release, label_groups, merge_alike
from antifaz.counting.groups import GroupedTable
from antifaz.counting.interval_ends import round_ends
from antifaz.counting.records import Records, warnings_about
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recode import recode_groups, require_models
from antifaz.privacy.model import PrivacyModel, largest_class_size


class Grouping(Method):
    """Puts records into groups that satisfy the models; each group is released as one."""

    needs_hierarchies: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = True
    compares_classes: ClassVar[bool] = True

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
        default=True, description="Round the ends of spans outward where fewer than k records have such a value."
    )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters, those that came later only where they matter: a plan without stays what it was."""
        spans = "interval" in (self.release, *self.release_columns.values())
        matter = {"release_columns": bool(self.release_columns), "round_ends": spans}
        return {name: value for name, value in super().parameters().items() if matter.get(name, True)}

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
        own = task.in_classes()
        self._refuse(own, records)
        records = self._rounded(records, own.k)
        groups, details = self._group_others(records, own, shared_records(records, task.models))
        # Groups that are released alike are one class, whatever the method thought of them.
        groups, labelled = merge_alike(groups, self._labels(records, groups))
        table = GroupedTable(records, groups, labelled.points)
        classes = replace(table.class_table(), values=tuple(part.astype(np.int32) for part in labelled.released))
        require_models("method.no-groups-satisfy-model", self.name, task.models, classes)
        return Decision(
            recoding=recode_groups(self.name, records, groups, labelled.labels, labelled.released, labelled.numbers),
            details={**details, "groups": table.count},
            table=table,
            warnings=warnings_about(records),
        )

    def _group_others(self, records: Records, task: Task, exact: Flags) -> tuple[Ints, dict[str, Any]]:
        """Group all records but those that are released exactly, each of which is in the group of its equals."""
        if not exact.any():
            return self.group(records, task)
        equals = records.take(exact)
        codes, sizes = [own.codes for own in equals.attributes], [own.domain.size for own in equals.attributes]
        first, alike, _ = group_codes(codes, sizes, np.ones(equals.rows, np.int64))
        groups = np.empty(records.rows, np.int64)
        details: dict[str, Any] = {}
        groups[exact] = alike
        if not exact.all():
            found, details = self.group(records.take(~exact), task)
            groups[~exact] = np.where(found < 0, -1, found + first.size)
        return groups, {**details, "released_exactly": equals.rows}

    def _rounded(self, records: Records, k: int, totals: Sequence[Ints] | None = None) -> Records:
        spans = [a.column for a in records.attributes if self.release_columns.get(a.column, self.release) == "interval"]
        return round_ends(records, spans, k, totals) if self.round_ends else records

    def _labels(self, records: Records, groups: Ints) -> GroupLabels:
        return label_groups(records, groups, self.release, self.keep_type, self.release_columns)

    def _refuse(self, task: Task, records: Records) -> None:
        k, known = task.k, [attribute.column for attribute in records.attributes]
        for column in self.release_columns:
            if column not in known:
                raise ParameterError("method.releases-other-column", column=column, hint=hint(column, known))
        if k > records.number:
            raise PrivacyNotReached("method.no-grouping-satisfies-k", name=self.name, rows=records.number, k=k)


def shared_records(records: Records, models: Sequence[PrivacyModel]) -> Flags:
    """Say which records may be released exactly where models ask only that some columns be shared.

    Those records share all that can be known of them with each other. Enough others are left to make a group, or none.
    """
    none = np.zeros(records.rows, np.bool_)
    if not records.rows or records.people is not None or any(model.any_columns is None for model in models):
        return none
    codes, sizes = [own.codes for own in records.attributes], [own.domain.size for own in records.attributes]
    first, alike, counts = group_codes(codes, sizes, np.ones(records.rows, np.int64))
    classes = ClassTable(sizes=counts, values=tuple(column[first] for column in codes))
    kept, k = np.ones(first.size, np.bool_), largest_class_size(model.in_classes() for model in models)
    # By their values, so that the order of rows does not matter; the rarest are given up first.
    order = np.lexsort(np.stack([*(column[first] for column in codes), counts]))
    while True:
        before = kept
        for model in models:
            kept = model.keep(classes, kept)
        left = int(counts[~kept].sum())
        if not np.array_equal(before, kept):
            continue
        if left == 0 or left >= k or not kept.any():
            return kept[alike] if kept.any() else none
        kept = kept.copy()
        kept[order[kept[order]][0]] = False
