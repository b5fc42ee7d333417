"""Proposed roles on real tables that an expert labelled, beside what is wanted. The tables are not kept here."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from antifaz.core.errors import AntifazError
from antifaz.engines.registry import open_data
from antifaz.proposals.roles import roles
from experiments import experiment, table

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
#: What is counted, what it is a share of, and what is wanted of it.
TARGETS = {
    "files opened as they are, or by a repair that the program names": ("opened", "tables", "> 98 %"),
    "unsafe: not harmless, and proposed as insensitive": ("unsafe", "columns", "< 0.5 %"),
    "identifiers found": ("identifiers found", "identifiers", "> 97 %"),
    "role among the fine ones": ("fine", "columns", "> 85 %"),
    "harmless columns kept": ("harmless kept", "harmless", "> 80 %"),
    "left to the person (decide)": ("decide", "columns", "< 8 %"),
}
_QUICK = 3


@dataclass
class Score:
    """What was counted over all tables, and per reason how many proposals were fine and how many not."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[bool]] = field(default_factory=dict)

    def add(self, wanted: dict[str, Any], proposed: str, reason: str) -> None:
        """Count one column."""
        fine = {wanted["role"], *wanted.get("also_fine", ())}
        right = proposed in fine
        found = {
            "columns": True, "fine": right, "decide": proposed == "decide",
            "unsafe": proposed == "insensitive" and not right,
            "identifiers": wanted["role"] == "identifier",
            "identifiers found": wanted["role"] == "identifier" and right,
            "harmless": wanted["role"] == "insensitive", "harmless kept": wanted["role"] == "insensitive" and right,
        }  # fmt: skip
        self.counts.update(name for name, holds in found.items() if holds)
        self.reasons.setdefault(reason, Counter())[right] += 1


@experiment("proposals", "real tables with an expert's roles", "corpus")
def proposals(quick: bool) -> str:
    """Score the proposed roles of all tables."""
    score = Score()
    folders = sorted(path.parent for path in CORPUS.glob("*/label.json"))[: _QUICK if quick else None]
    for folder in folders:
        _score_table(folder, score)
    return _summary(score) + "\n" + _by_reason(score)


def _score_table(folder: Path, score: Score) -> None:
    label = json.loads((folder / "label.json").read_text(encoding="utf-8"))
    path = next(file for file in sorted(folder.iterdir()) if file.name.startswith("data"))
    told = {key: label[key] for key in ("encoding", "delimiter") if label.get(key)}
    score.counts["tables"] += 1
    data = next((one for options in ({}, told) if (one := _opened(path, len(label["columns"]), options))), None)
    if data is None:
        return
    with data:
        score.counts["opened"] += 1
        for wanted, own in zip(label["columns"], roles(data).values(), strict=True):
            score.add(wanted, own.value, own.reason.code)


def _opened(path: Path, columns: int, options: dict[str, Any]) -> Any:
    """Open a table as it is or with the repairs that the refusal names; None where its columns are not the label's."""
    try:
        data = open_data(path, **options)
    except AntifazError as refused:
        repairs = list(dict.fromkeys(re.findall(r"--repair[ =]([a-z][a-z0-9-]*)", str(refused))))
        return _opened(path, columns, options | {"repair": repairs}) if repairs and "repair" not in options else None
    if len(data.schema.names) == columns:
        return data
    data.close()
    return None


def _summary(score: Score) -> str:
    rows: list[list[object]] = []
    for name, (counted, of, wanted) in TARGETS.items():
        share = score.counts[counted] / max(score.counts[of], 1)
        rows.append([name, f"{score.counts[counted]} of {score.counts[of]}", f"{share:.1%}", wanted])
    return table(["", "columns or tables", "share", "wanted"], rows)


def _by_reason(score: Score) -> str:
    ordered = sorted(score.reasons.items(), key=lambda item: (-item[1].total(), item[0]))
    return table(["reason", "fine", "not"], [[f"`{code}`", counts[True], counts[False]] for code, counts in ordered])
