"""The step `prepare`: count the table and make the task that a method decides on.

Where the tuples do not fit in memory they stay with the engine, and the method asks for them: specialization counts and
descends where the distinct tuples are; Mondrian cuts boxes there, and fetches parts that fit.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from antifaz.core.arrays import Codes, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.machine import available_memory
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.core.types import DataType
from antifaz.counting.domains import Domain
from antifaz.counting.filling import FilledFrequencies, fill_missing
from antifaz.counting.frequencies import FrequencySet, Tuples, frequency_set
from antifaz.counting.mondrian_cuts import place_order
from antifaz.counting.piecewise import Tally
from antifaz.counting.records import Records, records, spread_out
from antifaz.counting.remote import BoxedTuples, RecodableTuples
from antifaz.counting.rollup import REMEMBERED, Ladder
from antifaz.counting.targets import together
from antifaz.engines.engine import Data
from antifaz.methods.method import Task
from antifaz.pipeline.differential_privacy import draw_private, refuse_private
from antifaz.pipeline.microaggregation import without_columns
from antifaz.pipeline.people import limit_rows, with_rows
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.state import Planned, Prepared
from antifaz.privacy.people import people_counted

#: What a distinct tuple takes until a method has decided, for each of its columns, and for each sensitive one: what is
#: held while tuples are grouped, checked against the peaks of runs with 8 columns, of one to five million tuples. Of
#: fewer tuples than that nothing is estimated.
_TUPLE, _TUPLE_CELL, _SENSITIVE_CELL, _FEW_TUPLES = 24, 8, 60, 100_000
#: Where so large a share of the rows are tuples of their own, they come out column by column: it takes less of all.
_NEARLY_ALL = 0.8
#: What a distinct text takes beside its cell: as text, in the column's domain and as a label. Measured.
_TEXT = 400
#: What the generalizations take that are remembered while levels are searched: a key and a count each.
_SEARCH = 16 * REMEMBERED


def start_run(plan: Plan, data: Data, progress: Progress | None = None, original: Data | None = None) -> Planned:
    """Return the first state of a run on an open table; `original` is the table before operations."""
    whole = data
    plan, data = draw_private(plan, data)
    by_row = plan.sets or plan.limit_rows is not None or plan.leave_out == "people"
    data = limit_rows(plan.person, plan.limit_rows, with_rows(data) if by_row else data, plan.seed)
    if not data.by_row or not _fits(plan, data):
        plan = plan.with_method(plan.method.on_counts())
    own = decision_data(plan, data)
    return Planned(
        plan=plan, data=own, original=original or (own if data is whole else whole), progress=progress or Progress()
    )


def decision_data(plan: Plan, data: Data) -> Data:
    """Return the data where the method can decide on it: where it must tell equal rows apart, they come here.

    They also come where this user may only read.
    """
    alike = plan.method.keeps_equal_together and _fits(plan, data)
    by_row = plan.method.needs_rows and not data.by_row and not alike
    return data.download() if by_row or data.select_only else data


def _fits(plan: Plan, data: Data) -> bool:
    return data.memory is None or needed_memory(plan, data, data.memory) <= data.memory


def needed_memory(plan: Plan, data: Data, limit: int) -> int:
    """Estimate the bytes that the whole process takes when all records are held, with whose they are.

    Distinct texts take far more than texts that recur. They are counted only where it depends on them whether the limit
    is kept to.
    """
    columns = (*plan.column_order, *plan.counted, *plan.person)
    need = data.program_memory + bytes_in_memory(data.rows, len(columns), len(plan.schema.names))
    texts = {name for name in columns if plan.types[name] is DataType.TEXT}
    if need > limit or need + _bytes_of_texts(data.rows * len(texts)) <= limit:
        return need
    return need + _bytes_of_texts(sum(column.distinct for column in data.profile() if column.name in texts))


def bytes_in_memory(rows: int, attributes: int, columns: int) -> int:
    """Estimate what a run takes that holds all records, beside the program itself.

    Measured: a record takes up to 110 bytes per attribute that is counted (its texts and codes, where it comes to lie
    among the groups, its labels), and 30 per column of the released row.
    """
    return rows * (110 * attributes + 30 * columns)


def _bytes_of_texts(distinct: int) -> int:
    """Estimate what the distinct texts of all columns take where all records are held."""
    return distinct * _TEXT


def _require_memory(plan: Plan, data: Data, progress: Progress) -> None:
    """Say what holding all records is expected to take; raise where the memory is not there."""
    limit = available_memory()
    if data.memory is not None and data.memory > data.program_memory:
        limit = min(limit or data.memory, data.memory)
    need, name = needed_memory(plan, data, limit), plan.method.name
    if limit and need > limit:
        code = "plan.needs-memory" if plan.method.needs_rows else "people.needs-memory"
        raise ParameterError(code, method=name, needed=need / 1e9, limit=limit / 1e9)
    if rate := plan.method.cells_per_second:
        seconds = data.rows * len(plan.column_order) / rate
        progress.tell(None, Message("progress.estimated-time", method=name, megabytes=need / 1e6, seconds=seconds))
    else:
        progress.tell(None, Message("progress.estimated-memory", method=name, megabytes=need / 1e6))


def _estimate_tuples(plan: Plan, data: Data, columns: Sequence[str]) -> int:
    """Estimate how many distinct tuples there are; raise where they would take more memory than may be used.

    Without a limit, some rows are looked at, and of few rows none.
    """
    limit = data.memory
    if limit is None:
        return data.estimate_tuples(columns) if data.by_row and data.rows > _FEW_TUPLES else 0
    tuples = data.estimate_tuples(columns)
    # A third of what the program leaves is the database's (`core.memory`), so that these get two thirds.
    each = _TUPLE + _TUPLE_CELL * len(columns) + _SENSITIVE_CELL * len(plan.counted)
    needed = data.program_memory + (_SEARCH * (1 + len(plan.counted)) + tuples * each) * 3 // 2
    if tuples > _FEW_TUPLES and needed > limit:
        told: dict[str, Any] = {"method": plan.method.name, "tuples": tuples}
        raise ParameterError("plan.counts-need-memory", **told, needed=needed / 1e9, limit=limit / 1e9)
    return tuples


def make_task(plan: Plan, data: Data, progress: Progress | None = None) -> Task:
    """Count the distinct combinations and bind the hierarchies to the values that occur."""
    refuse_private(plan.models, "dp.why-candidates")
    prepared = prepare(start_run(plan, data, progress))
    if not plan.person:
        return prepared.task
    # Everybody is counted: it is told how many people there are, not only whether there are k.
    return replace(prepared.task, frequencies=without_columns(prepared.filled.frequencies, plan.without_part))


def prepare(state: Planned) -> Prepared:
    """Count the distinct combinations, deal with missing values, and bind the hierarchies to the values that occur.

    Where the tuples are too many to come here, they are counted where they stay.
    """
    plan, prepared = state.plan, _count_remotely(state) or _count_here(state)
    order = plan.hardening.row_order(prepared.task.records)
    task = plan.hardening.hide_sensitive(prepared.task, plan.method.needs(), order)
    return replace(prepared, task=task, row_order=order)


def _count_here(state: Planned) -> Prepared:
    plan, data = state.plan, state.data
    if plan.method.needs_rows or (plan.person and data.by_row and data.memory is not None):
        _require_memory(plan, data, state.progress)
    columns = (*plan.column_order, *plan.counted, *plan.person)
    # As many as were allowed to come, whatever the method.
    if (most := data.limits.get("tuples")) and columns and data.remote(columns, RecodableTuples) is not None:
        raise ParameterError("plan.more-tuples-than-allowed", method=plan.method.name, most=most)
    # With whose row it is, nearly every row is a tuple of its own, and grouping them would save nothing.
    distinct = bool(plan.person)
    if not plan.method.needs_rows and not plan.person and columns:
        distinct = _estimate_tuples(plan, data, columns) > _NEARLY_ALL * data.rows
    counted = data.records(columns) if distinct and data.by_row else data.count(columns)
    people = _population(plan, data)
    others = None if people is None else people.count(plan.column_order)
    before = _frequencies(plan, counted, plan.column_order, others)
    filled = fill_missing(before, plan.missing)
    frequencies = without_columns(filled.frequencies, plan.without_part)
    ladders = plan.ladders(frequencies)
    if frequencies.people is not None and plan.leave_out == "rows":
        frequencies = replace(frequencies, people=people_counted(plan.asked_models, frequencies.people))
    task = Task(
        frequencies=frequencies, ladders=ladders, models=plan.asked_models, random=generator(plan.seed),
        progress=state.progress, leave_out=plan.leave_out,
        records=_records(plan, data, counted, filled.frequencies, ladders) if plan.method.needs_rows else None,
    )  # fmt: skip
    return Prepared.after(state, task=task, before=before, filled=filled, population=people)


def _frequencies(plan: Plan, counted: Tuples, columns: Sequence[str], others: Tuples | None = None) -> FrequencySet:
    """Return what was counted as a frequency set of some quasi-identifiers, with all that models and method ask for."""
    own = plan.with_trees(frequency_set(counted, columns, plan.counted, plan.types, others, plan.person))
    for names in plan.targets:
        if len(names) > 1:
            own = together(own, counted, names)
    return own


def _records(plan: Plan, data: Data, counted: Tuples, frequencies: FrequencySet, ladders: Sequence[Ladder]) -> Records:
    """Read all rows for a method that needs them; where rows can't be told apart, copies of what was counted."""
    if not data.by_row:
        counted = spread_out(counted)
    elif not plan.person:
        counted = data.records((*plan.column_order, *plan.counted))
    return records(
        counted, plan.column_order, plan.counted,
        plan.types, {ladder.column: ladder for ladder in ladders},
        {name: cells.up for name, cells in frequencies.cells.items() if cells.up is not None}, copies=not data.by_row,
        person=plan.person,
    )  # fmt: skip


def _population(plan: Plan, data: Data) -> Data | None:
    """Open the table of the population that some model compares with; its columns are understood as the data's."""
    paths = {model.population_path for model in plan.models} - {None}
    if not paths:
        return None
    if len(paths) > 1:
        raise ParameterError("plan.two-populations")
    opened = data.another_table(str(paths.pop()), {name: plan.types[name] for name in plan.quasi_identifiers})
    opened.schema.require(plan.quasi_identifiers)
    return opened


def _count_remotely(state: Planned) -> Prepared | None:
    """Prepare a task about tuples that stay with the engine; None where they fit here."""
    plan, data = state.plan, state.data
    if plan.person or plan.microaggregate:
        return None  # who is behind each tuple, or which values a class has, must be known here
    if plan.method.out_of_core:
        return _mondrian(state)
    # Records that are left out for a missing value are named by their tuples, so those would have to come out.
    dropped = any(way == "drop" for way in plan.missing.values())
    if not plan.method.remote_tuples or dropped:
        return None
    from antifaz.methods.specialization.remote import can_specialize_remotely

    if not can_specialize_remotely(plan.asked_models):
        return None
    tuples = data.remote((*plan.column_order, *plan.counted), RecodableTuples)
    return None if tuples is None else _specialization(state, tuples)


# -- Mondrian


def _mondrian(state: Planned) -> Prepared | None:
    """Leave the records where they are if they need more memory than was given here, or may come from elsewhere."""
    from antifaz.methods.clustering.out_of_core import bytes_held, bytes_of_values

    plan, data = state.plan, state.data
    if data.memory is not None:
        need = needed_memory(plan, data, data.memory)
        if need <= data.memory:
            return None
        megabytes, megabytes2 = _megabytes(need), _megabytes(data.memory)
        why = Message("note.more-than-memory", method=plan.method.name, megabytes=megabytes, megabytes2=megabytes2)
    elif data.by_row or (_obstacle(plan) and data.remote(plan.column_order, RecodableTuples) is None):
        return None  # the rows are here; or their combinations may come, and copies be made of them
    else:
        why = Message("note.more-than-driver-memory")
    boxes = data.remote(plan.column_order, BoxedTuples)
    if boxes is None:
        return None
    if (obstacle := _obstacle(plan)) is not None:
        raise ParameterError("plan.not-part-by-part", told=why, obstacle=obstacle)
    state.progress.tell(None, Message("progress.part-by-part", told=why))
    values = 0 if boxes.max_records else sum(boxes.distinct_values())
    fit = boxes.max_records or (boxes.memory - bytes_of_values(values)) // bytes_held(len(plan.column_order))
    if fit < 1:
        megabytes = _megabytes(bytes_of_values(values))
        raise ParameterError("plan.too-many-values-for-memory", number=values, megabytes=megabytes)
    data.notes.append(Message("note.done-part-by-part", told=why, fit=fit))
    return count_out_of_core(state, boxes, fit)


def count_out_of_core(state: Planned, boxes: BoxedTuples, fit: int) -> Prepared:
    """Put the values of each quasi-identifier in order, and leave the records where they are; `fit` come at a time."""
    from antifaz.methods.clustering.out_of_core import OutOfCoreTask

    plan, rows = state.plan, state.data.rows
    counted = boxes.column_counts()
    none = np.zeros(0, np.int32)
    empty = [replace(own, codes=(none,) * len(own.codes), counts=none.astype(np.int64)) for own in counted]
    attributes = [records(own, own.columns, (), plan.types).attributes[0] for own in empty]
    values = FrequencySet(domains=tuple(a.domain for a in attributes), codes=(), counts=np.array([rows]))
    ladders = {ladder.column: ladder for ladder in plan.ladders(values)}
    attributes = [replace(attribute, ladder=ladders.get(attribute.column)) for attribute in attributes]
    orders = [place_order(attribute) for attribute in attributes]
    places = [_places(a.domain, order) for a, (order, _) in zip(attributes, orders, strict=True)]
    boxes.encode(places, [known for _, known in orders])
    task = OutOfCoreTask(
        frequencies=values, ladders=tuple(ladders.values()), random=generator(plan.seed),
        models=tuple(model.in_classes() for model in plan.asked_models),
        progress=state.progress, whole=Records(attributes=tuple(attributes), rows=rows), boxes=boxes, fit=fit,
        totals=tuple(_totals(a.domain, own) for a, own in zip(attributes, counted, strict=True)),
    )  # fmt: skip
    sizes, times = boxes.sizes()
    filled, tally = FilledFrequencies(frequencies=values), Tally(sizes=sizes, times=times)
    return Prepared.after(state, task=task, before=values, filled=filled, tally=tally)


def _obstacle(plan: Plan) -> str | None:
    """Say why not: only parts whose equal records stay together can be cut remotely, and only by counting to k."""
    if (reason := plan.method.out_of_core_obstacle()) is not None:
        return reason
    others = [model.name for model in plan.asked_models if model.in_classes().class_size is None]
    if others or plan.counted:
        what = others[0] if others else Message("plan.learnt-hierarchy")
        return Message("plan.only-k-anonymity-by-parts", what=what)
    return None


def _places(domain: Domain, order: Codes) -> dict[str | None, int]:
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return dict(zip(domain.values, place[domain.codes].tolist(), strict=True))


def _totals(domain: Domain, counted: Tuples) -> Ints:
    totals = np.zeros(domain.size, np.int64)
    np.add.at(totals, domain.codes[counted.codes[0]], counted.counts)
    return totals


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.0f} MB"


# -- specialization


def _specialization(state: Planned, tuples: RecodableTuples) -> Prepared:
    """Count each quasi-identifier by itself, and make of that a task about tuples that stay where they are."""
    from antifaz.methods.specialization.partition import Forest
    from antifaz.methods.specialization.remote import RemoteFrequencies, RemoteTask

    plan = state.plan
    before = [_frequencies(plan, counted, counted.columns[:1]) for counted in tuples.column_counts(plan.counted)]
    ways = [{name: plan.missing[name]} if name in plan.missing else {} for name in plan.column_order]
    filled = [fill_missing(own, way) for own, way in zip(before, ways, strict=True)]
    sets = tuple(own.frequencies for own in filled)
    ladders = tuple(ladder for own in sets for ladder in plan.ladders(own))
    counted = [before[0].cells[name].domain for name in plan.counted]
    domains = (*(own.domains[0] for own in before), *counted)
    tuples.encode([dict(zip(domain.values, domain.codes.tolist(), strict=True)) for domain in domains])
    fills = tuple(_fill(old.domains[0], new.domains[0]) for old, new in zip(before, sets, strict=True))
    remote = RemoteFrequencies(tuples=tuples, sets=sets, fills=fills)
    forest = Forest(ladders)
    frequencies = remote.at(forest, forest.roots(), tuple(sets[0].cells))
    task = RemoteTask(
        frequencies=frequencies, ladders=ladders, random=generator(plan.seed), progress=state.progress, remote=remote,
        models=tuple(model.in_classes() for model in plan.asked_models),
    )  # fmt: skip
    state.data.notes.append(Message("note.counted-where-rows-are", budget=tuples.max_tuples))
    known = {name: number for own in filled for name, number in own.filled.items()}
    now_filled = FilledFrequencies(frequencies=frequencies, filled=known)
    return Prepared.after(state, task=task, before=_class_sizes(tuples, before, counted), filled=now_filled)


def _fill(old: Domain, new: Domain) -> Codes | None:
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
