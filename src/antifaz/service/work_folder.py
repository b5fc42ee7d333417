"""The work folder of a service: what stays when it stops, and a private part that goes with it.

`root` stays: the queue of jobs, and what runs released. Under `servers` each running service has a folder of its own
for what must not outlive it, such as uploaded data. It is locked (`flock` on the folder) as long as the service lives;
one that nobody has locked was left by a killed service, and the next to start removes it.
"""

import fcntl
import os
import secrets
import shutil
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from time import monotonic, sleep

from antifaz.core.errors import InputError
from antifaz.core.machine import remove_leftovers
from antifaz.engines.local.duck import SPILLED
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
            turn = os.open(servers, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(turn, fcntl.LOCK_EX)
                #: How many services that were killed had left something here.
                self.swept = _sweep(servers)
                self.private = servers / secrets.token_hex(8)
                self.private.mkdir(mode=0o700)
                self._lock = _locked(self.private)
            finally:
                os.close(turn)
        except OSError as error:
            raise InputError("service.work-folder-not-usable", root=root, what=os.strerror(error.errno or 0)) from None

    def erase(self) -> bool:
        """Remove the private part and say whether it is gone."""
        shutil.rmtree(self.private, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        return not self.private.exists()

    def __exit__(self, *_: object) -> None:
        """Erase the private part."""
        self.erase()


class ServiceLock:
    """Locks a file as long as the service or a worker of it lives: the system unlocks it when the last one ends."""

    def __init__(self, work: Path) -> None:
        """Make the file and lock it."""
        self._folder = work / _QUEUES
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self.key = secrets.token_hex(8)
        #: To be handed to the processes that work for this service.
        self.fd = os.open(self._folder / self.key, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def ended(self, key: str, patience: float) -> bool:
        """Say whether nobody has the lock of this key any more; those that are about to end may take a while."""
        until = monotonic() + patience
        while self._is_held(key):
            if monotonic() > until:
                return False
            sleep(0.1)
        return True

    def _is_held(self, key: str) -> bool:
        path = self._folder / key
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        except OSError:
            return True  # where the system can't tell, nobody is declared dead
        finally:
            os.close(descriptor)
        return False

    def release(self) -> None:
        """Let go."""
        with suppress(OSError):
            (self._folder / self.key).unlink()
        os.close(self.fd)


def _locked(folder: Path) -> int:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return fd


def _sweep(servers: Path) -> int:
    removed = 0
    for folder in servers.iterdir():
        with suppress(OSError):  # locked by a service that lives, or gone in this moment
            fd = _locked(folder)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(fd)
            removed += 1
    return removed
