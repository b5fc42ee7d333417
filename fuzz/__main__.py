"""Damage files, read each in a process that may die, and keep those that end in anything but our own errors.

What is found lies in `fuzz/findings` and is read again by `make test`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import multiprocessing as mp
import random
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path

from fuzz.damage import damage
from fuzz.seeds import Target, targets

FINDINGS = Path(__file__).parent / "findings"
#: What one input may take, and how many a process reads.
_MEMORY, _SECONDS, _BATCH = 8 << 30, 20, 200
#: What parsers load; loaded once, before processes are forked. None of it starts a thread by being loaded.
_LOADED = ("antifaz.projects.data_actions", "antifaz.projects.loaded_project", "duckdb", "pyarrow.parquet", "fastexcel")


def main() -> None:
    """Fuzz for so long, and say what was found."""
    parser = argparse.ArgumentParser(prog="make fuzz ARGS=...", description=__doc__)
    parser.add_argument("part", nargs="*", help="only parsers whose name has this in it, e.g. table or hierarchy")
    parser.add_argument("--minutes", type=float, default=60, help="how long; an hour when left out")
    parser.add_argument("--seed", type=int, help="which damage is done; drawn when left out")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(1 << 32)
    chosen = [one for one in targets() if not asked.part or any(part in one.name for part in asked.part)]
    print(f"seed {seed}, {len(chosen)} parsers, {asked.minutes:g} minutes", flush=True)
    tried, kept = Counter[str](), defaultdict[str, set[str]](set)
    chance, end = random.Random(seed), time.monotonic() + 60 * asked.minutes
    while time.monotonic() < end:
        target = chance.choice(chosen)
        inputs = [damage(target.content, chance) for _ in range(_BATCH)]
        for content, what in read_apart(target, inputs):
            if what in (seen := kept[target.name]):
                continue
            seen.add(what)
            path = FINDINGS / target.name / f"{hashlib.sha256(content).hexdigest()[:12]}{target.suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"{path.relative_to(FINDINGS.parent)}: {what}", flush=True)
        tried[target.name] += len(inputs)
    for name, count in sorted(tried.items()):
        print(f"{name}: {count} inputs, {len(kept[name])} kinds of findings")
    sys.exit(1 if any(kept.values()) else 0)


def read_apart(target: Target, inputs: list[bytes]) -> list[tuple[bytes, str]]:
    """Read inputs in a process of their own; return those that end in anything but a value or an error of ours."""
    findings, rest = [], list(inputs)
    for module in _LOADED:
        importlib.import_module(module)
    while rest:
        ours, theirs = mp.Pipe(duplex=False)
        process = mp.get_context("fork").Process(target=_read_all, args=(target, rest, theirs))
        process.start()
        theirs.close()
        done, what = 0, ""
        try:
            while done < len(rest):
                if not ours.poll(_SECONDS):
                    what = f"no answer in {_SECONDS} s"
                    break
                what = ours.recv()
                if what:
                    break
                done += 1
        except EOFError:
            process.join()
            what = f"the process died: {process.exitcode}"
        process.kill()
        process.join()
        if done < len(rest):
            findings.append((rest[done], what))
        rest = rest[done + 1 :]
    return findings


def _read_all(target: Target, inputs: list[bytes], answers: mp.connection.Connection) -> None:
    sys.stdout = sys.stderr = Path("/dev/null").open("w")  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        for content in inputs:
            answers.send(read(target, content, Path(folder)))


def read(target: Target, content: bytes, folder: Path) -> str:
    """Read an input; return nothing, or what went wrong that is no error of ours."""
    from antifaz.core.errors import AntifazError

    path = folder / f"input{target.suffix}"
    path.write_bytes(content)
    try:
        target.read(path)
    except AntifazError as error:
        return "" if str(error) else "an error without a message"
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}"
    return ""


if __name__ == "__main__":
    main()
