"""Surveys: what weights and households say of the risk, counted in the data as it came and in the released rows.

Of a run, and of two tables of which nothing but the names of columns is known.
"""

import math
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import AntifazError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.engine import Data
from antifaz.pipeline.attack import reopened
from antifaz.pipeline.people import with_rows
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.state import Recoded
from antifaz.releases.evidence import Evidence
from antifaz.releases.survey_evidence import HouseholdsEvidence, LogLinearEvidence, SurveyEvidence, SurveyRisk

#: In more rows than this nothing is counted here.
_MOST_ROWS = 2_000_000
#: So many cells, once for every pair of columns, are fitted in some seconds; what takes longer is asked for by itself.
_MOST_CELLS = 2_000_000


def add_survey(state: Recoded, place: Any, evidence: Evidence) -> None:
    """Measure the risk by weights and households where they are named; or note that it can't be done here."""
    plan, data = state.plan, state.data
    if plan.weight is None and plan.household is None:
        return
    here = isinstance(place, pa.Table | str | os.PathLike) and data.by_row and data.rows <= _MOST_ROWS
    if here and plan.quasi_identifiers:
        evidence.survey = _measured(state, place)
    else:
        evidence.notes = [*evidence.notes, Message("note.survey-not-measured", rows=_MOST_ROWS)]


def _measured(state: Recoded, place: Any) -> SurveyEvidence:
    plan = state.plan
    own = [name for name in (plan.weight, plan.household) if name is not None]
    keys = list(plan.quasi_identifiers)
    beside = state.applied.keyed(list(dict.fromkeys(own)), place)
    # As they were written; weights and households may not have been, and are those of the same rows.
    written = _read(place, keys)
    after = pa.table({**{name: written.column(name) for name in keys}, **_named(beside, plan)})
    cells = state.data.cells(list(dict.fromkeys([*keys, *own])))
    before = pa.table({**{name: cells.column(name) for name in keys}, **_named(cells, plan)})
    weight, household = ("weight " if plan.weight else None), ("household " if plan.household else None)
    found = SurveyEvidence(
        weight=plan.weight, household=plan.household,
        before=survey_risk(before, keys, weight, household), after=survey_risk(after, keys, weight, household),
    )  # fmt: skip
    if weight is not None:
        found.population = float(np.asarray(after.column(weight), np.float64).sum())
    if plan.household in state.applied.columns:
        found.households = count_households(_read(place, [*keys, str(plan.household)]), keys, str(plan.household))
    return found


def _named(table: pa.Table, plan: Plan) -> dict[str, pa.ChunkedArray]:
    """Weights and households under names that no column has: a quasi-identifier may be one of them."""
    named = (("weight ", plan.weight), ("household ", plan.household))
    return {name: table.column(own) for name, own in named if own is not None}


def _read(place: Any, names: Sequence[str]) -> pa.Table:
    """Read columns of the release as they were written, in the order of its rows."""
    if isinstance(place, pa.Table):
        return place.select(names)
    with reopened(place, dict.fromkeys(names, DataType.TEXT)) as released:
        return released.cells(names)


def assess_survey(
    before: Data, after: Data, keys: Sequence[str], weight: str | None, household: str | None
) -> dict[str, Any]:
    """Return `survey`, the risk by weights and households, where such columns are named; of the release, by its own."""
    own = [name for name in (weight, household) if name is not None]
    if not own:
        return {}
    before.schema.require(own)
    there = [name for name in dict.fromkeys([*keys, *own]) if name in after.schema.names]
    released, original = with_rows(after).cells(there), with_rows(before).cells(list(dict.fromkeys([*keys, *own])))
    known = [name for name in keys if name in there]
    weighed, homes = (name if name in there else None for name in (weight, household))
    found = SurveyEvidence(
        weight=weight, household=household, before=survey_risk(original, keys, weight, household),
        after=survey_risk(released, known, weighed, homes),
    )  # fmt: skip
    if weighed is not None:
        found.population = float(np.asarray(released.column(weighed), np.float64).sum())
    if homes is not None:
        found.households = count_households(released, known, homes)
    return {"survey": found.document()}


def survey_risk(table: pa.Table, keys: Sequence[str], weight: str | None, household: str | None) -> SurveyRisk:
    """Return the risk of a table's records by their keys, given the names of columns; without weights, as a whole."""
    from antifaz.risk.reidentification import individual_risk

    found = individual_risk(table, keys, weights=weight, household=household)
    measured = SurveyRisk(
        records=table.num_rows, uniques=int((found.frequencies.sample == 1).sum()), expected=found.expected,
        share=min(found.share, 1.0), highest=min(float(found.risks.max(initial=0.0)), 1.0),
    )  # fmt: skip
    if found.household_share is not None:
        measured.household_expected = found.household_expected
        measured.household_share = min(found.household_share, 1.0)
    if weight is not None and (modelled := _log_linear(table, keys, weight)) is not None:
        measured.log_linear = modelled
    return measured


def _log_linear(table: pa.Table, keys: Sequence[str], weight: str) -> LogLinearEvidence | None:
    from antifaz.risk.log_linear import log_linear_risk

    cells = math.prod(max(len(table.column(name).unique()), 1) for name in keys)
    if cells * max(math.comb(len(keys), 2), 1) > _MOST_CELLS:
        return None
    try:
        found = log_linear_risk(table, keys, weights=weight, interactions=min(2, len(keys)))
    except AntifazError:
        return None  # too many combinations, weights below 1, or a model that does not settle
    return LogLinearEvidence(
        uniques_expected=found.uniques_expected, population_uniques=found.population_uniques,
        unique_matches=found.unique_matches,
    )  # fmt: skip


def count_households(table: pa.Table, keys: Sequence[str], household: str) -> HouseholdsEvidence:
    """Count the households that no other is like, all members taken together; a row without one is of none."""
    members: dict[Any, list[tuple[Any, ...]]] = {}
    columns = [table.column(name).to_pylist() for name in keys]
    for home, *values in zip(table.column(household).to_pylist(), *columns, strict=True):
        if home is not None:
            members.setdefault(home, []).append(tuple(values))
    alike: Counter[tuple[tuple[Any, ...], ...]] = Counter()
    made = [tuple(sorted(own, key=repr)) for own in members.values()]
    alike.update(made)
    alone = [own for own in made if alike[own] == 1]
    return HouseholdsEvidence(number=len(made), alone=len(alone), records=sum(map(len, alone)))
