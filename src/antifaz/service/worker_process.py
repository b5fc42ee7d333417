"""The process of one job, seen from the service: begun, listened to, and ended with everything that it began."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock, Timer
from typing import Any

#: The variable by which somebody asks to see where the program's own mistakes are; what they quote is shown then.
DEBUG = "ANTIFAZ_DEBUG"
#: How long a process has to give up by itself.
PATIENCE = 5.0


class Process:
    """A worker, with its own group of processes."""

    def __init__(self, order: Mapping[str, Any], keep: Sequence[int]) -> None:
        """Begin; `keep` are the open files that it gets: bytes in memory, and the lock of the queue."""
        self._order = order
        self._lock, self._over = Lock(), False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "antifaz.service.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if DEBUG in os.environ else subprocess.DEVNULL,
            pass_fds=list(keep),
            # Whatever is written aside, encrypted as it is, goes where the service removes it.
            env={**os.environ, "TMPDIR": str(order["aside"])},
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The number of the process, which is that of its group too."""
        return self._process.pid

    def lines(self) -> Iterator[dict[str, Any]]:
        """Hand over the order, and give what the worker says until it ends; then nothing of it is left running."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 - asked for above
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps(self._order).encode() + b"\n")
                process.stdin.flush()
            for line in process.stdout:
                with suppress(ValueError):  # cut off by a kill
                    yield json.loads(line)
        finally:
            self._end()

    def terminate(self) -> None:
        """Ask it to give up; kill it if it does not."""
        self._signal(signal.SIGTERM)
        timer = Timer(PATIENCE, self._signal, [signal.SIGKILL])
        timer.daemon = True
        timer.start()

    def _signal(self, number: int) -> None:
        with self._lock:
            if not self._over:  # else the number may be somebody else's by now
                with suppress(ProcessLookupError):
                    os.killpg(self.pid, number)

    def _end(self) -> None:
        # Its group goes before its number is given back: no child of it, such as Spark's, outlives it.
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        self._signal(signal.SIGKILL)
        with self._lock:
            self._over = True
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()
