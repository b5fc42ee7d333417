"""The evidence document: what was done and what holds, with no raw value in it."""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.schema import Schema
from antifaz.core.verdicts import Verdict
from antifaz.core.version import VERSION
from antifaz.counting.generalization import Generalization
from antifaz.counting.groups import Groups
from antifaz.engines.recounted import Recount
from antifaz.methods.method import Decision, Method
from antifaz.risk import marketer, prosecutor, records_below
from antifaz.utility import MEASURES
from antifaz.utility.groups import GROUP_MEASURES


def evidence(
    *,
    name: str,
    schema: Schema,
    method: Method,
    decision: Decision,
    counted: Recount,
    verdicts: Sequence[Verdict],
    before: NDArray[np.int64],
    k: int,
    warnings: Sequence[str],
    notes: Sequence[str] = (),
    rows: int | None = None,
) -> dict[str, Any]:
    """Put together what is known.

    `before` are the class sizes of the data as it came; `k` says below how many a record is singled out. `warnings`
    ask for a decision of somebody, `notes` only say what was found and done. `rows` were read, where that is more than
    the method saw.
    """
    table = decision.generalization
    read = table.rows if rows is None else rows
    return {
        "antifaz": 1,
        "project": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": VERSION,
        "rows": {"read": read, "released": counted.rows, "suppressed": read - counted.rows},
        "method": {"name": method.name, **method.parameters(), **decision.details},
        "privacy": [verdict.as_dict() for verdict in verdicts],
        "checked_by": "the released rows, read back and counted by a verifier that shares no code with the method",
        "utility": utility(table),
        "risk": {
            "k": k,
            "singled_out_before": records_below(before, k),
            "singled_out_after": records_below(counted.sizes, k),
            "prosecutor_before": prosecutor(before),
            "prosecutor": prosecutor(counted.sizes),
            "marketer_before": marketer(before),
            "marketer": marketer(counted.sizes),
        },
        "classes": {"before": _classes(before), "after": _classes(counted.sizes)},
        "attributes": _attributes(schema, decision),
        "warnings": list(warnings),
        "notes": list(notes),
    }


def utility(table: Generalization | Groups) -> dict[str, Any]:
    """Measure what the release still tells, by what kind of release it is."""
    if isinstance(table, Groups):
        # Some measures go by two names, and take long where there are many groups.
        found = {measure: measure(table) for measure in set(GROUP_MEASURES.values())}
        return {key: found[measure] for key, measure in GROUP_MEASURES.items()}
    return {key: measure(table) for key, measure in MEASURES.items()}


def _classes(sizes: NDArray[np.int64]) -> dict[str, Any]:
    """Describe classes by how many there are of each size."""
    if not sizes.size:
        return {"count": 0, "smallest": None, "average": None, "largest": None, "sizes": []}
    distinct, times = np.unique(sizes, return_counts=True)
    return {
        "count": int(sizes.size),
        "smallest": int(sizes.min()),
        "average": float(sizes.mean()),
        "largest": int(sizes.max()),
        "sizes": [[int(size), int(number)] for size, number in zip(distinct, times, strict=True)],
    }


def _attributes(schema: Schema, decision: Decision) -> list[dict[str, Any]]:
    ladders = {ladder.column: ladder for ladder in decision.generalization.ladders}
    levels = dict(zip(ladders, decision.generalization.levels, strict=True))
    described = []
    for column in schema:
        told: dict[str, Any] = {"name": column.name, "role": str(column.role), "type": str(column.type)}
        if column.name in ladders:
            told |= {"level": levels[column.name], "height": ladders[column.name].height}
        described.append(told)
    return described


def peak_memory() -> int:
    """Return the most memory that this process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
