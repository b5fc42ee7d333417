"""What each test executes of the modules that are mutated, so that a mutant meets only tests that can notice it."""

from __future__ import annotations

import hashlib
import pickle
import sys
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mutants import scope
from mutants.changes import Mutant
from mutants.running import Session, apart

#: A test that takes longer, watched and without compiled kernels, is not used. All seconds are of processor time.
SLOW = 3.0
#: What all tests of one mutant may take together.
_ENOUGH = 6.0


@dataclass
class Coverage:
    """What each test executes of the modules, and how long it takes."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[tuple[str, int], list[str]] = field(default_factory=lambda: defaultdict(list))

    def of(self, mutant: Mutant, first: Sequence[str]) -> list[str]:
        """Return the tests to try: those that killed neighbours first, then the quickest."""
        if mutant.function is None:
            known = self._around(mutant.path)
        else:
            place = {test: i for i, test in enumerate(first)}
            tests = self.lines.get((str(mutant.path), mutant.line), ())
            known = sorted(tests, key=lambda test: (place.get(test, len(place)), self.seconds[test], test))
        chosen: list[str] = []
        total = 0.0
        for test in known:
            total += self.seconds[test]
            if chosen and total > _ENOUGH:
                break
            chosen.append(test)
        return chosen

    def _around(self, path: Path) -> list[str]:
        """Return the tests of all files that execute a module, that of its name first, then those that do so most.

        A bound of a parameter is checked in no line of ours, so what a test executes does not tell.
        """
        files = Counter(
            test.split("::")[0] for (name, _), tests in self.lines.items() if name == str(path) for test in set(tests)
        )
        known = (test for test in self.seconds if test.split("::")[0] in files)
        own = f"/test_{path.stem}.py::"

        def place(test: str) -> tuple[int, float, str]:
            return (-sys.maxsize if own in test else -files[test.split("::")[0]]), self.seconds[test], test

        return sorted(known, key=place)


def covered(session: Session, store: Path, say: Callable[[str], None]) -> Coverage:
    """Run every test once, in a child each so that none disturbs another; note its lines and its time.

    What was noted of a test is kept in `store` for as long as neither it nor what is mutated changes.
    """
    source = hashlib.sha256(b"".join(path.read_bytes() for path in scope.modules([]))).hexdigest()
    known = pickle.loads(store.read_bytes()) if store.exists() else {}
    coverage = Coverage()
    for number, (name, item) in enumerate(session.items.items()):
        key = name, source, hashlib.sha256(item.path.read_bytes()).hexdigest()
        if key not in known:
            code, found = apart(lambda name=name: _traced(session, name), SLOW)  # type: ignore[misc]
            known[key] = found if code == 0 else None
            if number % 20 == 0:
                store.write_bytes(pickle.dumps(known))
        if known[key] is not None:
            coverage.seconds[name], lines = known[key]
            for line in lines:
                coverage.lines[line].append(name)
        if number % 100 == 0:
            say(f"{number} of {len(session.items)} tests looked at")
    store.write_bytes(pickle.dumps(known))
    return coverage


def _traced(session: Session, name: str) -> tuple[float, set[tuple[str, int]]] | None:
    lines: set[tuple[str, int]] = set()
    paths = {str(path) for path in scope.modules([])}

    def line(frame: types.FrameType, event: str, _: object) -> object:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    def call(frame: types.FrameType, event: str, _: object) -> object:
        return line if frame.f_code.co_filename in paths else None

    began = time.process_time()
    sys.settrace(call)  # type: ignore[arg-type]
    failed = session.fails([name])
    sys.settrace(None)
    # A test that fails without compiled kernels would kill everything.
    return None if failed else (time.process_time() - began, lines)
