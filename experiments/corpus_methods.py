"""The method that is chosen for a real table beside all others tried by hand: loss, and a classifier's accuracy.

Each runs the project that `antifaz init` wrote, with its own name instead of `auto`. The classifier learns sensitive
columns of few values from the released rows, and is tested on original ones.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from antifaz.core.errors import AntifazError
from antifaz.core.randomness import generator
from antifaz.core.roles import Role
from antifaz.engines.opening import open_data
from antifaz.projects.project import load_project
from antifaz.projects.project_actions import run, table_request
from antifaz.projects.yaml_file import read_yaml
from antifaz.utility.pair import count_pair
from antifaz.utility.predictions import predictions
from experiments import experiment, table
from experiments.corpus_runs import Made, folders, prepare

METHODS: tuple[dict[str, Any], ...] = (
    {"name": "auto"},
    {"name": "full-domain", "suppression": 0.02},
    {"name": "full-domain", "suppression": 0.05},
    {"name": "full-domain", "suppression": 0.1},
    {"name": "l-greedy"},
    {"name": "mondrian"},
    {"name": "local-suppression", "suppression": 0.02},
    {"name": "k-members"},
    {"name": "specialization"},
    {"name": "hilbert"},
    {"name": "one-pass"},
    {"name": "bottom-up"},
    {"name": "datafly"},
)
#: How long each may work, in seconds.
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


@experiment("corpus-methods", "real tables, the chosen method beside all others", "corpus")
def corpus_methods(quick: bool) -> str:
    """Try every method on every table."""
    rows: list[list[object]] = []
    near = {"loss": 0, "accuracy": 0}
    counted = {"loss": 0, "accuracy": 0}
    with TemporaryDirectory(prefix="antifaz-corpus-") as place:
        for folder in folders(quick):
            tried = _try_all(folder, Path(place) / folder.name, METHODS[:3] if quick else METHODS)
            auto, others = tried.get("auto"), {name: one for name, one in tried.items() if name != "auto"}
            if auto is None or not others:
                rows.append([folder.name, "none reaches it" if not others else "auto fails", "", "", "", ""])
                continue
            least = min(others, key=lambda name: others[name].loss)
            told = {name: one.accuracy for name, one in others.items() if one.accuracy is not None}
            best = max(told, key=told.__getitem__) if told and auto.accuracy is not None else None
            counted["loss"] += 1
            near["loss"] += auto.loss <= others[least].loss + NEAR
            if best is not None and auto.accuracy is not None:
                counted["accuracy"] += 1
                near["accuracy"] += auto.accuracy >= told[best] - NEAR
            rows.append([
                folder.name, auto.chosen, f"{auto.loss:.3f}", f"{others[least].loss:.3f} ({least})",
                "" if auto.accuracy is None else f"{auto.accuracy:.3f}",
                "" if best is None else f"{told[best]:.3f} ({best})",
            ])  # fmt: skip
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    said = "; ".join(f"{name} within {NEAR:.0%} of the best by hand: {near[name]} of {counted[name]}" for name in near)
    header = ["table", "chosen", "loss", "least by hand", "accuracy", "best by hand"]
    return f"{said}.\n\n" + table(header, rows)


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
            answer = receive.recv() if receive.poll(LONGEST) else "too long"
        except EOFError:
            answer = "ended"
        process.kill()
        process.join()
        print(f"  {folder.name} {name}: {answer}", file=sys.stderr, flush=True)
        if isinstance(answer, Tried):
            tried[name] = answer
    return tried


def _try(project: Path, method: dict[str, Any], send: Any) -> None:
    try:
        send.send(_measured(project, method))
    except AntifazError as error:
        send.send(str(error))


def _measured(project: Path, method: dict[str, Any]) -> Tried:
    told = read_yaml(project).data
    name = "-".join(map(str, method.values()))
    own = project.with_name(f"{name}.yaml")
    own.write_text(json.dumps(told | {"method": method, "seed": 1}, default=str), encoding="utf-8")
    evidence = run(own, out=project.with_name(name), report={"attacks": 0}, ledger=False)
    request = table_request(load_project(own))
    with (
        open_data(request.source, **request.reading) as before,
        open_data(project.with_name(name) / "release.csv") as after,
    ):
        there = set(after.schema.names)
        kept = {each: role for each, role in request.roles.items() if each in there}
        targets = [each for each, role in kept.items() if role is Role.SENSITIVE]
        counts = {each: len(set(before.count([each]).values[0]) - {None}) for each in targets}
        wanted = [each for each in targets if 2 <= counts[each] <= FEW][:TARGETS]
        roles = {each: role for each, role in kept.items() if role is Role.QUASI_IDENTIFIER or each in wanted}
        scores = predictions(count_pair(before, after, roles, request.hierarchies), generator(1)) if wanted else {}
    accuracy = [one["logistic"]["released"] for one in scores.values()]
    return Tried(
        loss=float(evidence["utility"]["loss"]), accuracy=sum(accuracy) / len(accuracy) if accuracy else None,
        chosen=str(evidence["method"].get("chosen", evidence["method"]["name"])),
    )  # fmt: skip
