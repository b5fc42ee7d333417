"""Workers that are warm: a process that imports what runs need once, and is forked for each job.

`python -m antifaz.service.fork_server N`: number N is a socket. A request on it is JSON with open files beside it:
standard input and output of the worker, a socket to control it by, and the files that it is to have under the numbers
that they have in the service. The worker says its number on the control socket once it is ready. The socket takes
signals for the worker's group; when the worker has ended, its group is killed and the socket is closed.

This process has one thread, because only the thread that forks is there in the child: libraries that start threads
when they are imported are told not to (`ONE_THREAD`). It never sees data, nor what is to be done: a
worker reads its job from its standard input. It ends when the service is gone and its last worker has ended.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import os
import pkgutil
import selectors
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from antifaz.core.machine import kill_group, rename_process
from antifaz.service.fork_request import WORKER_NAME, receive_request

#: The rooms whose modules runs use. Spark and drivers of databases are imported by who needs them.
_ROOMS = (
    "kernels", "sources", "counting", "hierarchies", "engines.local", "engines.relational", "engines.dialects",
    "privacy", "utility", "risk", "methods", "proposals", "releases", "reports", "ledger", "pipeline", "projects",
)  # fmt: skip
#: Libraries that others import late, when they are first used.
_LIBRARIES = ("pyarrow.csv", "pyarrow.parquet", "pyarrow.compute", "duckdb", "pandas", "yaml", "jinja2")
_PR_SET_PDEATHSIG = 1


def main(number: int) -> int:
    """Import, then fork until the service is gone; return the exit code, in a worker its own."""
    server = socket.socket(fileno=number)
    server.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which then ends this
    _import_all()
    load_kernels()
    gc.collect()
    gc.freeze()  # what all workers share is not looked at by each, which would copy it
    child = _ForkServer(server).serve()
    if child is None:
        return 0
    from antifaz.service import worker

    code = worker.main()
    atexit._run_exitfuncs()  # as at the end of a process of its own; the rest of that only takes time
    sys.stdout.flush()
    os._exit(code)


def _import_all() -> None:
    for name in _LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    import antifaz

    for module in pkgutil.walk_packages(antifaz.__path__, "antifaz."):
        if module.name.removeprefix("antifaz.").startswith(_ROOMS):
            with suppress(ImportError):  # an extra that is not installed
                importlib.import_module(module.name)
    importlib.import_module("antifaz.service.worker")
    importlib.import_module("antifaz.service.user_ledger")


def load_kernels() -> int:
    """Load the kernels that were compiled before, by whomever; return how many are loaded now.

    Numba has no public way to ask its cache what is in it. Where this one ends, kernels are loaded by who calls them.
    """
    from antifaz.kernels.compiling import all_kernels

    count = 0
    with suppress(AttributeError, OSError):
        for kernel in all_kernels():
            cache = kernel._cache
            known = {signature.args for signature in kernel.nopython_signatures}
            for key in cache._cache_file._load_index():
                mine = cache._index_key(key[0], kernel.targetctx.codegen()) == key
                if mine and key[0] not in known:
                    kernel.compile(key[0])
            count += len(kernel.nopython_signatures)
    return count


class _ForkServer:
    """The loop: requests make workers, controls signal them, and the end of one is seen by SIGCHLD."""

    def __init__(self, server: socket.socket) -> None:
        self._listening = True
        self._controls: dict[int, socket.socket] = {}
        self._events = selectors.DefaultSelector()
        self._events.register(server, selectors.EVENT_READ, self._fork)
        woken, wake = socket.socketpair()
        for end in (woken, wake):
            end.setblocking(False)
        self._sockets = (server, woken, wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        self._events.register(woken, selectors.EVENT_READ, self._reap)

    def serve(self) -> dict[str, Any] | None:
        """Serve until the service is gone; in a worker, return its request."""
        while self._listening or self._controls:
            for key, _ in self._events.select():
                request = key.data(key.fileobj)
                if request is not None:
                    return dict(request)
        return None

    def _fork(self, server: socket.socket) -> dict[str, Any] | None:
        request, files = receive_request(server)
        if request is None:  # the service is gone; its workers see that by their standard input
            self._events.unregister(server)
            self._listening = False
            return None
        try:
            process = os.fork()
        except OSError:  # no more processes: the closed control socket says that there is no worker
            process = -1
        if process == 0:
            os.setpgid(0, 0)
            self._become_worker(request, files)
            return request
        control = socket.socket(fileno=files[2])
        for file in (*files[:2], *files[3:]):
            os.close(file)
        if process < 0:
            control.close()
            return None
        with suppress(OSError):
            os.setpgid(process, process)  # here too: it must have its group before it can be signalled
        self._controls[process] = control
        self._events.register(control, selectors.EVENT_READ, lambda control: self._signal(process, control))
        return None

    def _signal(self, process: int, control: socket.socket) -> None:
        raw = control.recv(16)
        if not raw:  # the service is gone, which the worker sees by its standard input
            self._events.unregister(control)
            return
        with suppress(ProcessLookupError, ValueError):
            os.killpg(process, int(raw))

    def _reap(self, woken: socket.socket) -> None:
        with suppress(BlockingIOError):
            woken.recv(1 << 10)
        ended = [process for process in self._controls if _is_over(process)]
        for process in ended:
            # Its group goes before its number is given back: no child of it, such as Spark's, outlives it.
            kill_group(process)
            os.waitpid(process, 0)
            control = self._controls.pop(process)
            with suppress(KeyError):
                self._events.unregister(control)
            control.close()
        if ended:
            load_kernels()  # it may have compiled some

    def _become_worker(self, request: Mapping[str, Any], files: Sequence[int]) -> None:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        rename_process(WORKER_NAME)
        self._events.close()
        for own in (*self._sockets, *self._controls.values()):
            own.detach()  # its number may be another file's from here on
        numbers = [0, 1, *request["files"]]
        control, *moved = [_moved_up(file, max(numbers)) for file in (files[2], *files[:2], *files[3:])]
        for file, number in zip(moved, numbers, strict=True):
            os.dup2(file, number)
        os.environ.clear()
        os.environ.update(request["environment"])
        tempfile.tempdir = request["environment"]["TMPDIR"]
        for path in list(Path("/proc/self/fd").iterdir()):
            if int(path.name) not in (2, control, *numbers):
                with suppress(OSError):
                    os.close(int(path.name))
        os.write(control, str(os.getpid()).encode())  # ready
        os.close(control)


def _is_over(process: int) -> bool:
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def _moved_up(file: int, above: int) -> int:
    """Return another number of an open file, above those that are to be given."""
    import fcntl

    return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, above + 1)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
