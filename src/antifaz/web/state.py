"""What all routes share: how the service was started, its data sets, who is signed in."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, cast

from fastapi import Depends, Request

from antifaz.core.language import Language, preferred
from antifaz.core.machine import current_user
from antifaz.service.allowed_hosts import AllowedHosts
from antifaz.service.dataset_sources import allowed_path
from antifaz.service.datasets import Datasets
from antifaz.service.examples import remake_example
from antifaz.service.jobs import JobQueue
from antifaz.service.releases import Releases
from antifaz.service.vault import Vault
from antifaz.service.waiting_files import WaitingFiles
from antifaz.service.work_folder import WorkFolder
from antifaz.service.worker_process import WorkerPool
from antifaz.web.accounts import Accounts, AttemptLimiter, Sessions

#: The names by which a browser on this machine calls it.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a service was started."""

    hosts: frozenset[str] = LOOPBACK
    upload_limit: int = 2_000_000_000
    memory: str = "4GB"
    #: How many jobs run at a time; by processors and memory when not told.
    jobs: int | None = None
    accounts: Accounts | None = field(default=None, repr=False)
    #: What programs show instead of a session.
    token: str | None = field(default=None, repr=False)
    #: The only folder of this machine whose files may be opened by their path; with accounts, none if not told.
    root: Path | None = None
    #: The database servers that may be reached, and which secret belongs to which; with accounts, none if not told.
    databases: AllowedHosts | None = field(default=None, repr=False)
    #: The master of Spark that projects may run on.
    spark: str | None = None
    #: Whose projects they are where there are no accounts.
    user: str = field(default_factory=current_user)
    #: Where projects are kept; as for the command line when left out.
    store: str | Path | None = None


class AppState:
    """A service that runs: use it as long as its work folder is there."""

    def __init__(self, folder: WorkFolder, settings: Settings | None = None, workers: WorkerPool | None = None) -> None:
        """Begin with no data and nobody signed in; `workers` that are given are left to whoever made them."""
        self.settings = settings or Settings()
        self.folder = folder
        self.hosts = self.settings.databases or AllowedHosts(only_listed=self.settings.accounts is not None)
        self.vault = Vault(folder.private)
        self.workers, self._own_workers = workers or WorkerPool(), workers is None
        self.datasets = Datasets(
            workers=self.workers, folder=folder.private, memory=self.settings.memory,
            remake=partial(remake_example, self.vault),
        )  # fmt: skip
        self.files = WaitingFiles(self.datasets)
        shared, memory, store = self.settings.accounts is not None, self.settings.memory, self.settings.store
        self.jobs = JobQueue(
            folder.root, self.datasets, project_store=store, workers=self.workers, accounts=shared, memory=memory,
            at_once=self.settings.jobs, spark=self.settings.spark, hosts=self.hosts,
        )  # fmt: skip
        self.releases = Releases(self.jobs, folder.private)
        self.sessions = Sessions()
        self.attempts = AttemptLimiter()

    def path(self, text: str) -> Path:
        """Return the file of this machine that somebody names, if files may be opened by their path here."""
        return allowed_path(text, self.settings.root, shared=self.settings.accounts is not None)

    def start(self) -> None:
        """Begin to work on the queue."""
        self.workers.warm()
        self.jobs.start()

    def stop(self) -> None:
        """End what is running; what is queued stays queued."""
        self.jobs.stop()
        self.releases.close()

    def close(self) -> bool:
        """Erase all data; say whether it is gone."""
        self.datasets.close()
        self.vault.close()
        if self._own_workers:
            self.workers.close()
        return self.folder.erase()


def _state(request: Request) -> AppState:
    return cast(AppState, request.app.state.service)


def _user(request: Request) -> str:
    # The guard has put it there; without it, nothing gets this far.
    return str(request.state.user)


#: What a route is given: the running service.
Running = Annotated[AppState, Depends(_state)]
#: What a route is given: whose data it is about.
User = Annotated[str, Depends(_user)]


def _language(request: Request) -> Language:
    return preferred(request.headers.get("accept-language"))


#: The reader's language, as the header Accept-Language says it.
Spoken = Annotated[Language, Depends(_language)]
