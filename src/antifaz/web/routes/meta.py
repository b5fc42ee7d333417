"""Everything that can be chosen."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from antifaz.core.language import LANGUAGES, Language
from antifaz.core.version import VERSION
from antifaz.web.models import Catalogue
from antifaz.web.state import Running, User

router = APIRouter(tags=["meta"])


@router.get("/meta", response_model=Catalogue)
def meta(service: Running, user: User, language: Language = "en") -> dict[str, Any]:
    """Return roles, types, and every model, method, operation, perturbation, hierarchy and quality."""
    from antifaz.projects.actions import catalogue  # all methods come with it

    limits = {"upload_bytes": service.settings.upload_limit}
    return {"version": VERSION, "languages": list(LANGUAGES), "limits": limits, **catalogue(language)}
