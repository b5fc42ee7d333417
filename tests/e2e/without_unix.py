"""This Python without what only Unix has, as near to Windows as Linux can be brought.

`sitecustomize.py` in a folder of PYTHONPATH calls `take_away` before anything else runs, in every process that a test
starts and in those that they start. What only Unix has is gone from `os`, `signal` and `socket`; its modules can't be
imported; and `msvcrt` locks bytes of an open file as that of Windows does, which is what has to be imitated. The kind
of path, `os.name` and `sys.platform` stay: the standard library and the compiled packages are those of Linux.
"""

from __future__ import annotations

# Of the standard library, what chose its Unix half when it was built, and asks for it when it is imported.
import asyncio.unix_events  # noqa: F401
import fcntl
import multiprocessing.util  # noqa: F401
import os
import selectors  # noqa: F401
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile  # noqa: F401
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
FUNCTIONS = (
    "chown", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getpriority", "getuid",
    "killpg", "lchown", "memfd_create", "mkfifo", "mknod", "nice", "posix_spawn", "pread", "pwrite", "register_at_fork",
    "sched_getaffinity", "sched_setaffinity", "sendfile", "setpgid", "setpriority", "setsid", "statvfs", "sysconf",
    "waitid", "O_DIRECTORY", "O_NOFOLLOW", "P_PID", "WEXITED", "WNOHANG", "WNOWAIT",
)  # fmt: skip
SIGNALS = ("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGUSR2")
SOCKETS = ("SCM_RIGHTS", "SOCK_SEQPACKET", "CMSG_SPACE", "MSG_CMSG_CLOEXEC", "SO_REUSEPORT")


class _Absent(MetaPathFinder):
    """Says of the modules of Unix that there are none."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname in MODULES:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def _locking(descriptor: int, mode: int, count: int) -> None:
    """Lock bytes from where the file stands, for whoever opened it, as `msvcrt.locking` does."""
    start = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, start, count, 0))
    except BlockingIOError as error:
        raise PermissionError(13, "Permission denied") from error


def _without_files(self: Any, *args: Any, **options: Any) -> None:
    if options.get("pass_fds"):
        raise ValueError("pass_fds not supported on Windows.")
    _start(self, *args, **options)


_start = subprocess.Popen.__init__


def take_away() -> None:
    """Take it away from this process."""
    windows = ModuleType("msvcrt")
    windows.LK_NBLCK, windows.locking = 2, _locking  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = windows
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Absent())
    for module, names in ((os, FUNCTIONS), (signal, SIGNALS), (socket, SOCKETS)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    os.getlogin = lambda: "ana"  # type: ignore[assignment]  # Windows always knows it
    subprocess.Popen.__init__ = _without_files  # type: ignore[method-assign]
    subprocess.Popen.kill = subprocess.Popen.terminate  # type: ignore[method-assign]
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
