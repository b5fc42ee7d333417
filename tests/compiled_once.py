"""Workers that run tests at the same time compile no kernel twice: who comes second waits, and finds it in the cache.

The lock is on the file of the kernel's module. Modules of kernels are in no cycle, so no two workers wait for each
other. Numba is not imported here: whether it is decides which code does the work.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antifaz.core.locks import take_lock
from antifaz.kernels import compiling

_held: set[str] = set()


def compile_once() -> None:
    """Have what this process compiles from now on be compiled by one process at a time."""
    load = compiling.load_numba

    def load_numba() -> Any:
        compiling.load_numba = load
        numba = load()
        _lock_compiler()
        return numba

    compiling.load_numba = load_numba


def _lock_compiler() -> None:
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    plain = Dispatcher.compile

    def compile_locked(self: Any, signature: Any) -> Any:
        # Threads of this process come first: one that waited for them with the file locked would wait for ever.
        with global_compiler_lock, _locked(self.py_func):
            return plain(self, signature)

    Dispatcher.compile = compile_locked


@contextmanager
def _locked(function: Any) -> Iterator[None]:
    path = function.__code__.co_filename
    if path in _held or not function.__module__.startswith("antifaz.kernels."):
        yield
        return
    _held.add(path)
    try:
        with Path(path).open("rb") as file:
            take_lock(file.fileno(), wait=True)
            yield
    finally:
        _held.remove(path)
