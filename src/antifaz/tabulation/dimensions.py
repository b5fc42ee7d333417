"""From the values of a column and its hierarchy to a dimension: every label once, totals and subtotals included."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Codes, Ints
from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.counting.domains import Domain
from antifaz.counting.rollup import Ladder
from antifaz.hierarchies import HierarchyBuilder
from antifaz.hierarchies.binding import bind
from antifaz.tabulation.table import Dimension


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundDimension:
    """A dimension, and the node of each of the column's codes at each level of its hierarchy."""

    dimension: Dimension
    domain: Domain
    #: Per level, the node of each code; no level is the same as another.
    nodes: tuple[Ints, ...]


def bind_dimension(domain: Domain, builder: HierarchyBuilder, kind: DataType) -> BoundDimension:
    """Bind a hierarchy to the values that occur, and number its labels from the total down.

    A label with a single label of the same text below it is one node. A missing value is a category of its own. Above
    everything there is one total: the root of the hierarchy, or '*' where a missing value stands beside that.
    """
    if builder.needs_target:
        raise ParameterError("tabulation.hierarchy-needs-target", column=domain.column, name=builder.name)
    if not domain.size:
        return BoundDimension(dimension=_named(domain.column, [ANY], [-1]), domain=domain, nodes=(np.zeros(0, int),))
    ladder = bind(domain, builder.build(domain.spellings, kind), kind) if domain.spellings else _only_missing(domain)
    levels, labels = list(ladder.up), list(ladder.labels)
    if len(labels[-1]) > 1:
        labels.append((ANY,))
        levels.append(np.zeros(domain.size, np.int32))
    return _numbered(domain, labels, levels)


def _only_missing(domain: Domain) -> Ladder:
    one = np.zeros(1, np.int32)
    return Ladder(column=domain.column, labels=((None,), (ANY,)), up=(one, one), shares=(np.ones(1),) * 2, leaves=1)


def _numbered(domain: Domain, labels: list[tuple[str | None, ...]], levels: list[Codes]) -> BoundDimension:
    names: list[str | None] = [labels[-1][0]]
    parents = [-1]
    above = np.zeros(domain.size, np.int64)
    nodes = [above]
    for own, codes in zip(reversed(labels[:-1]), reversed(levels[:-1]), strict=True):
        first = np.array([int(np.flatnonzero(codes == place)[0]) for place in range(len(own))])
        over = above[first]
        alone = np.bincount(over, minlength=len(names))[over] == 1
        numbers = np.empty(len(own), np.int64)
        for place, label in enumerate(own):
            if alone[place] and label == names[over[place]]:
                numbers[place] = over[place]
                continue
            numbers[place] = len(names)
            names.append(label)
            parents.append(int(over[place]))
        above = numbers[codes]
        if not np.array_equal(above, nodes[-1]):
            nodes.append(above)
    return BoundDimension(dimension=_named(domain.column, names, parents), domain=domain, nodes=tuple(nodes))


def _named(column: str, names: list[str | None], parents: list[int]) -> Dimension:
    twice = sorted(str(name) for name, times in Counter(names).items() if times > 1)
    if twice:
        raise HierarchyError("tabulation.label-twice", values=twice, column=column)
    return Dimension(column=column, labels=tuple(names), parents=tuple(parents))
