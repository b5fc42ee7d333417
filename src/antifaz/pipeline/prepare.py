"""From a plan and a table to the task that a method decides on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.core.recoding import Recoding
from antifaz.counting.filling import FilledFrequencies, fill_missing, with_dropped
from antifaz.counting.frequencies import FrequencySet, Tuples, frequency_set
from antifaz.counting.ladders import Ladder
from antifaz.counting.piecewise import Tally
from antifaz.counting.records import Records, records, spread_out
from antifaz.counting.targets import together
from antifaz.engines.engine import Data
from antifaz.methods.method import Task
from antifaz.pipeline.hardening import blindfolded, in_place_again, turns
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.remote import count_remotely, needed_memory


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """A task, and the counts of the table as it came, before missing values were dealt with."""

    task: Task
    before: FrequencySet
    filled: FilledFrequencies
    #: The sizes of the classes before, where `before` does not hold them.
    tally: Tally | None = None
    #: In a hardened run, which row the method sees at each place.
    turns: NDArray[np.int64] | None = None

    @property
    def sizes(self) -> NDArray[np.int64] | Tally:
        """The sizes of the classes of the table as it came."""
        return self.tally or self.before.counts

    def complete(self, recoding: Recoding) -> Recoding:
        """Return what was decided, with the records that were left out before."""
        recoding = in_place_again(recoding, self.turns)
        plain = recoding.tuples is None and recoding.stored is None
        return with_dropped(recoding, self.before, self.filled) if plain else recoding


def make_task(plan: Plan, data: Data, progress: Progress | None = None) -> Task:
    """Count the distinct combinations and bind the hierarchies to the values that occur."""
    return prepare(plan, data, progress).task


def prepare(plan: Plan, data: Data, progress: Progress | None = None) -> Prepared:
    """Count the distinct combinations, deal with missing values, and bind the hierarchies to the values that occur."""
    data = fitting(plan, data)
    types = {column.name: column.type for column in plan.schema}
    if (remote := count_remotely(plan, data, progress or Progress())) is not None:
        task = blindfolded(plan, remote.task)
        return Prepared(task=task, before=remote.before, filled=remote.filled, tally=remote.tally)
    counted = data.count((*plan.in_turn, *plan.counted))
    people = population(plan, data)
    others = None
    if people is not None:
        with people:
            others = people.count(plan.in_turn)
    before = plan.with_trees(frequency_set(counted, plan.in_turn, plan.counted, types, others))
    for names in plan.targets:
        if len(names) > 1:
            before = together(before, counted, names)
    filled = fill_missing(before, plan.missing)
    frequencies = filled.frequencies
    ladders = plan.ladders(frequencies)
    task = Task(
        frequencies=frequencies,
        ladders=ladders,
        models=plan.asked,
        random=generator(plan.seed),
        progress=progress or Progress(),
        records=_records(plan, data, counted, frequencies, ladders) if plan.method.needs_rows else None,
    )
    return Prepared(task=blindfolded(plan, task), before=before, filled=filled, turns=turns(plan, task.records))


def fitting(plan: Plan, data: Data) -> Data:
    """Return the data where the method can decide on it: where it must tell equal rows apart, they come here."""
    held = data.memory is None or needed_memory(plan, data) <= data.memory
    alike = plan.method.keeps_equal_together and held
    return data.at_hand() if plan.method.needs_rows and not data.by_row and not alike else data


def _records(
    plan: Plan, data: Data, counted: Tuples, frequencies: FrequencySet, ladders: tuple[Ladder, ...]
) -> Records:
    """Read all rows for a method that needs them; where rows can't be told apart, copies of what was counted."""
    return records(
        data.records((*plan.in_turn, *plan.counted)) if data.by_row else spread_out(counted),
        plan.in_turn,
        plan.counted,
        {column.name: column.type for column in plan.schema},
        {ladder.column: ladder for ladder in ladders},
        {name: cells.up for name, cells in frequencies.cells.items() if cells.up is not None},
        copies=not data.by_row,
    )


def population(plan: Plan, data: Data) -> Data | None:
    """Open the table of the population that some model compares with; its columns are understood as the data's."""
    paths = {model.population_path for model in plan.models} - {None}
    if not paths:
        return None
    if len(paths) > 1:
        raise ParameterError("plan.two-populations")
    types = {name: plan.schema[name].type for name in plan.quasi_identifiers}
    opened = data.beside(str(paths.pop()), types)
    opened.schema.require(plan.quasi_identifiers)
    return opened
