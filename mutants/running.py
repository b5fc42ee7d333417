"""Run tests against mutants: a warm process is forked for each, and the fault lives in the child's memory only.

Nothing is written anywhere, so neither the working tree nor an installed copy can be mistaken for the mutant. A fault
inside a function replaces the code of that function, wherever it was imported to. With a fault at the level of a module
the module is executed again; or, where that is not enough, all of antifaz is imported by a child of a process that has
not done so yet.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.abc
import importlib.machinery
import os
import pickle
import random
import signal
import sys
import tempfile
import traceback
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import pytest
from _pytest.runner import runtestprotocol

from mutants import scope
from mutants.changes import Mutant, broken, mutated

#: So many examples of each property are tried: without compiled kernels, hundreds would take minutes.
EXAMPLES = 20
#: How much longer a test may take before the mutant counts as hung: so many times, and so many seconds more.
_TIMES, _MORE = 3, 1.0
#: Keys are meant to overflow; and plugins that were imported before pytest started are none of the tests' business.
_FORGIVEN = ("ignore:overflow encountered:RuntimeWarning", "ignore::pytest.PytestAssertRewriteWarning")
_OPTIONS = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", *(f"-W{each}" for each in _FORGIVEN)]
_Key = tuple[str, str, int]


def warm() -> None:
    """Import what is slow to import and not ours, so that no child has to."""
    for name in ("duckdb", "hypothesis.strategies", "numba", "numpy", "pyarrow.parquet", "pydantic", "scipy.special"):
        importlib.import_module(name)


def apart(work: Callable[[], object], seconds: float | None) -> tuple[int, object]:
    """Do work in a child, and return how it ended (0 as it should) and what it returned.

    A child that needs more processor time than this is ended by the system. Real time would count other programs in.
    Without a limit the child also keeps its voice.
    """
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if child == 0:
            _alone(work, answer, seconds)
        _, status = os.waitpid(child, 0)
        answer.seek(0)
        found = answer.read()
        return os.waitstatus_to_exitcode(status), pickle.loads(found) if found else None


def _alone(work: Callable[[], object], answer: IO[bytes], seconds: float | None) -> None:
    code = 70
    try:
        if seconds is not None:
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (1, 2):
                os.dup2(silent, stream)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            # And one that waits for what never comes.
            signal.alarm(int(100 * seconds) + 120)
        pickle.dump(work(), answer)
        answer.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


class Session:
    """A pytest session that has collected the tests and answers questions instead of running them."""

    def __init__(self, loop: Callable[[Session], None]) -> None:
        """Call `loop` once all is collected."""
        self._loop = loop
        self.items: dict[str, pytest.Item] = {}
        #: Of modules that were executed once more, whether the tests took no notice of that.
        self.replaceable: dict[Path, bool] = {}
        self._functions: dict[_Key, list[types.FunctionType]] = defaultdict(list)

    def pytest_configure(self, config: pytest.Config) -> None:
        """The same examples for every mutant, and no search for the smallest one that fails."""
        quick_examples()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of pytest's own loop."""
        self.items = {item.nodeid: item for item in session.items}
        fewer_examples(session.items)
        paths = {str(path) for path in scope.modules([])}
        for path in scope.modules([]):
            importlib.import_module(scope.dotted(path))
        for each in gc.get_objects():
            if isinstance(each, types.FunctionType) and each.__code__.co_filename in paths:
                code = each.__code__
                self._functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(each)
        gc.freeze()
        self._loop(self)
        return True

    def exchanges(
        self, path: Path, tree: ast.Module, only: str | None = None
    ) -> list[tuple[types.FunctionType, types.CodeType]]:
        """Return which imported functions get which code of a mutated module."""
        return [
            (function, code)
            for code in _codes(compile(tree, str(path), "exec"))
            if only is None or code.co_qualname == only
            for function in self._functions.get((str(path), code.co_qualname, code.co_firstlineno), ())
            # Python refuses code that no longer asks for what the function encloses (`super`).
            if function.__code__.co_freevars == code.co_freevars
        ]

    def fails(self, tests: Mapping[str, float] | Sequence[str]) -> str | None:
        """Run tests in this process, each as long as it may take where that is said; return the first that fails."""
        items = [self.items[name] for name in tests]
        for item, after in zip(items, [*items[1:], None], strict=True):
            if isinstance(tests, Mapping):
                signal.setitimer(signal.ITIMER_PROF, _TIMES * tests[item.nodeid] + _MORE)
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=after)):
                return item.nodeid
        return None


def quick_examples() -> None:
    """Have hypothesis try the same examples every time, and not look for the smallest."""
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutants",
        deadline=None,
        derandomize=True,
        max_examples=EXAMPLES,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("mutants")


def fewer_examples(items: Sequence[pytest.Item]) -> None:
    """Lower the number of examples of tests that say their own."""
    from hypothesis import settings

    for item in items:
        function = getattr(item, "obj", None)
        own = getattr(function, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples > EXAMPLES:
            function._hypothesis_internal_use_settings = settings(own, max_examples=EXAMPLES)  # type: ignore[union-attr]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of functions and methods, not of what is inside them."""
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            if each.co_flags & 2:  # a function's, not a class's
                yield each
            else:
                yield from _codes(each)


def with_session(tests: Sequence[str], loop: Callable[[Session], None]) -> None:
    """Collect tests, then call `loop`."""
    code = pytest.main([*_OPTIONS, *tests], plugins=[Session(loop)])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(f"the tests can't be collected ({code})")


def kill(session: Session, mutant: Mutant, tests: Mapping[str, float]) -> str | None:
    """Return the test that kills a mutant inside a function, or how else it died; raise where it can't be put in.

    `tests` says of each how long it takes.
    """
    pairs = session.exchanges(mutant.path, mutated(mutant), mutant.function)
    if not pairs:
        raise LookupError(str(mutant))
    return _how(*apart(lambda: _changed(session, pairs, tests), sum(tests.values()) + _MORE))


def _changed(
    session: Session, pairs: list[tuple[types.FunctionType, types.CodeType]], tests: Mapping[str, float] | Sequence[str]
) -> str | None:
    for function, code in pairs:
        function.__code__ = code
    return session.fails(tests)


def kill_again(session: Session, mutant: Mutant, tests: Mapping[str, float]) -> str | None:
    """Return what kills a mutant at the level of a module; raise where only a fresh import can tell.

    The module is executed once more, and what it defines takes the place of what was imported from it. Where tests
    notice that even without a fault (a class that is no longer its subclass's base), a fresh import is needed.
    """
    if mutant.path not in session.replaceable:
        same = ast.parse(mutant.path.read_text(encoding="utf-8"))
        found = _how(*apart(lambda: _executed(session, mutant.path, same, tests), sum(tests.values()) + _MORE))
        session.replaceable[mutant.path] = found is None
    if not session.replaceable[mutant.path]:
        raise LookupError(str(mutant))
    tree = mutated(mutant)
    return _how(*apart(lambda: _executed(session, mutant.path, tree, tests), sum(tests.values()) + _MORE))


def _executed(session: Session, path: Path, tree: ast.Module, tests: Mapping[str, float]) -> str | None:
    name = scope.dotted(path)
    before = dict(vars(sys.modules[name]))
    after: dict[str, object] = {each: before[each] for each in ("__name__", "__file__", "__package__", "__doc__")}
    try:
        exec(compile(tree, str(path), "exec"), after)
    except Exception as error:
        return f"import: {type(error).__name__}"
    for module in list(sys.modules.values()):
        for each, value in list(vars(module).items()):
            if each in after and not each.startswith("__") and value is before.get(each):
                setattr(module, each, after[each])
    return session.fails(tests)


def kill_afresh(mutant: Mutant, tests: Mapping[str, float]) -> str | None:
    """Return what kills a mutant at the level of a module: the tests import antifaz with the fault in it."""
    tree = mutated(mutant)

    def work() -> str | None:
        sys.meta_path.insert(0, _Finder(scope.dotted(mutant.path), mutant.path, tree))

        class Plugin:
            def pytest_configure(self) -> None:
                quick_examples()

            def pytest_collection_finish(self, session: pytest.Session) -> None:
                fewer_examples(session.items)

        found = pytest.main([*_OPTIONS, "-x", *tests], plugins=[Plugin()])
        return None if found == pytest.ExitCode.OK else "one of the module's tests"

    # Importing takes some seconds too.
    return _how(*apart(work, _TIMES * sum(tests.values()) + 15))


def _how(code: int, found: object) -> str | None:
    if code == -signal.SIGPROF or code == -signal.SIGALRM:
        return "time"
    if code == 70:
        raise RuntimeError("the child could not run the tests")
    return str(found) if found else None if code == 0 else f"signal {-code}"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives out the mutated module where the real one is asked for."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self._name, self._path, self._tree = name, path, tree

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=str(self._path))

    def exec_module(self, module: types.ModuleType) -> None:
        module.__file__ = str(self._path)
        exec(compile(self._tree, str(self._path), "exec"), module.__dict__)


def proven(session: Session, path: Path, tests: Sequence[str]) -> bool:
    """Say whether a module whose every function raises is noticed: that the mutants are what the tests run."""
    pairs = session.exchanges(path, broken(path))
    return _how(*apart(lambda: _changed(session, pairs, tests), 30.0)) is not None


def sample(found: list[Mutant], most: int | None, seed: int) -> list[Mutant]:
    """Take at most so many mutants, chosen by chance, in the order of the source."""
    if most is None or len(found) <= most:
        return found
    chosen = random.Random(f"{seed} {found[0].path.name}").sample(found, most)
    return sorted(chosen, key=lambda mutant: mutant.number)
