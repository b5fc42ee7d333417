"""The method that is chosen for a real table beside all others tried by hand: loss, and a classifier's accuracy.

Each runs the project that `antifaz init` wrote, with its own name instead of `auto`. The classifier learns sensitive
columns of few values from the released rows, and is tested on original ones. Of a long table a sample of rows is
taken. What was measured with the same code is kept in the temporary folder and not measured again.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory, gettempdir
from textwrap import fill
from typing import Any

import antifaz
from antifaz.core.errors import AntifazError
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.core.roles import Role
from antifaz.engines.registry import open_data
from antifaz.pipeline.release import Release
from antifaz.pipeline.state import Requested, TableRequest
from antifaz.pipeline.steps import plan
from antifaz.projects.loaded_project import load_project
from antifaz.projects.project_actions import table_request
from antifaz.utility.pair import count_pair
from antifaz.utility.predictions import predictions
from experiments import experiment, table
from experiments.corpus_runs import Made, folders, prepare

METHODS: tuple[dict[str, Any], ...] = (
    {"name": "auto"},
    {"name": "full-domain", "suppression": 0.1},
    {"name": "mondrian"},
    {"name": "l-greedy"},
    {"name": "local-suppression", "suppression": 0.02},
    {"name": "specialization"},
    {"name": "hilbert"},
    {"name": "k-members"},
)
#: How long each may work, in seconds of a processor, and of how many rows of a table.
LONGEST, ROWS = 60, 2_000
#: So many sensitive columns are predicted, the first of those with few values.
TARGETS, FEW = 3, 10
#: Accuracy is the mean of divisions into records to learn from and records to test on: so many at least and at most,
#: and on a short table until so many records have been told.
DIVISIONS, MOST_DIVISIONS, TOLD = 2, 20, 4_000
#: Within so much, one is as good as another.
NEAR = 0.05


@dataclass(frozen=True)
class Tried:
    """What came of a method: its loss and the mean accuracy, or what it said."""

    loss: float
    accuracy: float | None
    chosen: str


@dataclass(frozen=True)
class Compared:
    """A table: the chosen method, and the best of the others."""

    name: str
    auto: Tried | None
    others: dict[str, Tried]

    @property
    def least(self) -> str:
        """Who loses least."""
        return min(self.others, key=lambda name: self.others[name].loss)

    @property
    def best(self) -> str | None:
        """Whose release tells sensitive columns best; None where there is none to tell."""
        told = {name: one.accuracy for name, one in self.others.items() if one.accuracy is not None}
        return max(told, key=lambda name: told[name]) if told and self.auto and self.auto.accuracy is not None else None

    @property
    def behind(self) -> dict[str, tuple[float, float]]:
        """How far the chosen method is behind the best, and of how much, by what is measured."""
        if self.auto is None or not self.others:
            return {}
        loss = self.others[self.least].loss
        measured = {"loss": (self.auto.loss - loss, loss)}
        if self.best is not None:
            accuracy = self.others[self.best].accuracy or 0.0
            measured["accuracy"] = (accuracy - (self.auto.accuracy or 0.0), accuracy)
        return measured

    @property
    def at_odds(self) -> bool:
        """Whether no method by hand is near the best in both loss and accuracy."""
        if self.best is None:
            return False
        most, accuracy = (1 + NEAR) * self.others[self.least].loss, self.others[self.best].accuracy or 0.0
        near = (one for one in self.others.values() if (one.accuracy or 0.0) >= (1 - NEAR) * accuracy)
        return all(one.loss > most for one in near)

    @property
    def row(self) -> list[object]:
        """The table's line."""
        if self.auto is None or not self.others:
            return [self.name, "none reaches it" if not self.others else "auto fails", "", "", "", ""]
        best = self.best
        return [
            self.name, self.auto.chosen, f"{self.auto.loss:.3f}", f"{self.others[self.least].loss:.3f} ({self.least})",
            "" if self.auto.accuracy is None else f"{self.auto.accuracy:.3f}",
            "" if best is None else f"{self.others[best].accuracy:.3f} ({best})",
        ]  # fmt: skip


@experiment("corpus-methods", "real tables, the chosen method beside all others", "corpus")
def corpus_methods(quick: bool) -> str:
    """Try every method on every table."""
    compare = partial(_compare, methods=METHODS[:3] if quick else METHODS, kept=_kept(quick))
    # Threads of BLAS that wait for each other use four times the processor of the work itself.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    # Processes of their own: a table's work is stopped by a signal, which reaches the main thread only.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=multiprocessing.get_context("spawn")) as pool:
        compared = list(pool.map(compare, folders(quick)))
    said = [f"Of tables with more than {ROWS:,} rows so many were drawn."]
    for measure in ("loss", "accuracy"):
        behind = {one.name: one.behind[measure] for one in compared if measure in one.behind}
        late = [name for name, (far, of) in behind.items() if far > NEAR * of]
        points = sum(far <= NEAR for far, _ in behind.values())
        said.append(
            f"{measure.capitalize()}: {len(behind) - len(late)} of {len(behind)} within {NEAR:.0%} of the best by hand"
            f"{' (not ' + ', '.join(late) + ')' if late else ''}, {points} within {NEAR}."
        )
    at_odds = ", ".join(one.name for one in compared if one.at_odds) or "none"
    said.append(f"Tables where no method by hand is within {NEAR:.0%} of the best in both: {at_odds}.")
    header = ["table", "chosen", "loss", "least by hand", "accuracy", "best by hand"]
    return fill(" ".join(said), 120, break_on_hyphens=False) + "\n\n" + table(header, [one.row for one in compared])


def _kept(quick: bool) -> Path:
    """Return the folder of what was measured with this code."""
    digest = sha256(str(quick).encode())
    for file in (Path(__file__), *sorted(Path(antifaz.__file__).parent.rglob("*.py"))):
        digest.update(file.read_bytes())
    place = Path(gettempdir()) / "antifaz-corpus-methods" / digest.hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True)
    return place


def _compare(folder: Path, methods: Sequence[dict[str, Any]], kept: Path) -> Compared:
    file = kept / f"{folder.name}.json"
    if not file.exists():
        with TemporaryDirectory(prefix="antifaz-corpus-") as place:
            measured = {name: asdict(one) for name, one in _try_all(folder, Path(place), methods).items()}
        file.write_text(json.dumps(measured), encoding="utf-8")
    tried = {name: Tried(**own) for name, own in json.loads(file.read_text(encoding="utf-8")).items()}
    compared = Compared(folder.name, tried.pop("auto", None), tried)
    print(*compared.row, sep=" | ", file=sys.stderr, flush=True)
    return compared


def _try_all(folder: Path, place: Path, methods: Sequence[dict[str, Any]]) -> dict[str, Tried]:
    """Return what each method that reached it came to; one that works too long is stopped."""
    label = json.loads((folder / "label.json").read_text(encoding="utf-8"))
    project = place / "project.yaml"
    if prepare(folder, label, project, Made(folder.name, label["rows"], len(label["columns"]))):
        return {}
    tried: dict[str, Tried] = {}
    for method in methods:
        name = " ".join(map(str, method.values()))
        try:
            with _limited(LONGEST):
                answer: Tried | str = _measured(project, method)
        except AntifazError as error:
            answer = error.message.code
        except _TooLongError:
            answer = "it took too long"
        print(f"  {folder.name} {name}: {answer}", file=sys.stderr, flush=True)
        if isinstance(answer, Tried):
            tried[name] = answer
    return tried


class _TooLongError(BaseException):
    """A method has used up its time; nothing that catches errors may catch it."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise when this process has used so many seconds of a processor."""

    def stop(signum: int, frame: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _measured(project: Path, method: dict[str, Any]) -> Tried:
    own = project.with_name(f"{'-'.join(map(str, method.values()))}.yaml")
    text = re.sub(r"^method: .*$", f"method: {json.dumps(method)}", project.read_text(encoding="utf-8"), flags=re.M)
    own.write_text(f"{text}seed: 1\n", encoding="utf-8")
    with ExitStack() as resources:
        request = _sampled(table_request(load_project(own)))
        release = Release(plan(Requested(request=request, progress=Progress(), resources=resources)))
        after = resources.enter_context(open_data(release.frame))
        before = resources.enter_context(open_data(request.source, **request.reading))
        there = set(after.schema.names)
        kept = {each: role for each, role in request.roles.items() if each in there}
        targets = [each for each, role in kept.items() if role is Role.SENSITIVE]
        counts = {each: len(set(before.count([each]).values[0]) - {None}) for each in targets}
        wanted = [each for each in targets if 2 <= counts[each] <= FEW][:TARGETS]
        roles = {each: role for each, role in kept.items() if role is Role.QUASI_IDENTIFIER or each in wanted}
        pair = count_pair(before, after, roles, request.hierarchies) if wanted else None
        times = min(max(DIVISIONS, TOLD // max(before.rows, 1)), MOST_DIVISIONS)
        scores = [predictions(pair, generator(seed)) for seed in range(times)] if pair is not None else []
    evidence = release.evidence
    accuracy = [one["logistic"]["released"] for each in scores for one in each.values()]
    return Tried(
        loss=float(evidence["utility"]["loss"]), accuracy=mean(accuracy) if accuracy else None,
        chosen=str(evidence["method"].get("chosen", evidence["method"]["name"])),
    )  # fmt: skip


def _sampled(request: TableRequest) -> TableRequest:
    """Return the request of a sample of a long table's rows, the same for every method."""
    with open_data(request.source, **request.reading) as data:
        if data.rows <= ROWS:
            return request
        rows, types = data.cells(data.schema.names), {column.name: column.type for column in data.schema}
    drawn = generator(1).choice(rows.num_rows, ROWS, replace=False)
    return replace(request, source=rows.take(sorted(drawn.tolist())), types=types, reading={})
