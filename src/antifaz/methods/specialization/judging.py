"""Judging a cut: whether the models hold for the classes that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.privacy.model import PrivacyModel, in_order, largest_class_size


@dataclass(frozen=True, eq=False)
class Rules:
    """What must hold of a cut: classes of at least k records, and what the other models say."""

    k: int
    others: tuple[PrivacyModel, ...]

    @classmethod
    def of(cls, models: Sequence[PrivacyModel]) -> Rules:
        """Take the strictest k of the models; the sizes of classes are known at every step, so it is never judged."""
        return cls(largest_class_size(models), tuple(in_order(m for m in models if m.class_size is None)))

    @property
    def monotone(self) -> bool:
        """Whether what fails once fails for good, further down."""
        return all(model.monotone_generalization for model in self.others)

    def hold(self, forest: Forest, frequencies: FrequencySet, cut: Cut) -> bool:
        """Whether the models other than k-anonymity hold at a cut, nobody being left out."""
        if not self.others:
            return True
        names = sorted({name for model in self.others for name in model.sensitive()})
        table = class_table(forest, frequencies, cut, names)
        return all(bool(model.passes(table).all()) for model in self.others)


def class_table(forest: Forest, frequencies: FrequencySet, cut: Cut, sensitive: Sequence[str]) -> ClassTable:
    """Count the classes at a cut, with what they hold of the sensitive attributes named."""
    nodes = [forest.nodes(a, levels) for a, levels in enumerate(cut)]
    codes = [own[column] for own, column in zip(nodes, frequencies.codes, strict=True)]
    counts, tuples = frequencies.counts, frequencies.counts.size
    if frequencies.population is not None:
        others, people = frequencies.population
        codes = [np.concatenate([c, own[o]]) for c, own, o in zip(codes, nodes, others, strict=True)]
        counts = np.concatenate([counts, people])
    _, group, _ = group_codes(codes, [forest.size] * len(codes), counts)
    # Classes that only the population has are none of the table's.
    own_groups, owner = np.unique(group[:tuples], return_inverse=True)
    sizes = np.bincount(owner, weights=frequencies.counts).astype(np.int64)
    return ClassTable(
        sizes=sizes,
        sensitive={name: _sensitive(frequencies.cells[name], owner, sizes.size) for name in sensitive},
        population=_population(group[tuples:], counts[tuples:], own_groups) if counts.size > tuples else None,
    )


def _population(group: NDArray[np.int64], people: NDArray[np.int64], own: NDArray[np.int64]) -> Population:
    place = np.minimum(np.searchsorted(own, group), own.size - 1)
    inside = own[place] == group
    sizes = np.bincount(place[inside], weights=people[inside], minlength=own.size).astype(np.int64)
    return Population(sizes=sizes, absent=int(people[~inside].sum()))


def _sensitive(cells: SensitiveCells, owner: NDArray[np.int64], classes: int) -> SensitiveTable:
    keys, place = np.unique(owner[cells.tuples] * cells.domain.size + cells.values, return_inverse=True)
    return SensitiveTable(
        offsets=np.searchsorted(keys, np.arange(classes + 1) * cells.domain.size).astype(np.int64),
        values=(keys % cells.domain.size).astype(np.int32),
        counts=np.bincount(place, weights=cells.counts, minlength=keys.size).astype(np.int64),
        totals=cells.totals,
        labels=cells.domain.labels,
        up=cells.up,
    )
