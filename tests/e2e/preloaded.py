"""Commands in processes of their own that need not import everything anew: each is forked from one that has.

Importing takes a command on six people longer than its work does, and the tests run hundreds of commands. What
is forked has its own folder, environment, arguments and output, as if a shell had started it; tests of what happens
before `main` is called (hash seed, locale, signals) start a real one.
"""

from __future__ import annotations

import atexit
import json
import multiprocessing
import os
import socketserver
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing.forkserver import ensure_running
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from antifaz.core.machine import ONE_THREAD

#: What is done apart: a function of a module, which gets texts and returns the exit code.
Work = Callable[[list[str]], int]

#: Variables that are read before any code of ours runs.
_EARLY = ("PYTHON", "LC_", "LANG", "TZ", "NUMBA", "OMP_", "MALLOC")
_forks = multiprocessing.get_context("forkserver")


def needs_a_real_start(env: dict[str, str]) -> bool:
    """Say whether these variables must be there when the interpreter starts."""
    return any(name.startswith(_EARLY) for name in env)


@cache
def _nursery() -> None:
    """Start the process that the others are forked from. It learns from a variable where the tests are."""
    _forks.set_forkserver_preload(["e2e.preloaded_imports"])
    before = dict(os.environ)
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), before.get("PYTHONPATH"))))
    # No library may start a thread: it would not be there in what is forked.
    os.environ.update(ONE_THREAD, PYTHONPATH=path)
    try:
        ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


def run(args: list[str], folder: Path, env: dict[str, str]) -> tuple[int, bytes, bytes]:
    """Run a command in a folder; return its code and what it said."""
    return call(main, args, folder, env)


def call(work: Work, args: list[str], folder: Path, env: dict[str, str]) -> tuple[int, bytes, bytes]:
    """Have something done in a process of its own, in a folder; return its code and what it said."""
    with TemporaryDirectory(prefix="said-") as said:
        out, err = Path(said) / "out", Path(said) / "err"
        child = forked(_apart, (work, args, str(folder), env, str(out), str(err)))
        child.join()
        code = child.exitcode
        child.close()
        assert code is not None
        return code, out.read_bytes(), err.read_bytes()


def forked(target: Callable[..., None], args: tuple[Any, ...]) -> BaseProcess:
    """Start a function in a process that has imported what commands and services need."""
    _nursery()
    child = _forks.Process(target=target, args=args)
    child.start()
    return child


def _apart(work: Work, args: list[str], folder: str, env: dict[str, str], out: str, err: str) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    for number, place in ((0, os.devnull), (1, out), (2, err)):
        file = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(file, number)
        os.close(file)
    code = 1
    try:
        code = work(args)
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main(args: list[str]) -> int:
    """Run the command line; return its exit code."""
    sys.argv = ["antifaz", *args]
    from antifaz.cli.main import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


#: What a shell finds as `antifaz`: it hands the command on. What stays, and is stopped by signals, is really started.
_HANDED_ON = """#!{python} -IS
import json, os, socket, sys
if sys.argv[1:2] == ["serve"]:
    os.execv({command!r}, [{command!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    line.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
    line.shutdown(socket.SHUT_WR)
    code, out, err = json.load(line.makefile())
sys.stdout.buffer.write(out.encode("latin-1"))
sys.stderr.buffer.write(err.encode("latin-1"))
sys.exit(code)
"""


@contextmanager
def commands() -> Iterator[Path]:
    """Give a folder for the PATH of a shell, with an `antifaz` that is run as here."""
    with TemporaryDirectory(prefix="bin-") as folder:
        address, shim = str(Path(folder) / "line"), Path(folder) / "antifaz"
        command = str(Path(sys.executable).with_name("antifaz"))
        shim.write_text(_HANDED_ON.format(python=sys.executable, command=command, address=address), encoding="utf-8")
        shim.chmod(0o700)
        with socketserver.ThreadingUnixStreamServer(address, _Line) as server:
            thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
            thread.start()
            try:
                yield Path(folder)
            finally:
                server.shutdown()
                thread.join()


class _Line(socketserver.StreamRequestHandler):
    """One command that was handed on."""

    def handle(self) -> None:
        args, folder, env = json.load(self.rfile)
        code, out, err = run(args, Path(folder), env)
        self.wfile.write(json.dumps([code, out.decode("latin-1"), err.decode("latin-1")]).encode())
