"""Inference: guess a sensitive value of a person from the released records that fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antifaz.core.arrays import Codes
from antifaz.risk.attacks.knowledge import Knowledge
from antifaz.risk.attacks.linkage import SearchIndexes
from antifaz.risk.attacks.people import Person
from antifaz.risk.attacks.tables import ALL, SOME, AttackColumn

#: A column with more different numbers is guessed within a margin; with fewer, its numbers are codes or counts.
_FEW = 20
#: The margin, in standard deviations of the original.
_MARGIN = 0.1


def infer(
    stores: SearchIndexes, knowledge: Knowledge, sensitive: int, people: Sequence[Person], random: np.random.Generator
) -> list[float]:
    """Return for each person how likely the guess is right.

    Categories: the most frequent label of the records that fit best, any of them where several are; a label that covers
    c values is right with the chance 1/c. Numbers: the median, right within a tenth of a standard deviation.
    """
    column = stores.tables.columns[sensitive]
    guess = _number if is_number(column) else _category
    shares = []
    for person in people:
        codes = column.released[stores.fitting(knowledge, person, random)]
        shares.append(guess(column, codes, float(person.values[sensitive])) if codes.size else 0.0)
    return shares


def is_number(column: AttackColumn) -> bool:
    """Whether a value is guessed within a margin."""
    return column.scaled and int((column.values.states == SOME).sum()) > _FEW


def chance(column: AttackColumn) -> float:
    """Return how often one is right who always says what is most frequent in the original."""
    total = int(column.counts.sum())
    if not is_number(column):
        return float(column.counts.max() / total)
    known = column.values.states == SOME
    numbers, ends = column.values.low[known], np.concatenate([[0], np.cumsum(column.counts[known])])
    reach = np.searchsorted(numbers, numbers + 2 * _MARGIN * column.deviation, "right")
    return float((ends[reach] - ends[:-1]).max() / total)


def _number(column: AttackColumn, codes: Codes, truth: float) -> float:
    low, high = column.labels.low[codes], column.labels.high[codes]
    bounded = (column.labels.states[codes] == SOME) & np.isfinite(low) & np.isfinite(high)
    if not bounded.any() or np.isnan(truth):
        return 0.0
    guess = float(np.median((low[bounded] + high[bounded]) / 2))
    return float(abs(guess - truth) <= _MARGIN * column.deviation * (1 + 1e-12))


def _category(column: AttackColumn, codes: Codes, truth: float) -> float:
    labels, counts = np.unique(codes, return_counts=True)
    top = labels[counts == counts.max()]
    return float(np.mean([_right(column, int(label), truth) for label in top]))


def _right(column: AttackColumn, label: int, truth: float) -> float:
    state = column.labels.states[label]
    if state == ALL:
        return 1.0 / max(int((column.counts > 0).sum()), 1)
    if column.scaled:
        if state != SOME or np.isnan(truth):
            return float(state != SOME and np.isnan(truth))
        known = column.values.low[(column.values.states == SOME) & (column.counts > 0)]
        low, high = column.labels.low[label], column.labels.high[label]
        inside = int(((known >= low) & (known <= high)).sum())
        return 1.0 / max(inside, 1) if low <= truth <= high else 0.0
    if state != SOME:
        return float(int(truth) == column.values.size - 1)
    members = column.members(label)
    return 1.0 / members.size if int(truth) in members else 0.0
