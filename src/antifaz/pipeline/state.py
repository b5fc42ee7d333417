"""The states of a run: what is asked for, then what each step returns, which has all that the one before had."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from antifaz.core.arrays import Ints
from antifaz.core.item_options import Items
from antifaz.core.progress import Progress
from antifaz.core.recoding import Recoding
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.counting.filling import FilledFrequencies, Way
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.group_labels import Release
from antifaz.counting.piecewise import Tally
from antifaz.engines.engine import Applied, Data, Stage
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.ledger.check import LedgerCheck
from antifaz.methods.method import Decision, Method, Task
from antifaz.pipeline.operations import Operations
from antifaz.pipeline.people import LeaveOut
from antifaz.pipeline.plan import Others, Plan
from antifaz.pipeline.sets import RecodedSets
from antifaz.privacy import PrivacyModel
from antifaz.proposals.presets import PresetChoice
from antifaz.releases.criteria_evidence import Reason
from antifaz.releases.evidence import Evidence
from antifaz.releases.gate import Reference
from antifaz.releases.hand_over import ReleaseMeasures
from antifaz.reports.report import ReportOptions


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """One table: where it is, what is wanted of it, and where its release goes."""

    name: str
    #: Where the rows are, how they are understood, and which engine works on them with which options.
    source: str | Path
    types: Mapping[str, DataType | str]
    reading: Mapping[str, Any]
    engine: Mapping[str, Any]
    roles: Mapping[str, Role]
    #: What becomes of columns that have no role.
    others: Others
    hierarchies: Mapping[str, HierarchyBuilder]
    models: Sequence[PrivacyModel]
    method: Method
    #: The candidate of full-domain generalization to release, by its levels; the best if None.
    levels: Mapping[str, int] | None
    missing: Mapping[str, Way]
    #: Quasi-identifiers that are released as one value of each class.
    microaggregate: Mapping[str, Release]
    operations: Operations
    #: Whether operations are all there is.
    light: bool
    hardened: bool
    #: The most rows of a person that are used; None for all.
    limit_rows: int | None
    #: Per column of sets, how its cells are written and what may become of their items.
    items: Mapping[str, Items]
    #: What is left out where something fails: its rows, or everybody who has one of them, with all rows.
    leave_out: LeaveOut
    #: Of a survey: the column with the sampling weight, and the one that says which records are of one household.
    weight: str | None
    household: str | None
    seed: int | None
    controller: Mapping[str, str] | None
    #: Whom the release is for: known, many or public; None where nobody said.
    audience: str | None
    #: The rule whose clauses the report judges.
    preset: PresetChoice | None
    #: The folder that the release appears in, and what its rows are written as.
    folder: str | Path
    format: str
    #: Of text: what its file is called and what separates its columns, where that is told.
    text: Mapping[str, str]
    #: The table of the source's database that the rows go to: its name, its schema, whether it replaces another.
    table: Mapping[str, Any]
    report: ReportOptions


@dataclass(frozen=True, kw_only=True)
class RepeatedAttribute:
    """An attribute that several tables have: it gets one mapping everywhere, so that joins still hold."""

    name: str
    #: Per table the column that holds it.
    columns: Mapping[str, str]
    #: The names of the operations that are done to it everywhere; None where none is asked for.
    operations: tuple[str, ...] | None
    #: Where the project file speaks of it, and of its operation.
    place: str
    operation_place: str


@dataclass(frozen=True, kw_only=True)
class TablesRequest:
    """Several tables that are released together, or not at all."""

    name: str
    tables: Mapping[str, TableRequest]
    repeated: Sequence[RepeatedAttribute]
    folder: Path
    seed: int | None
    report: ReportOptions


@dataclass(frozen=True, kw_only=True, eq=False)
class Requested:
    """The first state of a run: what is asked for, who is told of it, and what is to be closed when it is over."""

    request: TableRequest
    progress: Progress
    resources: ExitStack


@dataclass(frozen=True, kw_only=True, eq=False)
class Planned:
    """After `plan`: what is wanted, checked against the table, and the table where the method can decide on it."""

    plan: Plan
    data: Data
    #: The table before its operations.
    original: Data
    progress: Progress

    @classmethod
    def after(cls, state: "Planned", **new: Any) -> Self:
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
    row_order: Ints | None = None
    #: The table of the population that some model compares with.
    population: Data | None = None

    @property
    def sizes(self) -> Ints | Tally:
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
    #: The recoding as it was laid over the rows, in their own order; None in a light run.
    applied_recoding: Recoding | None = None
    #: What the gate must know beside the released rows.
    reference: Reference | None = None
    #: What became of the items of sets.
    sets: RecodedSets | None = None

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
    #: Of text: the name of its file, its delimiter, encoding, decimal sign and byte order mark.
    text: Mapping[str, Any] = field(default_factory=dict)
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
    """After `verify`: the evidence, counted from the rows as they were written, and what the verdict goes by."""

    evidence: Evidence
    measures: ReleaseMeasures


@dataclass(frozen=True, kw_only=True, eq=False)
class Attacked(Verified):
    """After `attack`: how attacks on the release ended, or why none was tried; after `describe`, all the evidence."""

    attacks: Sequence[dict[str, Any]]
    no_attacks: Reason | None
