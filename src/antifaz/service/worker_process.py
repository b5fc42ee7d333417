"""The process of one job, seen from the service: started, listened to, and ended with everything that it started."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock, Timer
from time import monotonic
from typing import Any, TypedDict

from antifaz.core.messages import from_data

#: The variable by which somebody asks to see where the program's own mistakes are; what they quote is shown then.
DEBUG = "ANTIFAZ_DEBUG"
#: The kind of order that has a worker hand a release out.
HAND_OUT = "hand-out"
#: How long a process has to give up by itself.
PATIENCE = 5.0


class JobStep(TypedDict):
    """One step of a job, and how long it took until now."""

    name: str
    message: str
    seconds: float
    done: bool


class WorkerProcess:
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


class JobProgress:
    """What is in memory of a job that is being done: its worker and its steps. The queue's lock guards it."""

    def __init__(self) -> None:
        """Begin without a worker and without a step."""
        self.cancelled = self._unwanted = False
        #: What the worker said of its end.
        self.ended: dict[str, Any] = {}
        self._worker: WorkerProcess | None = None
        self._began = monotonic()
        self._steps: dict[str, JobStep] = {}
        self._step, self._since = "", 0.0
        self._share: float | None = None

    @property
    def seconds(self) -> float:
        """How long it has taken until now."""
        return monotonic() - self._began

    def attach(self, worker: WorkerProcess) -> None:
        """Know the worker; one that is not wanted any more is ended at once."""
        self._worker = worker
        if self._unwanted:
            worker.terminate()

    def stop(self, *, cancelled: bool = False) -> None:
        """End the worker, now or as soon as there is one."""
        self.cancelled, self._unwanted = self.cancelled or cancelled, True
        if self._worker is not None:
            self._worker.terminate()

    def hear(self, line: Mapping[str, Any]) -> None:
        """Take in a line of the worker."""
        if "step" in line:
            self._hear_step(str(line["step"]), line.get("share"), from_data(line.get("message", "")))
        else:
            self._close()
            self.ended = dict(line)

    def _hear_step(self, name: str, share: float | None, message: str) -> None:
        if name != self._step:
            self._close()
            self._step, self._since = name, monotonic()
            step: JobStep = {"name": name, "message": message, "seconds": 0.0, "done": False}
            self._steps.setdefault(name, step)["done"] = False
        if message:
            self._steps[name]["message"] = message
        self._share = share

    def _close(self) -> None:
        if self._step:
            step = self._steps[self._step]
            step["seconds"] = round(step["seconds"] + monotonic() - self._since, 3)
            step["done"] = True
            self._step, self._share = "", None

    def steps(self) -> list[JobStep]:
        """Return the steps until now; repeated ones of one name add up."""
        steps = {name: step.copy() for name, step in self._steps.items()}
        if self._step:
            steps[self._step]["seconds"] = round(steps[self._step]["seconds"] + monotonic() - self._since, 3)
        return list(steps.values())

    def shown(self) -> dict[str, Any]:
        """Return what the service shows of it, to be laid over the job."""
        current = {"message": self._steps[self._step]["message"]} if self._step else {}
        return {"steps": self.steps(), "share": self._share, **current}
