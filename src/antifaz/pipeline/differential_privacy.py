"""Differentially private microdata: what may be asked for, the choice of levels, and the sample that is drawn.

The mechanism is SafePub's in three parts: levels are given, or chosen by the exponential mechanism; each record is
drawn with probability β; the levels are laid over the sample, and classes below k are left out. The levels are chosen
from all records, by bits that have nothing to do with those that draw the sample: so the ε of both parts simply add up.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import Any

import numpy as np

from antifaz.core.arrays import Flags
from antifaz.core.changes import Sampling
from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.secret_bits import SecretBits
from antifaz.counting.frequencies import Tuples, frequency_set
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.engines.engine import Data
from antifaz.ledger.budget import PrivacySpent
from antifaz.methods import FullDomain
from antifaz.pipeline.plan import Plan
from antifaz.privacy import DifferentialPrivacy, PrivacyModel

#: Levels are chosen among at most so many combinations, each of which is counted.
MOST_CANDIDATES = 20_000
#: Seeds below this can be tried one by one.
_GUESSABLE = 2**48


def private_model(models: Sequence[PrivacyModel]) -> DifferentialPrivacy | None:
    """Return the differential privacy that is asked for; None where it is not."""
    return next((model for model in models if isinstance(model, DifferentialPrivacy)), None)


def privacy_spent(models: Sequence[PrivacyModel]) -> PrivacySpent | None:
    """Return what a release with these models spends of the budget of its data set; None where it is not private."""
    model = private_model(models)
    return None if model is None else PrivacySpent(epsilon=model.epsilon, delta=model.delta)


def refuse_private(models: Sequence[PrivacyModel], why: str) -> None:
    """Raise where differential privacy is asked for; `why` is the code of what it can't be promised for."""
    if private_model(models) is not None:
        raise ParameterError("dp.not-with", why=Message(why))


def draw_private(plan: Plan, data: Data) -> tuple[Plan, Data]:
    """Choose the levels where they are not given, and draw the sample; other plans stay as they are."""
    model = private_model(plan.models)
    if model is None:
        return plan, data
    if (why := _obstacle(plan, model)) is not None:
        raise ParameterError("dp.not-with", why=why)
    here = data.download()
    if not here.by_row:
        refuse_private(plan.models, "dp.why-rows")
    # What is left out is part of the mechanism: a limit on it would be a decision by the data.
    changed: dict[str, Any] = {"suppression": 1.0}
    if model.search:
        changed["levels"] = choose_levels(plan, here, model, _bits(plan, here, b"levels"))
    plan = replace(plan, method=plan.method.model_copy(update=changed), warnings=(*plan.warnings, *_warnings(plan)))
    drawn = draw_rows(here.records(sorted(plan.quasi_identifiers)), model.rate, _bits(plan, here, b"sample"))
    sample = here.changed((), Sampling(number=int(drawn.sum()), key=0, kept=drawn))
    sample.notes.append(Message("note.dp-drawn", beta=model.rate))
    return plan, sample


def _obstacle(plan: Plan, model: DifferentialPrivacy) -> Message | None:
    """Say what in a plan is no part of the mechanism that was proven; None where nothing is."""
    method, schema = plan.method, plan.schema
    if not isinstance(method, FullDomain) or method.rounds > 1:
        return Message("dp.why-method")
    if bool(method.levels) == bool(model.search):
        return Message("dp.why-search" if method.levels else "dp.why-levels")
    if "suppression" in method.model_fields_set and method.suppression != 1:
        return Message("dp.why-suppression")
    others = {
        "dp.why-models": len(plan.models) > 1,
        "dp.why-person": bool(plan.person),
        "dp.why-sets": bool(plan.sets),
        "dp.why-missing": any(way != "category" for way in plan.missing.values()),
        "dp.why-operations": bool(plan.operations or plan.perturbed),
    }
    if found := [why for why, there in others.items() if there]:
        return Message(found[0])
    released = [*schema.of(Role.SENSITIVE), *schema.of(Role.INSENSITIVE)]
    if released:
        return Message("dp.why-columns", columns=released)
    learnt = [name for name, each in plan.hierarchies.items() if each.needs_data and not each.value_by_value]
    return Message("dp.why-hierarchies", columns=learnt) if learnt else None


def _warnings(plan: Plan) -> tuple[Message, ...]:
    """Say what somebody has to answer for: what can't be seen in the file, and what must stay inside."""
    # A seed that is drawn is hardly ever so small.
    guessable = (Message("warning.dp-seed-can-be-guessed"),) if plan.seed < _GUESSABLE else ()
    return (Message("warning.dp-stays-inside"), *guessable)


def _bits(plan: Plan, data: Data, purpose: bytes) -> SecretBits:
    """Return the bits of one part of the mechanism.

    The data and the plan go in beside the seed: two runs with one seed must not draw the same, or their difference
    would show who came or left.
    """
    about = purpose + data.digest() + plan.digest()
    return SecretBits(hashlib.blake2b(about, key=plan.seed.to_bytes(16, "big", signed=True), digest_size=32).digest())


def draw_rows(records: Tuples, rate: float, bits: SecretBits) -> Flags:
    """Draw each record with the same probability, whatever the others do; the order of the rows changes nothing.

    Rows that are equal in all these columns are released alike, so it does not matter which of them are drawn.
    """
    rows = records.counts.size
    ranks = []
    for values, codes in zip(records.values, records.codes, strict=True):
        places = {value: place for place, value in enumerate(sorted(values, key=lambda v: (v is not None, v or "")))}
        rank = np.array([places[value] for value in values], np.int64)
        ranks.append(rank[codes])
    drawn = np.zeros(rows, np.bool_)
    drawn[np.lexsort(ranks)] = bits.flags(rows, rate)
    return drawn


def choose_levels(plan: Plan, data: Data, model: DifferentialPrivacy, bits: SecretBits) -> dict[str, int]:
    """Choose levels by the exponential mechanism, with the part of ε that is for it."""
    counted = frequency_set(data.count(plan.quasi_identifiers), plan.quasi_identifiers, (), plan.types)
    lattice = Lattice(counted, plan.ladders(counted))
    method = plan.method
    assert isinstance(method, FullDomain)  # noqa: S101 - checked when it was planned
    columns = counted.columns
    low = [method.lowest.get(name, 0) for name in columns]
    high = [
        min(method.highest.get(name, height), height) for name, height in zip(columns, lattice.heights, strict=True)
    ]
    number = prod(max(0, top - bottom + 1) for bottom, top in zip(low, high, strict=True))
    if not number:
        raise ParameterError("method.lowest-level-above-highest", name=method.name)
    if number > MOST_CANDIDATES:
        raise ParameterError("dp.too-many-candidates", number=number, most=MOST_CANDIDATES)
    nodes = list(product(*(range(bottom, top + 1) for bottom, top in zip(low, high, strict=True))))
    weights = [Fraction(method.weights.get(name, 1.0)) for name in columns]
    scores = [score(lattice, levels, weights, ceil(model.k / model.rate)) for levels in nodes]
    return dict(zip(columns, nodes[choose(scores, Fraction(model.search), bits)], strict=True))


def score(lattice: Lattice, levels: Levels, weights: Sequence[Fraction], size: int) -> Fraction:
    """Return how much is left at these levels: the precision, times the records in classes beyond `size` - 1.

    One record more adds nothing or the precision, which is at most 1: the sensitivity is 1, and no score falls.
    """
    total = sum(weights)
    lost = [
        w * Fraction(level, height) for w, level, height in zip(weights, levels, lattice.heights, strict=True) if height
    ]
    precision = 1 - sum(lost) / total if total else Fraction(1)
    return precision * int(np.maximum(lattice.sizes(levels) - (size - 1), 0).sum())


def choose(scores: Sequence[Fraction], epsilon: Fraction, bits: SecretBits) -> int:
    """Choose a candidate with probability proportional to e^(ε · score), exactly: the exponential mechanism.

    A candidate is drawn, each as likely as any other, and taken with probability e^(ε (score - best)); else again. As a
    record that comes raises scores by 0 to 1 and lowers none, that is ε-differentially private without the usual half.
    """
    best = max(scores)
    while True:
        drawn = bits.below(len(scores))
        if bits.happens_exp(epsilon * (best - scores[drawn])):
            return drawn
