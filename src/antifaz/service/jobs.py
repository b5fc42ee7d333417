"""The queue: jobs wait, run in processes of their own, and end in one state that everybody sees.

```
queued → running → done | failed | cancelled | interrupted
```

The row of a job in the `JobStore` is the one place of its state, and it survives the service. In memory there is only
what a worker says of its progress. The run that the stored project lists is written from the job, when it begins and
when it ends.

When a service was killed, the next one settles what it left: what was running is interrupted (or done, if its release
had been published), what was waiting runs if its data can still be reached, and is interrupted if the data was in the
memory of the one that died.
"""

import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Condition, Thread
from typing import Any

from antifaz.core.errors import AntifazError, InputError
from antifaz.core.messages import Message
from antifaz.core.sizes import parse_size
from antifaz.projects.store import open_store
from antifaz.projects.yaml_file import parse_yaml
from antifaz.releases.atomic import clean_leftovers
from antifaz.service.allowed_hosts import AllowedHosts
from antifaz.service.dataset_sources import DatasetReference, ErasedPart, again_of, restored_reference
from antifaz.service.datasets import Datasets
from antifaz.service.errors import Busy, Gone, NotFound, error_document, message_document
from antifaz.service.job_request import RELEASING, check_request, find_released_job
from antifaz.service.job_slots import JobSlots, MemoryBudget, places
from antifaz.service.job_store import Job, JobStore, record_run
from antifaz.service.project_tables import tables_of_text
from antifaz.service.release_folder import EVIDENCE, in_tables
from antifaz.service.user_keys import UserKeys
from antifaz.service.work_folder import ServiceLock
from antifaz.service.worker_process import JobProgress, WorkerPool
from antifaz.storage.database import now

#: Jobs of one person that may wait at a time.
MOST_WAITING = 100
#: What the process of a job may take beside the memory that it was granted: compiled kernels, stacks, what allocators
#: set aside.
_OVERHEAD = 2 << 30
#: How long the processes of a service that was killed have to notice.
_PATIENCE = 15.0

_DATA_GONE = Message("service.data-lost-by-restart")
_KILLED = Message("service.process-ended-run-again")
_STOPPED = Message("service.stopped-while-running")


class JobQueue:
    """The queue of one service. `start` begins to work, `stop` ends."""

    def __init__(
        self,
        work: Path,
        datasets: Datasets,
        *,
        project_store: str | Path | None = None,
        workers: WorkerPool | None = None,
        at_once: int | None = None,
        accounts: bool = False,
        memory: str | None = None,
        spark: str | None = None,
        hosts: AllowedHosts | None = None,
    ) -> None:
        """Take the work folder, and who starts its workers.

        `accounts` says that its users may not name files of this machine, `memory` is what all jobs may take, `spark`
        is a master, `hosts` are the database servers that may be reached. How many run `at_once` follows from
        processors and memory, if nothing is told.
        """
        #: Who starts workers; whoever made it closes it.
        self.workers = workers or WorkerPool()
        self.work, self.project_store, self.accounts = work, project_store, accounts
        self.releases, self.results, self.aside = work / "releases", work / "results", work / "aside"
        #: What the ledger must know of runs that have not left yet.
        self.drafts = work / "held"
        for folder in (self.releases, self.results, self.aside, self.drafts):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.store = JobStore(work)
        self._datasets, self._spark, self.hosts = datasets, spark, hosts or AllowedHosts(only_listed=accounts)
        whole = None if memory is None else parse_size(memory)
        self._slots = JobSlots(at_once or places(whole), shared=accounts)
        self._memory = MemoryBudget(whole, self._slots.at_once)
        self.keys = UserKeys()
        #: Per job the password of the database that its rows go to.
        self._passwords: dict[str, str] = {}
        self._change = Condition()
        self._progress: dict[str, JobProgress] = {}
        self._threads: list[Thread] = []
        self._stopping = False
        self._lock: ServiceLock | None = None

    def start(self) -> None:
        """Settle what a killed service left, and begin to work."""
        self._lock = ServiceLock(self.work)
        clean_leftovers(self.releases)
        self._settle(self._lock)
        self.sweep()
        for _ in range(self._slots.at_once):
            thread = Thread(target=self._serve, args=[self._lock], daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End what is running, and wait for it; what is queued stays queued."""
        with self._change:
            self._stopping = True
            for progress in self._progress.values():
                progress.stop()
            self._change.notify_all()
        self._memory.wake()
        for thread in self._threads:
            thread.join()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def add(
        self, owner: str, project: str, kind: str, asked: Mapping[str, Any], *, password: str | None = None
    ) -> dict[str, Any]:
        """Queue a job of a stored project, after whatever can be checked before has been checked.

        `password` is that of the database which the rows go to; it stays in memory.
        """
        if self._lock is None or self._stopping:
            raise Busy("service.being-stopped")
        with open_store(self.project_store, owner) as opened:
            row = opened.by_id(project)
        if row is None:
            raise NotFound("service.project-not-found")
        if len(self.store.jobs(owner=owner, state="queued")) >= MOST_WAITING:
            raise Busy("service.too-many-jobs-waiting", most=MOST_WAITING)
        bound = self.store.page(project)["datasets"]
        references = {
            name: self._datasets.reference(bound[name], owner) for name in tables_of_text(row["text"]) if name in bound
        }
        asked = check_request(row, kind, asked, references, accounts=self.accounts, keys=self.keys.names(owner))
        text = row["text"]
        if kind == "assess" or "run" in asked:
            released = find_released_job(self.store.jobs(owner=owner, project=project), asked.get("run"))
            asked["run"], text = released.id, released.text
        job = Job(
            id=secrets.token_hex(16), owner=owner, project=project, kind=kind, asked=asked, text=text,
            file=row["file"], datasets={name: bound[name] for name in references}, again=again_of(references),
            server=self._lock.key, queued=now(),
        )  # fmt: skip
        if password:
            self._passwords[job.id] = password
        self.store.add(job)
        with self._change:
            self._change.notify_all()
        return self.get(job.id, owner)

    def get(self, id: str, owner: str) -> dict[str, Any]:
        """Return a job of this owner as it is now, as it is shown."""
        # The progress first: once it is gone, the row says how the job ended.
        with self._change:
            progress = self._progress[id].shown() if id in self._progress else {}
        job = self._find(id, owner)
        return job.shown() | ({} if job.is_over else progress)

    def all(self, owner: str, project: str | None = None) -> list[dict[str, Any]]:
        """Return the jobs of this owner as they are shown, the newest first."""
        where = {"owner": owner} if project is None else {"owner": owner, "project": project}
        with self._change:
            progress = {id: known.shown() for id, known in self._progress.items()}
        jobs = reversed(self.store.jobs(**where))
        return [job.shown() | ({} if job.is_over else progress.get(job.id, {})) for job in jobs]

    def cancel(self, id: str, owner: str) -> dict[str, Any]:
        """Give up a job; one that is over stays as it is."""
        self._find(id, owner)
        if self.store.change(id, ["queued"], state="cancelled", ended=now(), message=""):
            self._passwords.pop(id, None)
        else:
            with self._change:
                if id in self._progress:
                    self._progress[id].stop(cancelled=True)
            self._memory.wake()
        return self.get(id, owner)

    def delete(self, id: str, owner: str) -> list[ErasedPart]:
        """Forget a job that is over, with its result and its release; say of each whether it is gone."""
        if not self._find(id, owner).is_over:
            raise Busy("service.cancel-run-first")
        erased = self._erase_files(id)
        self.store.remove(id)
        return [*erased, {"what": "run", "where": id, "gone": not self.store.jobs(id=id)}]

    def _erase_files(self, id: str) -> list[ErasedPart]:
        """Remove the result of a job, and its release; say of each that was there whether it is gone."""
        erased: list[ErasedPart] = []
        result, release, draft = self.results / f"{id}.json", self.releases / id, self.drafts / id
        for what, place in {"result": result, "release": release, "note for the ledger": draft}.items():
            if place.exists():
                shutil.rmtree(place, ignore_errors=True) if place.is_dir() else place.unlink(missing_ok=True)
                erased.append({"what": what, "where": str(place), "gone": not place.exists()})
        return erased

    def release_of(self, id: str, owner: str) -> Path:
        """Return the folder that a run released into, or raise."""
        job = self._find(id, owner)
        if job.kind not in RELEASING or job.state != "done":
            raise NotFound("service.run-released-nothing")
        folder = self.releases / id
        if not folder.is_dir():
            raise Gone("service.release-erased")
        return folder

    def result_of(self, id: str, owner: str) -> Path:
        """Return the file with the result of a job: of a run, its evidence."""
        job = self._find(id, owner)
        if job.state != "done":
            raise NotFound(Message("service.run-without-result") if job.is_over else Message("service.no-result-yet"))
        path = self._result(job)
        if not path.is_file():
            raise Gone("service.result-erased")
        return path

    def cells_of(self, id: str, owner: str) -> Path:
        """Return the file with the cells of a table that was made."""
        self.release_of(id, owner)
        path = self.results / f"{id}.json"
        if not path.is_file():
            raise NotFound("service.run-made-no-table")
        return path

    def verified_of(self, id: str, owner: str) -> dict[str, Any]:
        """Return what a run has verified while attacks are tried: its evidence so far, and its first rows."""
        self._find(id, owner)
        with self._change:
            verified = self._progress[id].verified if id in self._progress else None
        if verified is None:
            raise NotFound("service.nothing-verified-yet")
        return verified

    def sweep(self) -> int:
        """Remove what processes that are gone left; return how much is there of jobs that are over, or erased."""
        known = {job.id: job.is_over for job in self.store.jobs()}
        left = [path for path in self.aside.iterdir() if known.get(path.name, True)]
        left += [path for path in self.drafts.iterdir() if path.name not in known]
        for path in left:
            shutil.rmtree(path, ignore_errors=True)
        return sum(path.exists() for path in left)

    def _find(self, id: str, owner: str) -> Job:
        jobs = self.store.jobs(id=id, owner=owner)
        if not jobs:
            raise NotFound("service.run-not-found")
        return jobs[0]

    def _result(self, job: Job) -> Path:
        return self.releases / job.id / EVIDENCE if job.kind in RELEASING else self.results / f"{job.id}.json"

    def _settle(self, lock: ServiceLock) -> None:
        left = [job for job in self.store.jobs() if not job.is_over]
        gone = {key for key in {job.server for job in left} if lock.ended(key, _PATIENCE)}
        for job in left:
            if job.server not in gone:
                continue
            if job.state == "running":
                self._end(job, "interrupted", _KILLED)
            elif job.again is None:
                self._end(job, "interrupted", _DATA_GONE)
            else:
                self.store.change(job.id, ["queued"], server=lock.key)

    def _serve(self, lock: ServiceLock) -> None:
        while True:
            with self._change:
                job = None
                while not self._stopping and (job := self.store.claim(lock.key, self._slots.order)) is None:
                    self._change.wait()
                if job is None:
                    return
                progress = self._progress[job.id] = JobProgress()
                self._slots.begin(job.owner)
            try:
                self._work(job, progress, lock)
            finally:
                with self._change:
                    del self._progress[job.id]
                    self._slots.end(job.owner)
                    self._change.notify_all()

    def _work(self, job: Job, progress: JobProgress, lock: ServiceLock) -> None:
        with ExitStack() as recorded:
            try:
                with ExitStack() as inputs:
                    memory = recorded.enter_context(self._memory.share(job.text, lambda: progress.unwanted))
                    project, spec, fds = self._job_spec(job, inputs, memory)
                    recorded.enter_context(self._run_number(job, project))
                    worker = self.workers.start(spec, [lock.fd, *fds])
                with self._change:
                    progress.attach(worker)
                for line in worker.lines():
                    with self._change:
                        progress.hear(line)
            except AntifazError as error:
                progress.ended = {"error": error_document(error)}
            except OSError:
                progress.ended = {"error": message_document("internal", Message("service.no-more-processes"))}
            job.steps, problem = progress.steps(), progress.ended.get("error")
            if progress.cancelled:
                self._end(job, "cancelled", "", seconds=progress.seconds)
            elif problem is not None:
                self._end(job, "failed", problem["message"], problem, seconds=progress.seconds)
            else:
                self._end(job, "interrupted", _STOPPED if self._stopping else _KILLED, seconds=progress.seconds)

    def _job_spec(
        self, job: Job, inputs: ExitStack, memory: str | None
    ) -> tuple[dict[str, Any], dict[str, Any], list[int]]:
        """Return the stored project, what the worker is told, and the open files that it gets."""
        with open_store(self.project_store, job.owner) as opened:
            project = opened.by_id(job.project)
        if project is None:
            raise NotFound("service.project-deleted-meanwhile")
        datasets = self._inputs(job)
        (self.aside / job.id).mkdir(mode=0o700, exist_ok=True)
        spec: dict[str, Any] = {
            **{key: getattr(job, key) for key in ("owner", "project", "kind", "asked", "text")},
            "file": str(Path(project["folder"]) / job.file), "memory": memory, "name": project["name"],
            "limit": None if memory is None else parse_size(memory) + _OVERHEAD,
            "spark": self._spark, "keys": self.keys.for_job(job.owner), "out": str(self.releases / job.id),
            "result": str(self.results / f"{job.id}.json"), "aside": str(self.aside / job.id),
            "draft": str(self.drafts / job.id), "password": self._passwords.get(job.id), "tables": {},
        }  # fmt: skip
        if "run" in job.asked:
            spec["released"] = str(self.release_of(job.asked["run"], job.owner))
        fds: list[int] = []
        for name, each in datasets.items():
            table: dict[str, Any] = {"source": dict(each.source), "types": dict(each.types), "password": each.password}
            if each.content is not None:
                table["fd"] = inputs.enter_context(each.content()).fd
                fds.append(table["fd"])
            spec["tables"][name] = table
        document = parse_yaml(job.text, Path(job.file)).data
        spec["ledger_entry"] = self.hosts.ledger_entry()
        spec["secrets"] = self.hosts.secrets(document, job.asked, [dict(each.source) for each in datasets.values()])
        return project, spec, fds

    def _inputs(self, job: Job) -> dict[str, DatasetReference]:
        return {name: self._input(job, name, dataset) for name, dataset in job.datasets.items()}

    def _input(self, job: Job, name: str, dataset: str) -> DatasetReference:
        try:
            return self._datasets.reference(dataset, job.owner)
        except (NotFound, Gone):
            again = (job.again or {}).get(name) or {}
            if again.get("origin") in (None, "example"):
                raise InputError("service.data-erased-before-run") from None
        return restored_reference(again)

    @contextmanager
    def _run_number(self, job: Job, project: dict[str, Any]) -> Iterator[None]:
        """Give a run its number in the stored project; while it goes on, the store's lock says so to others."""
        if job.kind != "run":
            yield
            return
        with open_store(self.project_store, job.owner) as opened, opened.held() as lock_name:
            job.number = opened.begin(project | {"text": job.text}, lock_name)
            self.store.change(job.id, ["running"], number=job.number)
            yield

    def _end(
        self, job: Job, state: str, message: str, error: dict[str, Any] | None = None, *, seconds: float | None = None
    ) -> None:
        """Write the end of a job, and remove what must not be left of one that did not succeed."""
        shutil.rmtree(self.aside / job.id, ignore_errors=True)
        self._passwords.pop(job.id, None)
        # What is in its place was checked and put there whole. It is done, but for what somebody cancelled in that
        # moment: nobody had it yet, unless the rows went to a database.
        if self._result(job).is_file() and not (state == "cancelled" and self._is_here(job)):
            state, message, error = "done", "", None
        else:
            self._erase_files(job.id)
            clean_leftovers(self.releases)
        if state == "interrupted" and isinstance(message, Message):
            error = message_document("gone" if message == _DATA_GONE else "internal", message)
        # The project's run first: were the service killed in between, the next one would come here again.
        record_run(job, self.project_store, self.releases / job.id, state, message, seconds)
        ended = {"state": state, "message": message, "error": error, "steps": job.steps, "ended": now()}
        self.store.change(job.id, ["queued", "running"], **ended)

    def _is_here(self, job: Job) -> bool:
        """Say whether nothing of a job's result left the service: no rows went to a table."""
        return job.kind != "run" or not in_tables(self.releases / job.id)
