"""From a plan and a table whose distinct combinations are too many to come out to the task that a method decides on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.counting.domains import Domain
from antifaz.counting.filling import Filled, fill_missing
from antifaz.counting.frequencies import FrequencySet, frequency_set
from antifaz.counting.targets import together
from antifaz.counting.tuples import Tuples
from antifaz.engines.engine import Data
from antifaz.engines.in_place import InPlace
from antifaz.methods.specialization.afar import Distant, DistantTask, can_be_distant
from antifaz.methods.specialization.forest import Forest
from antifaz.pipeline.plan import Plan


def may_stay(plan: Plan) -> bool:
    """Whether what is planned can be decided while the combinations stay where they are.

    Records that are left out for a missing value are named by their combinations, so those would have to come out.
    """
    dropped = any(way == "drop" for way in plan.missing.values())
    return plan.method.remote_tuples and can_be_distant(plan.asked) and not dropped


def stay(plan: Plan, data: Data, place: InPlace, progress: Progress) -> tuple[DistantTask, FrequencySet, Filled]:
    """Count each quasi-identifier by itself, and make of that a task about combinations in place.

    Returns the task, what is known of the table as it came (the sizes of its classes), and what was filled in.
    """
    before = [_alone(plan, counted) for counted in place.alone(plan.in_turn, plan.counted)]
    ways = [{name: plan.missing[name]} if name in plan.missing else {} for name in plan.in_turn]
    filled = [fill_missing(own, way) for own, way in zip(before, ways, strict=True)]
    sets = tuple(own.frequencies for own in filled)
    ladders = tuple(ladder for own in sets for ladder in plan.ladders(own))
    counted = [before[0].cells[name].domain for name in plan.counted]
    place.encode([_under(domain) for domain in (*(own.domains[0] for own in before), *counted)])
    distant = Distant(
        place=place,
        sets=sets,
        fills=tuple(_fill(old.domains[0], new.domains[0]) for old, new in zip(before, sets, strict=True)),
    )
    forest = Forest(ladders)
    frequencies = distant.at(forest, forest.roots(), tuple(sets[0].cells))
    task = DistantTask(
        frequencies=frequencies,
        ladders=ladders,
        models=plan.asked,
        random=generator(plan.seed),
        progress=progress,
        distant=distant,
    )
    data.notes.append(
        f"The distinct combinations are more than {place.budget:,}: they were counted where the rows are, and only "
        "counts and cuts came from there."
    )
    known = {name: number for own in filled for name, number in own.filled.items()}
    return task, _sizes(place, before, counted), Filled(frequencies=frequencies, filled=known)


def _alone(plan: Plan, counted: Tuples) -> FrequencySet:
    """One quasi-identifier by itself, with all that is counted."""
    name = counted.columns[0]
    own = plan.with_trees(
        frequency_set(counted, (name,), plan.counted, {column.name: column.type for column in plan.schema})
    )
    for names in plan.targets:
        if len(names) > 1:
            own = together(own, counted, names)
    return own


def _under(domain: Domain) -> dict[str | None, int]:
    return dict(zip(domain.values, domain.codes.tolist(), strict=True))


def _fill(old: Domain, new: Domain) -> NDArray[np.int32] | None:
    """What each code became when missing values were dealt with."""
    if old is new:
        return None
    became = np.arange(old.size, dtype=np.int32)
    became[old.codes] = new.codes
    return became


def _sizes(place: InPlace, before: Sequence[FrequencySet], counted: Sequence[Domain]) -> FrequencySet:
    """The sizes of the classes as the table came; which they are stays where the rows are."""
    sizes, times = place.sizes([*(None for _ in before), *(np.zeros(domain.size, np.int32) for domain in counted)])
    domains = tuple(own.domains[0] for own in before)
    return replace(before[0], domains=domains, codes=(), counts=np.repeat(sizes, times), cells={})
