"""Hardened runs: the method sees no sensitive value, and its ties are broken by secret randomness.

`Hardening` is a part of every plan. Where the run is not hardened it changes nothing; else it hides what a method could
tell about sensitive values by what it decides (see docs/theory/knowing-the-method.md).
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.core.randomness import hidden
from antifaz.core.recoding import Recoding
from antifaz.counting.records import Records
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.methods.method import Decision, Method, Task
from antifaz.privacy import PrivacyModel
from antifaz.privacy.hardening import draw_margin, without_sensitive

_AGAIN = Message("hardened.what-to-do")
#: What a hardened run tells of a decision: what can be seen in the release. How it was found depends on the margin.
_VISIBLE = ("chosen", "levels", "cuts", "groups", "height", "score")


@dataclass(frozen=True)
class Hardening:
    """What is hidden from the method, and of it, if the run is `hardened`; what is drawn comes from the secret seed."""

    hardened: bool
    seed: int
    method: str

    @property
    def refusal(self) -> Callable[[list[str]], str] | None:
        """What the gate says where models don't hold; its own words if None."""
        return _refusal if self.hardened else None

    def raise_models(self, models: tuple[PrivacyModel, ...]) -> tuple[PrivacyModel, ...]:
        """Return the models that the method is asked for: classes larger by a secret margin, nothing sensitive."""
        return without_sensitive(models, draw_margin(models, hidden(self.seed, "margin"))) if self.hardened else models

    def random_ties(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns in the order that the method sees them in, which is how it breaks ties."""
        if not self.hardened:
            return columns
        return tuple(columns[i] for i in hidden(self.seed, "columns").permutation(len(columns)))

    def counted_models(self, models: tuple[PrivacyModel, ...]) -> tuple[PrivacyModel, ...]:
        """Return the models whose sensitive values are counted in every class: only what the verifier's trees need."""
        return tuple(model for model in models if model.needs_tree) if self.hardened else models

    def learnt_targets(self, targets: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        """Return the columns about whose values a method or a hierarchy may learn something."""
        return () if self.hardened else targets

    def check(
        self,
        method: Method,
        hierarchies: Mapping[str, HierarchyBuilder],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
    ) -> None:
        """Raise where the method of a hardened run, or a hierarchy, would have to see sensitive values."""
        if not self.hardened:
            return
        for column, builder in hierarchies.items():
            if builder.needs_target and column in quasi_identifiers:
                raise ParameterError("hardened.hierarchy-learnt", column=column, builder=builder.name)
        for name in method.needs():
            if name in sensitive:
                raise ParameterError("hardened.target-is-sensitive", method=method.name, name=name)
        if getattr(method, "k_first", None) is not None:
            # Whether it is large enough would tell of the margin.
            raise ParameterError("hardened.k-first-given")

    def row_order(self, records: Records | None) -> Ints | None:
        """Draw which row the method sees at each place; None where they stay as they are.

        Rows may be sorted by illness in the table, and methods that group rows take the first of equals.
        """
        if not self.hardened or records is None or records.copies:
            return None
        return hidden(self.seed, "rows").permutation(records.rows)

    def hide_sensitive(self, task: Task, needed: Sequence[str], order: Ints | None) -> Task:
        """Return the task as the method may see it: without sensitive values, the rows in their secret order."""
        if not self.hardened:
            return task
        cells = {name: task.frequencies.cells[name] for name in needed if name in task.frequencies.cells}
        records = task.records
        if records is not None:
            attributes = records.attributes
            if order is not None:
                attributes = tuple(replace(own, codes=own.codes[order]) for own in attributes)
            records = replace(records, attributes=attributes, sensitive={})
        return replace(task, frequencies=replace(task.frequencies, cells=cells), records=records)

    def hide_margin(self, decision: Decision) -> Decision:
        """Return the decision with only what can be seen in the release."""
        if not self.hardened:
            return decision
        return replace(decision, details={key: decision.details[key] for key in _VISIBLE if key in decision.details})

    @contextmanager
    def hide_sizes(self) -> Iterator[None]:
        """Take the sizes asked for out of an error of the method: they give the margin away."""
        try:
            yield
        except PrivacyNotReached:
            if not self.hardened:
                raise
            what = Message("hardened.larger-classes-not-reached", method=self.method)
            raise PrivacyNotReached("plan.hardened-not-reached", what=what, again=_AGAIN) from None


def _refusal(models: list[str]) -> str:
    """Say that what was decided without looking at sensitive values does not satisfy the models about them."""
    return Message("hardened.classes-do-not-satisfy", models=models, again=_AGAIN)


def restore_order(recoding: Recoding, order: Ints | None) -> Recoding:
    """Return what was decided of rows in another order as what becomes of them in their own."""
    if order is None or recoding.rows is None:
        return recoding
    seen = np.asarray(recoding.rows.groups)
    groups = np.empty_like(seen)
    groups[order] = seen
    own = array(recoding.rows.groups.typecode, groups.tobytes())
    return replace(recoding, rows=replace(recoding.rows, groups=own))
