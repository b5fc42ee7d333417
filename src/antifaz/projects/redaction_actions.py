"""A look at what the redaction of text finds and what it leaves: for those who may see the data, and nobody else."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import InputError
from antifaz.core.progress import Progress
from antifaz.core.randomness import fresh_seed, generator
from antifaz.core.text_identifiers import count_marks
from antifaz.engines.engine import Data
from antifaz.pipeline.operations import operate
from antifaz.pipeline.state import Requested
from antifaz.pipeline.steps import open_table
from antifaz.projects.loaded_project import load_project
from antifaz.projects.project_actions import table_request


def redactions_of(
    project: str | Path, *, rows: int = 20, seed: int | None = None, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Redact the texts of a project and return, per column, counts and some cells before and after; nothing is written.

    Half of the cells are ones in which nothing was found, where there are as many: what was missed is there, too.
    """
    request = table_request(load_project(project))
    texts = {
        name: tuple(each for each in own if each.leaves_text)
        for name, own in request.operations.columns.items()
        if any(each.leaves_text for each in own)
    }
    if not texts:
        raise InputError("project.redacts-nothing")
    random = generator(fresh_seed() if seed is None else seed)
    with ExitStack() as resources:
        requested = Requested(request=request, progress=progress or Progress(), resources=resources)
        # The rows of a server come in any order, and are compared: they come once.
        original = resources.enter_context(open_table(requested)).download()
        wanted = replace(request.operations, columns=texts, joint=(), sample=None)
        done = resources.enter_context(operate(wanted, original, 0, request.roles)[0])
        return [_looked_at(name, original, done, rows, random) for name in texts]


def _looked_at(name: str, original: Data, done: Data, rows: int, random: np.random.Generator) -> dict[str, Any]:
    before, after = (data.cells([name]).column(0).cast(pa.string()).to_pylist() for data in (original, done))
    there = [i for i, text in enumerate(before) if text]
    changed = [i for i in there if before[i] != after[i]]
    same = [i for i in there if before[i] == after[i]]
    left = min(len(same), max(rows // 2, rows - len(changed)))
    drawn = [*random.permutation(changed)[: rows - left].tolist(), *random.permutation(same)[:left].tolist()]
    return {
        "column": name, "cells": len(there), "changed": len(changed), "redacted": count_marks(after),
        "sample": [{"before": before[i], "after": after[i]} for i in drawn],
    }  # fmt: skip
