"""Mondrian: cut the records in two, and the parts in two, for as long as the models allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError
from antifaz.core.machine import processors
from antifaz.core.messages import Message
from antifaz.counting.mondrian_cuts import cut_records, rank_space, sorted_rows
from antifaz.counting.records import Records, warnings_about
from antifaz.methods.clustering.grouping import Grouping
from antifaz.methods.clustering.out_of_core import OutOfCoreMondrian, OutOfCoreTask, measured
from antifaz.methods.method import Decision, Task
from antifaz.methods.recode import require_models
from antifaz.privacy.model import PrivacyModel


class Mondrian(Grouping):
    """Cuts the records by the attribute that is widest in a part, until no part can be cut."""

    name: ClassVar[str] = "mondrian"
    summary: ClassVar[str] = "Records are cut in two by their widest attribute, again and again, while models hold."
    details: ClassVar[str] = (
        "Every part is cut by its widest attribute; if no cut of it leaves both sides satisfying all models, by the "
        "next widest; of equals the first. median: cut in the middle, for groups of about equal size and narrow "
        "spans; the widest attribute is the one that spans most of its range in the data, categories being as wide as "
        "they have distinct values. distribution: cut at the first value with enough records on both sides, so that "
        "groups hold few different values and, released as modes, columns keep their distributions; the widest "
        "attribute is the one that spans most standard deviations of the part, categories, numbered in their order, "
        "before numbers. Categories are cut in the order of their hierarchy, or else of their names. Missing values "
        "are cut off first where "
        "that leaves enough on both sides; else they go with the largest. With k-anonymity alone it takes little "
        "more than sorting; other models are asked at every cut, which takes longer."
    )
    formula: ClassVar[str] = (
        "median: cut by argmax over attributes of (max − min in the part) / (max − min in the data), or of "
        "(distinct − 1) in the part / (distinct − 1) in the data; distribution: of (max − min) / standard deviation, "
        "both in the part, categories first"
    )
    source: ClassVar[str] = (
        "K. LeFevre, D. DeWitt, R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; the distribution "
        "split: cut at the first value where both sides hold k records"
    )
    surest_of_six: ClassVar[int | None] = 100

    out_of_core: ClassVar[bool] = True
    cells_per_second: ClassVar[int | None] = 30_000
    counts_people: ClassVar[bool] = True

    split: Literal["median", "distribution"] = Field(
        default="median",
        description="Where to cut: at the median, or at the first value with enough records on both sides.",
    )
    mode: Literal["strict", "relaxed"] = Field(
        default="strict",
        description="At the median: equal values stay on one side (strict), or go to both for balance (relaxed).",
    )

    @property
    def keeps_equal_together(self) -> bool:
        """In strict mode equal values stay on one side of every cut."""
        return self.mode == "strict"

    def refuse(self, models: Sequence[PrivacyModel], quasi_identifiers: Sequence[str]) -> None:
        """Refuse what compares all classes: only the two sides of a cut are judged."""
        super().refuse(models, quasi_identifiers)
        if any(model.known_rows != 1 for model in models):
            raise ParameterError("method.rows-compare-classes", name=self.name)

    def out_of_core_obstacle(self) -> str | None:
        """Name the mode in which equal records are told apart, for which they must be in memory."""
        relaxed = self.split == "median" and self.mode == "relaxed"
        return Message("method.only-strict-by-parts") if relaxed else None

    def decide(self, task: Task) -> Decision:
        """Cut the records into groups: all of them in memory, or out of core where they do not fit."""
        if not isinstance(task, OutOfCoreTask):
            return super().decide(task)
        self._refuse(task, task.whole)
        records = self._rounded(task.whole, task.k, task.totals)
        task = replace(task, whole=records)
        run = OutOfCoreMondrian(
            task, task.k, split=self.split, release=self.release, keep_type=self.keep_type, others=self.release_columns
        )
        run.run()
        table = measured(task.boxes, records, run.mondrian.orders, task.totals, run.writer.points)
        require_models("method.no-groups-satisfy-model", self.name, task.models, table.class_table())
        return Decision(
            recoding=run.recoding(),
            details={**self._account(records, run.writer.parts), "groups": table.count, "held_at_a_time": task.fit},
            table=table,
            warnings=warnings_about(records),
        )

    def group(self, records: Records, task: Task) -> tuple[Ints, dict[str, Any]]:
        """Cut the records into parts; every part is a group."""
        if any(model.population_path is not None for model in task.models):
            raise ParameterError("method.cannot-compare-with-population", name=self.name)
        k = task.k
        relaxed = self.mode == "relaxed" and self.split == "median"
        ranks, space = rank_space(records)
        # Which of equal values go left must not depend on the order of rows, so they get one of their own.
        order = sorted_rows(records, ranks, space) if relaxed else np.arange(records.rows, dtype=np.int32)
        if all(model.class_size is not None for model in task.models):
            groups, parts = cut_records(ranks, order, space, k, split=self.split, relaxed=relaxed, threads=processors())
        else:
            from antifaz.methods.clustering.mondrian_models import ModelMondrian, SplitCheck

            ranked, check = np.stack(ranks, axis=1), SplitCheck(records, task.models, k)
            mondrian = ModelMondrian(ranks=ranked, space=space, check=check, split=self.split, relaxed=relaxed)
            groups, parts = mondrian.parts(order.astype(np.int64))
        return groups, self._account(records, parts)

    def _account(self, records: Records, parts: int) -> dict[str, Any]:
        details: dict[str, Any] = {"split": self.split, "parts": parts}
        if self.split == "median":
            details["mode"] = self.mode
        treed = [a.column for a in records.attributes if a.scale is None and a.ladder is not None]
        if treed:
            details["cut_in_order_of_hierarchy"] = treed
        return details
