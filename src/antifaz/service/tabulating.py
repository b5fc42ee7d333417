"""A table of counts or sums as a job: what may be asked is checked before it is queued, and it is a draft when done.

Beside the release, which may leave, lie its cells for the page: each with the values between which it lies, as anybody
can compute them from what is published.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import InputError
from antifaz.core.progress import Progress
from antifaz.service.user_keys import with_keys
from antifaz.service.user_ledger import DraftLedger, draft_ledger

if TYPE_CHECKING:
    from antifaz.tabulation.release import TabulationRelease

#: The kind of such a job.
TABULATE = "tabulate"
#: The most cells that the page shows.
MOST_CELLS = 20_000


def check_tabulation(tabulation: Mapping[str, Any] | None, datasets: Collection[str], table: str) -> None:
    """Refuse what can't be tabulated, before it is queued."""
    from antifaz.projects.tabulation_actions import check_tabulation as check

    if not tabulation:
        raise InputError("service.tabulation-needed")
    if table not in datasets:
        raise InputError("service.tabulation-needs-data")
    check(**_arguments(tabulation))


def tabulate(spec: Mapping[str, Any], source: Mapping[str, Any], types: Mapping[str, str], progress: Progress) -> None:
    """Do the job: the release goes to its folder as a draft, its cells to the result."""
    from antifaz.core.messages import Message
    from antifaz.engines.registry import open_data
    from antifaz.projects.project import ProjectSource
    from antifaz.projects.tabulation_actions import tabulate as tabulate_data
    from antifaz.tabulation import protection_of, rules_of

    asked = _arguments(with_keys(spec["asked"]["tabulation"], spec.get("keys") or {}))
    rules, protection = rules_of(asked.pop("rules")), protection_of(asked.pop("protection"))
    opened = ProjectSource.model_validate(dict(source))
    place = opened.place(Path(spec["file"]).parent)
    memory: dict[str, Any] = {} if spec.get("memory") is None else {"memory": spec["memory"]}
    with progress.step("read", Message("progress.reading")):
        data = open_data(place, types=dict(types), **opened.options(), **memory)
    with data:
        release = tabulate_data(data, **asked, rules=rules, protection=protection, name=spec["name"], progress=progress)
    ledger = draft_ledger(Path(spec["draft"]), spec["owner"])
    _write_cells(release, spec)
    if isinstance(ledger, DraftLedger):
        # Where an uploaded file lies in memory says nothing; whoever tabulates it again means the same data.
        uploaded = any(table.get("fd") is not None for table in spec["tables"].values())
        dataset = f"project-{spec['project'][:12]}" if uploaded else ledger.name_of(str(place))
        release.save(spec["out"], ledger=ledger, dataset=dataset, to=None)
    else:
        release.save(spec["out"])


def _arguments(tabulation: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked as the library takes it; a column that is named twice is refused there."""
    dimensions = tabulation["dimensions"]
    names = [each["column"] for each in dimensions]
    hierarchies = {each["column"]: each.get("hierarchy") for each in dimensions}
    return {
        "dimensions": hierarchies if len(hierarchies) == len(names) else names,
        "measure": tabulation.get("measure"), "person": tuple(tabulation.get("person") or ()),
        "rules": tabulation.get("rules") or [], "protection": tabulation.get("protection"),
    }  # fmt: skip


def _write_cells(release: TabulationRelease, spec: Mapping[str, Any]) -> None:
    """Keep the cells for the page, whole or not at all, readable by this user only."""
    frame, intervals = release.frame, release.intervals
    *columns, value = frame.column_names[:-1]
    *labels, low, high = (column.to_pylist() for column in intervals.columns)
    between = {key: [_number(low[at]), _number(high[at])] for at, key in enumerate(zip(*labels, strict=True))}
    rows = [list(row.values()) for row in frame.slice(0, MOST_CELLS).to_pylist()]
    cells = [
        {
            "labels": row[:-2], "value": row[-2], "shown": row[-1] == "shown",
            "interval": between.get(tuple(row[:-2])),
        }
        for row in rows
    ]  # fmt: skip
    document = {"columns": columns, "value": value, "total": frame.num_rows, "cells": cells}
    aside = Path(spec["aside"]) / "cells.json"
    aside.touch(mode=0o600)
    aside.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    aside.replace(spec["result"])


def _number(end: float) -> float | None:
    """Return the end of an interval as JSON has it; one that there is not is null."""
    return end if math.isfinite(end) else None
