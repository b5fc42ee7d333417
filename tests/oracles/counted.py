"""From plain rows and brute-force trees to what the program works on: counted tuples, frequencies, lattices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from antifaz.core.types import DataType
from antifaz.counting.frequencies import FrequencySet, Tuples, frequency_set
from antifaz.counting.lattice import Lattice
from antifaz.hierarchies import Hierarchy
from antifaz.hierarchies.binding import bind
from oracles import brute


def tuples_of(rows: Sequence[Mapping[str, str | None]], columns: Sequence[str]) -> Tuples:
    """Count rows as an engine does, in plain Python."""
    found = Counter(tuple(row[name] for name in columns) for row in rows)
    places = [{value: n for n, value in enumerate(dict.fromkeys(key[i] for key in found))} for i in range(len(columns))]
    return Tuples(
        columns=tuple(columns),
        values=tuple(tuple(place) for place in places),
        codes=tuple(np.array([place[key[i]] for key in found], np.int32) for i, place in enumerate(places)),
        counts=np.array(list(found.values()), np.int64),
    )


def frequencies_of(
    rows: Sequence[Mapping[str, str | None]], qis: Sequence[str], sensitive: Sequence[str] = (), **types: DataType
) -> FrequencySet:
    """Return the frequency set of plain rows."""
    return frequency_set(tuples_of(rows, [*qis, *sensitive]), list(qis), list(sensitive), types)


def hierarchy_of(tree: brute.Tree, kind: DataType = DataType.TEXT) -> Hierarchy:
    """Return a brute-force tree as a hierarchy; missing is not a leaf of it."""
    return Hierarchy.from_rows([labels for leaf, labels in tree.items() if leaf is not None], kind=kind)


def lattice_of(
    rows: Sequence[Mapping[str, str | None]],
    trees: Mapping[str, brute.Tree],
    sensitive: Sequence[str] = (),
    **types: DataType,
) -> Lattice:
    """Return the lattice of plain rows under brute-force trees."""
    frequencies = frequencies_of(rows, list(trees), sensitive, **types)
    kinds = {name: types.get(name, DataType.TEXT) for name in trees}
    ladders = [bind(d, hierarchy_of(trees[d.column], kinds[d.column]), kinds[d.column]) for d in frequencies.domains]
    return Lattice(frequencies, ladders)
