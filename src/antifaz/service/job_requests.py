"""What can be asked of a job, checked before it is queued."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError, ParameterError, hint
from antifaz.projects.store_actions import checked_text
from antifaz.projects.yaml_file import parse_yaml
from antifaz.service.dataset_sources import DatasetReference
from antifaz.service.errors import NotAllowed, NotFound
from antifaz.service.job_store import Job

#: The kinds of jobs, and what each can be asked.
KINDS: dict[str, tuple[str, ...]] = {
    "run": ("levels", "despite", "run", "table", "schema", "replace"),
    "candidates": (),
    "frontier": ("k",),
    "assess": ("attacks", "run"),
}
#: The most different k of a frontier, and the most attempts of an attack.
_MOST_KS, _MOST_ATTACKS = 1000, 1_000_000
#: Keys of a project file whose text names a file, a keyring or a cluster of this machine.
_PLACES = ("file", "path", "hierarchy", "key", "master", "population", "table")


def check_request(
    row: Mapping[str, Any], kind: str, asked: Mapping[str, Any], given: DatasetReference | None, *, accounts: bool
) -> dict[str, Any]:
    """Return what is asked of a job without what is not said, or raise for what can't be."""
    if kind not in KINDS:
        raise ParameterError("service.unknown-kind-of-run", kind=kind, hint=hint(kind, KINDS))
    request = {key: value for key, value in asked.items() if value is not None}
    for key in request:
        if key not in KINDS[kind]:
            raise ParameterError("service.unknown-key-of-run", kind=kind, key=key, hint=hint(key, KINDS[kind]))
    if "k" in request:
        low, high = request["k"]
        if not 1 <= low <= high or high - low >= _MOST_KS:
            raise ParameterError("service.k-not-a-range", most=_MOST_KS)
    if not 0 <= request.get("attacks", 0) <= _MOST_ATTACKS:
        raise ParameterError("service.attacks-out-of-bounds", most=_MOST_ATTACKS)
    place = Path(row["folder"]) / row["file"]
    data = parse_yaml(row["text"], place).data
    if accounts:
        _refuse_files(data, given)
    if given is not None and isinstance(data, dict) and "tables" not in data:
        data = {**data, "source": dict(given.source)}
    checked_text(row["text"], place, data)
    return request


def _refuse_files(data: Any, given: DatasetReference | None) -> None:
    """Where several people share a service, none may make it read files of the machine."""
    if given is None:
        raise NotAllowed("service.choose-data-set-first")
    todo: list[Any] = [{key: value for key, value in (data or {}).items() if key not in ("source", "release")}]
    while todo:
        value = todo.pop()
        if isinstance(value, Mapping):
            for key, inner in value.items():
                if key in _PLACES and isinstance(inner, str):
                    raise NotAllowed("service.project-names-own-file", key=str(key))
            todo += value.values()
        elif isinstance(value, list):
            todo += value


def find_released_job(jobs: Sequence[Job], wanted: str | None) -> Job:
    """Return the run that is meant: the one that is named, or the last that was done."""
    done = [job for job in jobs if job.kind == "run" and job.state == "done"]
    if not done:
        raise InputError("service.nothing-released-yet")
    meant = [job for job in done if wanted in (None, job.id)]
    if not meant:
        raise NotFound("service.no-run-that-released")
    return meant[-1]
