"""Proposals for a data set, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antifaz import proposals
from antifaz.engines.engine import Data


def roles(data: Data) -> dict[str, Any]:
    """Propose a role for every column, each with its reason."""
    found = proposals.roles(data)
    return {"columns": {name: {"role": said.value, "reason": said.reason} for name, said in found.items()}}


def quasi_identifiers(data: Data, columns: Sequence[str] | None) -> dict[str, Any]:
    """Propose the few columns that tell nearly as many people apart as all candidates do."""
    found = proposals.quasi_identifiers(data, columns)
    return {"columns": found.details["columns"], "reason": found.reason, "details": found.details}


def hierarchy(data: Data, column: str) -> dict[str, Any]:
    """Propose a hierarchy of a column, as a project file says it."""
    found = proposals.hierarchy(data, column)
    return {"hierarchy": found.details, "reason": found.reason}
