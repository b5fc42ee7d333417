"""Drafts of projects: a text may be incomplete and is kept all the same; what is missing in it is said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz.core.errors import AntifazError, ProjectError
from antifaz.projects.stored import checked_text
from antifaz.projects.yaml_file import parse_yaml, to_yaml
from antifaz.service.errors import described
from antifaz.service.job_inputs import HandOver
from antifaz.service.reading_options import followed
from antifaz.storage.secrets import refuse_passwords_in

#: The longest text of a project, in characters; large hierarchies are in it.
LONGEST = 50_000_000
_PLACE = Path("project.yaml")


def as_text(
    document: Mapping[str, Any] | None,
    yaml: str | None,
    before: str,
    *,
    source: Mapping[str, Any] | None,
    name: str,
    given: HandOver | None = None,
) -> str:
    """Return the text to keep: that which was given, or the document's, or the one of before where nothing changed.

    `source` is where the data is, if that is to be said anew; `given` is the data set whose reading the text follows.
    What can't be read at all is refused, and passwords.
    """
    text = before if yaml is None else yaml
    if len(text) > LONGEST:
        raise ProjectError("service.project-too-long", longest=LONGEST)
    known = parsed(text, _PLACE) if text.strip() else {}
    wanted = dict(known if document is None else document)
    wanted = {"antifaz": 1, "name": name, **wanted}
    if source is not None:
        wanted["source"] = dict(source)
    if document is None and source is None and yaml is not None:
        wanted = known  # as it was written, comments and all
    if given is not None:
        wanted = followed(wanted, given)
    text = text if wanted == known else to_yaml(wanted)
    refuse_passwords_in(wanted, text, _PLACE.name)
    return text


def parsed(text: str, place: Path) -> dict[str, Any]:
    """Return what a text says, if it says something under keys."""
    data = parse_yaml(text, place).data
    if not isinstance(data, dict):
        raise ProjectError("project.not-a-mapping", file=place.name)
    return data


def problems(text: str, place: Path, source: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return what keeps a project from being run; `source` is where its data is, if that is known."""
    try:
        data = parsed(text, place)
        if source is not None and "tables" not in data:
            data = {**data, "source": dict(source)}
        checked_text(text, place, data)
    except AntifazError as error:
        told = described(error)
        message = str(told["message"])
        where = told.get("where", {})
        if where:
            message = message.split(": ", 1)[1]
        return [{"message": message, "key": _key(message), "line": None, "column": None, **where}]
    return []


def _key(message: str) -> str | None:
    """Return the key that a message names, if it names one."""
    parts = message.split("'")
    return parts[1] if len(parts) > 2 else None
