"""Commands in processes of their own that need not import everything anew: each is forked from one that has.

Importing takes a command on six people longer than its work does, and the tests run hundreds of commands. What
is forked has its own folder, environment, arguments and output, as if a shell had started it; tests of what happens
before `main` is called (hash seed, locale, signals) start a real one.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from functools import cache
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from tempfile import TemporaryDirectory

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
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    try:
        ensure_running()
    finally:
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


def run(args: list[str], folder: Path, env: dict[str, str]) -> tuple[int, bytes, bytes]:
    """Run a command in a folder; return its code and what it said."""
    _nursery()
    with TemporaryDirectory(prefix="said-") as said:
        out, err = Path(said) / "out", Path(said) / "err"
        child = _forks.Process(target=_command, args=(args, str(folder), env, str(out), str(err)))
        child.start()
        child.join()
        code = child.exitcode
        child.close()
        assert code is not None
        return code, out.read_bytes(), err.read_bytes()


def _command(args: list[str], folder: str, env: dict[str, str], out: str, err: str) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    for number, place in ((0, os.devnull), (1, out), (2, err)):
        file = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.argv = ["antifaz", *args]
    from antifaz.cli.main import main

    code = 1
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
