"""What a case is, and how one is measured.

Seconds depend on the machine, so every case is a ratio: ours against something else that does comparable work, both
timed in the same run, in turn, the best of several times each. Where there is nothing to compare with, the unit is one
*sort*: NumPy's stable sort of ten million random 64-bit integers.
"""

from __future__ import annotations

import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from time import perf_counter

Work = Callable[[], object]

#: How a case that is measured in sorts says what it is compared with.
SORT = "one sort of 10^7 int64"
#: The least that a whole run could do, whoever writes it.
WHOLE_RUN = "one read, one hash pass, one write, one read"
#: A case that took so many seconds in all is not repeated: what takes long varies little.
ENOUGH = 10.0


class Unavailable(Exception):
    """Raised by a case that can't be measured here; the words say what is missing."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A claim that a ratio backs. `prepare(quick)` returns our side, or both sides where `against` is not a sort."""

    name: str
    claim: str
    against: str
    limit: float
    best_of: int
    unit: str
    #: Whether even a small size of it takes long, so that a quick run leaves it out.
    slow: bool
    prepare: Callable[[bool], Work | tuple[Work, Work]]
    #: The least work that anybody would have to do, where that is known.
    least: str = ""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What was measured, or why nothing was."""

    name: str
    claim: str
    against: str
    limit: float
    #: What both sides are counted in: seconds, unless the works report something else.
    unit: str = "s"
    ours: float | None = None
    theirs: float | None = None
    missing: str = ""
    least: str = ""
    #: How long it took to measure it, its preparation included.
    spent: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours against theirs; below 1 is faster."""
        return None if self.ours is None or not self.theirs else self.ours / self.theirs

    @property
    def verdict(self) -> str:
        """Whether the limit was kept."""
        if self.ratio is None:
            return "not measured"
        return "ok" if self.ratio <= self.limit else "over"

    def as_dict(self) -> dict[str, object]:
        """Return it ready for JSON."""
        return asdict(self) | {"ratio": self.ratio, "verdict": self.verdict}


CASES: dict[str, Case] = {}


def case(
    *,
    claim: str,
    limit: float,
    against: str = SORT,
    best_of: int = 3,
    unit: str = "s",
    slow: bool = False,
    least: str = "",
) -> Callable[[Callable[[bool], Work | tuple[Work, Work]]], Case]:
    """Register a function as a case under its name, with hyphens for underscores."""

    def register(prepare: Callable[[bool], Work | tuple[Work, Work]]) -> Case:
        name = prepare.__name__.replace("_", "-")
        if name in CASES:
            raise ValueError(f"Two cases are called {name!r}.")
        CASES[name] = Case(
            name=name, claim=claim, against=against, limit=limit, best_of=best_of, unit=unit, slow=slow,
            prepare=prepare, least=least,
        )  # fmt: skip
        return CASES[name]

    return register


def seconds(*works: Work, best_of: int) -> list[float]:
    """Return the best time of each; they take turns, so that a slow moment of the machine hits all of them.

    A work that measures itself (in another process, or something else than time) returns a float, and that is taken; of
    all others the whole call is timed. Where `ENOUGH` time has passed, there are fewer repetitions.
    """
    best = [float("inf")] * len(works)
    start = perf_counter()
    for turn in range(best_of):
        if turn and perf_counter() - start > ENOUGH:
            break
        for place, work in enumerate(works):
            began = perf_counter()
            reported = work()
            spent = reported if isinstance(reported, float) else perf_counter() - began
            best[place] = min(best[place], spent)
    return best


@cache
def sort_seconds(best_of: int = 3) -> float:
    """Measure the unit, once in a run: a stable sort of ten million random int64, with the copy `np.sort` makes."""
    import numpy as np

    numbers = np.random.default_rng(1).integers(-(2**63), 2**63, 10**7, dtype=np.int64)
    return seconds(lambda: np.sort(numbers, kind="stable"), best_of=best_of)[0]


def run(one: Case, sort: float, *, quick: bool = False) -> Result:
    """Measure a case; `sort` is the unit's time in this run. A quick run measures each side at most three times."""
    result = Result(
        name=one.name, claim=one.claim, against=one.against, limit=one.limit, unit=one.unit, least=one.least
    )
    if quick and one.slow:
        return replace(result, missing="left out of a quick run")
    try:
        prepared = one.prepare(quick)
        sides = prepared if isinstance(prepared, tuple) else (prepared,)
        best = seconds(*sides, best_of=min(one.best_of, 3) if quick else one.best_of)
    except Unavailable as reason:
        return replace(result, missing=str(reason))
    except Exception:  # one case that fails must not lose the others, and is no "ok"
        traceback.print_exc()
        return replace(result, missing="it failed")
    return replace(result, ours=best[0], theirs=best[1] if len(best) > 1 else sort)


#: Run by a bare interpreter: a child's ru_maxrss begins at the size of whoever started it, and this one is small.
_WATCH = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def peak_memory(command: Sequence[str]) -> int:
    """Run a command and return the most memory it held at once, in bytes (never less than a bare Python's 10 MB)."""
    watch = [sys.executable, "-S", "-E", "-c", _WATCH, *command]
    done = subprocess.run(watch, stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)
