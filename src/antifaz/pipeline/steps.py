"""The steps of a run, each a function from one state to the next: plan, prepare, decide, apply, write, verify, attack,
describe, publish. `STEPS` lists them, `LIGHT_STEPS` those of a light run, where nothing is decided.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.files import json_text
from antifaz.core.machine import peak_memory
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import fresh_seed, shuffle_key
from antifaz.core.recoding import Recoding
from antifaz.core.recount import Recount
from antifaz.core.roles import Role
from antifaz.counting.filling import FilledFrequencies, with_dropped
from antifaz.engines.engine import Data, NoDocuments, Stage
from antifaz.engines.registry import into_table, open_data
from antifaz.ledger.check import NewRelease, register_releases
from antifaz.ledger.drafts import sha256_of_files
from antifaz.ledger.verdict import ledger_warnings
from antifaz.methods.operations.operation import operation_evidence
from antifaz.pipeline import state as states
from antifaz.pipeline.attack import attack_release
from antifaz.pipeline.differential_privacy import privacy_spent, refuse_private
from antifaz.pipeline.hardening import restore_order
from antifaz.pipeline.measuring import measure_release
from antifaz.pipeline.microaggregation import microaggregate
from antifaz.pipeline.operations import operate
from antifaz.pipeline.people import spell_keys, without_people
from antifaz.pipeline.plan import NOT_EVALUATED, make_plan
from antifaz.pipeline.prepare import prepare, start_run
from antifaz.pipeline.sets import decide_one_class, recode_sets
from antifaz.pipeline.survey import add_survey
from antifaz.pipeline.union import judge_union
from antifaz.pipeline.verified import verified_document
from antifaz.releases.criteria import criteria, hipaa_checklist
from antifaz.releases.criteria_evidence import Article30
from antifaz.releases.describe import add_operations, describe_light, describe_release
from antifaz.releases.evidence import Evidence, ReleasedEvidence, RepairEvidence, add_messages
from antifaz.releases.gate import Reference, admit, make_reference
from antifaz.releases.hand_over import judge_hand_over
from antifaz.releases.ledger_evidence import LedgerEvidence
from antifaz.releases.presets import judge_preset
from antifaz.releases.record import article_30, record
from antifaz.releases.set_gate import CountableTable, admit_sets
from antifaz.reports.documents import require_pdf
from antifaz.reports.report import ReportOptions, report_html, report_pdf


@dataclass(frozen=True)
class Step:
    """One step: its name, what it does in one line, and the function from one state to the next."""

    name: str
    summary: str
    function: Callable[[Any], Any]


def run_steps(steps: Sequence[Step], state: Any) -> Any:
    """Take a state through some steps, in their order."""
    for step in steps:
        state = step.function(state)
    return state


def open_table(requested: states.Requested) -> Data:
    """Open a table as it came."""
    request = requested.request
    with request.operations.places.of_columns(), requested.progress.step("read", Message("progress.reading")):
        return open_data(request.source, types=request.types, **request.reading, **request.engine)


def plan(requested: states.Requested) -> states.Planned:
    """Open the table, do its operations, and check what is wanted against what comes out."""
    return plan_on(requested, requested.resources.enter_context(open_table(requested)))


def plan_on(requested: states.Requested, original: Data) -> states.Planned:
    """Do the operations of a table that is open, and check what is wanted against what comes out."""
    request, progress = requested.request, requested.progress
    requested.resources.enter_context(original.snapshot())
    seed = fresh_seed() if request.seed is None else request.seed
    if request.operations.sample is not None:
        refuse_private(request.models, "dp.why-operations")
    data = original
    perturbed: list[dict[str, Any]] = []
    if request.operations.any:
        with progress.step("mask", Message("progress.changing-columns")):
            keys = [name for name in request.operations.columns if request.roles.get(name) is Role.PERSON]
            spelled = spell_keys(keys, original)
            if spelled is not original:
                requested.resources.enter_context(spelled)
            data, perturbed = operate(request.operations, spelled, seed, request.roles)
        requested.resources.enter_context(data)
    made = make_plan(
        data.schema, roles=request.roles, others=request.others, hierarchies=request.hierarchies,
        privacy=request.models,
        method=request.method, seed=seed, missing=request.missing, light=request.light, name=request.name,
        controller=request.controller, audience=request.audience, preset=request.preset,
        operations=request.operations.columns, microaggregate=request.microaggregate,
        perturbed=perturbed, hardened=request.hardened, limit_rows=request.limit_rows, items=request.items,
        leave_out=request.leave_out, weight=request.weight, household=request.household,
    )  # fmt: skip
    if made.sets and request.table:
        raise ParameterError("people.release-is-table")
    if request.table.get("url") is not None:
        with into_table(data, NoDocuments(), **request.table):
            pass  # said now that it can't be, not after the work
    elif request.table:
        data.refuse_table(**request.table)
    return start_run(made.with_levels(request.levels) if request.levels else made, data, progress, original)


def count(state: states.Planned) -> states.Prepared:
    """Count the table and make the method's task."""
    with state.progress.step("count", Message("progress.counting")):
        state.data.expect_digest()  # by `apply`, for the order of the rows
        return prepare(state)


def decide(state: states.Prepared) -> states.Decided:
    """Let the method decide on its task."""
    plan = state.plan
    with state.progress.step("decide", Message("progress.deciding")), plan.hardening.hide_sizes():
        if not plan.quasi_identifiers:  # but sets: all rows are one class
            return states.Decided.after(state, decision=decide_one_class(state.task))
        made = plan.hardening.hide_margin(plan.method.decide(state.task))
        made = microaggregate(made, plan.microaggregate, state.filled.frequencies, plan.types, plan.k)
        return states.Decided.after(state, decision=made)


def _reference(state: states.Decided) -> Reference:
    """Put together what the gate must know beside the released rows, a population under the same recoding included."""
    totals, trees = state.data.totals(state.plan.sensitive), state.plan.trees(state.filled.frequencies)
    population = None
    if state.population is not None:
        others = tuple(n for n in state.population.schema.names if n not in state.plan.quasi_identifiers)
        recoding = Recoding(columns=state.decision.recoding.columns, dropped=others)
        population = state.population.apply(recoding, key=0)
    reference = replace(make_reference(totals, trees, population), paths=state.plan.paths(state.task.frequencies))
    # Only shares of sensitive values are compared with those of everybody.
    return replace(reference, whole=_whole(state)) if state.plan.person and state.plan.sensitive else reference


def _whole(state: states.Decided) -> Recount:
    """Count the original data as one class, by people: what the shares of values in classes are compared with."""
    data, plan = state.data, state.plan
    rows = data.cells(tuple(dict.fromkeys([*plan.sensitive, *plan.person]))) if data.by_row else data.whole()
    return data.auditor().recount(rows, (), plan.sensitive, people=plan.person)


def apply(state: states.Decided) -> states.Recoded:
    """Lay what was decided over the rows, where they are, and put them in an order of its own."""
    plan, recoding = state.plan, restore_order(state.decision.recoding, state.row_order)
    if recoding.tuples is None and recoding.stored is None:
        recoding = with_dropped(recoding, state.before, state.filled)
    with state.progress.step("apply", Message("progress.preparing")):
        recoding = replace(recoding, dropped=plan.identifiers)
        # What was decided goes in too: two releases in one order could be laid side by side, row by row.
        key = shuffle_key(plan.seed, state.data.digest() + plan.digest() + recoding.digest())
        data = without_people(plan.person, state.decision.left_out, state.data)
        sets = recode_sets(plan, data, recoding) if plan.sets else None
        data = data if sets is None else sets.data
        applied = data.apply(recoding, key)
        planned = states.Planned(plan=plan, data=state.data, original=state.original, progress=state.progress)
        reference = _reference(state)
        return states.Recoded.after(
            planned, applied=applied, decided=state, applied_recoding=recoding, reference=reference, sets=sets
        )


def apply_operations(state: states.Planned) -> states.Recoded:
    """Take the identifiers away and put the rows in another order: in a light run that is all."""
    with state.progress.step("apply", Message("progress.preparing")):
        key = shuffle_key(state.plan.seed, state.data.digest())
        applied = state.data.apply(Recoding(columns=(), dropped=state.plan.identifiers), key)
    return states.Recoded.after(state, applied=applied)


def write(state: states.Staged) -> states.RowsWritten:
    """Write the rows to a private place."""
    if state.destination.report.pdf:
        require_pdf()
    with state.progress.step("write", Message("progress.writing")):
        destination = state.destination
        written = state.applied.write(destination.stage.folder, destination.format, **destination.text)
    return states.RowsWritten.after(state, rows=written.path, fingerprint=written.fingerprint)


def verify(state: states.RowsWritten) -> states.Verified:
    """Read what was written back, count it again and judge it."""
    with state.progress.step("verify", Message("progress.verifying")):
        counted, evidence = examine_rows(state, state.rows, fingerprint=state.fingerprint)
        released = state.data.auditor().describe(state.rows)
        released |= {"rows": counted.rows, "columns": list(counted.columns)}
        evidence.released = ReleasedEvidence.model_validate(released)
    measures = measure_release(state, state.rows, counted)
    if state.decided is not None:
        # Attacks may take longer than all before them: what holds is said now.
        found = {"rows": counted.rows, "left_out": state.data.rows - counted.rows}
        with state.progress.step("verify", Message("progress.verified", **found)):
            if state.progress.shows is not None:
                state.progress.shows(verified_document(evidence, state.rows))
    return states.Verified.after(state, evidence=evidence, measures=measures)


def examine_rows(state: states.Recoded, place: Any, **expected: Any) -> tuple[Any, Evidence]:
    """Let rows through the gate, wherever they are; return how they were counted, and the evidence."""
    plan, data, decided = state.plan, state.data, state.decided
    if decided is None:
        expected |= {"rows": data.rows, "columns": state.applied.columns}
        counted, _ = admit(data.auditor(), place, (), (), expected)
        evidence = describe_light(
            name=plan.name, schema=plan.schema, rows=data.rows, counted=counted, evaluated=NOT_EVALUATED,
            warnings=plan.warnings, notes=data.notes,
        )  # fmt: skip
    else:
        sizes = decided.decision.table.sizes
        expected |= {"rows": int(sizes.sum()), "columns": state.applied.columns, "sizes": sizes}
        expected["labels"] = decided.decision.recoding.released_labels()
        if plan.sets and not isinstance(place, str | os.PathLike | pa.Table):
            raise ParameterError("people.release-is-table")  # a server gives its rows in any order
        if plan.person and "people" not in expected:
            expected["people"] = state.applied.keyed(plan.person, place)
        if plan.hardening.refusal is not None:
            expected["refusal"] = plan.hardening.refusal
        # Rows that follow earlier ones hold together with these, so by themselves nothing is asked of them.
        models = plan.class_models if plan.earlier is None else ()
        counted, verdicts = admit(data.auditor(), place, models, plan.quasi_identifiers, expected, state.reference)
        if state.sets is not None:
            place_of = CountableTable(data.auditor(), place, plan.quasi_identifiers, expected.get("people"))
            verdicts = admit_sets(place_of, plan.models, verdicts, plan.items, state.sets.labels)
        judged = counted
        if plan.earlier is not None:
            union, verdicts = judge_union(data.auditor(), place, plan)
            judged = replace(union, rows=counted.rows, columns=counted.columns)
        evidence = describe_release(
            name=plan.name, schema=plan.schema, method=plan.method, decision=decided.decision, counted=judged,
            verdicts=verdicts, before=decided.sizes, k=plan.k, rows=data.rows, hardened=plan.hardened,
            people=decided.before.people,
            warnings=[*plan.warnings, *decided.decision.warnings],
            notes=[*data.notes, *_value_notes(decided.filled), *(() if state.sets is None else state.sets.notes())],
        )  # fmt: skip
        if state.sets is not None:
            evidence.sets = state.sets.evidence
    add_survey(state, place, evidence)
    if state.original.repairs:
        evidence.repairs = [RepairEvidence.model_validate(repair.as_dict()) for repair in state.original.repairs]
    operations = operation_evidence(plan.operations)
    return counted, add_operations(evidence, operations, plan.perturbed, removed=plan.identifiers)


def _value_notes(filled: FilledFrequencies) -> Iterator[str]:
    """Say where several spellings were taken for one value, and what was done about missing values."""
    for domain in filled.frequencies.domains:
        if domain.respelled:
            yield Message("note.spellings-unified", number=domain.respelled, name=domain.column)
    for name, number in filled.filled.items():
        if number:
            yield Message("note.missing-values-filled", number=number, name=name)
    if filled.dropped:
        yield Message("note.missing-values-left-out", dropped=filled.dropped)


def attack(state: states.Verified) -> states.Attacked:
    """Try attacks on the rows that were written."""
    attempts = state.destination.report.attacks
    with state.progress.step("attacks", Message("progress.attacking")):
        attacks, reason = attack_release(
            state.plan, state.original, state.rows, state.applied, state.recoding, attempts, state.data
        )
    return states.Attacked.after(state, attacks=attacks, no_attacks=reason)


def describe(state: states.Attacked) -> states.Attacked:
    """Complete the evidence, look the release up in the ledger, and write the documents beside the rows."""
    report, check, progress = state.destination.report, state.destination.ledger_check, state.progress
    evidence = state.evidence.model_copy(update=_declaration(state) | {"report": report.evidence(), "state": "draft"})
    if check is not None:
        with progress.step("ledger", Message("progress.checking-ledger")):
            checked = check.settle(check.examine(new_release(state)))
        evidence.ledger = LedgerEvidence.model_validate(checked)
        evidence.state = check.state
        evidence.warnings = [*evidence.warnings, *ledger_warnings(checked)]
    evidence.verdict = judge_hand_over(evidence, state.measures, state.plan.audience)
    if state.plan.preset is not None:
        evidence.preset = judge_preset(state.plan.preset, evidence, state.measures.listed)
    add_cost(evidence, progress)
    add_messages(evidence)
    with progress.step("publish", Message("progress.writing-evidence")):
        _write_documents(state, evidence)
    return replace(state, evidence=evidence)


def judge_rows(state: states.Recoded, table: Any, counted: Recount, evidence: Evidence) -> Evidence:
    """Return the evidence of rows in memory with the three criteria and the verdict, which attacks are tried for."""
    measures, attempts = measure_release(state, table, counted), ReportOptions().attacks
    with state.progress.step("attacks", Message("progress.attacking")):
        attacks, reason = attack_release(
            state.plan, state.original, table, state.applied, state.recoding, attempts, state.data
        )
    answers = criteria(attacks, evidence.risk, recipient=None, reason=reason)
    judged = evidence.model_copy(update={"criteria": answers})
    judged.verdict = judge_hand_over(judged, measures, state.plan.audience)
    add_cost(judged, state.progress)
    return judged


def _declaration(state: states.Attacked) -> dict[str, Any]:
    """Return what a person answers for: the three criteria, HIPAA's identifiers, and the record of article 30."""
    evidence, recipient = state.evidence, state.destination.report.recipient
    answers = criteria(state.attacks, evidence.risk, recipient=recipient, reason=state.no_attacks)
    columns = evidence.released.columns if evidence.released is not None else None
    declared = {"criteria": answers, "hipaa": hipaa_checklist(evidence.attributes, columns)}
    fields = article_30(evidence.model_copy(update=declared).document(), dict(state.plan.controller or {}))
    return declared | {"article_30": Article30.model_validate(fields)}


def _write_documents(state: states.Attacked, evidence: Evidence) -> None:
    stage, plan, document = state.destination.stage, state.plan, evidence.document()
    write_evidence(stage, document, state.destination.report)
    processing = record(document, controller=dict(plan.controller or {}), seed=plan.seed)
    stage.write_text("record.json", json_text(processing))


def write_evidence(stage: Stage, document: dict[str, Any], report: ReportOptions) -> None:
    """Write the evidence, and the report on it."""
    stage.write_text("evidence.json", json_text(document))
    stage.write_text("report.html", report_html(document, report.language))
    if report.pdf:
        stage.write_bytes("report.pdf", report_pdf(document, report.language))


def publish(state: states.Attacked) -> states.Attacked:
    """Put everything into place at once; as a draft, or registered in the ledger with who gets it."""
    destination, progress = state.destination, state.progress
    files = files_of(destination.stage, {"": state.evidence})
    registered = register_releases([destination.ledger_check], [destination.place], [files])
    with progress.step("publish", Message("progress.publishing")), registered:
        destination.stage.publish()
    return state


def files_of(stage: Stage, evidence: Mapping[str, Evidence]) -> dict[str, list[str]] | None:
    """Return the SHA-256 of what is about to be published; None where it is not on this machine's disk.

    `evidence` is that of each table under its name: the rows were hashed when they were verified.
    """
    documents = getattr(stage, "documents", stage).folder
    if not isinstance(documents, Path):
        return None
    known = {}
    for table, one in evidence.items():
        released = one.released
        if released is not None and released.file and released.sha256:
            known[f"{table}/{released.file}" if table else released.file] = released.sha256
    return sha256_of_files(documents, known)


def new_release(state: states.Recoded) -> NewRelease:
    """Return what a ledger must know of a release."""
    plan = state.plan
    return NewRelease(
        project=plan.name, k=plan.k, light=plan.light, models=plan.models, quasi_identifiers=plan.quasi_identifiers,
        identifiers=plan.person or plan.schema.of(Role.IDENTIFIER), sensitive=plan.schema.of(Role.SENSITIVE),
        changed=frozenset({*plan.operations, *(name for each in plan.perturbed for name in each["columns"])}),
        data=state.data, applied=state.applied, people=bool(plan.person), spends=privacy_spent(plan.models),
    )  # fmt: skip


def add_cost(evidence: Evidence, progress: Progress) -> None:
    """Say in the evidence what a run has taken so far."""
    evidence.seconds = {step: round(spent, 4) for step, spent in progress.seconds.items()}
    evidence.peak_memory_bytes = peak_memory()


PLAN = Step("plan", "Open the table, do its operations, and check what is wanted against its columns.", plan)
#: From a plan to the rows with what becomes of them.
DECIDING = (
    Step("prepare", "Count the distinct combinations and bind the hierarchies to the values that occur.", count),
    Step("decide", "Let the method decide on the counts.", decide),
    Step("apply", "Lay the decision over the rows where they are, in a new order.", apply),
)
LIGHT_DECIDING = (Step("apply", "Take the identifiers away and put the rows in a new order.", apply_operations),)
#: From there to all that the release consists of, in a private place.
DESCRIBING = (
    Step("write", "Write the rows to a private place.", write),
    Step("verify", "Read the rows back, count them again and judge them.", verify),
    Step("attack", "Try attacks on the rows that were written.", attack),
    Step("describe", "Write the evidence, the report and the record; look the release up in the ledger.", describe),
)
PUBLISH = Step("publish", "Put everything into place at once, or nothing.", publish)

STEPS = (PLAN, *DECIDING, *DESCRIBING, PUBLISH)
LIGHT_STEPS = (PLAN, *LIGHT_DECIDING, *DESCRIBING, PUBLISH)
