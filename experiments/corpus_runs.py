"""From a real table to a release as a new user gets there: `antifaz init`, then `antifaz run`.

What `init` leaves to the person is answered by the label. The tables are not kept here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from textwrap import fill
from typing import Any, NamedTuple

from antifaz.core.errors import AntifazError
from experiments import experiment, table
from experiments.proposals import CORPUS

#: Both commands must be done in so many seconds of a processor.
LIMIT = 60
#: A small table.
_QUICK = "insurance-charges"


class Ended(NamedTuple):
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        """The last line of what it said."""
        return (self.stderr.strip().splitlines() or [f"exit code {self.returncode}"])[-1]


@dataclass
class Made:
    """What came of one table."""

    name: str
    rows: int = 0
    columns: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    #: Processor time of both commands.
    cpu: float = 0.0
    asked: int = 0
    evidence: dict[str, Any] = field(default_factory=dict)
    #: What the command said where it ended without a release.
    error: str = ""

    @property
    def row(self) -> list[object]:
        """The table's line."""
        size = f"{self.rows:,} × {self.columns}"
        took = f"{sum(self.seconds.values()):.0f} s"
        if self.error:
            return [self.name, size, took, f"{self.cpu:.0f} s", self.asked, self.error, "", "", ""]
        method, rows = self.evidence["method"], self.evidence["rows"]
        chosen = method.get("chosen", method["name"])
        left = 1 - rows["released"] / max(rows["read"], 1)
        verdict = self.evidence["verdict"]
        found = ", ".join(dict.fromkeys(f"`{one['code']}`" for one in verdict["findings"]))
        loss = self.evidence["utility"]["loss"]
        answer = f"{verdict['hand_over']}: {found}" if found else verdict["hand_over"]
        return [self.name, size, took, f"{self.cpu:.0f} s", self.asked, chosen, f"{loss:.3f}", f"{left:.1%}", answer]


@experiment("corpus-runs", "real tables, from the file to a release", "corpus")
def corpus_runs(quick: bool) -> str:
    """Take every table to a release, and tell how long it took and what it cost."""
    with TemporaryDirectory(prefix="antifaz-corpus-") as place, ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda folder: make(folder, Path(place) / folder.name), folders(quick)))
    late = [one.name for one in made if one.cpu > LIMIT]
    ended = [one for one in made if one.error]
    slowest = max(made, key=lambda one: one.cpu)
    said = (
        f"{len(made) - len(ended)} of {len(made)} tables end in a release, {len(ended)} in an error that says what to "
        f"do; {len(late)} take more than a minute of a processor{': ' + ', '.join(late) if late else ''}. In the "
        f"middle it takes {median(one.cpu for one in made):.0f} s, and {slowest.cpu:.0f} s at most "
        f"({slowest.name})."
    )
    header = ["table", "size", "init and run", "processor", "asked", "method", "loss", "left out", "verdict"]
    return fill(said, 120, break_on_hyphens=False) + "\n\n" + table(header, [one.row for one in made])


def folders(quick: bool) -> list[Path]:
    """Return the folders of the tables."""
    return sorted(path.parent for path in CORPUS.glob("*/label.json") if not quick or path.parent.name == _QUICK)


def make(folder: Path, place: Path) -> Made:
    """Write a project for a table, answer what is asked, and run it; each as a command of its own."""
    place.mkdir(parents=True)
    label = json.loads((folder / "label.json").read_text(encoding="utf-8"))
    made = Made(folder.name, label["rows"], len(label["columns"]))
    project = place / "project.yaml"
    error = prepare(folder, label, project, made)
    if not error:
        ended = _command(made, "run", "run", str(project), "--json")
        error = "" if ended.returncode == 0 else ended.said
        made.evidence = {} if error else json.loads(ended.stdout)
    made.error = error
    print(*made.row, sep=" | ", file=sys.stderr, flush=True)
    return made


def prepare(folder: Path, label: dict[str, Any], project: Path, made: Made) -> str:
    """Write the project file, and answer what it asks; return what was said where that failed.

    The table is opened as it is, else with the repairs that the refusal names, else as the label says.
    """
    data = next(file for file in sorted(folder.iterdir()) if file.name.startswith("data"))
    told = [word for key in ("encoding", "delimiter") if label.get(key) for word in (f"--{key}", label[key])]
    said = ""
    for options in ([], told):
        ended = _command(made, "init", "init", str(data), "-o", str(project), *options)
        repairs = dict.fromkeys(re.findall(r"--repair[ =]([a-z][a-z0-9-]*)", ended.stderr))
        if ended.returncode and repairs:
            wanted = [word for name in repairs for word in ("--repair", name)]
            ended = _command(made, "init", "init", str(data), "-o", str(project), *options, *wanted)
        try:
            if ended.returncode == 0 and len(_attributes(project)) == made.columns:
                made.asked = _answer(project, label)
                return ""
        except AntifazError as error:
            return f"its project file does not parse: {error}"
        said = ended.said if ended.returncode else "other columns than the label's"
        project.unlink(missing_ok=True)
    return said


def _attributes(project: Path) -> dict[str, Any]:
    from antifaz.projects.loaded_project import load_project

    return dict(load_project(project).project.attributes)


def _answer(project: Path, label: dict[str, Any]) -> int:
    """Give the columns that are left to the person the label's role; return how many there were."""
    wanted = [column["role"] for column in label["columns"]]
    left = [role for role, own in zip(wanted, _attributes(project).values(), strict=True) if own.role == "decide"]
    roles = iter(left)
    lines = project.read_text(encoding="utf-8").splitlines(keepends=True)
    told = [re.sub(r"\{role: decide\b", lambda _: f"{{role: {next(roles)}", line, count=1) for line in lines]
    project.write_text("".join(told), encoding="utf-8")
    return len(left)


def _command(made: Made, step: str, *words: str) -> Ended:
    """Run a command of antifaz, and add what it took to the table's account."""
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        began = time.monotonic()
        process = subprocess.Popen([sys.executable, "-m", "antifaz", *words], stdout=out, stderr=err)
        # Others wait for their commands at the same time: what all children used would be theirs, too.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        made.seconds[step] = made.seconds.get(step, 0.0) + time.monotonic() - began
        made.cpu += used.ru_utime + used.ru_stime
        return Ended(process.returncode, *(file.seek(0) or file.read() for file in (out, err)))
