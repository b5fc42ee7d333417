"""The evidence document: what was done and what holds, with no raw value in it."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.schema import Schema
from antifaz.core.verdicts import Verdict
from antifaz.core.version import VERSION
from antifaz.counting.piecewise import Tally
from antifaz.engines.recount import Recount
from antifaz.methods.method import Decision, Method
from antifaz.releases.knowing import knowing_the_method
from antifaz.risk import marketer, prosecutor, records_below
from antifaz.utility.measures import measure_table as utility


def evidence(
    *,
    name: str,
    schema: Schema,
    method: Method,
    decision: Decision,
    counted: Recount,
    verdicts: Sequence[Verdict],
    before: NDArray[np.int64] | Tally,
    k: int,
    warnings: Sequence[str],
    notes: Sequence[str] = (),
    rows: int | None = None,
    hardened: bool = False,
) -> dict[str, Any]:
    """Put together what is known.

    `before` are the class sizes of the data as it came; `k` says below how many a record is singled out. `warnings`
    ask for a decision of somebody, `notes` only say what was found and done. `rows` were read, where that is more than
    the method saw. `hardened` says that the method saw no sensitive value; not by which margin.
    """
    table = decision.generalization
    before = before if isinstance(before, Tally) else Tally.of(before)
    read = table.rows if rows is None else rows
    return {
        "antifaz": 1,
        "project": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": VERSION,
        "rows": {"read": read, "released": counted.rows, "suppressed": read - counted.rows},
        "method": {"name": method.name, **method.parameters(), **decision.details},
        "hardened": hardened,
        "privacy": [verdict.as_dict() for verdict in verdicts],
        "checked_by": Message("note.counted"),
        "utility": utility(table),
        "risk": {
            "k": k,
            "singled_out_before": before.below(k),
            "singled_out_after": records_below(counted.sizes, k),
            "prosecutor_before": prosecutor(before.sizes),
            "prosecutor": prosecutor(counted.sizes),
            "marketer_before": before.classes / before.records if before.classes else 0.0,
            "marketer": marketer(counted.sizes),
        },
        "classes": {"before": _classes(before), "after": _classes(Tally.of(counted.sizes))},
        "attributes": _attributes(schema, decision),
        "warnings": [*warnings, *_lenient(verdicts, counted, k)],
        "notes": [*notes, *knowing_the_method(method, verdicts, hardened=hardened)],
    }


def _lenient(verdicts: Sequence[Verdict], counted: Recount, k: int) -> list[str]:
    """Say who is hidden only because a blank was taken to match any value: somebody has to answer for that reading."""
    matched = [verdict.note for verdict in verdicts if verdict.parameters.get("blanks") == "match"]
    return matched if records_below(counted.sizes, k) else []


def _classes(tally: Tally) -> dict[str, Any]:
    """Describe classes by how many there are of each size."""
    if not tally.classes:
        return {"count": 0, "smallest": None, "average": None, "largest": None, "sizes": []}
    return {
        "count": tally.classes,
        "smallest": int(tally.sizes[0]),
        "average": tally.records / tally.classes,
        "largest": int(tally.sizes[-1]),
        "sizes": [[int(size), int(number)] for size, number in zip(tally.sizes, tally.times, strict=True)],
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


def with_operations(
    told: dict[str, Any],
    operations: Mapping[str, Sequence[dict[str, Any]]],
    perturbed: Sequence[Mapping[str, Any]] = (),
    *,
    removed: Sequence[str] = (),
) -> dict[str, Any]:
    """Say of every column what was done to it, and of an identifier whether it was released after all.

    `perturbed` tells of all perturbations; those of several columns are in no column's operations yet.
    """
    if perturbed:
        told["perturbation"] = [dict(each) for each in perturbed]
    for attribute in told["attributes"] if operations or perturbed else ():
        shared = [each for each in perturbed if each["shared"] and attribute["name"] in each["columns"]]
        done = [*operations.get(attribute["name"], ()), *({"name": each["name"]} for each in shared)]
        if done:
            attribute["operations"] = done
        if attribute["role"] == Role.IDENTIFIER:
            attribute["released"] = attribute["name"] not in removed
    return told


def peak_memory() -> int:
    """Return the most memory that this process has had, in bytes.

    Linux says it of the program itself; what `getrusage` says may be that of the process which started it.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
