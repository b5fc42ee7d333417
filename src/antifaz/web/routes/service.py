"""What can be chosen; and finishing: erase the data and what was worked out of it, and show that it is gone."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from antifaz.core.language import LANGUAGES, Language
from antifaz.core.version import VERSION
from antifaz.projects import actions
from antifaz.service.erasure import ErasedWork, erase_work
from antifaz.web.models import Body, Catalogue
from antifaz.web.state import Running, User

router = APIRouter()


class Finish(Body):
    """What is to be erased: the data and results of one project, or of all."""

    project: str | None = Field(default=None, max_length=64)
    keep_release: bool = True
    projects: bool = Field(default=False, description="Of all projects, with their releases: the projects too.")


class Finished(BaseModel):
    """What is gone, and what stays and where."""

    erased: list[dict[str, Any]]
    left: list[dict[str, Any]]


@router.get("/meta", response_model=Catalogue, tags=["meta"])
def meta(service: Running, user: User, language: Language = "en") -> dict[str, Any]:
    """Return roles, types, and every model, method, operation, perturbation, hierarchy and quality."""
    limits = {"upload_bytes": service.settings.upload_limit}
    known = {"version": VERSION, "languages": list(LANGUAGES), "limits": limits}
    return known | {"spark": service.settings.spark is not None, **actions.catalogue(language)}


@router.post("/finish", response_model=Finished, tags=["finish"])
def finish_work(service: Running, user: User, body: Finish) -> ErasedWork:
    """Erase what was uploaded, opened and worked out, look again, and say what is gone and what stays."""
    return erase_work(service.jobs, service.datasets, service.releases, user, files=service.files, **body.model_dump())
