"""Mutate, run, and say what survived."""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, TextIO

from mutants import equivalent, figures, running, scope
from mutants.changes import Mutant, mutants
from mutants.coverage import Coverage, covered

#: Kernels have thousands of mutants, and few that matter more than others: a sample tells as much.
_SAMPLED, _MOST = "kernels", 40


def main() -> None:
    """Run the mutants asked for, and write `out/mutants`."""
    parser = argparse.ArgumentParser(prog="make mutants ARGS=...", description=__doc__)
    parser.add_argument("part", nargs="*", help="only modules whose path has this in it, e.g. privacy/ or gate")
    parser.add_argument("--most", type=int, help=f"mutants per module; else all, and {_MOST} per kernel module")
    parser.add_argument("--seed", type=int, default=1, help="which mutants are drawn")
    parser.add_argument("--again", action="store_true", help="only those that were not killed the last time")
    parser.add_argument("--into", type=Path, default=scope.ROOT / "out" / "mutants", help="where figures are written")
    asked = parser.parse_args()
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "CI": "1"}
    os.chdir(scope.ROOT)
    sys.dont_write_bytecode = True
    folder = asked.into.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    chosen = _chosen(asked)
    known = _known(folder / "results.jsonl", chosen) if asked.again else {}
    chosen = [mutant for mutant in chosen if mutant.name not in known]
    running.warm()
    with (folder / "results.jsonl").open("w", encoding="utf-8") as results:
        results.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in known.values())
        results.flush()  # or children would write it once more
        run = Run(results=results, folder=folder)
        tests = scope.tests([mutant.path for mutant in chosen])
        code, _ = running.apart(lambda: running.with_session(tests, lambda each: run.inside(each, chosen)), None)
        if code:
            raise SystemExit("The mutants could not be run.")
        run.afresh()
    found = figures.read(folder / "results.jsonl")
    judged = equivalent.judged()
    (folder / "figures.md").write_text(figures.page(found, judged), encoding="utf-8")
    print(figures.page(found, judged))
    if figures.misjudged(found, judged):
        raise SystemExit("A mutant that was judged equivalent was killed: mutants/equivalent.toml is wrong there.")


def _known(path: Path, chosen: list[Mutant]) -> dict[str, dict[str, Any]]:
    """Return what was found before of mutants that were killed and are chosen again."""
    wanted = {mutant.name for mutant in chosen}
    return {each["name"]: each for each in figures.read(path) if each["by"] and each["name"] in wanted}


def _chosen(asked: argparse.Namespace) -> list[Mutant]:
    chosen = []
    for path in scope.modules(asked.part):
        most = asked.most or (_MOST if scope.room(path) == _SAMPLED else None)
        chosen += running.sample(mutants(path), most, asked.seed)
    return chosen


class Run:
    """One run: what was found of each mutant goes to a file at once."""

    def __init__(self, *, results: TextIO, folder: Path) -> None:
        """Write to `results`; keep what lasts in `folder`."""
        self._results, self._folder = results, folder
        self._began = time.monotonic()

    def inside(self, session: running.Session, chosen: list[Mutant]) -> None:
        """Run the mutants inside functions; leave the others, and what is known of the tests, to `afresh`."""
        coverage = covered(session, self._folder / "coverage.pickle", self._say)
        self._say(f"{len(coverage.seconds)} tests are quick enough; {len(chosen)} mutants")
        self._prove(session, chosen, coverage)
        left: list[tuple[Mutant, dict[str, float]]] = []
        killers: dict[tuple[Path, str | None], list[str]] = defaultdict(list)
        for number, mutant in enumerate(chosen):
            near = killers[mutant.path, mutant.function]
            tests = {test: coverage.seconds[test] for test in coverage.of(mutant, near)}
            kill = running.kill_again if mutant.function is None else running.kill
            try:
                by = kill(session, mutant, tests) if tests else None
            except LookupError:
                left.append((mutant, tests))
                continue
            if by in coverage.seconds and by not in near:
                near.append(by)
            self._note(mutant, by, bool(tests))
            if number % 100 == 0:
                self._say(f"{number} of {len(chosen)} mutants")
        (self._folder / "left.pickle").write_bytes(pickle.dumps(left))

    def _prove(self, session: running.Session, chosen: list[Mutant], coverage: Coverage) -> None:
        """Stop unless the tests of every module notice that all of its functions raise."""
        for path in sorted({mutant.path for mutant in chosen if mutant.function}):
            names = {test for (file, _), tests in coverage.lines.items() if file == str(path) for test in tests}
            quick = sorted(names, key=lambda name: coverage.seconds[name])[:20]
            if quick and not running.proven(session, path, quick):
                raise SystemExit(f"{scope.short(path)}: broken functions go unnoticed, so mutants would tell nothing.")
            if not quick:
                self._say(f"{scope.short(path)}: no test executes it")

    def afresh(self) -> None:
        """Run the mutants at the level of modules, from a process without antifaz."""
        stored = self._folder / "left.pickle"
        left = pickle.loads(stored.read_bytes())
        stored.unlink()
        self._say(f"{len(left)} mutants at the level of modules")
        for mutant, tests in left:
            self._note(mutant, running.kill_afresh(mutant, tests) if tests else None, bool(tests))

    def _note(self, mutant: Mutant, by: str | None, covered: bool) -> None:
        line = {"name": mutant.name, "module": scope.short(mutant.path), "line": mutant.line}
        line |= {"function": mutant.function, "before": mutant.before, "after": mutant.after, "by": by}
        self._results.write(json.dumps(line | {"covered": covered}, ensure_ascii=False) + "\n")
        self._results.flush()

    def _say(self, words: str) -> None:
        print(f"{time.monotonic() - self._began:7.0f} s  {words}", flush=True)


if __name__ == "__main__":
    main()
