"""Proposals: roles, quasi-identifiers and hierarchies for a data set, each with its reason."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from antifaz.projects.work import proposing
from antifaz.web.given import Running, User
from antifaz.web.models import HierarchyProposal, QuasiIdentifiers, Roles

router = APIRouter(prefix="/datasets/{id}/proposals", tags=["proposals"])


@router.get("/roles", response_model=Roles)
def roles(service: Running, user: User, id: str) -> dict[str, Any]:
    """Propose a role for every column."""
    with service.datasets.using(user, id) as data:
        return proposing.roles(data)


@router.get("/quasi-identifiers", response_model=QuasiIdentifiers)
def quasi_identifiers(
    service: Running, user: User, id: str, columns: Annotated[str | None, Query(max_length=100_000)] = None
) -> dict[str, Any]:
    """Propose the few columns that tell nearly as many people apart as all; candidates are separated by commas."""
    with service.datasets.using(user, id) as data:
        return proposing.quasi_identifiers(data, _names(columns, data.schema.names))


@router.get("/hierarchy", response_model=HierarchyProposal)
def hierarchy(service: Running, user: User, id: str, column: Annotated[str, Query(max_length=1000)]) -> dict[str, Any]:
    """Propose a hierarchy of a column."""
    with service.datasets.using(user, id) as data:
        return proposing.hierarchy(data, column)


def _names(said: str | None, known: tuple[str, ...]) -> list[str] | None:
    """Take names apart at commas, unless that is one name with a comma in it."""
    if not said:
        return None
    return [said] if said in known else [name for name in said.split(",") if name]
