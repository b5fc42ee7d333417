"""The end of the work: erase what was uploaded, opened and worked out, look again, and say what is gone and what stays.

A release stays if the person wants it, and so do the projects, in which there is no data but what somebody wrote into
their hierarchies. What was never ours, such as a file that was opened by its path or the table of a database, stays
where it is, and so does the ledger; all that is said too.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from antifaz.core.errors import AntifazError
from antifaz.ledger.ledger import KEY_VARIABLE, default_ledger
from antifaz.projects.store import default_place, open_store
from antifaz.projects.yaml_file import parse_yaml
from antifaz.releases.atomic import clean_leftovers
from antifaz.service.dataset_sources import ErasedPart
from antifaz.service.datasets import Datasets
from antifaz.service.errors import Busy, NotFound
from antifaz.service.job_request import RELEASING
from antifaz.service.job_store import OVER
from antifaz.service.jobs import JobQueue
from antifaz.service.releases import Releases
from antifaz.service.waiting_files import WaitingFiles


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
    projects: bool = False,
    files: WaitingFiles | None = None,
) -> ErasedWork:
    """Erase the data and the results of a project, or of all of them; return what is `erased` and what is `left`.

    With `projects`, nothing is kept: where all are meant, the projects go too. `files` that wait to be opened belong to
    no project and go too.
    """
    with open_store(jobs.project_store, owner) as store:
        known = {row["id"]: (row["name"], str((store.by_id(row["id"]) or row).get("text"))) for row in store.projects()}
    if project is not None and project not in known:
        raise NotFound("service.project-not-found")
    runs = [run for run in jobs.all(owner) if project in (None, run["project"])]
    if any(run["state"] not in OVER for run in runs):
        raise Busy("service.run-not-over")
    erased, left = _erase_data(jobs, datasets, owner, project)
    erased += files.erase_all(owner) if files is not None else []
    for run in runs:
        folder = jobs.releases / run["id"]
        if run["kind"] in RELEASING and keep_release and folder.is_dir():
            name = f"run {run['number']}" if run["kind"] == "run" else "table of counts"
            left.append({"what": "release", "name": name, "where": str(folder)})
            cut_off = releases.sweep(run["id"], folder)
            erased += [{"what": "temporary files", "where": str(path), "gone": not path.exists()} for path in cut_off]
            if (note := jobs.drafts / run["id"]).exists():
                left.append({"what": "note for the ledger", "name": name, "where": str(note)})
        else:
            releases.forget(run["id"])
            erased += jobs.delete(run["id"], owner)
    if project is None and jobs.keys.forget_all(owner):
        erased.append({"what": "keys", "gone": not jobs.keys.names(owner)})
    # Remove what killed processes left, and look whether anything temporary is there but what is being worked on.
    clean_leftovers(jobs.releases)
    erased.append({"what": "temporary files", "where": str(jobs.aside), "gone": jobs.sweep() == 0})
    if projects and project is None and not keep_release:
        erased += _erase_projects(jobs, owner, {id: name for id, (name, _) in known.items()})
        known = {}
    place = default_place() if jobs.project_store is None else str(jobs.project_store)
    for id, (name, text) in known.items():
        if project in (None, id):
            what = "project, with values in it" if holds_values(text) else "project, without data"
            left.append({"what": what, "name": name, "where": place})
    return {"erased": erased, "left": left + _ledger_parts()}


def _erase_projects(jobs: JobQueue, owner: str, names: Mapping[str, str]) -> list[ErasedPart]:
    erased: list[ErasedPart] = []
    with open_store(jobs.project_store, owner) as store:
        for id, name in names.items():
            store.delete(name)
            jobs.store.forget_page(id)
            erased.append({"what": "project", "where": name, "gone": store.by_id(id) is None})
    return erased


def _ledger_parts() -> list[KeptPart]:
    """Return what stays of releases that left: keyed hashes in the ledger, and their key."""
    ledger = default_ledger()
    if ledger is None:
        return []
    places = {"ledger, with keyed hashes": ledger.place, "key of the ledger": os.environ.get(KEY_VARIABLE, "")}
    if "://" not in ledger.place:
        places["key of the ledger"] = places["key of the ledger"] or f"{ledger.place}.key"
    there = {what: place for what, place in places.items() if place and ("://" in place or Path(place).exists())}
    return [{"what": what, "name": "", "where": place} for what, place in there.items()]


def holds_values(text: str) -> bool:
    """Say whether a project's text may hold values of the data: hierarchies and substitutions that were written out."""
    try:
        todo: list[Any] = [parse_yaml(text, Path("project.yaml")).data]
    except AntifazError:
        return True
    while todo:
        value = todo.pop()
        if isinstance(value, Mapping):
            if any(isinstance(value.get(key), Mapping | list) for key in ("table", "tree", "missing")):
                return True
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return False


def _erase_data(
    jobs: JobQueue, datasets: Datasets, owner: str, project: str | None
) -> tuple[list[ErasedPart], list[KeptPart]]:
    """Erase the data sets that are meant; what is only opened here stays where it is."""
    every = {known["id"]: known for known in datasets.all(owner)}
    bound = every if project is None else set(jobs.store.page(project)["datasets"].values())
    erased: list[ErasedPart] = []
    left: list[KeptPart] = []
    for id in [id for id in bound if id in every]:
        reference = datasets.reference(id, owner)
        parts = datasets.erase(owner, id)
        jobs.store.unbind(id)
        still = {known["id"] for known in datasets.all(owner)}
        erased += [{"where": every[id]["name"], **one, "gone": bool(one["gone"]) and id not in still} for one in parts]
        if reference.origin == "path":
            left.append({"what": "original file", "name": reference.name, "where": str(reference.source.get("path"))})
        elif reference.origin == "database":
            table, url = str(reference.source.get("table")), str(reference.source.get("url"))
            left.append({"what": "original table", "name": table, "where": url})
    return erased, left
