"""What a run is expected to take, said before it, and refused where the memory is not there."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.core.progress import Progress
from antifaz.engines.local.data import open_local
from antifaz.pipeline import prepare
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import needed_memory
from failing import failing

ROWS = 500
ROLES = {"name": "quasi-identifier", "sex": "quasi-identifier"}


def people() -> pa.Table:
    return pa.table({"name": [f"person {i}" for i in range(ROWS)], "sex": ["fm"[i % 2] for i in range(ROWS)]})


def test_distinct_texts_are_counted_where_the_limit_depends_on_them() -> None:
    with open_local(people()) as data:
        plan = make_plan(
            data.schema, roles=ROLES, hierarchies={}, privacy=[az.KAnonymity(5)], method=az.Mondrian(), seed=1
        )
        least = needed_memory(plan, data, 0)
        assert least == needed_memory(plan, data, 10**12)
        assert needed_memory(plan, data, least + 1) == least + 400 * (ROWS + 2)


def test_the_estimate_is_told() -> None:
    told: list[str] = []
    progress = Progress(listener=lambda step, share, message: told.append(getattr(message, "code", "")))
    az.anonymize(people(), roles=ROLES, privacy=[az.KAnonymity(5)], method=az.LGreedy(), seed=1, progress=progress)
    assert "progress.estimated-time" in told


@pytest.mark.parametrize("method", [az.LGreedy(), az.LocalSuppression(), az.Hilbert()])
def test_too_little_memory_is_a_sentence(method: az.LGreedy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "available_memory", lambda: 1_000_000)
    with failing("plan.needs-memory", ParameterError, method=method.name):
        az.anonymize(people(), roles=ROLES, privacy=[az.KAnonymity(5)], method=method, seed=1)
