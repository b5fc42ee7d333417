"""A frozen recoding is applied to rows that come later, and judged together with what was released before.

Every step is that of a run. Two things differ: the method does not decide but takes the levels that were decided, and
leaves out what stands out in the union of all releases; and the gate counts that union.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from antifaz.core.arrays import Flags
from antifaz.core.errors import HierarchyError, ParameterError, PrivacyNotReached, SchemaError
from antifaz.core.progress import Progress
from antifaz.core.types import DataType
from antifaz.core.values import ANY, sense
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.engines.engine import Data
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recode import recode
from antifaz.pipeline.frozen_recoding import COUNT, FrozenRecoding, released_classes
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from antifaz.sources.frames import forget_pandas_types

_Labels = tuple[str | None, ...]
#: Per class, how many records have each combination of sensitive values.
_Classes = dict[_Labels, dict[_Labels, int]]


class FrozenHierarchy(HierarchyBuilder):
    """A hierarchy that was decided on: values that were there before stay under their labels, or it raises."""

    name: ClassVar[str] = "frozen"
    summary: ClassVar[str] = "A hierarchy at the level that was decided."
    needs_data: ClassVar[bool] = True

    inner: HierarchyBuilder = Field(description="The hierarchy as it was declared.")
    column: str = Field(description="The column, for errors.")
    level: int | None = Field(description="The level that was decided; None where values have their own.")
    seen: dict[str, str] = Field(description="Every value that was there, with its label.")

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Build it for the values that were there and those that are there now."""
        new = [value for value in values if value not in self.seen]
        if self.seen and set(self.seen.values()) == {ANY}:
            # The column says nothing, whatever it holds.
            above = (ANY,) * (1 if self.level is None else self.level)
            return Hierarchy.from_rows([(value, *above) for value in sorted({*self.seen, *values})])
        built = self.inner.build(sorted({*self.seen, *values}), kind)
        built.cover(new, self.column)
        if self.level is None:
            return self._cut(built, new)
        moved = built.height < self.level or any(built.label(v, self.level) != own for v, own in self.seen.items())
        if moved:
            raise HierarchyError("recoding.values-move-others", values=new, column=self.column, count=len(new))
        return built

    def _cut(self, built: Hierarchy, new: Sequence[str]) -> Hierarchy:
        """Return a hierarchy whose first level has every value under its label of a cut through the tree."""
        labels = set(self.seen.values())
        found = {path[0]: next((label for label in path if label in labels), None) for path in built.paths()}
        if lost := [value for value in new if found[value] is None]:
            raise HierarchyError("recoding.values-under-no-label", values=lost, column=self.column, count=len(lost))
        if any(found[value] != own for value, own in self.seen.items()):
            raise HierarchyError("recoding.values-move-others", values=new, column=self.column, count=len(new))
        return Hierarchy.from_rows([(value, str(found[value]), ANY) for value in sorted({*self.seen, *new})])


class FrozenLevels(Method):
    """Takes the levels that were decided, and leaves out what the union with earlier releases can't hide."""

    name: ClassVar[str] = "frozen"
    summary: ClassVar[str] = "A recoding that was decided before is applied to new rows."
    needs_hierarchies: ClassVar[bool] = True

    levels: dict[str, int] = Field(description="Per column its level.")
    earlier: Any = Field(description="The classes released before.", repr=False)
    suppression: float = Field(ge=0, le=1, description="The largest share of the new records that may be left out.")

    def parameters(self) -> dict[str, Any]:
        """Return what was asked; the classes released before are no parameter."""
        return {"suppression": self.suppression}

    def decide(self, task: Task) -> Decision:
        """Find the classes that hold in the union, and leave the others out."""
        lattice = Lattice(task.frequencies, task.ladders)
        # The first level of a column that has no level for all of its values is its cut.
        levels = tuple(self.levels.get(name, 1) for name in task.frequencies.columns)
        union = _Union(lattice, levels, self.earlier, task)
        kept = union.kept()
        table = Generalization(lattice, levels, kept)
        if not kept.any():
            raise PrivacyNotReached("recoding.nothing-left", rows=lattice.rows)
        if table.suppressed > self.suppression * lattice.rows + 1e-9:
            raise PrivacyNotReached("recoding.too-many-left-out", lost=table.suppressed, rows=lattice.rows)
        details = {"levels": self.levels, "released_before": sum(self.earlier.column(COUNT).to_pylist())}
        return Decision(recoding=recode(lattice, levels, kept), details=details, table=table)


class _Union:
    """The classes of the new rows, with what was released before in each of them, and the classes without new rows."""

    def __init__(self, lattice: Lattice, levels: tuple[int, ...], earlier: pa.Table, task: Task) -> None:
        self.models, self._names = task.models, sorted({n for model in task.models for n in model.sensitive()})
        table = lattice.class_table(levels)
        codes = lattice.codes(levels, np.arange(table.sizes.size))
        chosen = zip(lattice.ladders, levels, codes, strict=True)
        cells = [[ladder.labels[level][code] for code in column] for ladder, level, column in chosen]
        self.classes: list[_Labels] = list(zip(*cells, strict=True))
        self._sizes: list[int] = table.sizes.tolist()
        self._new = {name: _by_class(table.sensitive[name]) for name in self._names}
        self._before = _counted(earlier, task.frequencies.columns, self._names)

    def kept(self) -> Flags:
        """Return which classes of the new rows pass all models together with what was released before."""
        kept = np.ones(len(self.classes), np.bool_)
        while kept.any():
            passes = self._passing(kept)
            if passes[kept].all():
                break
            kept &= passes
        return kept

    def _passing(self, kept: Flags) -> Flags:
        own = np.flatnonzero(kept).tolist()
        there = {self.classes[i] for i in own}
        alone = [labels for labels in self._before if labels not in there]
        before = [self._before.get(self.classes[i], {}) for i in own] + [self._before[labels] for labels in alone]
        sizes = [sum(each.values()) for each in before]
        for place, i in enumerate(own):
            sizes[place] += self._sizes[i]
        sensitive = {name: self._sensitive(n, own, before) for n, name in enumerate(self._names)}
        table = ClassTable(sizes=np.array(sizes, np.int64), sensitive=sensitive)
        passes = np.zeros(kept.size, np.bool_)
        passes[own] = True
        for model in self.models:
            passes[own] &= model.passes(table)[: len(own)]
        return passes

    def _sensitive(self, n: int, own: Sequence[int], before: Sequence[Mapping[_Labels, int]]) -> SensitiveTable:
        """Add up the values of one sensitive attribute, which are the same where a reader takes them for the same."""
        per_class: list[dict[str | None, int]] = []
        new = [self._new[self._names[n]][i] for i in own]
        for place, each in enumerate(before):
            counts: dict[str | None, int] = dict(new[place]) if place < len(new) else {}
            for values, number in each.items():
                counts[sense(values[n])] = counts.get(sense(values[n]), 0) + number
            per_class.append(counts)
        labels = sorted({value for counts in per_class for value in counts}, key=lambda v: (v is None, v or ""))
        places = {label: i for i, label in enumerate(labels)}
        cells = [(places[value], number) for counts in per_class for value, number in _in_order(counts, places)]
        totals = np.zeros(len(labels), np.int64)
        np.add.at(totals, [value for value, _ in cells], [number for _, number in cells])
        return SensitiveTable(
            offsets=np.cumsum([0, *(len(counts) for counts in per_class)]).astype(np.int64),
            values=np.array([value for value, _ in cells], np.int32),
            counts=np.array([number for _, number in cells], np.int64), totals=totals, labels=tuple(labels),
        )  # fmt: skip


def _in_order(counts: Mapping[str | None, int], places: Mapping[str | None, int]) -> list[tuple[str | None, int]]:
    """Return values with their counts in the order of their places."""
    return sorted(counts.items(), key=lambda item: places[item[0]])


def _by_class(table: SensitiveTable) -> list[dict[str | None, int]]:
    found: list[dict[str | None, int]] = [{} for _ in range(table.offsets.size - 1)]
    cells = zip(table.classes.tolist(), table.values.tolist(), table.counts.tolist(), strict=True)
    for owner, value, number in cells:
        found[owner][table.labels[value]] = number
    return found


def _counted(earlier: pa.Table, columns: Sequence[str], sensitive: Sequence[str]) -> _Classes:
    found: _Classes = {}
    rows = zip(*(earlier.column(name).to_pylist() for name in (*columns, *sensitive, COUNT)), strict=True)
    for row in rows:
        cells = found.setdefault(tuple(row[: len(columns)]), {})
        cells[tuple(row[len(columns) : -1])] = cells.get(tuple(row[len(columns) : -1]), 0) + row[-1]
    return found


def apply_recoding(
    frozen: FrozenRecoding,
    data: Data,
    *,
    earlier: Iterable[pa.Table] = (),
    suppression: float = 1.0,
    seed: int | None = None,
    name: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Return the release of new rows under a frozen recoding; nothing is decided yet.

    `earlier` are the rows released before; where there are none, those that the recoding was decided on.
    """
    if data.engine != "local":
        raise ParameterError("recoding.only-on-this-machine", engine=data.engine)
    names = [*frozen.quasi_identifiers, *(n for n in frozen.released.columns if n not in frozen.quasi_identifiers)]
    tables = [released_classes(rows, names, frozen.types).table() for rows in earlier]
    before = pa.concat_tables(tables) if tables else frozen.released.table().select([*names, COUNT])
    if others := [name for name in data.schema.names if name not in frozen.columns]:
        raise SchemaError("recoding.other-columns", columns=others)
    for column in data.schema:
        known = frozen.columns.get(column.name)
        if known is not None and known.hierarchy is not None and known.type != str(column.type):
            raise ParameterError("recoding.type-differs", column=column.name, type=str(column.type), known=known.type)
    plan = make_plan(
        data.schema,
        roles={name: role for name, role in frozen.roles.items() if role != "identifier" or name in data.schema.names},
        hierarchies={
            name: FrozenHierarchy(
                inner=column.builder(), column=name, level=column.level, seen=column.seen()
            )
            for name, column in frozen.columns.items()
            if column.hierarchy is not None
        },
        privacy=frozen.models(),
        method=FrozenLevels(levels=frozen.levels, earlier=before, suppression=suppression),
        others="refuse", missing=frozen.missing, seed=seed, name=name or frozen.name, earlier=before,
    )  # fmt: skip
    return Release(start_run(plan, data, progress))


def recode_in_order(frozen: FrozenRecoding, data: Data) -> tuple[pa.Table, Flags]:
    """Return the rows in their own order, recoded and without identifiers, and which of them would be left out.

    Those are blank in all quasi-identifiers. For whoever trains on the rows: it is no release, and nothing is verified.
    """
    state = apply_recoding(frozen, data, seed=0).recoded
    recoding, plan = state.recoding, state.plan
    assert recoding is not None  # noqa: S101 - no light run
    read = data.records([column.column for column in recoding.columns])
    labels = []
    for column, values, codes in zip(recoding.columns, read.values, read.codes, strict=True):
        become = dict(zip(column.values, column.labels, strict=True))
        # A value that only records have which were left out before has no label.
        labels.append(pa.array([become.get(value) for value in values], pa.string()).take(pa.array(codes)))
    suppressed = set(recoding.suppressed)
    rows = zip(*(each.to_pylist() for each in labels), strict=True)
    out = np.fromiter((row in suppressed for row in rows), np.bool_, data.rows)
    table = data.to_arrow()
    for column, own in zip(recoding.columns, labels, strict=True):
        place = table.column_names.index(column.column)
        cells = table.column(place) if column.keeps_type and plan.types[column.column] is not DataType.TEXT else own
        table = table.set_column(place, column.column, pc.if_else(pa.array(out), pa.scalar(None, cells.type), cells))
    kept = [name for name in table.column_names if name not in plan.identifiers]
    return forget_pandas_types(table, [column.column for column in recoding.columns]).select(kept), out
