"""A budget of memory: what is refused, what is said, and that the whole process stays under it."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import antifaz as az
from antifaz.engines.local.data import open_local
from antifaz.methods.clustering.out_of_core import OutOfCoreTask
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import prepare, start_run
from failing import failing, like

#: As many rows as a budget of 620 MB is estimated not to hold.
MANY = 1_000_000
ROLES = {"age": "quasi-identifier", "income": "quasi-identifier"}


def clients(rows=MANY):
    random = np.random.default_rng(3)
    return pa.table({"age": random.integers(18, 95, rows), "income": random.integers(0, 4_000, rows) * 10})


@pytest.fixture(scope="module")
def data():
    with open_local(clients(), memory="620MB") as opened:
        yield opened


def planned(data, method, *models):
    roles = ROLES | ({"income": "sensitive"} if len(models) > 1 else {})
    return make_plan(
        data.schema, roles=roles, hierarchies={}, privacy=models or [az.KAnonymity(5)], method=method, seed=1
    )


def test_what_does_not_fit_is_decided_part_by_part_and_said_before(data):
    task = prepare(start_run(planned(data, az.Mondrian(split="distribution")), data)).task
    assert isinstance(task, OutOfCoreTask)
    assert 1 < task.fit < MANY
    assert any("is estimated to take" in note for note in data.notes)


def test_what_fits_is_held(data):
    with open_local(clients(1_000), memory="620MB") as few:
        assert not isinstance(prepare(start_run(planned(few, az.Mondrian()), few)).task, OutOfCoreTask)


def test_relaxed_cuts_can_not_be_made_part_by_part(data):
    with failing("plan.not-part-by-part", az.ParameterError, obstacle=like("method.only-strict-by-parts")):
        prepare(start_run(planned(data, az.Mondrian(mode="relaxed")), data))


def test_other_models_can_not_be_reached_part_by_part(data):
    with failing(
        "plan.not-part-by-part", az.ParameterError, obstacle=like("plan.only-k-anonymity-by-parts", what="l-diversity")
    ):
        prepare(start_run(planned(data, az.Mondrian(), az.KAnonymity(5), az.LDiversity(2)), data))


def test_a_budget_below_what_the_program_takes_is_refused():
    too_little = failing("memory.too-little-for-parts", az.ParameterError)
    with open_local(clients(10_000), memory="100MB") as data, too_little:
        prepare(start_run(planned(data, az.Mondrian()), data))


RUN = """
import json, sys
import antifaz as az
from antifaz.core.progress import Progress
said = []
with az.open(sys.argv[1], memory="620MB") as data:
    release = az.anonymize(
        data, roles={"age": "quasi-identifier", "income": "quasi-identifier"}, privacy=az.KAnonymity(5),
        method=az.Mondrian(split="distribution", release="mode"), seed=1,
        progress=Progress(lambda *told: said.append(told)),
    )
print(json.dumps({"evidence": release.evidence, "said": [message for _, _, message in said]}))
"""


def test_check_21_the_whole_process_stays_under_its_budget(tmp_path):
    pyarrow.csv.write_csv(clients(), tmp_path / "clients.csv")
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path / "clients.csv")], capture_output=True, text=True, check=True
    )
    told = json.loads(run.stdout)
    assert told["evidence"]["privacy"][0]["holds"]
    assert told["evidence"]["method"]["held_at_a_time"] < MANY
    assert told["evidence"]["peak_memory_bytes"] < 620e6
    assert any("is estimated to take" in message for message in told["said"])
