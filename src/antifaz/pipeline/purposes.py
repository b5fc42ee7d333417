"""What a recipient would get, by purpose: what `auto` takes for each, what that loses, and one record as released."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from antifaz.core.errors import AntifazError, ParameterError
from antifaz.core.messages import Message, messages_in
from antifaz.core.progress import Progress
from antifaz.core.recoding import Recoding, RowRecoding, TupleRecoding
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.records import Records
from antifaz.engines.engine import Data
from antifaz.methods.method import Decision, Task
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.prepare import prepare, start_run
from antifaz.proposals.auto import Auto, Purpose

#: In the order in which they are shown.
PURPOSES: tuple[Purpose, ...] = ("read", "analyse", "numbers")
#: So many tuples are tried until one is released for every purpose.
_TRIED = 50

_Labels = list[str | None]
#: Says what a tuple, by its codes, is released as; None where it is left out.
_Release = Callable[[Sequence[int]], _Labels | None]


def compare_purposes(plan: Plan, data: Data, progress: Progress | None = None) -> dict[str, Any]:
    """Decide for every purpose as a run would, nothing being written.

    Each has the method that is taken, with its loss and the records left out, and what became of one and the same
    record where all release it; or the problem, where no method reaches what is asked.
    """
    if not plan.quasi_identifiers:
        raise ParameterError("proposal.k-without-quasi-identifiers")
    progress = progress or Progress()
    found: list[dict[str, Any]] = []
    releases: dict[str, _Release] = {}
    frequencies: FrequencySet | None = None
    with data.snapshot():
        for place, purpose in enumerate(PURPOSES):
            with progress.step("decide", Message("progress.deciding")):
                progress.tell(place / len(PURPOSES), "")
                own = {"purpose": purpose}
                try:
                    task, decision = _decided(plan, data, purpose)
                except AntifazError as error:
                    found.append(own | {"problem": error.message})
                    continue
            frequencies = task.frequencies
            releases[purpose] = _release_of(task, decision.recoding)
            found.append(own | _figures(decision))
    samples = _samples(frequencies, releases) if frequencies is not None else {}
    for one in found:
        one["sample"] = samples.get(one["purpose"])
    columns = list(frequencies.columns) if frequencies is not None else []
    result = {"rows": data.rows, "columns": columns, "purposes": found}
    return result | {"messages": messages_in(result)}


def _decided(plan: Plan, data: Data, purpose: Purpose) -> tuple[Task, Decision]:
    own = plan.method if isinstance(plan.method, Auto) else Auto()
    target = own.target if purpose == "analyse" else None
    state = prepare(start_run(plan.with_method(Auto(purpose=purpose, target=target, seconds=own.seconds)), data))
    with plan.hardening.hide_sizes():
        return state.task, plan.hardening.hide_margin(state.plan.method.decide(state.task))


def _figures(decision: Decision) -> dict[str, Any]:
    """Return what was measured of the decision that was taken."""
    details = decision.details
    settings = details["settings"]
    taken = next(one for one in details["tried"] if (one["name"], one["settings"]) == (details["chosen"], settings))
    own = {key: taken[key] for key in ("loss", "left_out", "accuracy") if key in taken}
    return {"method": details["chosen"], "settings": settings, "tried": len(details["tried"]), **own}


def _samples(frequencies: FrequencySet, releases: dict[str, _Release]) -> dict[str, _Labels | None]:
    """Return what the most frequent tuple that all release becomes; where there is none, of each the first it has."""
    best: dict[str, _Labels | None] = {}
    for at in np.argsort(-frequencies.counts, kind="stable")[:_TRIED]:
        codes = [int(column[at]) for column in frequencies.codes]
        here = {purpose: release(codes) for purpose, release in releases.items()}
        if all(labels is not None for labels in here.values()):
            return here
        for purpose, labels in here.items():
            best[purpose] = best.get(purpose) or labels
    return best


def _release_of(task: Task, recoding: Recoding) -> _Release:
    if recoding.rows is not None and task.records is not None:
        return _of_rows(task, recoding.rows, task.records)
    if recoding.stored is not None:  # what becomes of whom is known to the engine only
        return lambda codes: None
    return _of_tuples(recoding.tuples) if recoding.tuples is not None else _of_values(task, recoding)


def _of_rows(task: Task, rows: RowRecoding, records: Records) -> _Release:
    groups = np.asarray(rows.groups)
    columns = [attribute.codes for attribute in records.attributes]
    places = [task.frequencies.columns.index(attribute.column) for attribute in records.attributes]

    def release(codes: Sequence[int]) -> _Labels | None:
        alike = groups >= 0
        for column, place in zip(columns, places, strict=True):
            alike &= column == codes[place]
        if not alike.any():
            return None
        group = groups[int(np.argmax(alike))]
        each = zip(places, rows.labels, rows.released, strict=True)
        known = {place: labels[released[group]] for place, labels, released in each}
        return [known.get(place) for place in range(len(codes))]

    return release


def _of_tuples(tuples: TupleRecoding) -> _Release:
    columns = [np.asarray(column) for column in tuples.tuples]

    def release(codes: Sequence[int]) -> _Labels | None:
        alike = np.ones(columns[0].size, np.bool_)
        for column, code in zip(columns, codes, strict=True):
            alike &= column == code
        if not alike.any():
            return None
        at = int(np.argmax(alike))
        return [labels[released[at]] for labels, released in zip(tuples.labels, tuples.released, strict=True)]

    return release


def _of_values(task: Task, recoding: Recoding) -> _Release:
    # Several spellings may share a code; they have the same label.
    labels = [
        dict(zip(domain.codes.tolist(), column.labels, strict=True))
        for domain, column in zip(task.frequencies.domains, recoding.columns, strict=True)
    ]
    left_out = set(recoding.suppressed)

    def release(codes: Sequence[int]) -> _Labels | None:
        own = [labels[a].get(code) for a, code in enumerate(codes)]
        return None if tuple(own) in left_out else own

    return release
