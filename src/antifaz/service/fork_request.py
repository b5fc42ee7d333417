"""What the service says to the process that forks its workers: the environment, and open files beside it."""

import array
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any

#: What the system calls a worker; the process that forks them keeps its own name.
WORKER_NAME = "antifaz-worker"
#: The most files and bytes of a request.
_MOST_FILES, _MOST_BYTES = 64, 1 << 20


def supported() -> bool:
    """Say whether workers can be forked here: other systems don't pass files with their numbers, or can't fork."""
    return sys.platform == "linux" and hasattr(os, "fork")


def request_worker(server: socket.socket, request: Mapping[str, Any], files: Sequence[int]) -> None:
    """Ask for a worker; `files` are its standard input, its standard output, its control socket, and its own."""
    raw = json.dumps({**request, "files": files[3:]}).encode()
    server.sendmsg([raw], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])


def receive_request(server: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Return a request and its files; None where nobody asks any more."""
    room = array.array("i").itemsize * _MOST_FILES
    raw, ancillary, _, _ = server.recvmsg(_MOST_BYTES, socket.CMSG_SPACE(room), socket.MSG_CMSG_CLOEXEC)
    files = array.array("i")
    for _, _, data in ancillary:
        files.frombytes(data[: len(data) - len(data) % files.itemsize])
    return (json.loads(raw) if raw else None), list(files)
