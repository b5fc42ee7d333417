"""The sensitive attribute of the formulas: one that was counted, or several taken together as a tuple."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from antifaz.core.arrays import Codes, Ints
from antifaz.core.errors import ParameterError, hint
from antifaz.counting.domains import Domain
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, Tuples, group_codes, group_pairs


@dataclass(frozen=True, kw_only=True, eq=False)
class TupleCells(SensitiveCells):
    """How often each combination of several sensitive attributes' values occurs in each tuple that has it."""

    names: tuple[str, ...]
    #: Per attribute, its own value in each combination.
    parts: tuple[Codes, ...]


def together(frequencies: FrequencySet, counted: Tuples, names: Sequence[str]) -> FrequencySet:
    """Add the counts of some sensitive attributes' combinations to a frequency set.

    `counted` is what it was made from: the set itself holds the attributes one by one, and their combinations can't be
    told from that. A combination is spelled as a JSON list of its values, each by its sense.
    """
    place = {name: i for i, name in enumerate(counted.columns)}
    codes = [domain.codes[counted.codes[place[domain.column]]] for domain in frequencies.domains]
    _, tuple_of, _ = group_codes(codes, [domain.size for domain in frequencies.domains], counted.counts)
    domains = [frequencies.cells[name].domain for name in names]
    values = [own.codes[counted.codes[place[own.column]]] for own in domains]
    first, value_of, _ = group_codes(values, [own.size for own in domains], counted.counts)
    parts = tuple(own[first] for own in values)
    spelled = zip(*([own.labels[code] for code in part] for own, part in zip(domains, parts, strict=True)), strict=True)
    texts = tuple(json.dumps(each, ensure_ascii=False) for each in spelled)
    column, order = f"({', '.join(names)})", np.arange(len(texts), dtype=np.int32)
    domain = Domain(column=column, values=texts, codes=order, spellings=texts, has_missing=False)
    sizes = (frequencies.counts.size, len(texts))
    owners, combined, counts = group_pairs(tuple_of, value_of.astype(np.int32), sizes, counted.counts)
    cells = TupleCells(domain=domain, tuples=owners, values=combined, counts=counts, names=tuple(names), parts=parts)
    return replace(frequencies, cells={**frequencies.cells, domain.column: cells})


def cross(frequencies: FrequencySet, column: str, cells: SensitiveCells) -> Ints:
    """Count how often each code of a quasi-identifier occurs with each value of what `cells` count."""
    a = frequencies.columns.index(column)
    counts = np.zeros((frequencies.domains[a].size, cells.domain.size), np.int64)
    np.add.at(counts, (frequencies.codes[a][cells.tuples], cells.values), cells.counts)
    return counts


def target_of(frequencies: FrequencySet, names: Sequence[str], method: str) -> SensitiveCells | None:
    """Return the cells of what was asked for, or of all that was counted; None where nothing sensitive was."""
    single = {name: cells for name, cells in frequencies.cells.items() if not isinstance(cells, TupleCells)}
    for name in names:
        if name not in single:
            raise ParameterError("method.target-not-counted", method=method, name=name, hint=hint(name, single))
    wanted = tuple(names) or tuple(single)
    if len(wanted) < 2:
        return single[wanted[0]] if wanted else None
    for cells in frequencies.cells.values():
        if isinstance(cells, TupleCells) and sorted(cells.names) == sorted(wanted):
            return cells
    raise ParameterError("method.targets-not-counted-together", method=method, wanted=wanted)
