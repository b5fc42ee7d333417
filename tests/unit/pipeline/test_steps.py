"""The steps of a run: their order, one state after another, and nothing done twice."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pytest
import yaml

import antifaz as az
from antifaz.core.progress import Progress
from antifaz.engines.local.data import LocalData
from antifaz.engines.registry import open_data
from antifaz.hierarchies.masking import Masking
from antifaz.pipeline import state, steps
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from antifaz.projects.loaded_project import load_project
from antifaz.projects.project_actions import table_request
from antifaz.releases import atomic
from antifaz.reports.report import ReportOptions

ROLES = {"zip": "quasi-identifier", "ill": "sensitive"}
TABLE = pa.table({"zip": ["10", "11", "12", "20", "21", "22"], "ill": ["a", "b", "a", "b", "a", "b"]})
PROJECT: dict[str, Any] = {
    "antifaz": 1,
    "source": {"path": "people.csv"},
    "attributes": {"zip": {"role": "quasi-identifier", "hierarchy": {"masking": 1}}, "ill": {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 3}],
    "release": {"path": "out"},
    "seed": 1,
}


def _project(folder: Path, **more: Any) -> Path:
    csv.write_csv(TABLE, folder / "people.csv")
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump(PROJECT | more), encoding="utf-8")
    return path


def _release(k: int) -> Release:
    data = open_data(TABLE)
    models = [az.KAnonymity(k)]
    hierarchies = {"zip": az.hierarchy.masking(1)}
    method = az.FullDomain()
    return Release(
        start_run(
            make_plan(data.schema, roles=ROLES, hierarchies=hierarchies, privacy=models, method=method, seed=1), data
        )
    )


def test_the_steps_have_their_names_in_their_order():
    names = ["plan", "prepare", "decide", "apply", "write", "verify", "attack", "describe", "publish"]
    assert [step.name for step in steps.STEPS] == names
    assert [step.name for step in steps.LIGHT_STEPS] == [name for name in names if name not in ("prepare", "decide")]
    assert all(step.summary.endswith(".") and "\n" not in step.summary for step in steps.STEPS)


def test_every_step_takes_the_state_of_the_one_before(tmp_path):
    request = table_request(load_project(_project(tmp_path)))
    after = {
        "plan": state.Planned, "prepare": state.Prepared, "decide": state.Decided, "apply": state.Recoded,
        "write": state.RowsWritten, "verify": state.Verified, "attack": state.Attacked, "describe": state.Attacked,
        "publish": state.Attacked,
    }  # fmt: skip
    with ExitStack() as resources:
        now: Any = state.Requested(request=request, progress=Progress(), resources=resources)
        for step in steps.STEPS:
            if step.name == "write":
                stage = resources.enter_context(atomic.staging(tmp_path / "out"))
                where = state.Destination(stage=stage, place=tmp_path / "out", format="csv", report=ReportOptions())
                now = state.Staged.after(now, destination=where)
            assert not (tmp_path / "out").exists()
            now = step.function(now)
            assert type(now) is after[step.name], step.name
    assert (tmp_path / "out/release.csv").exists()


def test_a_release_does_nothing_until_it_is_asked():
    release = _release(k=7)  # more than there are
    assert release.evidence == {}
    with pytest.raises(az.PrivacyNotReached):
        release.check()


def test_a_release_decides_once():
    release = _release(k=3)
    assert release.recoded is release.recoded
    assert release.levels == {"zip": 1}
    release.check()
    assert release.frame.num_rows == 6


def test_nothing_runs_twice(tmp_path, monkeypatch):
    calls: dict[str, int] = {}

    def counted(owner: Any, name: str) -> None:
        own = getattr(owner, name)

        def call(*args: Any, **options: Any) -> Any:
            calls[name] = calls.get(name, 0) + 1
            return own(*args, **options)

        monkeypatch.setattr(owner, name, call)

    for owner, name in (
        (atomic, "_private_folder"), (LocalData, "another_table"), (LocalData, "digest"), (LocalData, "totals"),
        (Masking, "build"),
    ):  # fmt: skip
        counted(owner, name)
    csv.write_csv(TABLE, tmp_path / "everybody.csv")
    tree = {"role": "sensitive", "hierarchy": {"masking": 1}}
    path = _project(
        tmp_path,
        attributes=PROJECT["attributes"] | {"ill": tree},
        privacy=[
            {"model": "k-map", "k": 3, "population": "everybody.csv"},
            {"model": "t-closeness", "t": 1, "attribute": "ill", "distance": "hierarchical"},
        ],
    )
    az.run(path)
    # One hierarchy for each of the two columns.
    assert calls == {"_private_folder": 1, "another_table": 1, "digest": 1, "totals": 1, "build": 2}
