"""What the verdict finds in the release of a survey: weights and households that tell people apart."""

from collections.abc import Iterator, Mapping

from antifaz.core.messages import Message
from antifaz.releases.evidence import Evidence
from antifaz.releases.findings import MANY_ALONE, finding_of, remedy_of, remove_columns
from antifaz.releases.verdict_evidence import HandOver, VerdictFinding

#: How many records share a weight that is averaged, where the release asks for no k.
_SHARED = 5


def survey_findings(
    evidence: Evidence, by_value: Mapping[str, int], by_class: Mapping[str, int]
) -> Iterator[VerdictFinding]:
    """Judge weights and households; by columns, so many records are alone, and so many with the quasi-identifiers."""
    survey, rows = evidence.survey, max(evidence.rows.released, 1)
    if survey is None:
        return
    alone, in_class = by_value.get(survey.weight or "", 0), by_class.get(survey.weight or "", 0)
    if survey.weight is not None and (alone or in_class):
        measured = {"records": rows, "alone": alone, "alone_in_class": in_class}
        k = max(evidence.risk.k if evidence.risk is not None else 0, _SHARED)
        change = {"attributes": {survey.weight: {"operation": {"name": "microaggregate", "k": k}}}}
        words = Message("finding.weight-singles-out", name=survey.weight, alone=alone, in_class=in_class, rows=rows)
        yield finding_of(
            "weight-singles-out", _answer(alone, rows), [survey.weight], measured, words,
            remedy_of(Message("remedy.average-weights", name=survey.weight, k=k), change),
        )  # fmt: skip
    homes = survey.households
    if homes is not None and homes.alone and survey.household is not None:
        measured = {"households": homes.number, "alone": homes.alone, "records": homes.records}
        words = Message("finding.household-singles-out", name=survey.household, **measured)
        yield finding_of(
            "household-singles-out", _answer(homes.records, rows), [survey.household], measured, words,
            remove_columns([survey.household]),
        )  # fmt: skip


def _answer(records: int, rows: int) -> HandOver:
    return "no" if records >= MANY_ALONE * rows else "with care"
