"""The states of a run: each step takes one and returns the next, which has all that the one before had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from antifaz.core.progress import Progress
from antifaz.core.recoding import Recoding
from antifaz.counting.filling import FilledFrequencies
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.piecewise import Tally
from antifaz.engines.engine import Applied, Data, Stage
from antifaz.ledger.check import LedgerCheck
from antifaz.methods.method import Decision, Task
from antifaz.pipeline.plan import Plan
from antifaz.releases.evidence import Evidence, Reason
from antifaz.releases.gate import Reference
from antifaz.reports.report import ReportOptions


@dataclass(frozen=True, kw_only=True, eq=False)
class Planned:
    """After `plan`: what is wanted, checked against the table, and the table where the method can decide on it."""

    plan: Plan
    data: Data
    #: The table before its operations.
    original: Data
    progress: Progress

    @classmethod
    def after(cls, state: Planned, **new: Any) -> Self:
        """Return this state from the one before it, with what is new."""
        return cls(**{each.name: getattr(state, each.name) for each in fields(state)} | new)


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared(Planned):
    """After `prepare`: the method's task, and the counts of the table before missing values were dealt with."""

    task: Task
    before: FrequencySet
    filled: FilledFrequencies
    #: The sizes of the classes before, where `before` does not hold them.
    tally: Tally | None = None
    #: Which row the method sees at each place, where that is not the table's order.
    row_order: NDArray[np.int64] | None = None
    #: The table of the population that some model compares with.
    population: Data | None = None

    @property
    def sizes(self) -> NDArray[np.int64] | Tally:
        """The sizes of the classes of the table as it came."""
        return self.tally or self.before.counts


@dataclass(frozen=True, kw_only=True, eq=False)
class Decided(Prepared):
    """After `decide`: what the method decided."""

    decision: Decision


@dataclass(frozen=True, kw_only=True, eq=False)
class Recoded(Planned):
    """After `apply`: the rows with what becomes of them, not computed yet."""

    applied: Applied
    #: What was decided; None in a light run, where nothing is.
    decided: Decided | None = None
    #: What the gate must know beside the released rows.
    reference: Reference | None = None

    @property
    def recoding(self) -> Recoding | None:
        """What values become, where a method decided."""
        return None if self.decided is None else self.decided.decision.recoding

    @property
    def levels(self) -> dict[str, int]:
        """The level that each quasi-identifier is generalized to, where the method gives every value the same."""
        return {} if self.decided is None else dict(self.decided.decision.details.get("levels", {}))


@dataclass(frozen=True, kw_only=True, eq=False)
class Destination:
    """Where a release goes, and what goes with its rows."""

    #: The private place in which it is written and judged before anyone may have it.
    stage: Stage
    #: Where it appears.
    place: Any
    format: str
    report: ReportOptions
    #: The ledger that it is looked up and registered in, where there is one.
    ledger_check: LedgerCheck | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Staged(Recoded):
    """Before `write`: the rows, and where they go."""

    destination: Destination


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsWritten(Staged):
    """After `write`: where the rows were written, and their fingerprint."""

    rows: Any
    fingerprint: Any


@dataclass(frozen=True, kw_only=True, eq=False)
class Verified(RowsWritten):
    """After `verify`: the evidence, counted from the rows as they were written."""

    evidence: Evidence


@dataclass(frozen=True, kw_only=True, eq=False)
class Attacked(Verified):
    """After `attack`: how attacks on the release ended, or why none was tried; after `describe`, all the evidence."""

    attacks: Sequence[dict[str, Any]]
    no_attacks: Reason | None
