"""The explorer of a project in the process of its data set: the counts stay here, and answers leave.

They are counted when they are first asked for, and again when the project asks for other columns or models. They end
with the process, so they are erased with the data set.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import InputError
from antifaz.projects.yaml_file import parse_yaml
from antifaz.service.project_tables import table_parts, with_sources
from antifaz.service.user_keys import with_keys

if TYPE_CHECKING:
    from antifaz.engines.engine import Data
    from antifaz.pipeline.explorer import Explorer

#: Of a method, what the explorer is asked for each time.
ASKED = ("suppression", "levels", "weights")
#: What does not change what is counted.
_ELSEWHERE = ("name", "owner", "release", "report", "controller", "ledger", "frontier", "engine")


@dataclass(frozen=True, eq=False)
class _Counted:
    """The explorer of what was asked last, and what the project said then."""

    project: Mapping[str, Any]
    part: Mapping[str, Any]
    key: str
    explorer: Explorer


_LAST: list[_Counted] = []


def answer(data: Data, project: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Count what a project speaks of where that was not done yet, and answer from the counts."""
    if not _LAST or _LAST[0].project != project:
        _LAST[:] = [_read(data, project)]
    explorer = _LAST[0].explorer
    if asked["k"] is None:
        described = explorer.describe()
        return described | {"asked": described["asked"] | _asked_now(_LAST[0].part)}
    return explorer.evaluate(asked["k"], asked["suppression"] or 0.0, asked["levels"], asked["weights"])


def _read(data: Data, project: Mapping[str, Any]) -> _Counted:
    """Read what a project says; where it says it of the same counts, those stay."""
    table, document = project["table"], parse_yaml(project["text"], Path(project["file"]))
    whole = with_sources(with_keys(document.data, project["keys"]), {table: project["source"]})
    key = _key(whole, table)
    known = _LAST[0].explorer if _LAST and _LAST[0].key == key else None
    return _Counted(
        project, table_parts(whole)[table], key, known or _counted(data, replace(document, data=whole), table)
    )


def _counted(data: Data, document: Any, table: str) -> Explorer:
    from antifaz.core.progress import Progress
    from antifaz.pipeline.explorer import Explorer
    from antifaz.pipeline.state import Requested
    from antifaz.pipeline.steps import plan_on
    from antifaz.projects.loaded_project import LoadedProject
    from antifaz.projects.project_actions import table_request
    from antifaz.projects.tables import loaded

    project = loaded(document)
    one = project if isinstance(project, LoadedProject) else project.tables[table]
    if one.project.kind == "light":
        raise InputError("plan.light-has-no-models", what="The explorer")
    with ExitStack() as resources:
        resources.enter_context(one.of_columns())
        request = replace(table_request(one), table={})
        planned = plan_on(Requested(request=request, progress=Progress(), resources=resources), data)
        return Explorer(planned.plan, planned.data)


def _key(document: Mapping[str, Any], table: str) -> str:
    """Return what names all that the counts depend on, and nothing that is asked for each time."""
    part = {key: value for key, value in table_parts(document)[table].items() if key not in _ELSEWHERE}
    method = part.get("method")
    if isinstance(method, Mapping):
        part["method"] = {key: value for key, value in method.items() if key not in ASKED}
    models = [each for each in part.get("privacy") or [] if isinstance(each, Mapping)]
    part["privacy"] = [{key: value for key, value in each.items() if key != "k"} for each in models]
    return hashlib.blake2b(json.dumps([table, part], default=str).encode(), digest_size=16).hexdigest()


def _asked_now(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the project asks for now, which may be another k than when its rows were counted."""
    ks = [each["k"] for each in part.get("privacy") or [] if isinstance(each, Mapping) and "k" in each]
    method: Any = part.get("method") or {}
    chosen = {"levels": {}, "weights": {}} | {key: method[key] for key in ASKED if key in method}
    return chosen | ({"k": max(ks)} if ks else {})
