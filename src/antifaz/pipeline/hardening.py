"""Hardened runs: the method sees no sensitive value, and its ties are broken by secret randomness.

A strategy that the plan carries. `Hardening` is the default and changes nothing; `SecretHardening` hides what a method
could tell about sensitive values by what it decides (see docs/theory/knowing-the-method.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.core.randomness import hidden
from antifaz.core.recoding import Recoding
from antifaz.counting.records import Records
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.methods.method import Decision, Method, Task
from antifaz.privacy import PrivacyModel
from antifaz.privacy.hardening import blind, draw_margin

_AGAIN = Message("hardened.what-to-do")
#: What a hardened run tells of a decision: what can be seen in the release. How it was found depends on the margin.
_VISIBLE = ("levels", "cuts", "groups", "height", "score")


class Hardening:
    """A run that is not hardened: the method is asked for the models as they are, and sees everything."""

    #: What the gate says where models don't hold; its own words if None.
    refusal: Callable[[list[str]], str] | None = None

    def raise_models(self, models: tuple[PrivacyModel, ...]) -> tuple[PrivacyModel, ...]:
        """Return the models that the method is asked for."""
        return models

    def random_ties(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns in the order that the method sees them in, which is how it breaks ties."""
        return columns

    def counted_models(self, models: tuple[PrivacyModel, ...]) -> tuple[PrivacyModel, ...]:
        """Return the models whose sensitive values are counted in every class."""
        return models

    def learnt_targets(self, targets: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        """Return the columns about whose values a method or a hierarchy may learn something."""
        return targets

    def check(
        self,
        method: Method,
        hierarchies: Mapping[str, HierarchyBuilder],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
    ) -> None:
        """Raise where the plan can't be run so."""

    def row_order(self, records: Records | None) -> NDArray[np.int64] | None:
        """Return which row the method sees at each place; None where they stay as they are."""
        return None

    def hide_sensitive(self, task: Task, needed: Sequence[str], order: NDArray[np.int64] | None) -> Task:
        """Return the task as the method may see it."""
        return task

    def hide_margin(self, decision: Decision) -> Decision:
        """Return the decision with what may be told of it."""
        return decision

    @contextmanager
    def hide_sizes(self) -> Iterator[None]:
        """Let an error of the method tell only what may be told."""
        yield


@dataclass(frozen=True)
class SecretHardening(Hardening):
    """A hardened run: what is drawn comes from the seed, which is to be kept secret."""

    seed: int
    method: str
    refusal: Callable[[list[str]], str] | None = None

    def raise_models(self, models: tuple[PrivacyModel, ...]) -> tuple[PrivacyModel, ...]:
        """Ask for larger classes than promised by a secret margin, and for nothing about sensitive values."""
        return blind(models, draw_margin(models, hidden(self.seed, "margin")))

    def random_ties(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Put the columns in a secret order."""
        return tuple(columns[i] for i in hidden(self.seed, "columns").permutation(len(columns)))

    def counted_models(self, models: tuple[PrivacyModel, ...]) -> tuple[PrivacyModel, ...]:
        """Count only what the verifier needs for its trees; the method sees none of it (see `hide_sensitive`)."""
        return tuple(model for model in models if model.needs_tree)

    def learnt_targets(self, targets: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        """Learn nothing."""
        return ()

    def check(
        self,
        method: Method,
        hierarchies: Mapping[str, HierarchyBuilder],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
    ) -> None:
        """Raise where the method, or a hierarchy, would have to see sensitive values."""
        for column, builder in hierarchies.items():
            if builder.needs_target and column in quasi_identifiers:
                raise ParameterError("hardened.hierarchy-learnt", column=column, builder=builder.name)
        for name in method.needs():
            if name in sensitive:
                raise ParameterError("hardened.target-is-sensitive", method=method.name, name=name)
        if getattr(method, "k_first", None) is not None:
            # Whether it is large enough would tell of the margin.
            raise ParameterError("hardened.k-first-given")

    def row_order(self, records: Records | None) -> NDArray[np.int64] | None:
        """Draw an order: which of equal rows is grouped first must not follow from their order in the table.

        Rows may be sorted by illness there, and methods that group rows take the first of equals.
        """
        if records is None or records.copies:
            return None
        return hidden(self.seed, "rows").permutation(records.rows)

    def hide_sensitive(self, task: Task, needed: Sequence[str], order: NDArray[np.int64] | None) -> Task:
        """Take the sensitive values away, and put the rows in their secret order."""
        cells = {name: task.frequencies.cells[name] for name in needed if name in task.frequencies.cells}
        records = task.records
        if records is not None:
            attributes = records.attributes
            if order is not None:
                attributes = tuple(replace(own, codes=own.codes[order]) for own in attributes)
            records = replace(records, attributes=attributes, sensitive={})
        return replace(task, frequencies=replace(task.frequencies, cells=cells), records=records)

    def hide_margin(self, decision: Decision) -> Decision:
        """Keep of the account only what can be seen in the release."""
        return replace(decision, details={key: decision.details[key] for key in _VISIBLE if key in decision.details})

    @contextmanager
    def hide_sizes(self) -> Iterator[None]:
        """Say that it can't be reached without the sizes asked for: they give the margin away."""
        try:
            yield
        except PrivacyNotReached:
            what = Message("hardened.larger-classes-not-reached", method=self.method)
            raise PrivacyNotReached("plan.hardened-not-reached", what=what, again=_AGAIN) from None


def hardening(hardened: bool, seed: int, method: str) -> Hardening:
    """Return the strategy of a run."""
    return SecretHardening(seed, method, _refusal) if hardened else Hardening()


def _refusal(models: list[str]) -> str:
    """Say that what was decided without looking at sensitive values does not satisfy the models about them."""
    return Message("hardened.classes-do-not-satisfy", models=models, again=_AGAIN)


def restore_order(recoding: Recoding, order: NDArray[np.int64] | None) -> Recoding:
    """Return what was decided of rows in another order as what becomes of them in their own."""
    if order is None or recoding.rows is None:
        return recoding
    seen = np.asarray(recoding.rows.groups)
    groups = np.empty_like(seen)
    groups[order] = seen
    own = array(recoding.rows.groups.typecode, groups.tobytes())
    return replace(recoding, rows=replace(recoding.rows, groups=own))
