"""From a plan and a table to the task that a method decides on."""

from __future__ import annotations

from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.counting.frequencies import frequency_set
from antifaz.engines.local.count import count
from antifaz.engines.local.data import LocalData
from antifaz.methods.method import Task
from antifaz.projects.plan import Plan


def make_task(plan: Plan, data: LocalData, progress: Progress | None = None) -> Task:
    """Count the distinct combinations and bind the hierarchies to the values that occur."""
    types = {column.name: column.type for column in plan.schema}
    counted = count(data, (*plan.quasi_identifiers, *plan.counted))
    frequencies = plan.with_trees(frequency_set(counted, plan.quasi_identifiers, plan.counted, types))
    return Task(
        frequencies=frequencies,
        ladders=plan.ladders(frequencies),
        models=plan.models,
        random=generator(plan.seed),
        progress=progress or Progress(),
    )
