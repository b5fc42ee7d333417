"""Proposals on real tables, where they are at hand: what `init` writes can be read again and names nothing rare."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from antifaz.core.errors import AntifazError
from antifaz.core.profile import COMMON
from antifaz.core.values import canonical
from antifaz.engines.registry import open_data
from antifaz.projects.loaded_project import load_project
from antifaz.projects.template import project_template

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
TABLES = sorted(path.parent for path in CORPUS.glob("*/label.json"))

pytestmark = pytest.mark.skipif(not TABLES, reason="the tables are not at hand")


def opened(folder: Path) -> Any:
    """Open a table as it is, with the repairs that the refusal names, or with what its label says of it."""
    label = json.loads((folder / "label.json").read_text(encoding="utf-8"))
    path = next(file for file in sorted(folder.iterdir()) if file.name.startswith("data"))
    told = {key: label[key] for key in ("encoding", "delimiter") if label.get(key)}
    try:
        return open_data(path)
    except AntifazError as refused:
        repairs = list(dict.fromkeys(re.findall(r"--repair[ =]([a-z][a-z0-9-]*)", str(refused))))
        return open_data(path, repair=repairs) if repairs else open_data(path, **told)


def named_values(hierarchy: Any) -> set[str]:
    first = hierarchy["groups"][0] if isinstance(hierarchy, dict) and "groups" in hierarchy else {}
    return {member for members in first.values() for member in members}


@pytest.mark.parametrize("folder", TABLES, ids=lambda folder: folder.name)
def test_what_init_writes_is_read_again_and_names_nothing_rare(folder: Path, tmp_path: Path) -> None:
    project = tmp_path / "project.yaml"
    with opened(folder) as data:
        project.write_text(project_template(data, folder / "data.csv", project, {}), encoding="utf-8")
        loaded = load_project(project)
        assert list(loaded.project.attributes) == list(data.schema.names)
        for name, attribute in loaded.project.attributes.items():
            if values := named_values(attribute.hierarchy):
                counted = Counter[str]()
                tuples = data.count([name])
                for code, n in zip(tuples.codes[0].tolist(), tuples.counts.tolist(), strict=True):
                    counted[canonical(tuples.values[0][code], data.schema[name].type) or ""] += n
                assert min(counted[value] for value in values) >= COMMON, name
