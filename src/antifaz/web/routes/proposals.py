"""Proposals: roles, quasi-identifiers, hierarchies and rules for a data set, each with its reason."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from antifaz.web.models import (
    ColumnCosts,
    HierarchyProposal,
    PresetProposal,
    PrivacyProposal,
    QuasiIdentifiers,
    RolesAsked,
    RolesProposal,
)
from antifaz.web.state import Running, Spoken, User

router = APIRouter(prefix="/datasets/{id}/proposals", tags=["proposals"])


@router.get("/roles", response_model=RolesProposal)
def roles(service: Running, user: User, language: Spoken, id: str) -> dict[str, Any]:
    """Propose a role for every column."""
    return dict(service.datasets.ask(user, id, "roles", language=language))


@router.get("/quasi-identifiers", response_model=QuasiIdentifiers)
def quasi_identifiers(
    service: Running,
    user: User,
    language: Spoken,
    id: str,
    columns: Annotated[list[str] | None, Query(max_length=10_000)] = None,
) -> dict[str, Any]:
    """Propose the few columns that tell nearly as many people apart as all; `columns` is said once per candidate."""
    return dict(service.datasets.ask(user, id, "quasi-identifiers", columns=columns, language=language))


@router.get("/columns", response_model=ColumnCosts)
def columns(
    service: Running,
    user: User,
    language: Spoken,
    id: str,
    columns: Annotated[list[str] | None, Query(max_length=10_000)] = None,
    k: Annotated[int, Query(ge=1)] = 5,
) -> dict[str, Any]:
    """Say what each quasi-identifier costs the others; `columns` is said once per quasi-identifier."""
    return dict(service.datasets.ask(user, id, "columns", columns=columns, k=k, language=language))


@router.post("/privacy", response_model=PrivacyProposal)
def privacy(service: Running, user: User, id: str, body: RolesAsked) -> dict[str, Any]:
    """Propose what must hold of a release for an audience, given the roles of its columns."""
    return dict(service.datasets.ask(user, id, "privacy", roles=body.roles, audience=body.audience))


@router.get("/preset", response_model=PresetProposal)
def preset(
    service: Running, user: User, language: Spoken, id: str, name: Annotated[str, Query(max_length=100)]
) -> dict[str, Any]:
    """Fill in what a rule asks, such as HIPAA Safe Harbor: settings of all columns, models, and whom it is for."""
    return dict(service.datasets.ask(user, id, "preset", name=name, language=language))


@router.get("/hierarchy", response_model=HierarchyProposal)
def hierarchy(
    service: Running, user: User, language: Spoken, id: str, column: Annotated[str, Query(max_length=1000)]
) -> dict[str, Any]:
    """Propose a hierarchy of a column."""
    return dict(service.datasets.ask(user, id, "hierarchy", column=column, language=language))
