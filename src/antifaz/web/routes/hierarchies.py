"""Hierarchies: seen on the values of a column, read from a file, written as a table."""

from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from antifaz.web.models import HierarchyAsked, HierarchyShown
from antifaz.web.security import LARGE
from antifaz.web.state import AppState, Running, User
from antifaz.web.uploads import Form, described_form, receive

router = APIRouter(prefix="/hierarchies", tags=["hierarchies"])

_FORM = described_form("A table (value;level1;…) or a tree as JSON.", "JSON: delimiter, encoding, header.")


@router.post("/preview", response_model=HierarchyShown)
def preview(service: Running, user: User, body: HierarchyAsked) -> dict[str, Any]:
    """Show what a hierarchy makes of the values of a column."""
    return dict(service.datasets.ask(user, body.dataset, "preview", **_question(service, body)))


@router.post("/import", openapi_extra=_FORM)
async def import_hierarchy(request: Request, service: Running, user: User) -> dict[str, dict[str, Any]]:
    """Read a hierarchy from a file, and return it as a project file says it."""
    with service.vault.open_writer(LARGE) as writer:
        form = await receive(request, writer)
        encrypted = writer.finish()
    try:
        hierarchy = await run_in_threadpool(_read_hierarchy, service, encrypted.id, form)
    finally:
        service.vault.erase(encrypted.id)
    return {"hierarchy": hierarchy}


@router.post(
    "/export",
    response_class=Response,
    responses={200: {"description": "The table, as a file.", "content": {"text/csv": {"schema": {"type": "string"}}}}},
)
def export_hierarchy(service: Running, user: User, body: HierarchyAsked) -> Response:
    """Return a hierarchy as a table: one line per value, its label at each level in a column."""
    text = str(service.datasets.ask(user, body.dataset, "hierarchy-table", **_question(service, body)))
    return Response(
        text.encode("utf-8", "replace"),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": 'attachment; filename="hierarchy.csv"'},
    )


def _question(service: AppState, body: HierarchyAsked) -> dict[str, Any]:
    """Return what is asked of a data set; a hierarchy's file is opened only where files of this machine may be."""
    root, shared = service.settings.root, service.settings.accounts is not None
    return {
        "column": body.column, "hierarchy": body.hierarchy, "root": None if root is None else str(root),
        "shared": shared,
    }  # fmt: skip


def _read_hierarchy(service: AppState, id: str, form: Form) -> dict[str, Any]:
    with service.vault.decrypted(id) as decrypted:
        arguments = {"name": form.name or "hierarchy", "options": form.options()}
        return dict(service.datasets.once("read-hierarchy", arguments, fd=decrypted.fd))
