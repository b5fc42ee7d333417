"""Clustering: records as arrays, blocks of records that are solved one by one, and groups that models refuse."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import ParameterError, hint
from antifaz.counting.groups import GroupedTable
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.counting.released_table import Extents
from antifaz.kernels.clustering import Table, nearest_group, new_state
from antifaz.kernels.hilbert import hilbert_keys
from antifaz.methods.clustering.greedy import take
from antifaz.methods.clustering.greedy_best import RecordBlock, at_once
from antifaz.methods.clustering.grouping import Grouping
from antifaz.methods.clustering.improve import improve_groups
from antifaz.methods.clustering.limits import make_limits
from antifaz.methods.method import Task
from antifaz.privacy.model import in_order
from antifaz.utility.loss import penalties

#: Up to so many records are solved as one block, unless a block's size is given.
EXACT = 100_000
#: The size of a block where none is given.
BLOCK = 20_000
#: Bits per attribute on the Hilbert curve.
BITS = 16


class Clustering(Grouping):
    """Groups records so that they lose little, block by block, and unites what the models refuse."""

    #: Whether groups grow until every model passes them; where not, only their size is looked at while they are made.
    heeds_models: ClassVar[bool] = False

    improve: bool = Field(
        default=False,
        description="After grouping, move, exchange and regroup records for as long as that lowers the loss.",
    )
    block: int = Field(
        default=BLOCK,
        ge=2,
        description="Above 100,000 records, or when another size is given, at most so many are grouped at a time: "
        "neighbours on a Hilbert curve.",
    )
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        default_factory=dict, description="How much attributes matter; 1 for those not named, 0 for not at all."
    )

    @abstractmethod
    def cluster(self, part: RecordBlock) -> NDArray[np.int64]:
        """Return the group (0, 1, …) of every record of a table that has at least k; none has fewer than k."""

    def group(self, records: Records, task: Task) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Group block by block, improve if asked, and unite groups until the models pass."""
        k = task.k
        known = [attribute.column for attribute in records.attributes]
        for name in self.weights:
            if name not in known:
                raise ParameterError(
                    "method.weights-names-no-quasi-identifier", name=self.name, name2=name, hint=hint(name, known)
                )
        limits = make_limits(records, task.models) if self.heeds_models else None
        table = make_table(records, self.weights)
        # The order of rows must not matter: all that follows sees them in an order of their own.
        order = sorted_rows(table, [held.codes for held in records.sensitive.values()])
        table = take(table, order)
        blocks = self._blocks(table, k)
        parts = [
            RecordBlock(
                table=table if len(blocks) == 1 else take(table, rows),
                k=k,
                random=np.random.default_rng(task.random.integers(2**63)),
                limits=limits.of(order[rows]) if limits else None,
                alone=len(blocks) == 1,
            )
            for rows in blocks
        ]
        groups, count, rounds = np.full(records.rows, -1, np.int64), 0, 0
        for rows, (found, used) in zip(blocks, at_once(self._solve, parts), strict=True):
            groups[order[rows]] = found + count
            count += int(found.max(initial=-1)) + 1
            rounds = max(rounds, used)
        groups, united = unite(records, make_table(records, self.weights), groups, task)
        return groups, {
            "blocks": len(blocks),
            "block": max((rows.size for rows in blocks), default=0),
            **({"blocks_by": "hilbert order"} if len(blocks) > 1 else {}),
            **({"rounds": rounds} if self.improve else {}),
            **({"united": united} if united else {}),
        }

    def _solve(self, part: RecordBlock) -> tuple[NDArray[np.int64], int]:
        """Group the records of one block; return their groups, and in how many rounds these were improved."""
        found = self.cluster(part)
        if not self.improve or not found.size:
            return found, 0
        return improve_groups(part.table, found, part.k, part.limits.kinds if part.limits else None)

    def _blocks(self, table: Table, k: int) -> list[NDArray[np.int64]]:
        """Cut the records into blocks of nearly the same size, none smaller than k."""
        rows = table.numbers.shape[0]
        if rows <= self.block or (rows <= EXACT and self.block == BLOCK):
            return [np.arange(rows)]
        pieces = max(min(-(-rows // self.block), rows // k), 1)
        # Within a block records keep their order, so that ties go to the first there too.
        return [np.sort(part) for part in np.array_split(hilbert_order(table), pieces)]


def make_table(records: Records, weights: dict[str, float] | None = None) -> Table:
    """Return the records as the kernels want them."""
    weigh = weights or {}
    numbers = [a for a in records.attributes if a.scale is not None]
    plain = [a for a in records.attributes if a.scale is None and a.ladder is None]
    trees = [a for a in records.attributes if a.scale is None and a.ladder is not None]
    heavy = [np.array([weigh.get(a.column, 1.0) for a in part], np.float64) for part in (numbers, plain, trees)]
    rows = records.rows
    up, penalty = _ladders(trees, heavy[2])
    return Table(
        numbers=_columns([_scaled(a) * w for a, w in zip(numbers, heavy[0], strict=True)], rows, np.float64),
        full=heavy[0],
        codes=_columns([a.codes for a in plain], rows, np.int32),
        unit=np.array([w / max(a.domain.size - 1, 1) for a, w in zip(plain, heavy[1], strict=True)], np.float64),
        blank=np.array([a.domain.size - 1 if a.domain.has_missing else -1 for a in plain], np.int32),
        whole=heavy[1],
        most=max((a.domain.size for a in plain), default=1),
        places=_columns([a.codes for a in trees], rows, np.int32),
        up=up,
        penalty=penalty,
    )


def _columns(parts: list[NDArray[Any]], rows: int, kind: type[np.generic]) -> NDArray[Any]:
    """Put columns side by side, each record's values together: they are looked at together."""
    return np.ascontiguousarray(np.stack(parts, axis=1).astype(kind)) if parts else np.zeros((rows, 0), kind)


def _scaled(attribute: QuasiIdentifier) -> NDArray[np.float64]:
    scale = attribute.scale if attribute.scale is not None else np.zeros(0)
    if not attribute.range:
        return np.asarray((scale * 0.0)[attribute.codes])
    return np.asarray(((scale - np.nanmin(scale)) / attribute.range)[attribute.codes])


def _ladders(
    trees: list[QuasiIdentifier], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Per attribute, level and code: the label's number and penalty; the last level has one label over all."""
    ladders = [a.ladder for a in trees if a.ladder is not None]
    levels = max((ladder.height + 2 for ladder in ladders), default=1)
    most = max((a.domain.size for a in trees), default=1)
    up, penalty = np.zeros((len(trees), levels, most), np.int32), np.zeros((len(trees), levels, most))
    for p, ladder in enumerate(ladders):
        penalty[p] = weights[p] if ladder.leaves > 1 else 0.0
        for level in range(ladder.height + 1):
            labels = ladder.up[level]
            up[p, level, : labels.size] = labels
            if ladder.leaves > 1:
                leaves = ladder.shares[level][labels] * ladder.leaves
                covered = Extents(
                    records=np.zeros(labels.size, np.int64), covered=leaves, whole=ladder.leaves, is_number=False
                )
                penalty[p, level, : labels.size] = weights[p] * penalties(covered)
    return up, penalty


def sorted_rows(table: Table, last: Sequence[NDArray[np.int32]] = ()) -> NDArray[np.int64]:
    """Return the rows in lexicographic order, the attribute with the least variance first, and `last` after all."""
    parts = []
    for columns in (table.numbers, table.codes, table.places):
        parts += [columns[:, a].astype(np.float64) for a in range(columns.shape[1])]
    # A missing value comes last and weighs nothing in the variance.
    keys: list[NDArray[Any]] = [*reversed(last), *sorted(parts, key=_variance, reverse=True)]
    return np.lexsort(keys) if keys else np.arange(table.numbers.shape[0])


def _variance(column: NDArray[np.float64]) -> float:
    # Sorted, so that the order of rows does not show in the last digit.
    known = np.sort(column[~np.isnan(column)])
    width = float(np.ptp(known)) if known.size else 0.0
    return float(np.var(known / width)) if width else 0.0


def hilbert_order(table: Table) -> NDArray[np.int64]:
    """Return the rows in the order of a Hilbert curve through all attributes; missing is the last cell."""
    top = 2**BITS - 1
    with np.errstate(invalid="ignore"):
        numbers = np.nan_to_num(table.numbers / np.where(table.full > 0, table.full, 1.0), nan=1.0)
    parts = [numbers, _shares(table.codes)]
    for p in range(table.places.shape[1]):
        # Siblings in the hierarchy become neighbours: by the highest label first.
        rank = np.empty(table.up.shape[2], np.int32)
        rank[np.lexsort(table.up[p])] = np.arange(rank.size)
        parts.append(_shares(rank[table.places[:, p : p + 1]]))
    cells = np.concatenate(parts, axis=1)
    if not cells.shape[1]:
        return np.arange(cells.shape[0])
    keys = hilbert_keys(np.rint(np.clip(cells, 0, 1) * top).astype(np.uint32), BITS)
    return np.lexsort(keys.T[::-1])


def _shares(codes: NDArray[np.int32]) -> NDArray[np.float64]:
    most = codes.max(axis=0, initial=0).astype(np.float64)
    return np.asarray(codes / np.where(most > 0, most, 1.0))


def unite(records: Records, table: Table, groups: NDArray[np.int64], task: Task) -> tuple[NDArray[np.int64], int]:
    """Unite every group that a model refuses with the group where that costs least, until all pass or one is left.

    This works for any model. In each round a group takes part once, so that a refused group does not swallow all.
    Returns the groups, and how many were united with another.
    """
    united, state = 0, new_state(table)
    while True:
        count = int(groups.max(initial=-1)) + 1
        failing = _failing(GroupedTable(records, groups), task)
        if count <= 1 or not failing.any():
            return groups, united
        free, into = np.ones(count, np.bool_), np.arange(count)
        for g in np.flatnonzero(failing):
            if not free[g]:
                continue
            other = nearest_group(table, state, groups, count, int(g), free)
            if other >= 0:
                free[g] = free[other] = False
                into[max(g, other)] = min(g, other)
                united += 1
        groups = np.unique(into[groups], return_inverse=True)[1].reshape(-1).astype(np.int64)


def _failing(table: GroupedTable, task: Task) -> NDArray[np.bool_]:
    classes = table.class_table()
    failing = np.zeros(table.count, np.bool_)
    for model in in_order(task.models):
        failing |= ~model.passes(classes)
    return failing
