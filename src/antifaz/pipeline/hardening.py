"""A hardened run: the method sees no sensitive value, and its ties are broken by secret randomness."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.core.randomness import hidden
from antifaz.core.recoding import Recoding
from antifaz.counting.records import Records
from antifaz.methods.method import Decision, Task
from antifaz.pipeline.plan import Plan

_AGAIN = Message("hardened.what-to-do")


#: What a hardened run tells of a decision: what can be seen in the release. How it was found depends on the margin.
_TOLD = ("levels", "cuts", "groups", "height", "score")


def discreet(plan: Plan, decision: Decision) -> Decision:
    """Return a decision whose account does not give the margin away."""
    if not plan.hardened:
        return decision
    return replace(decision, details={key: decision.details[key] for key in _TOLD if key in decision.details})


def blindfolded(plan: Plan, task: Task) -> Task:
    """Return the task as the method may see it: without sensitive values, its rows in a secret order."""
    if not plan.hardened:
        return task
    cells = {name: task.frequencies.cells[name] for name in plan.method.needs() if name in task.frequencies.cells}
    held = task.records
    return replace(
        task,
        frequencies=replace(task.frequencies, cells=cells),
        records=None if held is None else _in_turn(held, turns(plan, held)),
    )


def turns(plan: Plan, held: Records | None) -> NDArray[np.int64] | None:
    """Return which row comes at each place: which of equal rows is grouped first must not follow from their order.

    Rows may be sorted by illness in the table, and methods that group rows take the first of equals.
    """
    if not plan.hardened or held is None or held.copies:
        return None
    return hidden(plan.seed, "rows").permutation(held.rows)


def _in_turn(held: Records, order: NDArray[np.int64] | None) -> Records:
    if order is None:
        return replace(held, sensitive={})
    attributes = tuple(replace(own, codes=own.codes[order]) for own in held.attributes)
    return replace(held, attributes=attributes, sensitive={})


def in_place_again(recoding: Recoding, order: NDArray[np.int64] | None) -> Recoding:
    """Return what was decided of rows in a secret order as what becomes of them in their own."""
    if order is None or recoding.rows is None:
        return recoding
    seen = np.asarray(recoding.rows.groups)
    groups = np.empty_like(seen)
    groups[order] = seen
    own = array(recoding.rows.groups.typecode, groups.tobytes())
    return replace(recoding, rows=replace(recoding.rows, groups=own))


@contextmanager
def reworded(plan: Plan) -> Iterator[None]:
    """Say of a hardened run that it can't be reached, without the sizes asked for: they give the margin away."""
    try:
        yield
    except PrivacyNotReached:
        if not plan.hardened:
            raise
        said = Message("hardened.larger-classes-not-reached", method=plan.method.name)
        raise PrivacyNotReached("plan.hardened-not-reached", what=said, again=_AGAIN) from None


def not_by_chance(models: list[str]) -> str:
    """Say that what was decided without looking at sensitive values does not satisfy the models about them."""
    return Message("hardened.classes-do-not-satisfy", models=models, again=_AGAIN)
