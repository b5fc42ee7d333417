"""The step `prepare`: count the table and make the task that a method decides on."""

from __future__ import annotations

from antifaz.core.errors import ParameterError
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.counting.filling import fill_missing
from antifaz.counting.frequencies import FrequencySet, Tuples, frequency_set
from antifaz.counting.ladders import Ladder
from antifaz.counting.records import Records, records, spread_out
from antifaz.counting.targets import together
from antifaz.engines.engine import Data
from antifaz.methods.method import Task
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.remote import count_remotely, needed_memory
from antifaz.pipeline.state import Planned, Prepared


def start_run(plan: Plan, data: Data, progress: Progress | None = None, original: Data | None = None) -> Planned:
    """Return the first state of a run on an open table; `original` is the table before operations."""
    own = where_decided(plan, data)
    return Planned(plan=plan, data=own, original=original or own, progress=progress or Progress())


def make_task(plan: Plan, data: Data, progress: Progress | None = None) -> Task:
    """Count the distinct combinations and bind the hierarchies to the values that occur."""
    return prepare(start_run(plan, data, progress)).task


def prepare(state: Planned) -> Prepared:
    """Count the distinct combinations, deal with missing values, and bind the hierarchies to the values that occur.

    Where the tuples are too many to come here, they are counted where they stay.
    """
    remote = count_remotely(state.plan, state.data, state.progress)
    if remote is None:
        return _as_seen(_counted_here(state))
    own = {"before": remote.before, "filled": remote.filled, "tally": remote.tally}
    return _as_seen(Prepared.after(state, task=remote.task, **own))


def _as_seen(prepared: Prepared) -> Prepared:
    """Return the task as the method may see it."""
    plan = prepared.plan
    order = plan.hardening.row_order(prepared.task.records)
    task = plan.hardening.hide_sensitive(prepared.task, plan.method.needs(), order)
    return Prepared.after(prepared, task=task, row_order=order)


def _counted_here(state: Planned) -> Prepared:
    plan, data = state.plan, state.data
    types = {column.name: column.type for column in plan.schema}
    counted = data.count((*plan.column_order, *plan.counted))
    people = _population(plan, data)
    others = None if people is None else people.count(plan.column_order)
    before = plan.with_trees(frequency_set(counted, plan.column_order, plan.counted, types, others))
    for names in plan.targets:
        if len(names) > 1:
            before = together(before, counted, names)
    filled = fill_missing(before, plan.missing)
    ladders = plan.ladders(filled.frequencies)
    task = Task(
        frequencies=filled.frequencies,
        ladders=ladders,
        models=plan.asked_models,
        random=generator(plan.seed),
        progress=state.progress,
        records=_records(plan, data, counted, filled.frequencies, ladders) if plan.method.needs_rows else None,
    )
    return Prepared.after(state, task=task, before=before, filled=filled, population=people)


def where_decided(plan: Plan, data: Data) -> Data:
    """Return the data where the method can decide on it: where it must tell equal rows apart, they come here."""
    fits = data.memory is None or needed_memory(plan, data) <= data.memory
    alike = plan.method.keeps_equal_together and fits
    return data.download() if plan.method.needs_rows and not data.by_row and not alike else data


def _records(
    plan: Plan, data: Data, counted: Tuples, frequencies: FrequencySet, ladders: tuple[Ladder, ...]
) -> Records:
    """Read all rows for a method that needs them; where rows can't be told apart, copies of what was counted."""
    return records(
        data.records((*plan.column_order, *plan.counted)) if data.by_row else spread_out(counted),
        plan.column_order,
        plan.counted,
        {column.name: column.type for column in plan.schema},
        {ladder.column: ladder for ladder in ladders},
        {name: cells.up for name, cells in frequencies.cells.items() if cells.up is not None},
        copies=not data.by_row,
    )


def _population(plan: Plan, data: Data) -> Data | None:
    """Open the table of the population that some model compares with; its columns are understood as the data's."""
    paths = {model.population_path for model in plan.models} - {None}
    if not paths:
        return None
    if len(paths) > 1:
        raise ParameterError("plan.two-populations")
    types = {name: plan.schema[name].type for name in plan.quasi_identifiers}
    opened = data.another_table(str(paths.pop()), types)
    opened.schema.require(plan.quasi_identifiers)
    return opened
