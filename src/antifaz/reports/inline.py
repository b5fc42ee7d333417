"""What notebooks show of a release, its evidence, a verdict, proposals, candidates and a frontier.

Names of columns, numbers, settings and released rows are shown; never a value of the data as it came.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from antifaz.core.messages import restored
from antifaz.core.verdicts import Proposal, Verdict
from antifaz.reports.documents import write_html
from antifaz.reports.frontier import frontier_chart

#: How many candidates, columns and points are shown: a cell of a notebook is no report.
SHOWN = 10
#: How many columns of released rows.
COLUMNS = 12


def render(template: str, value: Any) -> str:
    """Return a value as a fragment of HTML that brings its own style and runs nothing."""
    return write_html(f"inline/{template}.j2", "en", **_CONTEXTS[template](value))


def _evidence(document: Mapping[str, Any]) -> dict[str, Any]:
    return {"evidence": restored(document)}


def _release(release: Any) -> dict[str, Any]:
    names, rows = release.first_rows()
    cells = [["" if cell is None else cell for cell in row[:COLUMNS]] for row in rows]
    return _evidence(release.evidence) | {"names": names[:COLUMNS], "cells": cells, "hidden": len(names[COLUMNS:])}


def _candidates(candidates: Any) -> dict[str, Any]:
    return {
        "columns": list(candidates.columns),
        "candidates": [candidate.as_dict() for candidate in candidates[:SHOWN]],
        "number_of": len(candidates),
        "lattice": candidates.lattice,
        "measure": candidates.measure,
    }


def _frontier(frontier: Mapping[str, Any]) -> dict[str, Any]:
    points = frontier["points"]
    several = len({point["method"] for point in points}) > 1
    return {"points": points, "chosen": frontier["recommended"], "several": several, "chart": frontier_chart(frontier)}


def _verdicts(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {"evidence": {"privacy": [verdict.as_dict() for verdict in verdicts]}}


def _proposals(proposals: Mapping[str, Proposal]) -> dict[str, Any]:
    return {"proposals": list(proposals.items())}


_CONTEXTS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "candidates": _candidates,
    "evidence": _evidence,
    "frontier": _frontier,
    "proposal": lambda proposal: {"proposal": proposal},
    "proposals": _proposals,
    "release": _release,
    "verdict": lambda verdict: {"evidence": {"verdict": verdict}},
    "verdicts": _verdicts,
}
