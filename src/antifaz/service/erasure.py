"""The end of the work: erase what was uploaded, opened and worked out, look again, and say what is gone and what stays.

A release stays if the person wants it, and so do the projects, in which there is no data. What was never ours, such as
a file that was opened by its path or the table of a database, stays where it is, and that is said too.
"""

from __future__ import annotations

from typing import Any, TypedDict

from antifaz.projects.store import default_place, open_store
from antifaz.releases.atomic import clean_leftovers
from antifaz.service.dataset_sources import DatasetReference, ErasedPart
from antifaz.service.datasets import Datasets
from antifaz.service.errors import Busy, NotFound
from antifaz.service.job_store import OVER
from antifaz.service.jobs import JobQueue
from antifaz.service.releases import Releases


class KeptPart(TypedDict):
    """One thing that stays, and where it is."""

    what: str
    name: str
    where: str


class ErasedWork(TypedDict):
    """What was erased, and what stays."""

    erased: list[ErasedPart]
    left: list[KeptPart]


def erase_work(
    jobs: JobQueue,
    datasets: Datasets,
    releases: Releases,
    owner: str,
    *,
    project: str | None = None,
    keep_release: bool = True,
) -> ErasedWork:
    """Erase the data and the results of a project, or of all of them; return what is `erased` and what is `left`."""
    with open_store(jobs.project_store, owner) as store:
        known = {row["id"]: row["name"] for row in store.projects()}
    if project is not None and project not in known:
        raise NotFound("service.project-not-found")
    runs = [run for run in jobs.all(owner) if project in (None, run["project"])]
    if any(run["state"] not in OVER for run in runs):
        raise Busy("service.run-not-over")
    erased, left = _erase_data(jobs, datasets, owner, project)
    for run in runs:
        gone, stays = _erase_run(jobs, releases, run, owner, keep_release)
        erased += gone
        left += stays
    erased.append(_erase_aside(jobs))
    place = default_place() if jobs.project_store is None else str(jobs.project_store)
    names = [name for id, name in known.items() if project in (None, id)]
    left += [{"what": "project, without data", "name": name, "where": place} for name in names]
    return {"erased": erased, "left": left}


def _erase_data(
    jobs: JobQueue, datasets: Datasets, owner: str, project: str | None
) -> tuple[list[ErasedPart], list[KeptPart]]:
    """Erase the data sets that are meant; what is only opened here stays where it is."""
    every = {found["id"]: found for found in datasets.all(owner)}
    bound = every if project is None else [jobs.store.page(project)["dataset"]]
    erased: list[ErasedPart] = []
    left: list[KeptPart] = []
    for id in [id for id in bound if id in every]:
        given = datasets.reference(id, owner)
        told = datasets.erase(owner, id)
        jobs.store.unbind(id)
        still = {found["id"] for found in datasets.all(owner)}
        erased += [{"where": every[id]["name"], **one, "gone": bool(one["gone"]) and id not in still} for one in told]
        left += _never_ours(given)
    return erased, left


def _never_ours(given: DatasetReference) -> list[KeptPart]:
    if given.origin == "path":
        return [{"what": "original file", "name": given.name, "where": str(given.source.get("path"))}]
    if given.origin == "database":
        return [
            {"what": "original table", "name": str(given.source.get("table")), "where": str(given.source.get("url"))}
        ]
    return []


def _erase_run(
    jobs: JobQueue, releases: Releases, run: dict[str, Any], owner: str, keep_release: bool
) -> tuple[list[ErasedPart], list[KeptPart]]:
    folder = jobs.releases / run["id"]
    if run["kind"] == "run" and keep_release and folder.is_dir():
        return [], [{"what": "release", "name": f"run {run['number']}", "where": str(folder)}]
    releases.forget(run["id"])
    return jobs.delete(run["id"], owner), []


def _erase_aside(jobs: JobQueue) -> ErasedPart:
    """Remove what killed processes left, and look whether anything temporary is there but what is being worked on."""
    clean_leftovers(jobs.releases)
    left = jobs.sweep()
    return {"what": "temporary files", "where": str(jobs.aside), "gone": left == 0}
