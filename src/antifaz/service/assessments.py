"""Judging what a run released against the data it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antifaz.core.progress import Progress
from antifaz.engines.opening import open_data
from antifaz.pipeline.assessment import assess
from antifaz.privacy import KAnonymity
from antifaz.projects.actions import open_source
from antifaz.projects.project import Loaded
from antifaz.service.released_files import rows_file


def assess_release(loaded: Loaded, folder: Path, attacks: int, progress: Progress) -> dict[str, Any]:
    """Return utility, risk and attacks of a release; both tables are closed again."""
    wanted = loaded.project
    models = [model.k for model in loaded.models if isinstance(model, KAnonymity)]
    with open_source(loaded, progress) as original:
        there = set(original.schema.names)
        with open_data(rows_file(folder), engine="local") as released:
            return assess(
                original,
                released,
                {name: str(said.role) for name, said in wanted.attributes.items() if name in there},
                hierarchies={name: made for name, made in loaded.hierarchies.items() if name in there},
                k=max(models, default=2),
                attacks=attacks,
                seed=wanted.seed,
                progress=progress,
            )
