"""From a chosen node of the lattice, or several, to a recoding that any engine can apply."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from antifaz.core.recoding import ColumnRecoding, Recoding, TupleRecoding
from antifaz.counting.generalization import Patchwork
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.group_recoding import int_array


def recode(lattice: Lattice, levels: Levels, kept: NDArray[np.bool_]) -> Recoding:
    """Say what each value as read becomes at these levels, and which classes are left out."""
    columns = tuple(_column(lattice, a, level) for a, level in enumerate(levels))
    return Recoding(columns=columns, suppressed=_suppressed(lattice, levels, kept))


def recode_tuples(table: Patchwork) -> Recoding:
    """Say what each combination of values becomes where groups of records have levels of their own."""
    columns = []
    for a in range(len(table.ladders)):
        untouched = all(patch.levels[a] == 0 for patch in table.patches)
        columns.append(replace(_column(table.lattice, a, 0), keeps_type=untouched))
    domains = table.lattice.frequencies.domains
    return Recoding(
        columns=tuple(columns),
        tuples=TupleRecoding(
            codes=tuple(int_array(domain.codes) for domain in domains),
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
        labels=tuple(labels[position] for position in ladder.up[level][domain.codes]),
        keeps_type=level == 0,
    )


def _suppressed(lattice: Lattice, levels: Levels, kept: NDArray[np.bool_]) -> tuple[tuple[str | None, ...], ...]:
    codes = lattice.codes(levels, np.flatnonzero(~kept))
    columns = [
        [ladder.labels[level][code] for code in column]
        for ladder, level, column in zip(lattice.ladders, levels, codes, strict=True)
    ]
    return tuple(zip(*columns, strict=True))
