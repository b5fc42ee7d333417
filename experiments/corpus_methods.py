"""The method that is chosen for a real table beside all others tried by hand: loss, and a classifier's accuracy.

Each runs the project that `antifaz init` wrote, with its own name instead of `auto`. The classifier learns sensitive
columns of few values from the released rows, and is tested on original ones.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from antifaz.core.errors import AntifazError
from antifaz.core.progress import Progress
from antifaz.core.randomness import generator
from antifaz.core.roles import Role
from antifaz.engines.opening import open_data
from antifaz.pipeline.release import Release
from antifaz.pipeline.state import Requested
from antifaz.pipeline.steps import plan
from antifaz.projects.loaded_project import load_project
from antifaz.projects.project_actions import table_request
from antifaz.projects.yaml_file import read_yaml
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
#: How long each may work, in seconds of a processor.
LONGEST = 120
#: So many sensitive columns are predicted, the first of those with few values.
TARGETS, FEW = 3, 10
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
    methods = METHODS[:3] if quick else METHODS
    with TemporaryDirectory(prefix="antifaz-corpus-") as place, ThreadPoolExecutor(os.cpu_count()) as pool:
        compared = list(pool.map(lambda folder: _compare(folder, Path(place) / folder.name, methods), folders(quick)))
    said = []
    for measure in ("loss", "accuracy"):
        behind = [one.behind[measure] for one in compared if measure in one.behind]
        points = sum(far <= NEAR for far, _ in behind)
        share = sum(far <= NEAR * of for far, of in behind)
        said.append(
            f"{measure}: {points} of {len(behind)} within {NEAR} of the best by hand, {share} within {NEAR:.0%}"
        )
    header = ["table", "chosen", "loss", "least by hand", "accuracy", "best by hand"]
    return f"{'; '.join(said)}.\n\n" + table(header, [one.row for one in compared])


def _compare(folder: Path, place: Path, methods: Sequence[dict[str, Any]]) -> Compared:
    tried = _try_all(folder, place, methods)
    compared = Compared(folder.name, tried.pop("auto", None), tried)
    print(*compared.row, sep=" | ", file=sys.stderr, flush=True)
    return compared


def _try_all(folder: Path, place: Path, methods: Sequence[dict[str, Any]]) -> dict[str, Tried]:
    """Return what each method that reached it came to; one that works too long is stopped."""
    place.mkdir(parents=True)
    label = json.loads((folder / "label.json").read_text(encoding="utf-8"))
    project = place / "project.yaml"
    if prepare(folder, label, project, Made(folder.name, label["rows"], len(label["columns"]))):
        return {}
    # Each in a process of its own, which can be stopped.
    context = multiprocessing.get_context("fork")
    tried: dict[str, Tried] = {}
    for method in methods:
        name = " ".join(map(str, method.values()))
        receive, send = context.Pipe(duplex=False)
        process = context.Process(target=_try, args=(project, method, send))
        process.start()
        send.close()
        try:
            answer = receive.recv()
        except EOFError:
            answer = "it took too long"
        process.join()
        print(f"  {folder.name} {name}: {answer}", file=sys.stderr, flush=True)
        if isinstance(answer, Tried):
            tried[name] = answer
    return tried


def _try(project: Path, method: dict[str, Any], send: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    try:
        send.send(_measured(project, method))
    except AntifazError as error:
        send.send(str(error))


def _measured(project: Path, method: dict[str, Any]) -> Tried:
    told = read_yaml(project).data
    name = "-".join(map(str, method.values()))
    own = project.with_name(f"{name}.yaml")
    own.write_text(json.dumps(told | {"method": method, "seed": 1}, default=str), encoding="utf-8")
    with ExitStack() as resources:
        request = table_request(load_project(own))
        release = Release(plan(Requested(request=request, progress=Progress(), resources=resources)))
        after = resources.enter_context(open_data(release.frame))
        before = resources.enter_context(open_data(request.source, **request.reading))
        there = set(after.schema.names)
        kept = {each: role for each, role in request.roles.items() if each in there}
        targets = [each for each, role in kept.items() if role is Role.SENSITIVE]
        counts = {each: len(set(before.count([each]).values[0]) - {None}) for each in targets}
        wanted = [each for each in targets if 2 <= counts[each] <= FEW][:TARGETS]
        roles = {each: role for each, role in kept.items() if role is Role.QUASI_IDENTIFIER or each in wanted}
        scores = predictions(count_pair(before, after, roles, request.hierarchies), generator(1)) if wanted else {}
    evidence = release.evidence
    accuracy = [one["logistic"]["released"] for one in scores.values()]
    return Tried(
        loss=float(evidence["utility"]["loss"]), accuracy=sum(accuracy) / len(accuracy) if accuracy else None,
        chosen=str(evidence["method"].get("chosen", evidence["method"]["name"])),
    )  # fmt: skip
