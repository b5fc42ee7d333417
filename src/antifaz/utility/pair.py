"""A pair of tables, the original and what was released of it, as counts; the order of rows plays no part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.core.values import ANY, canonical
from antifaz.counting.frequencies import Tuples, group_codes
from antifaz.counting.people import People, people_of, person_codes
from antifaz.hierarchies.covers import Covers, OriginalDomain, cover, make_domain
from antifaz.hierarchies.hierarchy import Hierarchy

if TYPE_CHECKING:
    from antifaz.engines.engine import Data

#: Tables on this machine with more rows are counted by the engine, which can spill to disk.
MOST_ROWS = 5_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class PairColumn:
    """One column in both tables: what every original tuple has, and what every released tuple says."""

    name: str
    role: Role
    domain: OriginalDomain
    covers: Covers
    #: The place in the domain of each original tuple's value, and the label of each released tuple.
    before: Codes = field(repr=False)
    after: Codes = field(repr=False)
    #: How many released records have each label, those of records that were left out aside.
    kept: Ints = field(repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairClasses:
    """Records that look alike in the quasi-identifiers: the class of each tuple (-1: left out), and their sizes."""

    of: Ints = field(repr=False)
    sizes: Ints = field(repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class TablePair:
    """Two tables as distinct tuples with counts. Memory and time follow the distinct tuples, not the records."""

    columns: tuple[PairColumn, ...]
    original: Tuples = field(repr=False)
    released: Tuples = field(repr=False)
    #: Of each released tuple: whether it says something in some quasi-identifier.
    informative: Flags = field(repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many records the original has; where more were released, how many those are."""
        return max(self.original.rows, self.released.rows)

    @property
    def kept(self) -> int:
        """How many records were released that say something."""
        return int(self.released.counts[self.informative].sum())

    @property
    def suppressed(self) -> int:
        """How many records are missing from the release, or say nothing there."""
        return self.rows - self.kept

    def of(self, role: Role) -> tuple[PairColumn, ...]:
        """Return the columns in a role."""
        return tuple(column for column in self.columns if column.role is role)

    @cached_property
    def classes_before(self) -> PairClasses:
        """The classes of the original; whatever can be told apart is different."""
        return self._classes(self.original, np.ones(self.original.counts.size, np.bool_))

    @cached_property
    def classes(self) -> PairClasses:
        """The classes of the released records that say something."""
        return self._classes(self.released, self.informative)

    def _classes(self, table: Tuples, which: Flags) -> PairClasses:
        at = [table.columns.index(column.name) for column in self.of(Role.QUASI_IDENTIFIER)]
        codes = [table.codes[a][which] for a in at]
        _, into, sizes = group_codes(codes, [len(table.values[a]) for a in at], table.counts[which])
        of = np.full(table.counts.size, -1, np.int64)
        of[which] = into
        return PairClasses(of=of, sizes=sizes)


def make_pair(
    original: Tuples,
    released: Tuples,
    roles: Mapping[str, Role],
    types: Mapping[str, DataType],
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> TablePair:
    """Put two counted tables beside each other: distinct tuples of the same columns, in the order of their values."""
    informative = _informative(released, roles)
    columns, warnings = [], []
    for a, name in enumerate(original.columns):
        kind = types.get(name, DataType.TEXT)
        counts = np.bincount(original.codes[a], weights=original.counts, minlength=len(original.values[a]))
        hierarchy = (hierarchies or {}).get(name)
        domain, place = make_domain(name, kind, original.values[a], counts.astype(np.int64), hierarchy)
        whole = _per_value(released, a, np.ones(informative.size, np.bool_))
        covers = cover(domain, released.values[a], whole)
        lost = int(whole[covers.unknown].sum())
        if lost and roles[name] is not Role.SENSITIVE:
            labels = int(covers.unknown.sum())
            warnings.append(Message("warning.labels-not-understood", name=name, labels=labels, records=lost))
        columns.append(
            PairColumn(
                name=name, role=roles[name], domain=domain, covers=covers, before=place[original.codes[a]],
                after=released.codes[a], kept=_per_value(released, a, informative),
            )
        )  # fmt: skip
    return TablePair(
        columns=tuple(columns), original=original, released=released, informative=informative, warnings=tuple(warnings)
    )


def _sorted(table: Tuples) -> Tuples:
    """Put tuples in the order of their values: engines hand them over in any, and draws must not depend on it."""
    first, _, counts = group_codes(table.codes, [len(values) for values in table.values], table.counts)
    codes = tuple(own[first] for own in table.codes)
    return Tuples(columns=table.columns, values=table.values, codes=codes, counts=counts)


def _informative(released: Tuples, roles: Mapping[str, Role]) -> Flags:
    """Which tuples say something in some quasi-identifier: ARX releases who it leaves out as a row of stars."""
    known = [a for a, name in enumerate(released.columns) if roles[name] is Role.QUASI_IDENTIFIER]
    informative = np.full(released.counts.size, not known, np.bool_)
    for a in known:
        has_text = np.array([bool((canonical(text) or ANY).strip(ANY)) for text in released.values[a]], np.bool_)
        informative |= has_text[released.codes[a]]
    return informative


def _per_value(table: Tuples, a: int, which: Flags) -> Ints:
    counts = np.bincount(table.codes[a][which], weights=table.counts[which], minlength=len(table.values[a]))
    return counts.astype(np.int64)


def mean_known(values: Sequence[float | None]) -> float | None:
    """Return the mean of what could be measured; None where nothing could."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def read_pair(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
) -> TablePair:
    """Count two frames or files as a pair in which every column is a quasi-identifier."""
    from antifaz.engines.registry import open_data  # here: it brings DuckDB

    with open_data(original) as before, open_data(released) as after:
        wanted = [columns] if isinstance(columns, str) else columns
        names = list(wanted) if wanted is not None else [n for n in before.schema.names if n in after.schema.names]
        return count_pair(before, after, dict.fromkeys(names, Role.QUASI_IDENTIFIER), hierarchies or {})


def count_pair(before: Data, after: Data, roles: Mapping[str, Role], hierarchies: Mapping[str, Any]) -> TablePair:
    """Count the columns named by `roles` where the tables are, and put the counts beside each other."""
    names = list(roles)
    if not names:
        raise ParameterError("utility.no-common-column")
    before.schema.require([*names, *hierarchies])
    types = {name: before.schema[name].type for name in names}
    original = _counted(before, names)
    trees = {name: _built(original, name, types[name], given) for name, given in hierarchies.items() if name in roles}
    return make_pair(original, _count_released(after, names), roles, types, trees)


def class_people(table: Data, quasi_identifiers: Sequence[str], person: Sequence[str], *, released: bool) -> People:
    """Return who is in which class of one table of a pair, in the order of its classes.

    Rows of a release that say nothing are in no class, and those who have no others are not counted.
    """
    names = [name for name in quasi_identifiers if name in table.schema.names]
    counted = table.count((*names, *person))
    places, keys = range(len(names)), range(len(names), len(counted.columns))
    inside = np.ones(counted.counts.size, np.bool_)
    if released:
        roles = dict.fromkeys(names, Role.QUASI_IDENTIFIER) | dict.fromkeys(person, Role.PERSON)
        inside = _informative(counted, roles)
    codes, counts = [counted.codes[a][inside] for a in places], counted.counts[inside]
    _, owners, sizes = group_codes(codes, [len(counted.values[a]) for a in places], counts)
    persons = person_codes([(counted.values[a], counted.codes[a]) for a in keys])[inside]
    return people_of(owners, np.unique(persons, return_inverse=True)[1], counts, sizes.size, {})


def _counted(table: Data, names: Sequence[str]) -> Tuples:
    """Return the distinct tuples. Tables that fit are read by column: the text of all at once takes more memory."""
    small = table.engine == "local" and table.rows <= MOST_ROWS
    return _sorted(table.records(names) if small else table.count(names))


def _count_released(after: Data, names: Sequence[str]) -> Tuples:
    """Count a release; a column that it does not have says nothing in any record."""
    there = [name for name in names if name in after.schema.names]
    if not there:
        raise ParameterError("utility.no-column-to-compare")
    counted = _counted(after, there)
    at = {name: i for i, name in enumerate(there)}
    absent = np.zeros(counted.counts.size, np.int32)
    return Tuples(
        columns=tuple(names), values=tuple(counted.values[at[name]] if name in at else (ANY,) for name in names),
        codes=tuple(counted.codes[at[name]] if name in at else absent for name in names), counts=counted.counts,
    )  # fmt: skip


def _built(original: Tuples, name: str, kind: DataType, hierarchy: Any) -> Hierarchy:
    from antifaz.hierarchies import parse

    values = {canonical(value, kind) for value in original.values[original.columns.index(name)]}
    return parse(hierarchy).build(sorted(value for value in values if value is not None), kind)


#: Where labels overlap, every class is compared with every distinct person; beyond so many comparisons it is refused.
MOST = 2_000_000_000
_AT_ONCE = 20_000_000


def people_alike(pair: TablePair) -> Ints:
    """Return per class of the release how many people its labels cover; the pair's original is the population.

    Where a value lies under one label only, people are grouped as the records are, in linear time. Where labels overlap
    each class is compared with each distinct person.
    """
    columns, of = pair.of(Role.QUASI_IDENTIFIER), pair.classes.of
    # A tuple of each class.
    first = np.empty(pair.classes.sizes.size, np.int64)
    some = np.flatnonzero(of >= 0)[::-1]
    first[of[some]] = some
    if all(_one_label_each(column) for column in columns):
        return _grouped(pair, columns, first)
    if first.size * pair.original.counts.size > MOST:
        raise ParameterError("utility.too-many-overlapping-classes")
    return _compared(pair, columns, first)


def _one_label_each(column: PairColumn) -> bool:
    """Whether no value lies under two of the labels that are used, those that say nothing included."""
    used = column.kept > 0
    silent = (column.covers.anything | column.covers.unknown) & used
    return not column.covers.overlapping and (not silent.any() or int(used.sum()) == 1)


def _grouped(pair: TablePair, columns: tuple[PairColumn, ...], first: Ints) -> Ints:
    released, people, sizes = [], [], []
    for column in columns:
        covers = column.covers
        label_of = np.full(column.domain.size, covers.labels, np.int32)  # under none: a label of its own
        for run in np.flatnonzero(column.kept[covers.owner] > 0).tolist():
            label_of[covers.start[run] : covers.stop[run]] = covers.owner[run]
        released.append(column.after[first])
        people.append(label_of[column.before])
        sizes.append(covers.labels + 1)
    both = [np.concatenate([one, other]).astype(np.int32) for one, other in zip(released, people, strict=True)]
    counts = np.concatenate([np.zeros(first.size, np.int64), pair.original.counts])
    _, into, summed = group_codes(both, sizes, counts)
    return summed[into[: first.size]]


def _compared(pair: TablePair, columns: tuple[PairColumn, ...], first: Ints) -> Ints:
    result = np.empty(first.size, np.int64)
    step = max(1, _AT_ONCE // max(pair.original.counts.size, 1))
    # Where the runs of each label begin; they are sorted by label.
    tables = [np.searchsorted(column.covers.owner, np.arange(column.covers.labels + 1)) for column in columns]
    for begin in range(0, first.size, step):
        part = first[begin : begin + step]
        alike = np.ones((part.size, pair.original.counts.size), np.bool_)
        for column, under in zip(columns, tables, strict=True):
            labels, which = np.unique(column.after[part], return_inverse=True)
            rows = np.stack([_inside(under, int(label), column) for label in labels])
            alike &= rows[which.reshape(-1)]
        result[begin : begin + step] = alike @ pair.original.counts
    return result


def _inside(under: Ints, label: int, column: PairColumn) -> Flags:
    values = np.zeros(column.domain.size, np.bool_)
    for run in range(int(under[label]), int(under[label + 1])):
        values[column.covers.start[run] : column.covers.stop[run]] = True
    return values[column.before]
