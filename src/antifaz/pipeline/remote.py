"""Build a method's task when the tuples do not fit in memory: they stay with the engine, and the method asks for them.

Specialization counts and descends where the distinct tuples are. Mondrian cuts boxes there, and fetches parts that fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.counting.domains import Domain
from antifaz.counting.filling import FilledFrequencies, fill_missing
from antifaz.counting.frequencies import FrequencySet, Tuples, frequency_set
from antifaz.counting.piecewise import Tally
from antifaz.counting.records import Records, records
from antifaz.counting.targets import together
from antifaz.engines.engine import Data
from antifaz.engines.remote import BoxedTuples, RecodableTuples
from antifaz.methods.clustering.mondrian_cuts import place_order
from antifaz.methods.clustering.out_of_core import OutOfCoreTask, bytes_held, bytes_in_memory, bytes_of_values
from antifaz.methods.method import Method, Task
from antifaz.methods.specialization.forest import Forest
from antifaz.methods.specialization.remote import RemoteFrequencies, RemoteTask, can_specialize_remotely
from antifaz.pipeline.plan import Plan


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteCounts:
    """A task about tuples that stay with the engine, and what is known of the table as it came."""

    task: Task
    before: FrequencySet
    filled: FilledFrequencies
    #: The sizes of the classes before, where `before` does not hold them.
    tally: Tally | None = None


def count_remotely(plan: Plan, data: Data, progress: Progress) -> RemoteCounts | None:
    """Return the task about tuples that stay with the engine; None where they fit here."""
    if plan.method.out_of_core:
        if data.memory is None:
            return None if data.by_row else _mondrian_elsewhere(plan, plan.method, data, progress)
        return _mondrian_here(plan, plan.method, data, data.memory, progress)
    # Records that are left out for a missing value are named by their tuples, so those would have to come out.
    dropped = any(way == "drop" for way in plan.missing.values())
    if not plan.method.remote_tuples or not can_specialize_remotely(plan.asked_models) or dropped:
        return None
    tuples = data.remote((*plan.column_order, *plan.counted), RecodableTuples)
    return None if tuples is None else _specialization(plan, data, tuples, progress)


# -- Mondrian


def needed_memory(plan: Plan, data: Data) -> int:
    """Estimate the bytes that the whole process takes when all records are held."""
    attributes = len(plan.column_order) + len(plan.counted)
    return data.program_memory + bytes_in_memory(data.rows, attributes, len(plan.schema.names))


def _mondrian_here(plan: Plan, method: Method, data: Data, memory: int, progress: Progress) -> RemoteCounts | None:
    """Leave the records in the engine's files if they need more memory than was given."""
    need = needed_memory(plan, data)
    if need <= memory:
        return None
    why = Message(
        "note.more-than-memory", method=method.name, megabytes=_megabytes(need), megabytes2=_megabytes(memory)
    )
    boxes = data.remote(plan.column_order, BoxedTuples)
    return None if boxes is None else _mondrian(plan, method, data, boxes, why, progress)


def _mondrian_elsewhere(plan: Plan, method: Method, data: Data, progress: Progress) -> RemoteCounts | None:
    """Leave the records on another machine if its engine says that they are more than may come here."""
    columns = plan.column_order
    if _obstacle(plan, method) and data.remote(columns, RecodableTuples) is None:
        return None  # their combinations may come, and copies be made of them
    boxes = data.remote(columns, BoxedTuples)
    why = Message("note.more-than-driver-memory")
    return None if boxes is None else _mondrian(plan, method, data, boxes, why, progress)


def _mondrian(plan: Plan, method: Method, data: Data, boxes: BoxedTuples, why: str, progress: Progress) -> RemoteCounts:
    """Say why it is done part by part, and find how many records may be held."""
    if (obstacle := _obstacle(plan, method)) is not None:
        raise ParameterError("plan.not-part-by-part", told=why, obstacle=obstacle)
    progress.tell(None, Message("progress.part-by-part", told=why))
    values = 0 if boxes.max_records else sum(boxes.distinct_values())
    fit = boxes.max_records or (boxes.memory - bytes_of_values(values)) // bytes_held(len(plan.column_order))
    if fit < 1:
        raise ParameterError(
            "plan.too-many-values-for-memory", number=values, megabytes=_megabytes(bytes_of_values(values))
        )
    data.notes.append(Message("note.done-part-by-part", told=why, fit=fit))
    return out_of_core_counts(plan, data, boxes, fit, progress)


def out_of_core_counts(plan: Plan, data: Data, boxes: BoxedTuples, fit: int, progress: Progress) -> RemoteCounts:
    """Put the values of each quasi-identifier in order, and leave the records where they are."""
    types = {column.name: column.type for column in plan.schema}
    counted = boxes.column_counts()
    attributes = [records(_without_rows(own), own.columns, (), types).attributes[0] for own in counted]
    values = FrequencySet(domains=tuple(a.domain for a in attributes), codes=(), counts=np.array([data.rows]))
    ladders = {ladder.column: ladder for ladder in plan.ladders(values)}
    attributes = [replace(attribute, ladder=ladders.get(attribute.column)) for attribute in attributes]
    orders = [place_order(attribute) for attribute in attributes]
    boxes.encode(
        [_places(a.domain, order) for a, (order, _) in zip(attributes, orders, strict=True)],
        [known for _, known in orders],
    )
    task = OutOfCoreTask(
        frequencies=values,
        ladders=tuple(ladders.values()),
        models=plan.asked_models,
        random=generator(plan.seed),
        progress=progress,
        whole=Records(attributes=tuple(attributes), rows=data.rows),
        boxes=boxes,
        fit=fit,
        totals=tuple(_totals(a.domain, own) for a, own in zip(attributes, counted, strict=True)),
    )
    sizes, times = boxes.sizes()
    return RemoteCounts(
        task=task, before=values, filled=FilledFrequencies(frequencies=values), tally=Tally(sizes=sizes, times=times)
    )


def _obstacle(plan: Plan, method: Method) -> str | None:
    """Say why not: only parts whose equal records stay together can be cut remotely, and only by counting to k."""
    if (reason := method.out_of_core_obstacle()) is not None:
        return reason
    others = [model.name for model in plan.asked_models if model.class_size is None]
    if others or plan.counted:
        what = others[0] if others else Message("plan.learnt-hierarchy")
        return Message("plan.only-k-anonymity-by-parts", what=what)
    return None


def _without_rows(counted: Tuples) -> Tuples:
    none = np.zeros(0, np.int32)
    return replace(counted, codes=tuple(none for _ in counted.codes), counts=none.astype(np.int64))


def _places(domain: Domain, order: NDArray[np.int32]) -> dict[str | None, int]:
    """Say where each value as read comes when its attribute is cut."""
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return dict(zip(domain.values, place[domain.codes].tolist(), strict=True))


def _totals(domain: Domain, counted: Tuples) -> NDArray[np.int64]:
    """Return how many records have each code."""
    totals = np.zeros(domain.size, np.int64)
    np.add.at(totals, domain.codes[counted.codes[0]], counted.counts)
    return totals


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.0f} MB"


# -- specialization


def _specialization(plan: Plan, data: Data, tuples: RecodableTuples, progress: Progress) -> RemoteCounts:
    """Count each quasi-identifier by itself, and make of that a task about tuples that stay where they are."""
    before = [_one_attribute(plan, counted) for counted in tuples.column_counts(plan.counted)]
    ways = [{name: plan.missing[name]} if name in plan.missing else {} for name in plan.column_order]
    filled = [fill_missing(own, way) for own, way in zip(before, ways, strict=True)]
    sets = tuple(own.frequencies for own in filled)
    ladders = tuple(ladder for own in sets for ladder in plan.ladders(own))
    counted = [before[0].cells[name].domain for name in plan.counted]
    domains = (*(own.domains[0] for own in before), *counted)
    tuples.encode([dict(zip(domain.values, domain.codes.tolist(), strict=True)) for domain in domains])
    remote = RemoteFrequencies(
        tuples=tuples,
        sets=sets,
        fills=tuple(_fill(old.domains[0], new.domains[0]) for old, new in zip(before, sets, strict=True)),
    )
    forest = Forest(ladders)
    frequencies = remote.at(forest, forest.roots(), tuple(sets[0].cells))
    task = RemoteTask(
        frequencies=frequencies,
        ladders=ladders,
        models=plan.asked_models,
        random=generator(plan.seed),
        progress=progress,
        remote=remote,
    )
    data.notes.append(Message("note.counted-where-rows-are", budget=tuples.max_tuples))
    known = {name: number for own in filled for name, number in own.filled.items()}
    return RemoteCounts(
        task=task,
        before=_class_sizes(tuples, before, counted),
        filled=FilledFrequencies(frequencies=frequencies, filled=known),
    )


def _one_attribute(plan: Plan, counted: Tuples) -> FrequencySet:
    """One quasi-identifier by itself, with all that is counted."""
    name = counted.columns[0]
    own = plan.with_trees(
        frequency_set(counted, (name,), plan.counted, {column.name: column.type for column in plan.schema})
    )
    for names in plan.targets:
        if len(names) > 1:
            own = together(own, counted, names)
    return own


def _fill(old: Domain, new: Domain) -> NDArray[np.int32] | None:
    """What each code became when missing values were dealt with."""
    if old is new:
        return None
    became = np.arange(old.size, dtype=np.int32)
    became[old.codes] = new.codes
    return became


def _class_sizes(tuples: RecodableTuples, before: Sequence[FrequencySet], counted: Sequence[Domain]) -> FrequencySet:
    """The sizes of the classes as the table came; which they are stays where the rows are."""
    sizes, times = tuples.sizes([*(None for _ in before), *(np.zeros(domain.size, np.int32) for domain in counted)])
    domains = tuple(own.domains[0] for own in before)
    return replace(before[0], domains=domains, codes=(), counts=np.repeat(sizes, times), cells={})
