"""The risk of a survey in two tables, of which nothing but the names of columns is known."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from antifaz.engines.engine import Data
from antifaz.pipeline.people import with_rows
from antifaz.pipeline.survey import count_households, survey_risk
from antifaz.releases.survey_evidence import SurveyEvidence


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
