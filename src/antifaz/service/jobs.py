"""The queue: jobs wait, run in processes of their own, and end in one state that everybody sees.

```
queued → running → done | failed | cancelled | interrupted
```

The queue is on the disk and survives the service. When that was killed, the next one settles what it left: what was
running is interrupted (or done, if its release had been published), what was waiting runs if its data can still be
reached, and is interrupted if the data was in the memory of the one that died.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Condition, Thread
from typing import Any

from antifaz.core.errors import AntifazError, InputError
from antifaz.core.messages import Message
from antifaz.projects.store import open_store
from antifaz.releases.atomic import clean_leftovers
from antifaz.service.dataset_sources import DatasetReference
from antifaz.service.datasets import Datasets
from antifaz.service.errors import Busy, Gone, NotFound, error_document
from antifaz.service.job_progress import Live, shown
from antifaz.service.job_requests import checked, last_release
from antifaz.service.job_store import OVER, JobStore
from antifaz.service.work_folder import ServiceLock
from antifaz.service.worker_process import Process
from antifaz.storage.database import now

#: Jobs of one person that may wait at a time.
MOST_WAITING = 100
#: How long the processes of a service that was killed have to notice.
_PATIENCE = 15.0

_DATA_GONE = (
    "The data of this job was only in the memory of the service, which was started anew; choose the data again, and "
    "run it again."
)
_KILLED = "The process that did the work ended before it could say how; run it again."
_STOPPED = "The service was stopped while this was running; run it again."


class JobQueue:
    """The queue of one service. `start` begins to work, `stop` ends."""

    def __init__(
        self,
        work: Path,
        datasets: Datasets,
        *,
        store: str | Path | None = None,
        at_once: int = 1,
        accounts: bool = False,
        memory: str | None = None,
    ) -> None:
        """Take the work folder; `accounts` says that its users may not name files of this machine."""
        self.work, self.store, self.accounts = work, store, accounts
        self.releases, self.results, self.aside = work / "releases", work / "results", work / "aside"
        #: What the ledger must know of runs that have not left yet.
        self.held = work / "held"
        for folder in (self.releases, self.results, self.aside, self.held):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.kept = JobStore(work)
        self._datasets, self._at_once, self._memory = datasets, at_once, memory
        self._change = Condition()
        self._live: dict[str, Live] = {}
        self._threads: list[Thread] = []
        self._stopping = False
        self._lease: ServiceLock | None = None

    def start(self) -> None:
        """Settle what a killed service left, and begin to work."""
        self._lease = ServiceLock(self.work)
        clean_leftovers(self.releases)
        self._settle(self._lease)
        self.sweep()
        for _ in range(self._at_once):
            thread = Thread(target=self._serve, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End what is running, and wait for it; what is queued stays queued."""
        with self._change:
            self._stopping = True
            going = [live.process for live in self._live.values() if live.process is not None]
            self._change.notify_all()
        for process in going:
            process.terminate()
        for thread in self._threads:
            thread.join()
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    def put(self, owner: str, project: str, kind: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Queue a job of a stored project, after whatever can be checked before has been checked."""
        if self._lease is None or self._stopping:
            raise Busy("service.being-stopped")
        with open_store(self.store, owner) as opened:
            row = opened.by_id(project)
        if row is None:
            raise NotFound("service.project-not-found")
        if sum(job["state"] == "queued" for job in self.kept.jobs(owner=owner)) >= MOST_WAITING:
            raise Busy("service.too-many-jobs-waiting", most=MOST_WAITING)
        dataset = self.kept.page(project)["dataset"]
        given = self._datasets.reference(dataset, owner) if dataset else None
        said = checked(row, kind, asked, given, accounts=self.accounts)
        text = row["text"]
        if kind == "assess" or "run" in said:
            meant = last_release(self.kept.jobs(owner=owner, project=project), said.get("run"))
            said["run"], text = meant["id"], meant["text"]
        job = {
            "id": secrets.token_hex(16),
            "owner": owner,
            "project": project,
            "kind": kind,
            "asked": said,
            "text": text,
            "file": row["file"],
            "dataset": dataset,
            "again": _again(given),
            "server": self._lease.key,
            "state": "queued",
            "number": None,
            "steps": [],
            "message": "",
            "error": None,
            "queued": now(),
        }
        with self._change:
            self.kept.add(job)
            self._live[job["id"]] = Live(job)
            self._change.notify_all()
        return self.get(job["id"], owner)

    def get(self, id: str, owner: str) -> dict[str, Any]:
        """Return a job of this owner as it is now."""
        with self._change:
            live = self._live.get(id)
            if live is not None and live.job["owner"] == owner:
                return live.shown()
        found = self.kept.jobs(id=id, owner=owner)
        if not found:
            raise NotFound("service.run-not-found")
        return shown(found[0])

    def all(self, owner: str, project: str | None = None) -> list[dict[str, Any]]:
        """Return the jobs of this owner, the newest first."""
        where = {"owner": owner} if project is None else {"owner": owner, "project": project}
        found = [shown(job) for job in self.kept.jobs(**where)]
        with self._change:
            now_live = {id: live.shown() for id, live in self._live.items()}
        return [now_live.get(job["id"], job) for job in reversed(found)]

    def cancel(self, id: str, owner: str) -> dict[str, Any]:
        """Give up a job; one that is over stays as it is."""
        self.get(id, owner)
        if self.kept.change(id, ["queued"], state="cancelled", ended=now(), message=""):
            with self._change:
                self._live.pop(id, None)
        else:
            with self._change:
                live = self._live.get(id)
                process = live.process if live else None
                if live is not None:
                    live.cancelled = True
            if process is not None:
                process.terminate()
        return self.get(id, owner)

    def delete(self, id: str, owner: str) -> list[dict[str, Any]]:
        """Forget a job that is over, with its result and its release; say of each whether it is gone."""
        job = self.get(id, owner)
        if job["state"] not in OVER:
            raise Busy("service.run-not-over-cancel")
        erased = self.erase_files(id)
        self.kept.remove(id)
        return [*erased, {"what": "run", "where": id, "gone": not self.kept.jobs(id=id)}]

    def erase_files(self, id: str, *, release: bool = True) -> list[dict[str, Any]]:
        """Remove the result of a job, and its release; say of each that was there whether it is gone."""
        erased = []
        places = [("result", self.results / f"{id}.json")]
        if release:
            places += [("release", self.releases / id), ("note for the ledger", self.held / id)]
        for what, place in places:
            if place.exists():
                shutil.rmtree(place, ignore_errors=True) if place.is_dir() else place.unlink(missing_ok=True)
                erased.append({"what": what, "where": str(place), "gone": not place.exists()})
        return erased

    def release_of(self, id: str, owner: str) -> Path:
        """Return the folder that a run released into, or raise."""
        job = self.get(id, owner)
        if job["kind"] != "run" or job["state"] != "done":
            raise NotFound("service.run-released-nothing")
        folder = self.releases / id
        if not folder.is_dir():
            raise Gone("service.run-released-erased")
        return folder

    def result_of(self, id: str, owner: str) -> Path:
        """Return the file with the result of a job: of a run, its evidence."""
        job = self.get(id, owner)
        if job["state"] != "done":
            raise NotFound(
                Message("service.run-without-result") if job["state"] in OVER else Message("service.run-no-result-yet")
            )
        path = self.releases / id / "evidence.json" if job["kind"] == "run" else self.results / f"{id}.json"
        if not path.is_file():
            raise Gone("service.result-run-erased")
        return path

    def sweep(self) -> int:
        """Remove what processes that are gone left aside; return how much is there of jobs that are over."""
        going = {job["id"] for job in self.kept.jobs() if job["state"] not in OVER}
        left = [path for path in self.aside.iterdir() if path.name not in going]
        for path in left:
            shutil.rmtree(path, ignore_errors=True)
        return sum(path.exists() for path in left)

    def _settle(self, lease: ServiceLock) -> None:
        """Take over the jobs of services that are gone."""
        left = [job for job in self.kept.jobs() if job["state"] not in OVER]
        gone = {key for key in {job["server"] for job in left} if lease.ended(key, _PATIENCE)}
        for job in left:
            if job["server"] not in gone:
                continue
            if job["state"] == "running":
                self._end(job["id"], "interrupted", _KILLED)
            elif job["again"] is None:
                self._end(job["id"], "interrupted", _DATA_GONE)
            else:
                self.kept.change(job["id"], ["queued"], server=lease.key)
                with self._change:
                    self._live[job["id"]] = Live(job)

    def _serve(self) -> None:
        """Work on one job after another."""
        while (live := self._next()) is not None:
            try:
                self._work(live)
            finally:
                with self._change:
                    self._live.pop(live.job["id"], None)

    def _next(self) -> Live | None:
        while True:
            with self._change:
                waiting = [live for live in self._live.values() if live.job["state"] == "queued"]
                if self._stopping:
                    return None
                if not waiting:
                    self._change.wait()
                    continue
                live = waiting[0]
                began = now()
                if self.kept.change(live.job["id"], ["queued"], state="running", began=began):
                    live.job |= {"state": "running", "began": began}
                    return live
                self._live.pop(live.job["id"])  # cancelled in this moment

    def _work(self, live: Live) -> None:
        job = live.job
        try:
            with ExitStack() as stack:
                process = Process(*self._order(job, stack))
                with self._change:
                    live.process = process
                    stop = self._stopping or live.cancelled
                if stop:
                    process.terminate()
                stack.close()  # the process has what it needs
                for said in process.lines():
                    with self._change:
                        live.hear(said)
                    if "number" in said:
                        self.kept.change(job["id"], ["running"], number=said["number"])
        except AntifazError as error:
            live.ended = {"error": error_document(error)}
        except OSError:
            live.ended = {"error": {"code": "internal", "message": "The system can't begin another process now."}}
        self._conclude(live)

    def _order(self, job: Mapping[str, Any], stack: ExitStack) -> tuple[dict[str, Any], list[int]]:
        """Return what the worker is told, and the open files that it gets."""
        with open_store(self.store, job["owner"]) as opened:
            row = opened.by_id(job["project"])
        if row is None:
            raise NotFound("service.project-deleted-meanwhile")
        given = self._handed(job)
        keep = [self._lease.fd] if self._lease is not None else []
        (self.aside / job["id"]).mkdir(mode=0o700, exist_ok=True)
        order: dict[str, Any] = {key: job[key] for key in ("owner", "kind", "asked", "text", "file")}
        order |= {
            "project": {"id": row["id"], "name": row["name"], "text": job["text"]},
            "folder": row["folder"],
            "store": None if self.store is None else str(self.store),
            "memory": self._memory,
            "out": str(self.releases / job["id"]),
            "result": str(self.results / f"{job['id']}.json"),
            "aside": str(self.aside / job["id"]),
            "held": str(self.held / job["id"]),
            "source": None,
            "password": None,
        }
        if "run" in job["asked"]:
            order["released"] = str(self.release_of(job["asked"]["run"], job["owner"]))
        if given is not None:
            order |= {"source": dict(given.source), "types": dict(given.types), "name": given.name}
            order["password"] = given.password
            if given.content is not None:
                order["fd"] = stack.enter_context(given.content()).fd
                keep.append(order["fd"])
        return order, keep

    def _handed(self, job: Mapping[str, Any]) -> DatasetReference | None:
        if job["dataset"] is None:
            return None
        try:
            return self._datasets.reference(job["dataset"], job["owner"])
        except (NotFound, Gone):
            if not job["again"] or job["again"].get("origin") in (None, "example"):
                raise InputError("service.data-erased-before-run") from None
        return self._datasets.again(job["again"])

    def _conclude(self, live: Live) -> None:
        """Note how a job ended, and remove what must not be left of one that did not succeed."""
        told, steps = live.ended, live.steps()
        if live.cancelled:
            self._end(live.job["id"], "cancelled", "", steps)
        elif "error" in told:
            self._end(live.job["id"], "failed", told["error"]["message"], steps, told["error"])
        elif self._stopping:
            self._end(live.job["id"], "interrupted", _STOPPED, steps)
        else:
            self._end(live.job["id"], "interrupted", _KILLED, steps)

    def _end(
        self,
        id: str,
        state: str,
        message: str,
        steps: list[dict[str, Any]] | None = None,
        error: Mapping[str, Any] | None = None,
    ) -> None:
        shutil.rmtree(self.aside / id, ignore_errors=True)
        # What is in its place was checked and put there whole: whoever stopped the process came too late.
        if (self.releases / id / "evidence.json").is_file() or (self.results / f"{id}.json").is_file():
            state, message, error = "done", "", None
        else:
            self.erase_files(id)
            clean_leftovers(self.releases)
        if state == "interrupted":
            error = {"code": "gone" if message == _DATA_GONE else "internal", "message": message}
        more = {} if steps is None else {"steps": steps}
        self.kept.change(id, ["queued", "running"], state=state, message=message, error=error, ended=now(), **more)


def _again(given: DatasetReference | None) -> dict[str, Any] | None:
    """Return how to come by the data after a restart; a project's own source is where its file says."""
    if given is None:
        return {}
    return None if given.again is None else {"origin": given.origin, **given.again}
