"""Recoding sets: after the classes are decided, what becomes of the items in the cells of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.core.errors import HierarchyError, PrivacyNotReached
from antifaz.core.item_options import Items
from antifaz.core.messages import Message
from antifaz.core.recoding import Recoding
from antifaz.core.types import DataType
from antifaz.counting.domains import qi_domain
from antifaz.counting.generalization import Generalization
from antifaz.counting.items import ItemDecision, ItemTask
from antifaz.counting.lattice import Lattice
from antifaz.counting.people import person_codes
from antifaz.engines.engine import Data
from antifaz.hierarchies.binding import bind
from antifaz.methods.item_recoding import decide_items
from antifaz.methods.method import Decision, Task, nearest
from antifaz.methods.recode import recode
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.row_classes import class_of_rows
from antifaz.releases.evidence import SetEvidence


@dataclass(frozen=True, kw_only=True, eq=False)
class RecodedSets:
    """The table with its sets recoded, the labels that may be in them, and what was done."""

    data: Data
    labels: Mapping[str, frozenset[str]]
    evidence: list[SetEvidence]

    def notes(self) -> Iterator[Message]:
        """Say of each column what became of its items."""
        for own in self.evidence:
            rare = sum(own.rare_before)
            yield Message(
                "note.sets-recoded", column=own.column, k=own.k, m=own.m, rare=rare, items=own.items,
                generalized=own.generalized, left_out=own.suppressed,
            )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    """The items of one column: of each entry the released row and the item; and what items may become."""

    name: str
    options: Items
    rows: Ints
    items: Ints
    #: Per level the label of each item, and the share of all items under it.
    labels: list[list[str]]
    shares: list[Floats]


def recode_sets(plan: Plan, data: Data, recoding: Recoding) -> RecodedSets:
    """Decide on the items of the rows that are released, within their classes, and put what becomes of them in place.

    All columns of sets are decided on together: somebody may know items of several.
    """
    rows, classes = _classes(plan, data, recoding)
    persons, cells = _persons(plan, data)[rows], data.cells(plan.sets)
    columns = [_column(plan, name, cells.column(name).combine_chunks(), rows) for name in plan.sets]
    names = list(dict.fromkeys((c.name, label) for c in columns for own in c.labels for label in own))
    task = _task(plan, columns, {each: i for i, each in enumerate(names)}, persons, classes)
    decision = decide_items(task)
    new, evidence, entry, item = {}, [], 0, 0
    for c in columns:
        own, of = slice(entry, entry + c.rows.size), slice(item, item + len(c.labels[0]))
        labels = [names[i][1] for i in decision.labels[of].tolist()]
        kept = decision.kept[own]
        new[c.name] = _written(c, labels, kept, rows, data.rows)
        evidence.append(_evidence(c, task, decision, own, of, labels))
        entry, item = own.stop, of.stop
    changed = data.replaced(pa.table(new), dict.fromkeys(plan.sets, DataType.SET))
    known = {c.name: frozenset(label for level in c.labels for label in level) for c in columns}
    return RecodedSets(data=changed, labels=known, evidence=evidence)


def decide_one_class(task: Task) -> Decision:
    """Keep all rows where nothing but sets is known, so that all are alike; raise where that is not enough."""
    lattice = Lattice(task.frequencies, ())
    kept = np.ones(lattice.class_table(()).sizes.size, np.bool_)
    for model in task.models:
        if not model.keep(lattice.class_table(()), kept).all():
            raise PrivacyNotReached(nearest(lattice, task.models, 0))
    return Decision(recoding=recode(lattice, (), kept), details={}, table=Generalization(lattice, (), kept))


def _classes(plan: Plan, data: Data, recoding: Recoding) -> tuple[Ints, Ints]:
    """Return the rows that are released, and the class of each: a row is told by its number in the place of a set."""
    own = plan.sets[0]
    numbers = pa.array(np.arange(data.rows)).cast(pa.string())
    dropped = tuple(name for name in plan.schema.names if name not in (*plan.quasi_identifiers, own))
    numbered = data.replaced(pa.table({own: numbers}), {own: DataType.TEXT})
    try:
        released: pa.Table = numbered.apply(replace(recoding, dropped=dropped), key=0).collect()
    finally:
        numbered.close()
    rows = released.column(own).cast(pa.int64()).to_numpy()
    order = np.argsort(rows)
    return rows[order], class_of_rows(released, plan.quasi_identifiers)[order]


def _persons(plan: Plan, data: Data) -> Ints:
    if not plan.person:
        return np.arange(data.rows)
    told = data.records(plan.person)
    return person_codes([(texts, codes) for texts, codes in zip(told.values, told.codes, strict=True)])


def _column(plan: Plan, name: str, cells: pa.Array, rows: Ints) -> _Column:
    """Split the cells of the released rows; each item is counted under one spelling."""
    options, found = plan.items[name], dict[str, int]()
    encoded = pc.dictionary_encode(cells.cast(pa.string()))
    parts = [[found.setdefault(i, len(found)) for i in options.split(c)] for c in encoded.dictionary.to_pylist()]
    which = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)[rows]
    held: list[list[int]] = [parts[cell] if cell >= 0 else [] for cell in which.tolist()]
    at = np.repeat(np.arange(rows.size), [len(each) for each in held])
    domain = qi_domain(name, list(found), DataType.TEXT)
    items = domain.codes[np.fromiter((item for each in held for item in each), np.int64, at.size)].astype(np.int64)
    seen = items < len(domain.spellings)  # what nobody sees is no item
    labels: list[list[str]] = [list(domain.spellings)]
    shares = [np.full(len(domain.spellings), 1 / max(len(domain.spellings), 1))]
    if name in plan.hierarchies and domain.spellings:
        domain = qi_domain(name, domain.spellings, DataType.TEXT)
        ladder = bind(domain, plan.item_hierarchy(domain), DataType.TEXT)
        labels = [[str(own[code]) for code in up] for own, up in zip(ladder.labels, ladder.up, strict=True)]
        shares = [own[up] for own, up in zip(ladder.shares, ladder.up, strict=True)]
    odd = {label for own in labels for label in own if options.separator in label}
    if odd:
        raise HierarchyError("sets.separator-in-label", values=sorted(odd), column=name, count=len(odd))
    return _Column(name=name, options=options, rows=at[seen], items=items[seen], labels=labels, shares=shares)


def _task(
    plan: Plan, columns: Sequence[_Column], number: Mapping[tuple[str, str], int], persons: Ints, classes: Ints
) -> ItemTask:
    """Lay the items of all columns side by side; a column of fewer levels stays at its top."""
    rows, height = np.concatenate([c.rows for c in columns]), max(len(c.labels) for c in columns)
    labels, shares, items, start = [], [], [], 0
    for c in columns:
        coded = [[number[c.name, label] for label in own] for own in c.labels]
        above = height - len(coded)
        labels.append(np.array(coded + coded[-1:] * above, np.int64).reshape(height, -1))
        shares.append(np.array(c.shares + c.shares[-1:] * above, np.float64).reshape(height, -1))
        items.append(c.items + start)
        start += labels[-1].shape[1]
    return ItemTask(
        persons=persons[rows], rows=rows, classes=classes[rows], items=np.concatenate(items),
        labels=np.concatenate(labels, axis=1), shares=np.concatenate(shares, axis=1),
        k=max(model.least for model in plan.models), m=max(int(model.known_rows) for model in plan.models),
        allowed=int(sum(c.options.suppression * c.items.size for c in columns) + 1e-9),
    )  # fmt: skip


def _written(c: _Column, labels: Sequence[str], kept: Flags, rows: Ints, many: int) -> pa.Array:
    """Return the cells of a column: the labels of each in their order, not in that of the items."""
    held: dict[int, set[str]] = {}
    for row, item in zip(rows[c.rows[kept]].tolist(), c.items[kept].tolist(), strict=True):
        held.setdefault(row, set()).add(labels[item])
    return pa.array(
        [c.options.separator.join(sorted(held[i])) if i in held else None for i in range(many)], pa.string()
    )


def _evidence(
    c: _Column, task: ItemTask, decision: ItemDecision, own: slice, of: slice, labels: Sequence[str]
) -> SetEvidence:
    kept, there = decision.kept[own], c.labels[0]
    changed = np.array([a != b for a, b in zip(labels, there, strict=True)], np.bool_)
    loss = np.where(kept, task.loss(decision.levels)[of][c.items], 1.0)
    used = {labels[item] for item in set(c.items[kept].tolist())}
    return SetEvidence(
        column=c.name, separator=c.options.separator, k=task.k, m=task.m, items=int(c.items.size),
        different_before=len(set(c.items.tolist())), different_after=len(used), rare_before=task.rare(),
        generalized=int(changed[c.items[kept]].sum()), suppressed=int((~kept).sum()),
        loss=float(loss.mean()) if loss.size else 0.0,
    )  # fmt: skip
