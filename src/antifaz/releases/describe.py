"""Describing a release: what was measured of it and of the data it came from, as evidence."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from antifaz.core.arrays import Ints
from antifaz.core.messages import Message
from antifaz.core.recount import Recount
from antifaz.core.roles import Role
from antifaz.core.schema import Schema
from antifaz.core.verdicts import Verdict
from antifaz.core.version import VERSION
from antifaz.counting.people import People
from antifaz.counting.piecewise import Tally
from antifaz.methods.method import Decision, Method
from antifaz.releases.evidence import (
    AttributeEvidence,
    ClassesEvidence,
    ClassSizes,
    Evidence,
    MethodEvidence,
    OperationEvidence,
    PeopleCounts,
    PerturbationEvidence,
    RiskEvidence,
    RowCounts,
    UtilityEvidence,
    VerdictEvidence,
)
from antifaz.risk import marketer, prosecutor, records_below
from antifaz.utility import measure_table


def describe_release(
    *,
    name: str,
    schema: Schema,
    method: Method,
    decision: Decision,
    counted: Recount,
    verdicts: Sequence[Verdict],
    before: Ints | Tally,
    k: int,
    warnings: Sequence[str],
    notes: Sequence[str] = (),
    rows: int | None = None,
    hardened: bool = False,
    people: People | None = None,
) -> Evidence:
    """Return the evidence of a release that a method decided.

    `before` are the class sizes of the data as it came; `k` says below how many a record is singled out. `warnings`
    ask for a decision of somebody, `notes` only say what was found and done. `rows` were read, where that is more than
    the method saw. `hardened` says that the method saw no sensitive value; not by which margin. `people` are those of
    the data as it came, where they are counted: then classes and risks are those of people.
    """
    table = decision.table
    original = before if isinstance(before, Tally) else Tally.of(before if people is None else people.heads)
    heads = counted.sizes if counted.people is None else counted.people.heads
    evidence = Evidence(
        **_begun(name),
        rows=_rows(table.rows if rows is None else rows, counted),
        method=MethodEvidence(name=method.name, **method.parameters() | decision.details),
        hardened=hardened,
        privacy=[VerdictEvidence.model_validate(verdict.as_dict()) for verdict in verdicts],
        checked_by=Message("note.counted"),
        utility=UtilityEvidence(**measure_table(table)),
        risk=_risk(original, counted, k, people),
        classes=ClassesEvidence(before=_class_sizes(original), after=_class_sizes(Tally.of(heads))),
        attributes=_attributes(schema, decision),
        warnings=[*warnings, *_lenient(verdicts, counted, k)],
        notes=[*notes, *([Message("warning.hardened")] if hardened else [])],
    )
    if people is not None:
        evidence.people = _people(schema, people, counted)
    return evidence


def describe_light(
    *,
    name: str,
    schema: Schema,
    rows: int,
    counted: Recount,
    evaluated: str,
    warnings: Sequence[str],
    notes: Sequence[str],
) -> Evidence:
    """Return the evidence of a light release: operations on columns and nothing else, which `evaluated` says."""
    return Evidence(
        kind="light",
        **_begun(name),
        rows=_rows(rows, counted),
        method=MethodEvidence(name="masking"),
        privacy=[],
        evaluated=evaluated,
        checked_by=Message("note.counted-light"),
        attributes=_attributes(schema),
        warnings=list(warnings),
        notes=list(notes),
    )


def _begun(name: str) -> dict[str, Any]:
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return {"antifaz": 1, "project": name, "created": created, "version": VERSION}


def _rows(read: int, counted: Recount) -> RowCounts:
    return RowCounts(read=read, released=counted.rows, suppressed=read - counted.rows)


def _people(schema: Schema, before: People, counted: Recount) -> PeopleCounts:
    released = 0 if counted.people is None else counted.people.number
    suppressed = before.number - released
    return PeopleCounts(
        key=list(schema.of(Role.PERSON)), read=before.number, released=released, suppressed=suppressed
    )  # fmt: skip


def _risk(before: Tally, counted: Recount, k: int, people: People | None) -> RiskEvidence:
    after = counted.sizes if counted.people is None else counted.people.heads
    return RiskEvidence(
        k=k,
        singled_out_before=before.below(k) if people is None else people.below(k),
        singled_out_after=records_below(after, k) if counted.people is None else counted.people.below(k),
        prosecutor_before=prosecutor(before.sizes),
        prosecutor=prosecutor(after),
        marketer_before=before.classes / before.records if before.classes else 0.0,
        marketer=marketer(after),
    )


def _lenient(verdicts: Sequence[Verdict], counted: Recount, k: int) -> list[str]:
    """Say who is hidden only because a blank was taken to match any value: somebody has to answer for that reading."""
    matched = [verdict.note for verdict in verdicts if verdict.parameters.get("blanks") == "match"]
    return matched if records_below(counted.sizes, k) else []


def _class_sizes(tally: Tally) -> ClassSizes:
    """Describe classes by how many there are of each size."""
    if not tally.classes:
        return ClassSizes(count=0, smallest=None, average=None, largest=None, sizes=[])
    return ClassSizes(
        count=tally.classes,
        smallest=int(tally.sizes[0]),
        average=tally.records / tally.classes,
        largest=int(tally.sizes[-1]),
        sizes=list(zip(tally.sizes.tolist(), tally.times.tolist(), strict=True)),
    )


def _attributes(schema: Schema, decision: Decision | None = None) -> list[AttributeEvidence]:
    table = decision.table if decision else None
    climbed = zip(table.ladders, table.levels, strict=True) if table else ()
    more: dict[str, Any] = {ladder.column: {"level": level, "height": ladder.height} for ladder, level in climbed}
    return [AttributeEvidence(name=c.name, role=str(c.role), type=str(c.type), **more.get(c.name, {})) for c in schema]


def add_operations(
    evidence: Evidence,
    operations: Mapping[str, Sequence[Mapping[str, Any]]],
    perturbations: Sequence[Mapping[str, Any]] = (),
    *,
    removed: Sequence[str] = (),
) -> Evidence:
    """Say of every column what was done to it, and of an identifier whether it was released after all.

    `perturbations` are all there were; those of several columns are in no column's operations yet.
    """
    if perturbations:
        evidence.perturbation = [PerturbationEvidence.model_validate(each) for each in perturbations]
    for attribute in evidence.attributes if operations or perturbations else ():
        shared = [each for each in perturbations if each["shared"] and attribute.name in each["columns"]]
        done = [*operations.get(attribute.name, ()), *({"name": each["name"]} for each in shared)]
        if done:
            attribute.operations = [OperationEvidence.model_validate(each) for each in done]
        if attribute.role in (Role.IDENTIFIER, Role.PERSON):
            attribute.released = attribute.name not in removed
    return evidence
