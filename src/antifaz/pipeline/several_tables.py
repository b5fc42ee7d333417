"""Running several tables: all of them are released, or none."""

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.core.errors import PrivacyNotReached
from antifaz.core.machine import peak_memory
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.core.types import DataType
from antifaz.core.version import VERSION
from antifaz.engines.engine import Data, Stage
from antifaz.engines.registry import into_table, open_data
from antifaz.ledger.check import LedgerCheck, register_releases
from antifaz.pipeline import repeated_attributes as repeated
from antifaz.pipeline import state as states
from antifaz.pipeline import steps
from antifaz.pipeline.attack import reopened
from antifaz.pipeline.differential_privacy import refuse_private
from antifaz.pipeline.joined_people import JoinAttempt, hold_together, judge_join, person_joins
from antifaz.pipeline.plan import Plan
from antifaz.releases.atomic import Staging, staging
from antifaz.releases.evidence import Evidence, JoinEvidence, RepeatedEvidence, TablesEvidence, add_messages
from antifaz.releases.hand_over import judge_together
from antifaz.releases.joins import JoinedColumn, Values, check_join


def run_tables(
    request: states.TablesRequest, progress: Progress | None, ledger_checks: Mapping[str, LedgerCheck | None]
) -> dict[str, Any]:
    """Run every table, check the joins, and publish all at once; return the evidence of the whole."""
    repeated.check_operations(request.repeated, request.tables)
    progress_of = {name: Progress(_speaking(name, progress)) for name in request.tables}
    with ExitStack() as stack:
        stage = stack.enter_context(staging(request.folder))
        planned, alike, before = _planned(request, progress_of, stack)
        plans = {name: state.plan for name, state in planned.items()}
        people, held_by = person_joins(request.repeated, plans), dict[str, JoinAttempt]()
        recoded = _recoded(request, planned, alike)
        for join in people:
            first = JoinAttempt(planned=planned, recoded=recoded)
            held_by[join.name] = hold_together(join, first, lambda own: _recoded(request, own, alike))
            planned, recoded = held_by[join.name].planned, held_by[join.name].recoded
        parts = _staged(request, planned, stage, stack)
        released = {}
        for name, table in request.tables.items():
            destination = states.Destination(
                stage=parts[name], place=None, format=table.format, text=table.text, report=table.report,
                ledger_check=ledger_checks[name],
            )  # fmt: skip
            staged = states.Staged.after(recoded[name], destination=destination)
            released[name] = steps.run_steps(steps.DESCRIBING, staged)
        after = _after(request, released)
        joins = [_joins(each, repeated.mapping_of(each, plans, alike), before, after) for each in request.repeated]
        states_of = {check.state for check in ledger_checks.values() if check is not None}
        judged = {join.name: judge_join(join, released, held_by[join.name]) for join in people}
        held = {join.name for join in people if (own := judged[join.name]) and own.holds and join.covers_everything}
        evidence = {name: state.evidence for name, state in released.items()}
        whole = _whole(request, evidence, joins, progress_of, held)
        if any(judged.values()):
            whole.joined = [own for own in judged.values() if own is not None]
        whole.state = "handed out" if states_of == {"handed out"} else "draft"
        add_messages(whole)
        steps.write_evidence(stage, whole.document(), request.report)
        files = steps.files_of(stage, {name: state.evidence for name, state in released.items()})
        places = [request.folder / name for name in ledger_checks]
        with register_releases(list(ledger_checks.values()), places, [files] * len(places)):
            next(iter(parts.values())).publish()
    return whole.document() | {"folder": str(request.folder)}


def _planned(
    request: states.TablesRequest, progress_of: Mapping[str, Progress], stack: ExitStack
) -> tuple[dict[str, states.Planned], dict[str, states.RepeatedAttribute], dict[tuple[str, str], Values]]:
    """Plan every table; return also what is generalized alike, and the values of repeated attributes in the sources."""

    def requested(name: str, table: states.TableRequest) -> states.Requested:
        return states.Requested(request=table, progress=progress_of[name], resources=stack)

    tables = request.tables.items()
    for table in request.tables.values():
        refuse_private(table.models, "dp.why-tables")
    opened = {name: stack.enter_context(steps.open_table(requested(name, table))) for name, table in tables}
    for data in opened.values():
        stack.enter_context(data.snapshot())
    before = _before(request, opened)
    planned = {}
    for name, table in repeated.share_secrets(request.repeated, request.tables, request.seed, before).items():
        with table.operations.places.of_columns():
            planned[name] = steps.plan_on(requested(name, table), opened[name])
    plans = {name: state.plan for name, state in planned.items()}
    alike = repeated.generalized_alike(request.repeated, plans)
    plans = repeated.share_hierarchies(alike, plans, {name: state.data for name, state in planned.items()})
    return {name: replace(state, plan=plans[name]) for name, state in planned.items()}, alike, before


def _recoded(
    request: states.TablesRequest, planned: Mapping[str, states.Planned], alike: Mapping[str, states.RepeatedAttribute]
) -> dict[str, states.Recoded]:
    """Decide on every table so that repeated attributes agree, and apply that; each table is counted once."""
    prepared: dict[str, states.Prepared] = {}
    decided: dict[str, states.Decided] = {}

    def again(name: str, plan: Plan) -> states.Decided:
        state = prepared[name]
        with _naming(name), request.tables[name].operations.places.of_columns():
            return steps.decide(replace(state, plan=plan, task=replace(state.task, random=generator(plan.seed))))

    for name, state in planned.items():
        if not state.plan.light:
            with _naming(name), request.tables[name].operations.places.of_columns():
                prepared[name] = steps.count(state)
                decided[name] = steps.decide(prepared[name])
    agreed = repeated.agree_on_levels(alike, decided, again)
    return {
        name: steps.apply(agreed[name]) if name in agreed else steps.apply_operations(state)
        for name, state in planned.items()
    }


@contextmanager
def _naming(table: str) -> Iterator[None]:
    """Say of which table it is that the privacy asked for can't be reached."""
    try:
        yield
    except PrivacyNotReached as error:
        error.place("plan.in-table", table=table)
        raise


def _speaking(table: str, progress: Progress | None) -> Callable[[str, float | None, str], None] | None:
    """Return who is told of a table's steps: the listener of the whole, with the table's name."""
    listener = progress.listener if progress else None
    if listener is None:
        return None
    return lambda step, share, message: listener(step, share, f"{table}: {message}")


def _before(request: states.TablesRequest, data: Mapping[str, Data]) -> dict[tuple[str, str], Values]:
    wanted = [place for attribute in request.repeated for place in attribute.columns.items()]
    for table, column in wanted:
        with request.tables[table].operations.places.of_columns():
            data[table].schema.require([column])
    return {(table, column): _values(data[table], column) for table, column in wanted}


def _values(data: Data, column: str) -> Values:
    counted = data.count([column])
    return {counted.values[0][code]: int(n) for code, n in zip(counted.codes[0], counted.counts, strict=True)}


class _Part:
    """The private place of one table's documents; publishing it publishes what comes after."""

    def __init__(self, own: Staging, then: Stage) -> None:
        self.folder: Any = own.folder
        self.write_text, self.write_bytes = own.write_text, own.write_bytes
        self.publish = then.publish


def _staged(
    request: states.TablesRequest, planned: Mapping[str, states.Planned], stage: Staging, stack: ExitStack
) -> dict[str, Stage]:
    """Return the stage of every table; to publish the first is to publish all.

    Each publishes the next before it is done itself, and the last one the whole folder: where a table of a database
    can't be put in its place, those that were are taken back.
    """
    parts: dict[str, Stage] = {}
    then: Stage = stage
    for name in reversed(list(request.tables)):
        then = _Part(stage.table(name), then)
        target = request.tables[name].table
        if target:
            then = stack.enter_context(into_table(planned[name].data, then, **target))
        parts[name] = then
    return {name: parts[name] for name in request.tables}


def _after(request: states.TablesRequest, released: Mapping[str, states.Attacked]) -> dict[tuple[str, str], Values]:
    return {
        (table, column): _read_back(released[table].rows, column, released[table].data)
        for attribute in request.repeated
        for table, column in attribute.columns.items()
        if (own := released[table].evidence.released) is not None and column in own.columns
    }


def _joins(
    attribute: states.RepeatedAttribute,
    mapping: repeated.Mapped,
    before: Mapping[tuple[str, str], Values],
    after: Mapping[tuple[str, str], Values],
) -> RepeatedEvidence:
    """Compare what one repeated attribute has in the written releases with what it has in the sources."""
    evidence = RepeatedEvidence(name=attribute.name, columns=dict(attribute.columns), mapping=mapping, joins=[])
    if attribute.operations is not None:
        evidence.operation = list(attribute.operations)
    if mapping == "removed":
        return evidence
    sides = {
        table: JoinedColumn(table=table, before=before[table, column], after=after[table, column])
        for table, column in attribute.columns.items()
    }
    evidence.joins = [
        JoinEvidence.model_validate(check_join(attribute.name, one, other, one_to_one=mapping == "one-to-one"))
        for one, other in combinations(sides.values(), 2)
    ]
    return evidence


def _read_back(place: Any, column: str, data: Data) -> Values:
    """Count a column of a written release as it stands there."""
    if not isinstance(place, str | Path):
        # A table of a database: only this column comes here.
        own = replace(place, columns=(column,), types=(place.types[place.columns.index(column)],))
        with open_data(pa.table(own), engine="local") as read:
            return _values(read, column)
    types = {column: DataType.TEXT}
    opened = data.another_table(str(place), types) if data.engine == "spark" else reopened(place, types)
    with opened as read:
        return _values(read, column)


def _whole(
    request: states.TablesRequest,
    tables: dict[str, Evidence],
    joins: list[RepeatedEvidence],
    progress: Mapping[str, Progress],
    held: Container[str],
) -> TablesEvidence:
    """Put the evidence of all tables together; `held` are the keys by which people may be joined, and k still holds."""
    seconds: dict[str, float] = {}
    for each in progress.values():
        for step, spent in each.seconds.items():
            seconds[step] = round(seconds.get(step, 0.0) + spent, 4)
    joined = {
        each.name: list(each.columns)
        for each in joins
        if each.mapping == "one-to-one"
        and each.name not in held
        and any(tables[table].privacy for table in each.columns)
    }
    return TablesEvidence(
        antifaz=1,
        project=request.name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=VERSION,
        tables=tables,
        repeated=joins,
        # What holds of each table need not hold of what a recipient joins.
        warnings=[
            Message("warning.tables-can-be-joined", columns=" and ".join(columns), name=name)
            for name, columns in joined.items()
        ],
        verdict=judge_together(tables, joined),
        seconds=seconds,
        peak_memory_bytes=peak_memory(),
    )
