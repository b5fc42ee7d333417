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


@pytest.mark.parametrize("method", [az.FullDomain(), az.Specialization(), az.Auto()])
def test_people_are_in_the_estimate(method: az.FullDomain) -> None:
    table = pa.table({"who": [f"P{i % 9_000}" for i in range(90_000)], "age": [i % 50 for i in range(90_000)]})
    asked = {"hierarchies": {"age": az.hierarchy.flat()}, "privacy": az.KAnonymity(5), "method": method, "seed": 1}
    with open_local(table, memory="320MB") as data:
        limit = data.memory or 0
        by_rows, by_people = (
            make_plan(
                data.schema, roles={"who": role, "age": "quasi-identifier"}, hierarchies=asked["hierarchies"],
                privacy=[az.KAnonymity(5)], method=method, seed=1,
            )
            for role in ("identifier", "person")
        )  # fmt: skip
        assert needed_memory(by_people, data, 0) - needed_memory(by_rows, data, 0) == 110 * data.rows
        assert needed_memory(by_rows, data, limit) < needed_memory(by_people, data, limit)


def test_people_who_do_not_fit_are_refused_before_they_are_counted() -> None:
    asked = {"hierarchies": {"sex": az.hierarchy.flat()}, "privacy": az.KAnonymity(5), "method": az.FullDomain()}
    roles = {"name": "person", "sex": "quasi-identifier"}
    with open_local(people()) as data:
        room = data.program_memory // 10**6 + 1
    many = pa.concat_tables([people()] * 20)
    for table, refused in ((many, True), (people(), False)):
        with open_local(table, memory=f"{room}MB") as data:
            if refused:
                with failing("people.needs-memory", ParameterError, method="full-domain"):
                    az.anonymize(data, roles=roles, seed=1, **asked)
                roles_by_row = roles | {"name": "identifier"}
                assert az.anonymize(data, roles=roles_by_row, seed=1, **asked).evidence["rows"]["read"] == many.num_rows
            else:
                assert az.anonymize(data, roles=roles, seed=1, **asked).evidence["people"]["read"] == ROWS


def test_tuples_that_do_not_fit_are_refused_before_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "_FEW_TUPLES", 400)
    asked = {"hierarchies": dict.fromkeys(ROLES, az.hierarchy.flat()), "privacy": az.KAnonymity(5), "seed": 1}
    for room, refused in (("600MB", True), ("700MB", False)):
        with open_local(people(), memory=room) as data:
            # Within some hundredths: the number of distinct values is estimated.
            assert abs(data.estimate_tuples(["name", "sex"]) - ROWS) < ROWS / 10
            assert data.estimate_tuples(["sex"]) == 2
            if refused:
                with failing("plan.counts-need-memory", ParameterError, method="full-domain"):
                    az.anonymize(data, roles=ROLES, method=az.FullDomain(), **asked)
            else:
                az.anonymize(data, roles=ROLES, method=az.FullDomain(), **asked)
