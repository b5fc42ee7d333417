"""Releases: looked at, and taken away as files, as documents, or as a table of the database."""

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import BaseModel, Field

from antifaz.core.language import Language
from antifaz.service.release_folder import EVIDENCE, RECORD
from antifaz.service.releases import REPORT_POLICY
from antifaz.web.errors import ERRORS
from antifaz.web.models import Body
from antifaz.web.state import Running, User

router = APIRouter(prefix="/runs/{id}/release", tags=["releases"], responses=ERRORS)

_MEDIA = {
    ".csv": "text/csv; charset=utf-8; header=present", ".tsv": "text/tab-separated-values; charset=utf-8",
    ".txt": "text/plain; charset=utf-8", ".parquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".json": "application/json",
}  # fmt: skip
#: The report is a page of its own: no script, nothing loaded, and shown only within the service's page.
_SHOWN = {
    "content-security-policy": f"{REPORT_POLICY}; frame-ancestors 'self'; sandbox",
    "x-frame-options": "SAMEORIGIN",
}


Format = Literal["csv", "txt", "tsv", "parquet", "xlsx"]


class Wanted(Body):
    """How the released rows are wanted."""

    format: Format | None = Field(default=None, description="The format; as it was written when left out.")
    table: str | None = Field(default=None, max_length=1000, description="Of several tables: which one.")


class Ready(BaseModel):
    """A file that can be downloaded."""

    name: str
    bytes: int


class NewTable(Body):
    """The table that the released rows become."""

    table: str = Field(min_length=1, max_length=63)
    schema_: str | None = Field(default=None, alias="schema", max_length=63)
    replace: bool = False


@router.get("")
def show_release(id: str, service: Running, user: User) -> dict[str, Any]:
    """Return what a run released: rows, columns, files, class sizes."""
    return service.releases.describe(id, user)


@router.get("/rows")
def release_rows(
    id: str,
    service: Running,
    user: User,
    start: Annotated[int, Query(ge=0, le=2**62)] = 0,
    count: Annotated[int, Query(ge=0, le=1000)] = 100,
    sort: str | None = None,
    descending: bool = False,
    table: str | None = None,
) -> dict[str, Any]:
    """Return a window of the released rows, as text."""
    return service.releases.rows(id, user, start=start, count=count, sort=sort, descending=descending, table=table)


@router.get("/data", response_class=FileResponse)
def release_data(
    id: str, service: Running, user: User, format: Format | None = None, table: str | None = None
) -> FileResponse:
    """Download the released rows: the file that was checked, or the same cells in another format.

    With this the release leaves: it is checked once more with those that left before, and registered in the ledger.
    """
    return _download(service.releases.file(id, user, format, table))


@router.post("/data")
def prepare_data(id: str, body: Wanted, service: Running, user: User) -> Ready:
    """Do beforehand what a download of the released rows needs, so that the download itself begins at once."""
    path = service.releases.file(id, user, body.format, body.table)
    return Ready(name=path.name, bytes=path.stat().st_size)


@router.get("/evidence", response_class=FileResponse)
def release_evidence(id: str, service: Running, user: User) -> FileResponse:
    """Download the evidence."""
    return _download(service.releases.document(id, user, EVIDENCE))


@router.get("/record", response_class=FileResponse)
def release_record(id: str, service: Running, user: User) -> FileResponse:
    """Download the record of processing; it is to be kept inside."""
    return _download(service.releases.document(id, user, RECORD))


@router.get("/report", response_class=HTMLResponse)
def release_report(
    id: str,
    service: Running,
    user: User,
    language: Language = "en",
    format: Literal["html", "pdf"] = "html",
    download: bool = False,
) -> Response:
    """Show the report on a release in a language, or download it; as PDF it is a download."""
    if format == "pdf":
        named = {"content-disposition": f'attachment; filename="report-{language}.pdf"'}
        return Response(service.releases.report_pdf(id, user, language), media_type="application/pdf", headers=named)
    text = service.releases.report(id, user, language)
    headers = {"content-disposition": f'attachment; filename="report-{language}.html"'} if download else _SHOWN
    return HTMLResponse(text, headers=headers)


@router.post("/table", status_code=202)
def release_table(id: str, body: NewTable, service: Running, user: User) -> dict[str, Any]:
    """Make the same release once more, as a new table beside its source: decided, written and checked there."""
    project = service.jobs.get(id, user)["project"]
    asked = body.model_dump(by_alias=True, exclude_none=True) | {"run": id}
    return service.jobs.add(user, project, "run", asked)


def _download(path: Path) -> FileResponse:
    return FileResponse(path, media_type=_MEDIA.get(path.suffix), filename=path.name)
