"""The jobs on the disk, and where the page is in a project. No rows, no passwords.

The row of a job is the one place that says in which state it is. What a process says of its progress is in memory only,
and the run that a stored project lists is written from this row.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from antifaz.core.errors import AntifazError, InputError
from antifaz.core.messages import Message, as_data, from_data
from antifaz.projects.store import open_store
from antifaz.service.project_drafts import wanted_of
from antifaz.service.release_folder import read_release
from antifaz.service.worker_process import JobStep
from antifaz.storage.database import now, upgrade
from antifaz.storage.sqlite import SqliteDatabase

FILE = "work.sqlite"

#: What each version adds to the one before it; the version is how many of these were done.
_VERSIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE antifaz_work (version INTEGER NOT NULL)",
        """CREATE TABLE antifaz_job (
            place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            project TEXT NOT NULL, kind TEXT NOT NULL, asked TEXT NOT NULL, text TEXT NOT NULL, file TEXT NOT NULL,
            dataset TEXT, again TEXT, server TEXT NOT NULL, state TEXT NOT NULL, number INTEGER,
            steps TEXT NOT NULL, message TEXT NOT NULL, error TEXT, queued TEXT NOT NULL, began TEXT, ended TEXT)""",
        "CREATE TABLE antifaz_page (project TEXT PRIMARY KEY, owner TEXT NOT NULL, dataset TEXT, step TEXT)",
    ),
    # A project may have several tables, each with its data set; the only one of a project has the empty name.
    (
        """CREATE TABLE antifaz_bound (
            project TEXT NOT NULL, name TEXT NOT NULL, dataset TEXT NOT NULL, PRIMARY KEY (project, name))""",
        "INSERT INTO antifaz_bound SELECT project, '', dataset FROM antifaz_page WHERE dataset IS NOT NULL",
        "ALTER TABLE antifaz_page DROP COLUMN dataset",
        "ALTER TABLE antifaz_job ADD COLUMN datasets TEXT NOT NULL DEFAULT '{}'",
        "UPDATE antifaz_job SET datasets = json_object('', dataset) WHERE dataset IS NOT NULL",
        "UPDATE antifaz_job SET again = json_object('', json(again)) WHERE dataset IS NOT NULL AND again IS NOT NULL",
        "ALTER TABLE antifaz_job DROP COLUMN dataset",
    ),
)
#: The columns that hold JSON.
_JSON = frozenset({"asked", "datasets", "again", "steps", "error"})
#: States in which nothing changes any more.
OVER = ("done", "failed", "cancelled", "interrupted")


#: What is shown of a job; the rest is for the queue only.
_SHOWN = (
    "id", "project", "number", "kind", "asked", "datasets", "state", "steps", "message", "error", "queued", "began",
    "ended",
)  # fmt: skip


@dataclass(kw_only=True)
class Job:
    """One job, as its row says it."""

    id: str
    owner: str
    #: The id of the stored project, and its text and file as they were when the job was queued.
    project: str
    text: str
    file: str
    kind: str
    #: What was asked of it, such as the levels of a run.
    asked: dict[str, Any]
    #: Per table the id of its data set, and how to find its data after a restart; None where that can't be.
    datasets: dict[str, str]
    again: dict[str, Any] | None
    #: The key of the service that works on it.
    server: str
    queued: str
    state: str = "queued"
    #: The number of a run in its project.
    number: int | None = None
    steps: list[JobStep] = field(default_factory=list)
    message: str = ""
    error: dict[str, Any] | None = None
    began: str | None = None
    ended: str | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing of it changes any more."""
        return self.state in OVER

    def shown(self) -> dict[str, Any]:
        """Return what the service shows of it."""
        own = {"dataset": self.datasets.get(""), "share": 1.0 if self.state == "done" else None, "verified": False}
        return {key: getattr(self, key) for key in _SHOWN} | own | {"wanted": wanted_of(self.text)}


class JobStore:
    """The file of jobs, opened for each question: several threads and services ask."""

    def __init__(self, folder: Path) -> None:
        """Make the file, readable by this user only, or bring it up to date."""
        self.path = folder / FILE
        with self._opened() as database:
            newer = InputError("service.work-folder-of-newer-version", folder=folder)
            upgrade(database, "antifaz_work", _VERSIONS, newer)

    def _opened(self) -> closing[SqliteDatabase]:
        return closing(SqliteDatabase(self.path))

    def add(self, job: Job) -> None:
        """Keep a new job."""
        row = _written(asdict(job))
        marks = ", ".join("?" for _ in row)
        with self._opened() as database, database.writing():
            database.rows(f"INSERT INTO antifaz_job ({', '.join(row)}) VALUES ({marks})", *row.values())  # noqa: S608

    def jobs(self, **where: Any) -> list[Job]:
        """Return the jobs whose columns have these values, the first one first."""
        condition = " AND ".join(f"{key} = ?" for key in where) or "1 = 1"
        with self._opened() as database:
            rows = database.rows(f"SELECT * FROM antifaz_job WHERE {condition} ORDER BY place", *where.values())  # noqa: S608
        return [_read(row) for row in rows]

    def change(self, id: str, states: Sequence[str], **values: Any) -> bool:
        """Change a job if it is in one of these states, and say whether it was: whoever is first decides its end."""
        row = _written(values)
        sets = ", ".join(f"{key} = ?" for key in row)
        marks = ", ".join("?" for _ in states)
        with self._opened() as database, database.writing():
            there = database.rows(
                f"SELECT 1 AS one FROM antifaz_job WHERE id = ? AND state IN ({marks})",  # noqa: S608
                *(id, *states),
            )
            if there:
                database.rows(f"UPDATE antifaz_job SET {sets} WHERE id = ?", *row.values(), id)  # noqa: S608
        return bool(there)

    def claim(self, server: str, order: Callable[[list[Job]], list[Job]] = list) -> Job | None:
        """Begin the first job that waits for this service, and return it; None where none waits.

        `order` says which come first, and leaves out those whose turn it is not.
        """
        for job in order(self.jobs(server=server, state="queued")):
            job.state, job.began = "running", now()
            if self.change(job.id, ["queued"], state=job.state, began=job.began):  # else somebody cancelled it
                return job
        return None

    def remove(self, id: str) -> None:
        """Forget a job."""
        with self._opened() as database, database.writing():
            database.rows("DELETE FROM antifaz_job WHERE id = ?", id)

    def page(self, project: str) -> dict[str, Any]:
        """Return where the page is in a project: per table its data set, and the step, None where nobody said."""
        with self._opened() as database:
            rows = database.rows("SELECT step FROM antifaz_page WHERE project = ?", project)
            bound = database.rows("SELECT name, dataset FROM antifaz_bound WHERE project = ?", project)
        step = rows[0]["step"] if rows else None
        return {"datasets": {str(row["name"]): str(row["dataset"]) for row in bound}, "step": step}

    def projects_of(self, dataset: str, owner: str) -> list[tuple[str, str]]:
        """Return the projects of a person that are bound to a data set, each with the table that is."""
        with self._opened() as database:
            rows = database.rows(
                "SELECT b.project, b.name FROM antifaz_bound b JOIN antifaz_page p ON p.project = b.project"
                " WHERE b.dataset = ? AND p.owner = ?",
                *(dataset, owner),
            )
        return [(str(row["project"]), str(row["name"])) for row in rows]

    def set_page(self, project: str, owner: str, datasets: Mapping[str, str], step: str | None) -> None:
        """Keep where the page is in a project, and per table its data set."""
        with self._opened() as database, database.writing():
            self._forget_page(database, project)
            database.rows("INSERT INTO antifaz_page VALUES (?, ?, ?)", project, owner, step)
            for name, dataset in datasets.items():
                database.rows("INSERT INTO antifaz_bound VALUES (?, ?, ?)", project, name, dataset)

    def unbind(self, dataset: str) -> None:
        """Note that a data set was erased: one that can be made again is not to come back by itself."""
        with self._opened() as database, database.writing():
            database.rows("UPDATE antifaz_bound SET dataset = 'erased' WHERE dataset = ?", dataset)

    def forget_page(self, project: str) -> None:
        """Forget where the page is in a project."""
        with self._opened() as database, database.writing():
            self._forget_page(database, project)

    def _forget_page(self, database: SqliteDatabase, project: str) -> None:
        for table in ("antifaz_page", "antifaz_bound"):
            database.rows(f"DELETE FROM {table} WHERE project = ?", project)  # noqa: S608 - two tables of ours


def _written(values: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(values)
    if "steps" in fields:
        fields["steps"] = [{key: as_data(value) for key, value in step.items()} for step in fields["steps"]]
    for key in _JSON & fields.keys():
        fields[key] = None if fields[key] is None else json.dumps(fields[key], ensure_ascii=False)
    return fields


def _read(row: dict[str, Any]) -> Job:
    """Return a job with messages where it keeps their codes, so that each reader gets them in their language."""
    fields = {key: value for key, value in row.items() if key != "place"}
    for key in _JSON:
        fields[key] = None if fields[key] is None else json.loads(fields[key])
    fields["steps"] = [{key: from_data(value) for key, value in step.items()} for step in fields["steps"]]
    if fields["error"] and "reason" in fields["error"]:
        fields["message"] = Message.from_dict(fields["error"]["reason"])
        fields["error"]["message"] = fields["message"]
    return Job(**fields)


def record_run(
    job: Job, store: str | Path | None, folder: Path, state: str, message: str, seconds: float | None
) -> None:
    """Write how a run ended into the stored project; that one was interrupted, the project's store sees itself."""
    if job.number is None or state == "interrupted":
        return
    evidence: dict[str, Any] = {}
    if state == "done":
        evidence = read_release(folder) | {"folder": str(folder)}
    # The store may be out of reach; the job says how it ended all the same.
    with suppress(AntifazError), open_store(store, job.owner) as opened:
        opened.finish(
            job.project, job.number, state,
            seconds=sum(evidence.get("seconds", {}).values()) if seconds is None else seconds, evidence=evidence,
            error="Stopped by the user." if state == "cancelled" else message or None,
        )  # fmt: skip
