"""From a plan and a table that does not fit in memory to the task that Mondrian decides on part by part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.counting.domains import Domain
from antifaz.counting.filling import Filled
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.piecewise import Tally
from antifaz.counting.records import Records, records
from antifaz.counting.tuples import Tuples
from antifaz.engines.boxes import Boxes
from antifaz.engines.engine import Data
from antifaz.methods.clustering.mondrian_cuts import place_order
from antifaz.methods.clustering.out_of_core import OutOfCoreTask, bytes_held, bytes_in_memory, bytes_of_values
from antifaz.methods.method import Method
from antifaz.pipeline.plan import Plan

Parted = tuple[OutOfCoreTask, FrequencySet, Filled, Tally]


def part_by_part(plan: Plan, data: Data, progress: Progress) -> Parted | None:
    """Return the task of deciding part by part; None where the records fit, or nobody said how much memory there is."""
    if not plan.method.out_of_core:
        return None
    if data.memory is None:
        return None if data.by_row else _elsewhere(plan, plan.method, data, progress)
    need = needed(plan, data)
    if need <= data.memory:
        return None
    told = (
        f"In memory, {plan.method.name} is estimated to take {_megabytes(need)}, more than the "
        f"{_megabytes(data.memory)} given"
    )
    boxes = data.boxes(plan.in_turn)
    return None if boxes is None else _in_parts(plan, plan.method, data, boxes, told, progress)


def _elsewhere(plan: Plan, method: Method, data: Data, progress: Progress) -> Parted | None:
    """Do the same where rows are elsewhere, and the engine knows how many of them may come here."""
    columns = plan.in_turn
    if _obstacle(plan, method) and data.in_place(columns) is None:
        return None  # their combinations may come, and copies be made of them
    boxes = data.boxes(columns)
    told = "The quasi-identifiers of all records are more than the driver may hold"
    return None if boxes is None else _in_parts(plan, method, data, boxes, told, progress)


def _in_parts(plan: Plan, method: Method, data: Data, boxes: Boxes, told: str, progress: Progress) -> Parted:
    """Say why it is done part by part, and find how many records may be held."""
    _refuse(plan, method, told)
    progress.tell(None, f"{told}: it is done part by part")
    values = 0 if boxes.most else sum(boxes.distinct())
    fit = boxes.most or (boxes.room - bytes_of_values(values)) // bytes_held(len(plan.in_turn))
    if fit < 1:
        raise ParameterError(
            "plan.too-many-values-for-memory", number=values, megabytes=_megabytes(bytes_of_values(values))
        )
    data.notes.append(f"{told}: parts were cut where the rows are, and finished up to {fit:,} records at a time.")
    return parted(plan, data, boxes, fit, progress)


def needed(plan: Plan, data: Data) -> int:
    """Estimate the bytes that the whole process takes when all records are held."""
    attributes = len(plan.in_turn) + len(plan.counted)
    return data.program_memory + bytes_in_memory(data.rows, attributes, len(plan.schema.names))


def parted(plan: Plan, data: Data, boxes: Boxes, fit: int, progress: Progress) -> Parted:
    """Put the values of each quasi-identifier in order, and leave the records where they are.

    Returns the task, what is known of the values, that nothing was filled in, and the sizes of the classes as the table
    came.
    """
    types = {column.name: column.type for column in plan.schema}
    counted = boxes.alone()
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
        models=plan.asked,
        random=generator(plan.seed),
        progress=progress,
        whole=Records(attributes=tuple(attributes), rows=data.rows),
        boxes=boxes,
        fit=fit,
        totals=tuple(_totals(a.domain, own.counts) for a, own in zip(attributes, counted, strict=True)),
    )
    sizes, times = boxes.sizes()
    return task, values, Filled(frequencies=values), Tally(sizes=sizes, times=times)


def _refuse(plan: Plan, method: Method, told: str) -> None:
    """Raise if it can't be done part by part."""
    if (obstacle := _obstacle(plan, method)) is not None:
        raise ParameterError("plan.not-part-by-part", told=told, obstacle=obstacle)


def _obstacle(plan: Plan, method: Method) -> str | None:
    """Say why not: only parts whose equal records stay together can be cut from afar, and only by counting to k."""
    if (reason := method.out_of_core_obstacle()) is not None:
        return reason
    others = [model.name for model in plan.asked if model.class_size is None]
    if others or plan.counted:
        what = others[0] if others else "what a hierarchy learns from a sensitive attribute"
        return f"k-anonymity can be reached, not {what}; give more memory, or leave that out"
    return None


def _without_rows(counted: Tuples) -> Tuples:
    none = np.zeros(0, np.int32)
    return replace(counted, codes=tuple(none for _ in counted.codes), counts=none.astype(np.int64))


def _places(domain: Domain, order: NDArray[np.int32]) -> dict[str | None, int]:
    """Say where each value as read comes when its attribute is cut."""
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return dict(zip(domain.values, place[domain.codes].tolist(), strict=True))


def _totals(domain: Domain, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many records have each code."""
    totals = np.zeros(domain.size, np.int64)
    np.add.at(totals, domain.codes, counts)
    return totals


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.0f} MB"
