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
from antifaz.hierarchies.covers import Covers, cover
from antifaz.hierarchies.domain import OriginalDomain, make_domain
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
        domain, place = make_domain(
            name, kind, original.values[a], counts.astype(np.int64), (hierarchies or {}).get(name)
        )
        whole = _per_value(released, a, np.ones(informative.size, np.bool_))
        covers = cover(domain, released.values[a], whole)
        lost = int(whole[covers.unknown].sum())
        if lost and roles[name] is not Role.SENSITIVE:
            warnings.append(
                Message("warning.labels-not-understood", name=name, labels=int(covers.unknown.sum()), records=lost)
            )
        columns.append(
            PairColumn(
                name=name,
                role=roles[name],
                domain=domain,
                covers=covers,
                before=place[original.codes[a]],
                after=released.codes[a],
                kept=_per_value(released, a, informative),
            )
        )
    return TablePair(
        columns=tuple(columns), original=original, released=released, informative=informative, warnings=tuple(warnings)
    )


def _sorted(table: Tuples) -> Tuples:
    """Put tuples in the order of their values: engines hand them over in any, and draws must not depend on it."""
    first, _, counts = group_codes(table.codes, [len(values) for values in table.values], table.counts)
    return Tuples(
        columns=table.columns, values=table.values, codes=tuple(codes[first] for codes in table.codes), counts=counts
    )


def _informative(released: Tuples, roles: Mapping[str, Role]) -> Flags:
    """Which tuples say something in some quasi-identifier: ARX releases who it leaves out as a row of stars."""
    informative = np.zeros(released.counts.size, np.bool_)
    some = False
    for a, name in enumerate(released.columns):
        if roles[name] is Role.QUASI_IDENTIFIER:
            has_text = np.array([bool((canonical(text) or ANY).strip(ANY)) for text in released.values[a]], np.bool_)
            informative |= has_text[released.codes[a]]
            some = True
    return informative if some else np.ones_like(informative)


def _per_value(table: Tuples, a: int, which: Flags) -> Ints:
    counts = np.bincount(table.codes[a][which], weights=table.counts[which], minlength=len(table.values[a]))
    return counts.astype(np.int64)


def read_pair(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
) -> TablePair:
    """Count two frames or files as a pair in which every column is a quasi-identifier."""
    from antifaz.engines.opening import open_data  # here: it brings DuckDB

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
        columns=tuple(names),
        values=tuple(counted.values[at[name]] if name in at else (ANY,) for name in names),
        codes=tuple(counted.codes[at[name]] if name in at else absent for name in names),
        counts=counted.counts,
    )


def _built(original: Tuples, name: str, kind: DataType, given: Any) -> Hierarchy:
    from antifaz.hierarchies import parse

    values = {canonical(value, kind) for value in original.values[original.columns.index(name)]}
    return parse(given).build(sorted(value for value in values if value is not None), kind)
