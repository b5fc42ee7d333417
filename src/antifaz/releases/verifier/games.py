"""Judge whether attacks pay, and whether records are worth what they may cost: written from the definitions.

A record that n people look like is re-identified with probability 1/n. An attacker gains `gain` then, and pays `cost`
in any case. What is left of a record is the share of the bits that its values told when nothing was generalized: a
value of a column with m possible ones told log2(m) bits, and a label that covers c of them has lost log2(c).
"""

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.folding import fold
from antifaz.releases.verifier.question import ModelFinding, ModelQuestion

#: Payouts are sums of logarithms: what is worth nothing must not fail by their rounding.
_SLACK = 1e-12


def no_attack(question: ModelQuestion) -> ModelFinding:
    """Find among how few people a record hides, and where an attack pays."""
    people, sizes = _people(question)
    return ModelFinding(people, ~_pays(question, people), smallest=True, sizes=sizes)


def profitability(question: ModelQuestion) -> ModelFinding:
    """Find what the record is worth that is worth least."""
    benefit, loss = question.number("benefit", 0), question.number("loss", 0)
    people, sizes = _people(question)
    expected = np.where(_pays(question, people), loss / np.maximum(people, 1), 0.0)
    worth = benefit * (1 - _lost(question)) - expected
    return ModelFinding(worth, worth >= -_SLACK * (benefit + loss), smallest=True, sizes=sizes)


def _people(question: ModelQuestion) -> tuple[Ints, Ints]:
    """Return among how many people the records of each class hide, and how many records it has."""
    if question.parameters.get("population") is None:
        return question.table.sizes, question.table.sizes
    released, people = question.population_counts()
    return people[released > 0], released[released > 0]


def _pays(question: ModelQuestion, people: Ints) -> Flags:
    """Say where an attack brings more than it costs; amounts are taken by their decimals."""
    gain, cost = (Decimal(str(question.number(name, 0))) for name in ("gain", "cost"))
    different = {number: gain > cost * number for number in set(people.tolist())}
    return np.array([different[number] for number in people.tolist()], np.bool_)


def _lost(question: ModelQuestion) -> Floats:
    """Return for each class the share of the bits that are lost, in the order of `_people`."""
    table: Any = question.table if question.parameters.get("population") is None else question.population
    if table.classes is None or set(table.classes) != set(question.paths):
        raise ParameterError("verifier.values-not-counted", model=question.parameters["model"])
    lost, total_bits = np.zeros(len(table.sizes)), 0.0
    for name, codes in table.classes.items():
        rows = question.paths[name]
        total_bits += math.log2(max(len(rows), 1))
        labels = sorted(value for value in table.values[name] if value is not None)
        # Codes are places in this order, from 1 on; -1, a missing value, is the last.
        lost += np.log2(_covered(rows, [*labels, None]))[np.where(codes > 0, codes - 1, -1)]
    lost = lost / total_bits if total_bits else lost
    return lost if table is question.table else lost[question.population_counts()[0] > 0]


def _covered(rows: Sequence[Sequence[str | None]], labels: Sequence[str | None]) -> Floats:
    """Return how many values each label covers: the most, where it stands at several levels."""
    most: Counter[str | None] = Counter()
    for level in zip(*rows, strict=True):
        for label, number in Counter(level).items():
            for known in {label, fold(label)}:
                most[known] = max(most[known], number)
    covered = []
    for label in labels:
        # A label that a spreadsheet would run has an apostrophe before it. What is in no row tells nothing.
        spelled = [label] if label is None else [label, label.removeprefix("'"), fold(label)]
        covered.append(next((most[text] for text in spelled if text in most), len(rows)))
    return np.maximum(np.array(covered, np.float64), 1)
