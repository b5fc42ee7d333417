"""New rows are judged together with those that were released before under the same recoding."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.core.recount import Recount
from antifaz.core.types import DataType
from antifaz.core.verdicts import Verdict
from antifaz.engines.engine import Auditor
from antifaz.pipeline.attack import reopened
from antifaz.pipeline.frozen_recoding import COUNT, spelled
from antifaz.pipeline.plan import Plan
from antifaz.releases.gate import examine, require_all


def judge_union(auditor: Auditor, place: Any, plan: Plan) -> tuple[Recount, list[Verdict]]:
    """Count the rows that are about to be released and all earlier ones as one table, and judge that, or raise."""
    names = [name for name in plan.earlier.column_names if name != COUNT]
    if isinstance(place, pa.Table):
        new = place.select(names)
    else:
        with reopened(place, dict.fromkeys(names, DataType.TEXT)) as written:
            new = written.cells(names)
    counts = plan.earlier.column(COUNT).to_numpy()
    before = plan.earlier.select(names).take(pa.array(np.repeat(np.arange(counts.size), counts)))
    union = pa.concat_tables([spelled(new, names, plan.types), before])
    counted, verdicts = examine(auditor, union, plan.models, plan.quasi_identifiers)
    require_all(verdicts)
    note = Message("note.judged-with-earlier", earlier=int(counts.sum()))
    return counted, [replace(verdict, note=verdict.note or note) for verdict in verdicts]
