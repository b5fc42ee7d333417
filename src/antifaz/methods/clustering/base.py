"""Clustering: blocks of records that are solved one by one and improved, and groups that models refuse."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.core.errors import ParameterError, hint
from antifaz.core.machine import processors
from antifaz.counting.groups import GroupedTable
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.counting.released_table import Extents
from antifaz.kernels.clustering import RecordArrays, gather, nearest_group, new_state, total_loss
from antifaz.kernels.diverse_growing import EXCHANGE
from antifaz.kernels.hilbert import hilbert_keys
from antifaz.kernels.improvement import exchange, neighbours, regroup
from antifaz.methods.clustering.greedy import gather_diverse, gather_many, take
from antifaz.methods.clustering.grouping import Grouping
from antifaz.methods.clustering.limits import Limits, make_limits
from antifaz.methods.method import Task
from antifaz.privacy.model import in_order
from antifaz.utility.ncp import penalties

#: Rounds of exchanges and regroupings after which it is enough, gain or not: the least, the most, and the number of
#: records looked at in all that lies between, because a round takes time in proportion to the records.
FEWEST, MOST, LOOKS = 4, 24, 150_000
#: A group is compared with so many of its nearest; with all where there are fewer than `FEW` groups.
NEAREST, FEW = 24, 300
#: With how many neighbours a group is grouped anew, round by round.
WIDTHS = (1, 2, 3, 4)
#: A round that gains less than this per record gained nothing worth another.
LEAST = 1e-6

#: What k-members and l-greedy have in common, for their help.
GREEDY_HELP = (
    "Less than k records left in the end join the groups where they cost least. Under other models than k-anonymity a "
    "group exchanges its last records for ones of the sensitive values it lacks, or grows beyond k, until all models "
    "pass it, whichever loses less; only what they refuse even then is united with the nearest. Groups are found "
    "exactly, with a search tree, and in blocks above 100,000 records."
)


def improve_groups(table: RecordArrays, groups: Ints, k: int, kinds: Ints | None = None) -> tuple[Ints, int]:
    """Return groups of at least k records that lose no more than the given, and how many rounds it took.

    Groups of 2k or more are split. Then, in rounds, each record is moved to another group or exchanged with a record
    of one, where that gains most, and neighbouring groups are united and split anew where that gains. With `kinds`, one
    per record, groups keep their size and what they have of each kind: records are exchanged with their like only.
    """
    alike = np.zeros(0, np.int64) if kinds is None else kinds
    groups = groups.copy()
    count = int(groups.max(initial=-1)) + 1
    for g in [] if alike.size else np.flatnonzero(np.bincount(groups, minlength=count) >= 2 * k):
        rows = np.flatnonzero(groups == g)
        parts = gather(table, new_state(table), rows, k, 0)
        groups[rows] = np.where(parts == 0, g, count + parts - 1)
        count += int(parts.max())
    state, spare = new_state(table), new_state(table)
    idle = 0
    rounds = min(max(LOOKS // table.numbers.shape[0], FEWEST), MOST)
    for turn in range(rounds):
        count = int(groups.max()) + 1
        if count == 1:
            return groups, turn
        near = neighbours(table, state, groups, count, count - 1 if count <= FEW else NEAREST)
        gained = exchange(table, state, spare, groups, count, k, near, alike)
        width = min(WIDTHS[turn % len(WIDTHS)], near.shape[1])
        if not alike.size:
            gained += regroup(table, state, spare, groups, count, k, near[:, :width].copy(), turn)
        idle = 0 if gained > LEAST * table.numbers.shape[0] else idle + 1
        if idle == (1 if alike.size else len(WIDTHS)):
            return groups, turn + 1
    return groups, rounds


#: Below so many records a try is over before another thread has begun.
_FEW = 300
Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordBlock:
    """A block of records to be grouped."""

    table: RecordArrays
    k: int
    random: np.random.Generator
    #: What groups must keep to beside their size.
    limits: Limits | None = None
    #: Whether it is the only block, so that all processors are free for it.
    alone: bool = True

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.table.numbers.shape[0])


def at_once(work: Callable[[Given], Made], parts: Sequence[Given]) -> list[Made]:
    """Do all parts in threads (kernels let go of the interpreter); return what was made in the order of the parts."""
    if len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(processors()) as pool:
        return list(pool.map(work, parts))


def gather_best(part: RecordBlock, firsts: Sequence[int], *, far: bool) -> Ints:
    """Group greedily from each of the first records and under either rule for ties; return what loses least.

    Of records that cost the same, the first is taken, or the one nearest to that which the group started with; where
    values are few that is many. Under limits, each way to get sensitive values that lack is tried. Groups that the
    limits refuse weigh more than any loss. Of equals the first try is returned.
    """
    if not part.rows:
        return np.zeros(0, np.int64)
    table, order, limits = part.table, np.arange(part.rows), part.limits
    ways = limits.ways if limits else (EXCHANGE,)

    def attempt(given: tuple[int, bool, int]) -> tuple[tuple[int, float], Ints]:
        first, near, way = given
        groups, refused = None, 0
        if limits:
            groups = gather_diverse(table, order, part.k, first, far=far, near=near, way=way, limits=limits)
        if groups is None:
            groups = gather_many(table, order, part.k, first, far=far, near=near)
        if limits:
            refused = int((~limits.passes(groups, limits.kinds, int(groups.max()) + 1)).sum())
        loss = total_loss(table, new_state(table), groups, int(groups.max()) + 1)
        # Rounded, so that the last digit of a sum decides nothing.
        return (refused, round(loss, 9)), groups

    tries = list(product(firsts, (False, True), ways))
    made = at_once(attempt, tries) if part.alone and part.rows >= _FEW else [attempt(given) for given in tries]
    return min(made, key=lambda pair: pair[0])[1]


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
    counts_people: ClassVar[bool] = True

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
    def cluster(self, part: RecordBlock) -> Ints:
        """Return the group (0, 1, …) of every record of a table that has at least k; none has fewer than k."""

    def group(self, records: Records, task: Task) -> tuple[Ints, dict[str, Any]]:
        """Group block by block, improve if asked, and unite groups until the models pass.

        Where people are counted, equal rows of a person go together, so that a group of k has about k people.
        """
        known = [attribute.column for attribute in records.attributes]
        for name in self.weights:
            if name not in known:
                raise ParameterError(
                    "method.weights-names-no-quasi-identifier", name=self.name, name2=name, hint=hint(name, known)
                )
        once, row_of = records.once_per_person()
        groups, details = self._in_blocks(once, task)
        groups, united = unite(records, make_table(records, self.weights), groups[row_of], task)
        return groups, {**details, **({"united": united} if united else {})}

    def _in_blocks(self, records: Records, task: Task) -> tuple[Ints, dict[str, Any]]:
        k = task.k
        limits = make_limits(records, task.models) if self.heeds_models else None
        table = make_table(records, self.weights)
        # The order of rows must not matter: all that follows sees them in an order of their own.
        order = sorted_rows(table, [column.codes for column in records.sensitive.values()])
        table = take(table, order)
        many = records.rows
        blocks = [np.arange(many)]
        if many > self.block and (many > EXACT or self.block != BLOCK):
            pieces = max(min(-(-many // self.block), many // k), 1)
            # Within a block records keep their order, so that ties go to the first there too.
            blocks = [np.sort(part) for part in np.array_split(hilbert_order(table), pieces)]
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
        return groups, {
            "blocks": len(blocks),
            "block": max((rows.size for rows in blocks), default=0),
            **({"blocks_by": "hilbert order"} if len(blocks) > 1 else {}),
            **({"rounds": rounds} if self.improve else {}),
        }

    def _solve(self, part: RecordBlock) -> tuple[Ints, int]:
        """Group the records of one block; return their groups, and in how many rounds these were improved."""
        found = self.cluster(part)
        if not self.improve or not found.size:
            return found, 0
        return improve_groups(part.table, found, part.k, part.limits.kinds if part.limits else None)


def make_table(records: Records, weights: dict[str, float] | None = None) -> RecordArrays:
    """Return the records as the kernels want them."""
    weigh = weights or {}
    numbers = [a for a in records.attributes if a.scale is not None]
    plain = [a for a in records.attributes if a.scale is None and a.ladder is None]
    trees = [a for a in records.attributes if a.scale is None and a.ladder is not None]
    heavy = [np.array([weigh.get(a.column, 1.0) for a in part], np.float64) for part in (numbers, plain, trees)]
    rows = records.rows
    scaled = []
    for a, weight in zip(numbers, heavy[0], strict=True):
        scale = a.scale if a.scale is not None else np.zeros(0)
        # A number's place is the penalty of all that lies below it; missing stays missing.
        least = np.nanmin(scale) if a.range else 0.0
        below = Extents(records=np.zeros(0, np.int64), covered=scale - least, whole=a.range, is_number=True)
        scaled.append(np.where(np.isnan(scale), np.nan, penalties(below))[a.codes] * weight)
    up, penalty = _ladders(trees, heavy[2])
    return RecordArrays(
        numbers=_columns(scaled, rows, np.float64),
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


def _ladders(trees: list[QuasiIdentifier], weights: Floats) -> tuple[Codes, Floats]:
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


def sorted_rows(table: RecordArrays, last: Sequence[Codes] = ()) -> Ints:
    """Return the rows in lexicographic order, the attribute with the least variance first, and `last` after all."""
    parts = []
    for columns in (table.numbers, table.codes, table.places):
        parts += [columns[:, a].astype(np.float64) for a in range(columns.shape[1])]
    # A missing value comes last and weighs nothing in the variance.
    keys: list[NDArray[Any]] = [*reversed(last), *sorted(parts, key=_variance, reverse=True)]
    return np.lexsort(keys) if keys else np.arange(table.numbers.shape[0])


def _variance(column: Floats) -> float:
    # Sorted, so that the order of rows does not show in the last digit.
    known = np.sort(column[~np.isnan(column)])
    width = float(np.ptp(known)) if known.size else 0.0
    return float(np.var(known / width)) if width else 0.0


def hilbert_order(table: RecordArrays) -> Ints:
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


def _shares(codes: Codes) -> Floats:
    most = codes.max(axis=0, initial=0).astype(np.float64)
    return np.asarray(codes / np.where(most > 0, most, 1.0))


def unite(records: Records, table: RecordArrays, groups: Ints, task: Task) -> tuple[Ints, int]:
    """Unite every group that a model refuses with the group where that costs least, until all pass or one is left.

    This works for any model. In each round a group takes part once, so that a refused group does not swallow all.
    Returns the groups, and how many were united with another.
    """
    united, state = 0, new_state(table)
    while True:
        count = int(groups.max(initial=-1)) + 1
        classes = GroupedTable(records, groups).class_table()
        failing = ~np.logical_and.reduce([model.passes(classes) for model in in_order(task.models)])
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
