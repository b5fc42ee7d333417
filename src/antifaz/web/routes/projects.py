"""Projects: made, listed, opened, edited, copied, compared, deleted."""

from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Response
from pydantic import Field

from antifaz.core.errors import InputError
from antifaz.core.messages import in_language
from antifaz.service import examples
from antifaz.service.user_projects import UserProjects
from antifaz.web.errors import ERRORS
from antifaz.web.models import Body
from antifaz.web.state import Running, Spoken, User

router = APIRouter(prefix="/projects", tags=["projects"], responses=ERRORS)

#: The number of a run.
Number = Annotated[int, Query(ge=1, le=2**31)]


class NewProject(Body):
    """A project to be made; without a document, one with proposals for the data set; one of Anonylitics is imported."""

    name: str = Field(max_length=200)
    dataset: str | None = None
    datasets: dict[str, str] | None = Field(default=None, description="Of several tables: the data set of each.")
    document: dict[str, Any] | None = None
    yaml: str | None = None
    dialect: Literal["mariadb", "postgresql"] | None = Field(
        default=None, description="Of an imported project: the kind of its database, where the port does not say it."
    )
    preset: str | None = Field(
        default=None, max_length=100, description="Of a project with proposals: the rule that they are made by."
    )


class Change(Body):
    """What is changed of a project; what is left out stays."""

    document: dict[str, Any] | None = None
    yaml: str | None = None
    dataset: str | None = None
    datasets: dict[str, str] | None = Field(default=None, description="Of several tables: the data set of each.")
    step: str | None = None


class AddedTable(Body):
    """A table that a project gets; it is called as its data is where no name is said."""

    dataset: str
    name: str | None = Field(default=None, max_length=100)


class Name(Body):
    """A name."""

    name: str = Field(max_length=200)


class Explored(Body):
    """What the explorer is asked; without k it says what can be asked."""

    k: Annotated[int, Field(ge=1, le=2**31)] | None = None
    suppression: float | None = Field(
        default=None, ge=0, le=1, description="The share of records that may be left out."
    )
    levels: dict[str, Annotated[int, Field(ge=0, le=1000)]] | None = Field(
        default=None, description="Levels chosen by hand; the best ones are found when left out."
    )
    weights: dict[str, Annotated[float, Field(ge=0, le=1e6)]] | None = Field(
        default=None, description="How much columns matter: 1 for those not named."
    )
    table: str | None = Field(default=None, max_length=100, description="Which of several tables.")


#: The steps of the page, each a module there.
_STEPS = tuple(sorted(path.stem for path in (Path(__file__).parents[1] / "page" / "steps").glob("*.js")))


def _projects(service: Running, user: User) -> UserProjects:
    return UserProjects(service.jobs, service.datasets, user)


#: What a route is given: the projects of whoever asks.
Projects = Annotated[UserProjects, Depends(_projects)]


@router.get("")
def list_projects(projects: Projects, language: Spoken) -> list[dict[str, Any]]:
    """List the projects, the one that was changed last first."""
    return in_language(language, projects.all())


@router.post("", status_code=201)
def make_project(body: NewProject, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Make a project."""
    return in_language(language, projects.make(**body.model_dump()))


@router.post("/example", status_code=201)
def make_example_project(projects: Projects, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Make the example project: made-up people, their roles and hierarchies, k = 5."""
    return in_language(language, examples.make_example_project(projects, service.datasets, service.vault, user))


@router.get("/{id}")
def show_project(id: str, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Return a project: its document, its text, its runs, and what is missing in it."""
    return in_language(language, projects.show(id))


@router.put("/{id}")
def save_project(id: str, body: Change, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Keep a project's draft; it may be incomplete, and `problems` says what is missing."""
    if body.step is not None and body.step not in _STEPS:
        raise InputError("web.unknown-step", step=body.step, steps=_STEPS)
    return in_language(language, projects.save(id, **body.model_dump()))


@router.patch("/{id}")
def rename_project(id: str, body: Name, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Give a project another name."""
    return in_language(language, projects.rename(id, body.name))


@router.delete("/{id}")
def delete_project(id: str, projects: Projects) -> dict[str, Any]:
    """Erase a project with its runs, their results and what they released."""
    return {"erased": projects.delete(id)}


@router.post("/{id}/explore")
def explore_project(id: str, body: Explored, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Say what a k, a share of records left out or levels would cost; answered from counts, and nothing is released."""
    return in_language(language, projects.explore(id, body.model_dump()))


@router.post("/{id}/copy", status_code=201)
def copy_project(id: str, body: Name, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Make a copy under another name, without runs."""
    return in_language(language, projects.copy(id, body.name))


@router.post("/{id}/tables", status_code=201)
def add_table(id: str, body: AddedTable, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Add a table to a project; what a project said of its only table is said of that one from then on."""
    return in_language(language, projects.add_table(id, body.dataset, body.name))


@router.patch("/{id}/tables/{table}")
def rename_table(id: str, table: str, body: Name, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Give one of several tables another name."""
    return in_language(language, projects.rename_table(id, table, body.name))


@router.delete("/{id}/tables/{table}")
def remove_table(id: str, table: str, projects: Projects, language: Spoken) -> dict[str, Any]:
    """Take a table out of a project; the data set stays. A table that is left alone becomes the only one."""
    return in_language(language, projects.remove_table(id, table))


@router.get("/{id}/file", response_class=Response)
def project_file(id: str, projects: Projects) -> Response:
    """Download the project file."""
    name, text = projects.text(id)
    return Response(
        text.encode(),
        media_type="application/yaml; charset=utf-8",
        headers={"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.yaml"},
    )


@router.get("/{id}/compare")
def compare_runs(id: str, first: Number, second: Number, projects: Projects) -> dict[str, Any]:
    """Put two runs side by side: what was asked differently, and what was measured."""
    return projects.compare(id, first, second)
