"""Mondrian: cut the records in two, and the parts in two, for as long as the models allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import ParameterError
from antifaz.counting.records import Attribute, Records
from antifaz.methods.clustering.grouping import Grouping, smallest_size
from antifaz.methods.method import Task
from antifaz.privacy.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from antifaz.kernels.mondrian import Space


class Mondrian(Grouping):
    """Cuts the records by the attribute that is widest in a part, until no part can be cut."""

    name: ClassVar[str] = "mondrian"
    summary: ClassVar[str] = "Records are cut in two by their widest attribute, again and again, while models hold."
    details: ClassVar[str] = (
        "Every part is cut by the attribute that spans most of its range in the data; if no cut of it leaves both "
        "sides satisfying all models, by the next widest; of equals the first. median: cut in the middle, for groups "
        "of about equal size and narrow spans. distribution: cut at the first value with enough records on both "
        "sides, so that groups hold few different values. Categories are as wide as they have distinct values, and "
        "are cut in the order of their hierarchy, or else of their names. Missing values are cut off first where "
        "that leaves enough on both sides; else they go with the largest. With k-anonymity alone it takes little "
        "more than sorting; other models are asked at every cut, which takes longer."
    )
    formula: ClassVar[str] = (
        "cut by argmax over attributes of (max − min in the part) / (max − min in the data), or of (distinct − 1) in "
        "the part / (distinct − 1) in the data"
    )
    source: ClassVar[str] = (
        "K. LeFevre, D. DeWitt, R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; the distribution "
        "split: cut at the first value where both sides hold k records"
    )

    split: Literal["median", "distribution"] = Field(
        default="median",
        description="Where to cut: at the median, or at the first value with enough records on both sides.",
    )
    mode: Literal["strict", "relaxed"] = Field(
        default="strict",
        description="At the median: equal values stay on one side (strict), or go to both for balance (relaxed).",
    )

    def group(self, records: Records, task: Task) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Cut the records into parts; every part is a group."""
        if any(model.population_path is not None for model in task.models):
            raise ParameterError(f"{self.name} can't judge models that compare with a population's file.")
        k = smallest_size(task)
        relaxed = self.mode == "relaxed" and self.split == "median"
        ranks, space = _space(records)
        # Which of equal values go left must not depend on the order of rows, so they get one of their own.
        order = _sorted_rows(records, ranks, space) if relaxed else np.arange(records.rows, dtype=np.int32)
        if all(isinstance(model, KAnonymity) for model in task.models):
            groups, parts = self._by_size(ranks, space, order, k, relaxed)
        else:
            from antifaz.methods.clustering.judge import Cutter, Judge

            cutter = Cutter(
                ranks=np.stack(ranks, axis=1),
                space=space,
                judge=Judge(records, task.models, k),
                split=self.split,
                relaxed=relaxed,
            )
            groups, parts = cutter.parts(order.astype(np.int64))
        return groups, self._account(records, parts)

    def _by_size(
        self, ranks: list[NDArray[np.int32]], space: Space, order: NDArray[np.int32], k: int, relaxed: bool
    ) -> tuple[NDArray[np.int64], int]:
        """Cut by counting alone, in one kernel."""
        from antifaz.kernels.mondrian import first_parts, median_parts

        rows = np.empty((order.size, len(ranks) + 1), np.int32)
        for a, part in enumerate(ranks):
            rows[:, a] = part[order] if relaxed else part
        rows[:, -1] = order
        groups = np.empty(order.size, np.int64)
        if self.split == "distribution":
            return groups, first_parts(rows, space, k, groups)
        return groups, median_parts(rows, space, k, relaxed, groups)

    def _account(self, records: Records, parts: int) -> dict[str, Any]:
        details: dict[str, Any] = {"split": self.split, "parts": parts}
        if self.split == "median":
            details["mode"] = self.mode
        treed = [a.column for a in records.attributes if a.scale is None and a.ladder is not None]
        if treed:
            details["cut_in_order_of_hierarchy"] = treed
        return details


def _space(records: Records) -> tuple[list[NDArray[np.int32]], Space]:
    """Rank the values of every attribute in the order in which it is cut, what is missing last."""
    from antifaz.kernels.mondrian import Space

    ranks, known, places, ranges = [], [], [], []
    for attribute in records.attributes:
        rank, values = _ranked(attribute)
        # Codes are ranks already for nearly all data, and then need no copy.
        same = np.array_equal(rank, np.arange(rank.size))
        ranks.append(attribute.codes if same else rank[attribute.codes])
        known.append(values)
        place = np.zeros(values + 1)
        if attribute.scale is not None:
            inside = rank < values
            place[rank[inside]] = attribute.scale[inside]
        places.append(place)
        # A part that has any width at all lies in data that has some, so what stands in for none is never used.
        ranges.append((attribute.range if attribute.scale is not None else values - 1) or 1)
    return ranks, Space(
        known=np.array(known, np.int64),
        category=np.array([attribute.scale is None for attribute in records.attributes], np.bool_),
        places=np.concatenate(places),
        starts=np.concatenate([[0], np.cumsum([part.size for part in places])]).astype(np.int64),
        ranges=np.array(ranges, np.float64),
    )


def _ranked(attribute: Attribute) -> tuple[NDArray[np.int32], int]:
    """Return the rank of every code, and how many are known; all that is missing has the rank after these."""
    size = attribute.domain.size
    if attribute.scale is not None:
        unknown = np.isnan(attribute.scale)
        order = np.argsort(np.where(unknown, np.inf, attribute.scale), kind="stable")
    else:
        unknown = np.arange(size) >= len(attribute.domain.spellings)
        # Siblings side by side, from the top down: parts then lie under low labels.
        levels = list(attribute.ladder.up[1:]) if attribute.ladder is not None else []
        order = np.lexsort(np.array([np.arange(size), *levels, unknown]))
    values = size - int(unknown.sum())
    rank = np.empty(size, np.int32)
    rank[order] = np.minimum(np.arange(size), values)
    return rank, values


def _sorted_rows(records: Records, ranks: list[NDArray[np.int32]], space: Space) -> NDArray[np.int32]:
    """Return the rows by their first attribute, equal ones by the second, and so on; last by what is sensitive."""
    from antifaz.kernels.mondrian import stable_order

    keys = [(part, int(known) + 1) for part, known in zip(ranks, space.known, strict=True)]
    keys += [(held.codes, held.domain.size) for held in records.sensitive.values()]
    order, other = np.arange(records.rows, dtype=np.int32), np.empty(records.rows, np.int32)
    for codes, size in reversed(keys):
        stable_order(codes, size, order, other)
        order, other = other, order
    return order
