"""The explorer of a project, asked by the page; it answers in the process of the data set (`explorer_answers`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.projects.store import open_store
from antifaz.service.datasets import Datasets
from antifaz.service.errors import NotFound
from antifaz.service.explorer_answers import ASKED
from antifaz.service.job_request import check_request
from antifaz.service.jobs import JobQueue
from antifaz.service.project_tables import ONLY

#: What was checked last: whoever moves a slider asks many times of one project.
_CHECKED: dict[str, Any] = {}


def explore(jobs: JobQueue, datasets: Datasets, owner: str, id: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Ask the explorer of a stored project; with no k it says what there is to be asked."""
    with open_store(jobs.project_store, owner) as opened:
        row = opened.by_id(id)
    if row is None:
        raise NotFound("service.project-not-found")
    table = asked.get("table") or ONLY
    bound = jobs.store.page(id)["datasets"]
    if table not in bound:
        raise InputError("service.choose-data-set-first")
    given = {name: datasets.reference(own, owner) for name, own in bound.items()}
    checked = (row["text"], table, bound, jobs.keys.names(owner))
    if _CHECKED.get(id) != checked:
        named = {"table": table} if table else {}
        check_request(row, "candidates", named, given, accounts=jobs.accounts, keys=jobs.keys.names(owner))
        _CHECKED.clear()
        _CHECKED[id] = checked
    place = str(Path(row["folder"]) / row["file"])
    project = {"text": row["text"], "file": place, "table": table, "source": dict(given[table].source)}
    project["keys"] = jobs.keys.of_order(owner)
    wanted = {key: asked.get(key) for key in ("k", *ASKED)}
    return dict(datasets.ask(owner, bound[table], "explore", project=project, asked=wanted))
