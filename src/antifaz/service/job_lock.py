"""Who looks after a job: a lock that lives as long as the service and the processes that it began."""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

_FOLDER = "queues"


class Lease:
    """A locked file. The system lets go of the lock when the last process that has it ends, however it ends."""

    def __init__(self, work: Path) -> None:
        """Make the file and lock it."""
        self._folder = work / _FOLDER
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
