"""From a plan and a table to the task that a method decides on."""

from __future__ import annotations

from antifaz.core.errors import ParameterError
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.counting.frequencies import FrequencySet, frequency_set
from antifaz.counting.ladders import Ladder
from antifaz.counting.records import Records, records
from antifaz.engines.engine import Data
from antifaz.methods.method import Task
from antifaz.projects.plan import Plan


def make_task(plan: Plan, data: Data, progress: Progress | None = None) -> Task:
    """Count the distinct combinations and bind the hierarchies to the values that occur."""
    types = {column.name: column.type for column in plan.schema}
    counted = data.count((*plan.quasi_identifiers, *plan.counted))
    people = population(plan, data)
    others = None
    if people is not None:
        with people:
            others = people.count(plan.quasi_identifiers)
    frequencies = plan.with_trees(frequency_set(counted, plan.quasi_identifiers, plan.counted, types, others))
    ladders = plan.ladders(frequencies)
    return Task(
        frequencies=frequencies,
        ladders=ladders,
        models=plan.models,
        random=generator(plan.seed),
        progress=progress or Progress(),
        records=_records(plan, data, frequencies, ladders) if plan.method.needs_rows else None,
    )


def _records(plan: Plan, data: Data, frequencies: FrequencySet, ladders: tuple[Ladder, ...]) -> Records:
    """Read all rows for a method that needs them."""
    return records(
        data.records((*plan.quasi_identifiers, *plan.counted)),
        plan.quasi_identifiers,
        plan.counted,
        {column.name: column.type for column in plan.schema},
        {ladder.column: ladder for ladder in ladders},
        {name: cells.up for name, cells in frequencies.cells.items() if cells.up is not None},
    )


def population(plan: Plan, data: Data) -> Data | None:
    """Open the table of the population that some model compares with; its columns are understood as the data's."""
    paths = {model.population_path for model in plan.models} - {None}
    if not paths:
        return None
    if len(paths) > 1:
        raise ParameterError("Two models name two different populations; one is meant.")
    types = {name: plan.schema[name].type for name in plan.quasi_identifiers}
    opened = data.beside(str(paths.pop()), types)
    opened.schema.require(plan.quasi_identifiers)
    return opened
