"""What may be asked of a job: checked before it is queued."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError, ParameterError, hint
from antifaz.projects.store_actions import checked_text
from antifaz.projects.yaml_file import parse_yaml
from antifaz.service.dataset_sources import DatasetReference
from antifaz.service.errors import NotAllowed, NotFound
from antifaz.service.job_store import Job
from antifaz.service.project_tables import ONLY, table_parts, with_sources, without_places
from antifaz.service.tabulating import TABULATE, check_tabulation

#: The kinds of jobs, and what each can be asked. `table` is one of several; `into` says per table where its rows go.
KINDS: dict[str, tuple[str, ...]] = {
    "run": ("levels", "despite", "run", "into"), "candidates": ("table",), "frontier": ("k", "table", "methods"),
    "methods": ("table",), "assess": ("attacks", "run", "table"), TABULATE: ("tabulation", "table"),
}  # fmt: skip
#: The kinds that leave a release.
RELEASING = ("run", TABULATE)
#: The most different k of a frontier, and the most attempts of an attack.
_MOST_KS, _MOST_ATTACKS = 1000, 1_000_000
#: Keys of a project file whose text names a file, a keyring or a cluster of this machine.
_PLACES = ("file", "path", "hierarchy", "key", "master", "population", "table")


def check_request(
    row: Mapping[str, Any],
    kind: str,
    asked: Mapping[str, Any],
    given: Mapping[str, DatasetReference],
    *,
    accounts: bool,
    keys: Collection[str] = (),
) -> dict[str, Any]:
    """Return what is asked of a job without what is not said, or raise for what can't be.

    `given` are the data sets of the project's tables, those that have one.
    """
    if kind not in KINDS:
        raise ParameterError("service.unknown-kind-of-run", kind=kind, hint=hint(kind, KINDS))
    request = {key: value for key, value in asked.items() if value is not None}
    for key in request:
        if key not in KINDS[kind]:
            raise ParameterError("service.unknown-key-of-run", kind=kind, key=key, hint=hint(key, KINDS[kind]))
    _check_numbers(request)
    place = Path(row["folder"]) / row["file"]
    data = parse_yaml(row["text"], place).data
    if kind == TABULATE:  # it asks for nothing that the project says but its data
        _check_tables(kind, request, table_parts(data))
        check_tabulation(request.get("tabulation"), given, request.get("table", ONLY))
        if accounts:
            _refuse_places([request["tabulation"]], keys)
        return request
    if accounts:
        _refuse_files(data, given, keys)
    on_spark = isinstance(data, dict) and (data.get("engine") or {}).get("name") == "spark"
    if on_spark and any(each.content is not None for each in given.values()):
        raise InputError("service.spark-needs-path")
    if isinstance(data, dict):
        data = with_sources(data, {name: each.source for name, each in given.items()})
    checked_text(row["text"], place, data)
    _check_tables(kind, request, table_parts(data))
    _check_recipient(kind, request, data)
    return request


def _check_numbers(request: Mapping[str, Any]) -> None:
    if "k" in request:
        low, high = request["k"]
        if not 1 <= low <= high or high - low >= _MOST_KS:
            raise ParameterError("service.k-not-a-range", most=_MOST_KS)
    if not 0 <= request.get("attacks", 0) <= _MOST_ATTACKS:
        raise ParameterError("service.attacks-out-of-bounds", most=_MOST_ATTACKS)


def _check_tables(kind: str, request: Mapping[str, Any], names: Collection[str]) -> None:
    """Refuse what names a table that the project has not, or none where it has several."""
    for name in request.get("into", ()) if kind == "run" else [request.get("table", ONLY)]:
        if name == ONLY and ONLY not in names:
            raise InputError("service.say-which-table")
        if name not in names:
            raise InputError("service.unknown-table", name=name, hint=hint(name, names))


def _check_recipient(kind: str, request: Mapping[str, Any], data: Any) -> None:
    """Refuse a project whose rows go into a table, and with that leave, without saying who gets them."""
    if kind != "run" or "into" in request or not isinstance(data, dict):
        return
    parts = [data, *table_parts(data).values()]
    targets = [part["release"] for part in parts if isinstance(part.get("release"), Mapping)]
    if any(one.get("table") for one in targets) and not any(one.get("to") for one in targets):
        raise InputError("service.say-who-gets-table")


def _refuse_files(data: Any, references: Mapping[str, DatasetReference], keys: Collection[str]) -> None:
    """Where several people share a service, none may make it read files of the machine, nor write them."""
    parts = table_parts(data)
    if not parts or any(name not in references for name in parts):
        raise NotAllowed("service.choose-data-set-first")
    for part in (data, *parts.values()):
        release: Any = part.get("release")
        if isinstance(release, Mapping) and str(release.get("url", "")).startswith(("sqlite", "duckdb")):
            raise NotAllowed("service.project-names-own-file", key="url")
    _refuse_places(list(without_places(data)), keys)


def _refuse_places(todo: list[Any], keys: Collection[str]) -> None:
    while todo:
        value = todo.pop()
        if isinstance(value, Mapping):
            for key, inner in value.items():
                if key in _PLACES and isinstance(inner, str) and not (key == "key" and inner in keys):
                    raise NotAllowed("service.project-names-own-file", key=str(key))
            todo += value.values()
        elif isinstance(value, list):
            todo += value


def find_released_job(jobs: Sequence[Job], release: str | None) -> Job:
    """Return the run that is meant: the one that is named, or the last whose rows are here."""
    done = [job for job in jobs if job.kind == "run" and job.state == "done" and "into" not in job.asked]
    if not done:
        raise InputError("service.nothing-released-yet")
    meant = [job for job in done if release in (None, job.id)]
    if not meant:
        raise NotFound("service.no-run-that-released")
    return meant[-1]
