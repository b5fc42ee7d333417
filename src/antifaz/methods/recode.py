"""From decisions to recodings that any engine can apply: of levels, of tuples, of groups of records."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.recoding import ColumnRecoding, Recoding, RowRecoding, TupleRecoding
from antifaz.counting.classes import ClassTable
from antifaz.counting.frequencies import group_codes
from antifaz.counting.generalization import LocalGeneralization
from antifaz.counting.lattice import Lattice
from antifaz.counting.records import Records
from antifaz.counting.rollup import Levels
from antifaz.privacy.model import PrivacyModel


def recode_groups(
    method: str,
    records: Records,
    groups: Ints,
    labels: Sequence[tuple[str | None, ...]],
    released: Sequence[Ints],
    keeps_type: Sequence[bool],
) -> Recoding:
    """Say what each row becomes, or each combination of values where rows can't be told apart.

    `groups` is the group of every row, -1 where it is left out. Per attribute, `labels` are all labels, `released`
    which of them each group has, and `keeps_type` whether they are values of the column's own type.
    """
    if not records.copies:
        typed = zip(records.attributes, keeps_type, strict=True)
        columns = tuple(ColumnRecoding(column=a.column, values=(), labels=(), keeps_type=own) for a, own in typed)
        each = tuple(int_array(part) for part in released)
        return Recoding(
            columns=columns, rows=RowRecoding(groups=int_array(groups), labels=tuple(labels), released=each)
        )
    codes = [attribute.codes for attribute in records.attributes]
    sizes = [attribute.domain.size for attribute in records.attributes]
    first, alike, _ = group_codes(codes, sizes, np.ones(records.rows, np.int64))
    if not np.array_equal(groups[first][alike], groups):
        raise ParameterError("method.splits-same-values", name=method)
    kept = first[groups[first] >= 0]
    return Recoding(
        columns=tuple(
            ColumnRecoding(column=a.column, values=a.domain.values, labels=a.domain.values) for a in records.attributes
        ),
        tuples=TupleRecoding(
            codes=tuple(int_array(a.domain.codes) for a in records.attributes),
            tuples=tuple(int_array(part[kept]) for part in codes),
            labels=tuple(labels),
            released=tuple(int_array(part[groups[kept]]) for part in released),
            typed=tuple(keeps_type),
        ),
    )


def int_array(numbers: Ints | Codes) -> array[int]:
    """Return numbers in the form that recodings hold."""
    return array("i", numbers.astype(np.intc).tobytes())


def require_models(code: str, method: str, models: Sequence[PrivacyModel], classes: ClassTable) -> None:
    """Raise where a model does not hold. A method's own opinion is no evidence, but it spares a refused run."""
    for model in models:
        found = model.judge(classes)
        if not found.holds:
            raise PrivacyNotReached(code, name=method, model=model.name, achieved=found.achieved, failing=found.failing)


def recode(lattice: Lattice, levels: Levels, kept: Flags) -> Recoding:
    """Say what each value as read becomes at these levels, and which classes are left out."""
    columns = tuple(_column(lattice, a, level) for a, level in enumerate(levels))
    chosen = zip(lattice.ladders, levels, lattice.codes(levels, np.flatnonzero(~kept)), strict=True)
    left_out = [[ladder.labels[level][code] for code in column.tolist()] for ladder, level, column in chosen]
    return Recoding(columns=columns, suppressed=tuple(zip(*left_out, strict=True)))


def recode_tuples(table: LocalGeneralization) -> Recoding:
    """Say what each combination of values becomes where groups of records have levels of their own."""
    return Recoding(
        columns=tuple(
            replace(_column(table.lattice, a, 0), keeps_type=all(group.levels[a] == 0 for group in table.groups))
            for a in range(len(table.ladders))
        ),
        tuples=TupleRecoding(
            codes=tuple(int_array(domain.codes) for domain in table.lattice.frequencies.domains),
            tuples=tuple(int_array(codes) for codes in table.codes),
            labels=table.labels,
            released=tuple(int_array(positions) for positions in table.released),
        ),
    )


def _column(lattice: Lattice, a: int, level: int) -> ColumnRecoding:
    domain, ladder = lattice.frequencies.domains[a], lattice.ladders[a]
    labels = ladder.labels[level]
    return ColumnRecoding(
        column=domain.column,
        values=domain.values,
        labels=tuple(map(labels.__getitem__, ladder.up[level][domain.codes].tolist())),
        keeps_type=level == 0,
    )
