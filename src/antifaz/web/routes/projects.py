"""Projects: made, listed, opened, edited, copied, compared, deleted."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from antifaz.core.messages import in_language
from antifaz.service import examples
from antifaz.service.user_projects import UserProjects
from antifaz.web.errors import ERRORS
from antifaz.web.state import Running, Spoken, User

router = APIRouter(prefix="/projects", tags=["projects"], responses=ERRORS)

#: The number of a run.
Number = Annotated[int, Query(ge=1, le=2**31)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewProject(_Body):
    """A project to be made; without a document, one with proposals for the data set."""

    name: str = Field(max_length=200)
    dataset: str | None = None
    document: dict[str, Any] | None = None
    yaml: str | None = None


class Change(_Body):
    """What is changed of a project; what is left out stays."""

    document: dict[str, Any] | None = None
    yaml: str | None = None
    dataset: str | None = None
    step: str | None = None


class Name(_Body):
    """A name."""

    name: str = Field(max_length=200)


def _desk(service: Running, user: User) -> UserProjects:
    return UserProjects(service.jobs, service.datasets, user)


@router.get("")
def list_projects(service: Running, user: User, language: Spoken) -> list[dict[str, Any]]:
    """List the projects, the one that was changed last first."""
    return in_language(language, _desk(service, user).all())


@router.post("", status_code=201)
def make_project(said: NewProject, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Make a project."""
    return in_language(
        language, _desk(service, user).make(said.name, dataset=said.dataset, document=said.document, yaml=said.yaml)
    )


@router.post("/example", status_code=201)
def make_example_project(service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Make the example project: made-up people, their roles and hierarchies, k = 5."""
    return in_language(
        language, examples.make_example_project(_desk(service, user), service.datasets, service.vault, user)
    )


@router.get("/{id}")
def show_project(id: str, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Return a project: its document, its text, its runs, and what is missing in it."""
    return in_language(language, _desk(service, user).show(id))


@router.put("/{id}")
def save_project(id: str, said: Change, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Keep a project's draft; it may be incomplete, and `problems` says what is missing."""
    return in_language(
        language,
        _desk(service, user).save(id, document=said.document, yaml=said.yaml, dataset=said.dataset, step=said.step),
    )


@router.patch("/{id}")
def rename_project(id: str, said: Name, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Give a project another name."""
    return in_language(language, _desk(service, user).rename(id, said.name))


@router.delete("/{id}")
def delete_project(id: str, service: Running, user: User) -> dict[str, Any]:
    """Erase a project with its runs, their results and what they released."""
    return {"erased": _desk(service, user).delete(id)}


@router.post("/{id}/copy", status_code=201)
def copy_project(id: str, said: Name, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Make a copy under another name, without runs."""
    return in_language(language, _desk(service, user).copy(id, said.name))


@router.get("/{id}/file", response_class=Response)
def project_file(id: str, service: Running, user: User) -> Response:
    """Download the project file."""
    name, text = _desk(service, user).text(id)
    return Response(
        text.encode(),
        media_type="application/yaml; charset=utf-8",
        headers={"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.yaml"},
    )


@router.get("/{id}/compare")
def compare_runs(id: str, first: Number, second: Number, service: Running, user: User) -> dict[str, Any]:
    """Put two runs side by side: what was asked differently, and what was measured."""
    return _desk(service, user).compare(id, first, second)
