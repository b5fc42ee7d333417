"""The process of one job, seen from the service: started, listened to, and ended with everything that it started."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import Any, BinaryIO, TypedDict

from antifaz.core.machine import ONE_THREAD, has_process_groups, kill_group, wait_unreaped
from antifaz.core.messages import from_data
from antifaz.service import fork_request
from antifaz.service.worker_environment import DEBUG, worker_environment

#: The kind of job that has a worker hand a release out.
HAND_OUT = "hand-out"
#: The kind of job that has a worker open a data set and answer questions about it.
DATASET = "data-set"
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

    def __init__(self, spec: Mapping[str, Any], handle: "_Fresh | _Forked") -> None:
        """Made by `WorkerPool.start`."""
        self._spec, self._handle = spec, handle

    @property
    def pid(self) -> int:
        """The number of the process, which is that of its group too."""
        return self._handle.pid

    def lines(self) -> Iterator[dict[str, Any]]:
        """Hand over the job, and give what the worker says until it ends; then nothing of it is left running."""
        try:
            self.send(self._spec)
            for line in self._handle.stdout:
                with suppress(ValueError):  # cut off by a kill
                    yield json.loads(line)
        finally:
            self._handle.end()

    def send(self, line: Mapping[str, Any]) -> None:
        """Say something to the worker; one that has ended does not hear it."""
        with suppress(BrokenPipeError, ValueError):  # its input is closed
            self._handle.stdin.write(json.dumps(line).encode() + b"\n")
            self._handle.stdin.flush()

    def dismiss(self) -> None:
        """Say that nothing more is wanted of it."""
        with suppress(OSError):
            self._handle.stdin.close()

    def terminate(self) -> None:
        """Ask it to give up; kill it if it does not."""
        self._handle.stop()
        timer = Timer(PATIENCE, self._handle.kill)
        timer.daemon = True
        timer.start()


class WorkerPool:
    """Starts workers: forked from a process that has imported everything, or each as a new one where that can't be."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def warm(self) -> None:
        """Start the process that workers are forked from; it imports while others go on."""
        if fork_request.supported():
            with self._lock:
                self._connected()

    def start(self, spec: Mapping[str, Any], keep: Sequence[int]) -> WorkerProcess:
        """Start a worker; `keep` are the open files that it gets: bytes in memory, and the lock of the queue."""
        environment = worker_environment(Path(spec["aside"]))
        if not fork_request.supported():
            return WorkerProcess(spec, _Fresh(keep, environment))
        try:
            return WorkerProcess(spec, self._forked(keep, environment))
        except ConnectionError:
            self.close()  # it was killed: the next one begins anew
            return WorkerProcess(spec, self._forked(keep, environment))

    def close(self) -> None:
        """End the process that workers are forked from; a worker that goes on for some seconds goes with it."""
        with self._lock:
            if self._socket is not None:
                self._socket.close()
                self._socket = None
            if self._server is not None:
                try:
                    self._server.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    self._server.kill()
                    self._server.wait()
                self._server = None

    def _forked(self, keep: Sequence[int], environment: Mapping[str, str]) -> "_Forked":
        told, answer = os.pipe(), os.pipe()
        own, control = socket.socketpair()
        try:
            with self._lock:
                files = [told[0], answer[1], control.fileno(), *keep]
                fork_request.request_worker(self._connected(), {"environment": dict(environment)}, files)
        except BaseException:
            for number in (told[1], answer[0]):
                os.close(number)
            own.close()
            raise
        finally:
            control.close()
            for number in (told[0], answer[1]):
                os.close(number)
        return _Forked(own, os.fdopen(told[1], "wb"), os.fdopen(answer[0], "rb"))

    def _connected(self) -> socket.socket:
        if self._socket is not None:
            return self._socket
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._server = subprocess.Popen(  # noqa: S603 - a module of ours, and a number
                [sys.executable, "-P", "-m", "antifaz.service.fork_server", str(other.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=None if DEBUG in os.environ else subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                env={**worker_environment(Path(tempfile.gettempdir())), **ONE_THREAD},
                start_new_session=True,
            )
        return self._socket


class _Forked:
    """A worker that was forked; only its parent may signal it, because only that knows whether its number is still its.

    When the control socket is closed, its group is gone.
    """

    def __init__(self, control: socket.socket, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._control, self.stdin, self.stdout = control, stdin, stdout
        number = control.recv(16)
        if not number:
            self.end()
            raise ConnectionResetError
        self.pid = int(number)

    def stop(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        with suppress(OSError):  # it has ended
            self._control.send(str(int(number)).encode())

    def end(self) -> None:
        with suppress(OSError):
            self.stdin.close()
        with suppress(OSError):
            while self._control.recv(16):
                pass
        self.stdout.close()
        self._control.close()


class _Fresh:
    """A worker that is a new process of this one.

    Where processes have no groups, it is told to stop by the end of its input, gets no open files, and what it started
    by itself is not ended with it.
    """

    def __init__(self, keep: Sequence[int], environment: Mapping[str, str]) -> None:
        self._lock, self._over = Lock(), False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "antifaz.service.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if DEBUG in os.environ else subprocess.DEVNULL,
            pass_fds=list(keep) if has_process_groups() else (),
            env=environment,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101 - asked for above
        self.pid, self.stdin, self.stdout = self._process.pid, self._process.stdin, self._process.stdout

    def stop(self) -> None:
        with self._lock, suppress(OSError):
            if not has_process_groups():
                self.stdin.close()
            elif not self._over:  # else the number may be somebody else's by now
                os.killpg(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        with self._lock:
            if not has_process_groups():
                self._process.kill()
            elif not self._over:
                kill_group(self.pid)

    def end(self) -> None:
        # Its group goes before its number is given back: no child of it, such as Spark's, outlives it.
        wait_unreaped(self._process)
        self.kill()
        with self._lock:
            self._over = True
        for pipe in (self.stdin, self.stdout):
            with suppress(OSError):
                pipe.close()
        self._process.wait()


class JobProgress:
    """What is in memory of a job that is being done: its worker and its steps. The queue's lock guards it."""

    def __init__(self) -> None:
        self.cancelled = self.unwanted = False
        #: What the worker said of its end.
        self.ended: dict[str, Any] = {}
        #: What it has verified before the end.
        self.verified: dict[str, Any] | None = None
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
        if self.unwanted:
            worker.terminate()

    def stop(self, *, cancelled: bool = False) -> None:
        """End the worker, now or as soon as there is one."""
        self.cancelled, self.unwanted = self.cancelled or cancelled, True
        if self._worker is not None:
            self._worker.terminate()

    def hear(self, line: Mapping[str, Any]) -> None:
        """Take in a line of the worker."""
        if "step" in line:
            self._hear_step(str(line["step"]), line.get("share"), from_data(line.get("message", "")))
        elif "verified" in line:
            self.verified = dict(line["verified"])
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
        return {"steps": self.steps(), "share": self._share, "verified": self.verified is not None, **current}
