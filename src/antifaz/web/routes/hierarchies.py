"""Hierarchies: seen on the values of a column, read from a file, written as a table."""

from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from antifaz.service import hierarchy_preview
from antifaz.web.models import HierarchyAsked, HierarchyShown
from antifaz.web.security import LARGE
from antifaz.web.state import Running, User
from antifaz.web.uploads import described_form, receive

router = APIRouter(prefix="/hierarchies", tags=["hierarchies"])

_FORM = described_form("A table (value;level1;…) or a tree as JSON.", "JSON: delimiter, encoding, header.")


@router.post("/preview", response_model=HierarchyShown)
def preview(service: Running, user: User, body: HierarchyAsked) -> dict[str, Any]:
    """Show what a hierarchy makes of the values of a column."""
    with service.datasets.using(user, body.dataset) as data:
        return hierarchy_preview.preview(data, body.column, body.hierarchy, service.path)


@router.post("/import", openapi_extra=_FORM)
async def import_hierarchy(request: Request, service: Running, user: User) -> dict[str, dict[str, Any]]:
    """Read a hierarchy from a file, and return it as a project file says it."""
    with service.vault.open_writer(LARGE) as writer:
        form = await receive(request, writer)
        encrypted = writer.finish()
    try:
        given = (service.vault, encrypted.id, form.name or "hierarchy", form.options())
        found = await run_in_threadpool(hierarchy_preview.read_uploaded_hierarchy, *given)
    finally:
        service.vault.erase(encrypted.id)
    return {"hierarchy": found}


@router.post(
    "/export",
    response_class=Response,
    responses={200: {"description": "The table, as a file.", "content": {"text/csv": {"schema": {"type": "string"}}}}},
)
def export_hierarchy(service: Running, user: User, body: HierarchyAsked) -> Response:
    """Return a hierarchy as a table: one line per value, its label at each level in a column."""
    with service.datasets.using(user, body.dataset) as data:
        text = hierarchy_preview.hierarchy_table(data, body.column, body.hierarchy, service.path)
    return Response(
        text.encode("utf-8", "replace"),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": 'attachment; filename="hierarchy.csv"'},
    )
