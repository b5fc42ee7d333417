"""A service in a process of its own that need not import everything anew, nor need its workers.

What `antifaz serve` imports, and the process that its workers are forked from, take longer than most tests of the
service do. Here both are forked from the process that commands are forked from. The spare for the workers is a child of
the service as it would be, and is handed what `WorkerPool` gives a new process: its socket and its environment.
"""

from __future__ import annotations

import array
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from e2e.preloaded import forked, main

_WORKERS = "antifaz.service.fork_server"


class ForkedService:
    """What `subprocess.Popen` would be for it: its number, what it says, and its end."""

    def __init__(self, args: list[str], env: dict[str, str]) -> None:
        """Start it as the leader of a session; what it says is read from `stdout`."""
        heard, said = Pipe(duplex=False)
        with heard, said:
            self._process = forked(_serve, (args, env, said))
            self.stdout = os.fdopen(os.dup(heard.fileno()), "rb")
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Return its exit code, or None while it lives."""
        return self._process.exitcode

    def wait(self, seconds: float) -> int:
        """Wait for its end."""
        self._process.join(seconds)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("antifaz serve", seconds)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)


def _serve(args: list[str], env: dict[str, str], said: Connection) -> None:
    os.setsid()
    os.environ.clear()
    os.environ.update(env)
    with said:
        _stdio(said.fileno())
    _SparePopen.line, _SparePopen.spare = _spare()
    subprocess.Popen = _SparePopen  # type: ignore[misc]
    code = 1
    try:
        code = main(["serve", *args])
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _stdio(said: int | None = None) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, file in ((0, nothing), (1, said or nothing), (2, said or nothing)):
        os.dup2(file, number)
    os.close(nothing)


def _spare() -> tuple[socket.socket, int]:
    """Fork the process that becomes the one that workers are forked from, while there is one thread only."""
    line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = os.fork()
    if number:
        other.close()
        return line, number
    code = 1
    try:
        os.setsid()
        _stdio()
        kept = os.dup2(other.detach(), 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        raw, files, _, _ = socket.recv_fds(socket.socket(fileno=kept), 1 << 20, 1, socket.MSG_CMSG_CLOEXEC)
        if not raw:  # the service ended before it had work
            os._exit(0)
        os.environ.clear()
        os.environ.update(json.loads(raw))
        from antifaz.service import fork_server

        code = fork_server.main(files[0])
    finally:
        os._exit(code)


class _SparePopen(subprocess.Popen):  # type: ignore[type-arg]
    """The first process for workers is the spare one; all others are new."""

    line: socket.socket | None = None
    spare = 0

    def __init__(self, args: Any, **options: Any) -> None:
        line = _SparePopen.line
        if line is None or _WORKERS not in args:
            super().__init__(args, **options)
            return
        _SparePopen.line = None
        with line:
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", options["pass_fds"]))
            line.sendmsg([json.dumps(options["env"]).encode()], [rights])
        self.args, self.pid, self.returncode = args, _SparePopen.spare, None
        self.stdin = self.stdout = self.stderr = None
        self._waitpid_lock, self._sigint_wait_secs = threading.Lock(), 0.25
