"""The work folder of a service: what stays when it stops, and a private part that goes with it.

`root` stays: the queue of jobs, and what runs released. Under `servers` each running service has a folder of its own
for what must not outlive it, such as uploaded data. It is locked (`FolderLock`) as long as the service lives;
one that nobody has locked was left by a killed service, and the next to start removes it.
"""

import os
import secrets
import shutil
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from time import monotonic, sleep

from antifaz.core.errors import InputError
from antifaz.core.locks import (
    SUFFIX,
    FolderLock,
    is_held,
    make_lock_file,
    remove_lock_file,
    remove_loose_lock,
    take_lock,
)  # fmt: skip
from antifaz.core.machine import remove_leftovers
from antifaz.sources.duckdb_connection import SPILLED
from antifaz.storage.database import data_folder

_SERVERS, _QUEUES = "servers", "queues"


def default_folder() -> Path:
    """Return the work folder in the user's data folder."""
    return data_folder() / "work"


class WorkFolder(AbstractContextManager["WorkFolder"]):
    """A work folder in use. Use it as a context manager: leaving it erases the private part."""

    def __init__(self, root: Path) -> None:
        """Make the folder, readable by this user only, and remove what killed services left there."""
        self.root = root.absolute()
        remove_leftovers(SPILLED)
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.root.chmod(0o700)
            servers = self.root / _SERVERS
            servers.mkdir(mode=0o700, exist_ok=True)
            # One at a time, because a folder is made before it is locked.
            turn = FolderLock(servers)
            try:
                turn.take(wait=True)
                #: How many services that were killed had left something here.
                self.swept = _sweep(servers)
                self.private = servers / secrets.token_hex(8)
                self.private.mkdir(mode=0o700)
                self._lock = _locked(self.private)
            finally:
                turn.close()
        except OSError as error:
            raise InputError("service.work-folder-not-usable", root=root, what=os.strerror(error.errno or 0)) from None

    def erase(self) -> bool:
        """Remove the private part and say whether it is gone."""
        shutil.rmtree(self.private, ignore_errors=True)
        self._lock.close()
        return not self.private.exists()

    def __exit__(self, *_: object) -> None:
        self.erase()


class ServiceLock:
    """Locks a file as long as the service or a worker of it lives: the system unlocks it when the last one ends."""

    def __init__(self, work: Path) -> None:
        self._folder = work / _QUEUES
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self.key = secrets.token_hex(8)
        #: To be handed to the processes that work for this service.
        self.fd = make_lock_file(self._folder / self.key)
        take_lock(self.fd)

    def ended(self, key: str, patience: float) -> bool:
        """Say whether nobody has the lock of this key any more; those that are about to end may take a while."""
        until = monotonic() + patience
        while is_held(self._folder / key):
            if monotonic() > until:
                return False
            sleep(0.1)
        return True

    def release(self) -> None:
        """Let go."""
        remove_lock_file(self.fd, self._folder / self.key)


def _locked(folder: Path) -> FolderLock:
    lock = FolderLock(folder)
    if not lock.take():
        lock.close()
        raise BlockingIOError
    return lock


def _sweep(servers: Path) -> int:
    removed = 0
    for entry in servers.iterdir():
        if entry.name.endswith(SUFFIX):
            remove_loose_lock(entry)
            continue
        with suppress(OSError):  # locked by a service that lives, or gone in this moment
            lock = _locked(entry)
            shutil.rmtree(entry, ignore_errors=True)
            lock.close()
            removed += 1
    return removed
