"""Finishing: erase the data and what was worked out of it, and show that it is gone."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from antifaz.service.erasure import ErasedWork, erase_work
from antifaz.web.models import Body
from antifaz.web.state import Running, User

router = APIRouter(tags=["finish"])


class Finish(Body):
    """What is to be erased: the data and results of one project, or of all."""

    project: str | None = Field(default=None, max_length=64)
    keep_release: bool = True


class Finished(BaseModel):
    """What is gone, and what stays and where."""

    erased: list[dict[str, Any]]
    left: list[dict[str, Any]]


@router.post("/finish", response_model=Finished)
def finish_work(service: Running, user: User, body: Finish) -> ErasedWork:
    """Erase what was uploaded, opened and worked out, look again, and say what is gone and what stays."""
    releases = service.releases
    return erase_work(
        service.jobs, service.datasets, releases, user, project=body.project, keep_release=body.keep_release
    )
