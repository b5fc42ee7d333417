"""Running what is asked for: one table through the steps, from its source to the place of its release."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from antifaz.core.progress import Progress
from antifaz.engines.engine import Stage
from antifaz.ledger.check import LedgerCheck
from antifaz.pipeline.release import Release
from antifaz.pipeline.request import TableRequest
from antifaz.pipeline.state import Destination
from antifaz.pipeline.steps import Requested, plan
from antifaz.releases.atomic import staging


def run_table(request: TableRequest, progress: Progress, ledger_check: LedgerCheck | None = None) -> dict[str, Any]:
    """Run one table and return its evidence, with `folder` saying where the release is."""
    folder = request.folder
    with ExitStack() as resources:
        # Whether a release can be put there is said before the work is done, not after.
        early = isinstance(folder, Path) and folder.parent.is_dir()
        stage: Stage | None = resources.enter_context(staging(Path(folder))) if early else None
        resources.enter_context(request.operations.places.of_columns())
        planned = plan(Requested(request=request, progress=progress, resources=resources))
        release, data = Release(planned), planned.data
        release.recoded  # noqa: B018 - decided before a folder is made
        own = data.staging(folder)
        if own is not None or stage is None:
            stage = resources.enter_context(own or staging(Path(folder)))
        if request.table:
            stage = resources.enter_context(data.into_table(stage, **request.table))
        release.publish(
            Destination(
                stage=stage, place=folder, format=request.format, report=request.report, ledger_check=ledger_check
            )
        )
    return release.evidence | {"folder": str(folder)}
