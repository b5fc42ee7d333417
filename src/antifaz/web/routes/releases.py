"""Releases: looked at, and taken away as files, as documents, or as a table of the database."""

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import BaseModel, Field

from antifaz.core.errors import InputError
from antifaz.core.files import file_sha256
from antifaz.core.language import Language
from antifaz.core.messages import in_language
from antifaz.service.release_folder import EVIDENCE, RECORD, encoding_of
from antifaz.service.releases import REPORT_POLICY, DownloadFormat
from antifaz.web.errors import ERRORS
from antifaz.web.models import Body, DatabaseAddress
from antifaz.web.routes.datasets import database_address
from antifaz.web.routes.projects import Projects
from antifaz.web.state import Running, Spoken, User

router = APIRouter(prefix="/runs/{id}/release", tags=["releases"], responses=ERRORS)

_MEDIA = {
    ".csv": "text/csv; charset=utf-8; header=present", ".tsv": "text/tab-separated-values; charset=utf-8",
    ".txt": "text/plain; charset=utf-8", ".parquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".json": "application/json",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".html": "text/html; charset=utf-8", ".pdf": "application/pdf", ".zip": "application/zip",
}  # fmt: skip
#: The report is a page of its own: no script, nothing loaded, and shown only within the service's page.
_SHOWN = {
    "content-security-policy": f"{REPORT_POLICY}; frame-ancestors 'self'; sandbox",
    "x-frame-options": "SAMEORIGIN",
}


_TO: str = Field(
    min_length=1, max_length=200, pattern=r"\S", description="Who gets it, as the ledger notes; public for everybody."
)
_DESPITE: str | None = Field(
    default=None, max_length=1000, description="Why to hand it out even if earlier releases speak against it."
)
#: Who gets it.
To = Annotated[str, Query(min_length=1, max_length=200, pattern=r"\S")]
#: Which of several tables.
Table = Annotated[str | None, Query(max_length=1000)]


class DownloadRequest(Body):
    """How the released rows are wanted."""

    format: DownloadFormat | None = Field(default=None, description="The format; as it was written when left out.")
    to: str = _TO
    despite: str | None = _DESPITE
    table: str | None = Field(default=None, max_length=1000, description="Of several tables: which one.")


class WantedArchive(Body):
    """How all tables are wanted."""

    format: DownloadFormat = "csv"
    language: Language = "en"
    to: str = _TO
    despite: str | None = _DESPITE


class PreparedDownload(BaseModel):
    """A file that can be downloaded."""

    name: str
    bytes: int
    sha256: str


class TargetTable(Body):
    """The table that released rows become."""

    table: str = Field(min_length=1, max_length=63)
    schema_: str | None = Field(default=None, alias="schema", max_length=63)
    replace: bool = False
    to: str | None = Field(default=None, min_length=1, max_length=200, description="Who gets this one, if another.")


class TargetTables(Body):
    """The tables that a release becomes."""

    table: str | None = Field(default=None, min_length=1, max_length=63, description="Of one table: what it becomes.")
    schema_: str | None = Field(default=None, alias="schema", max_length=63)
    replace: bool = False
    to: str = _TO
    tables: dict[str, TargetTable] = Field(default={}, description="Of several tables: what each becomes, by its name.")
    database: DatabaseAddress | None = Field(
        default=None, description="Where they go; beside their source when left out."
    )

    def targets(self) -> dict[str, TargetTable]:
        """Return the targets by the names of the tables; that of the only table has the empty one."""
        if self.table is None:
            return {name: each.model_copy(update={"to": each.to or self.to}) for name, each in self.tables.items()}
        return {"": TargetTable(table=self.table, schema=self.schema_, replace=self.replace, to=self.to)}


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
    table: Table = None,
) -> dict[str, Any]:
    """Return a window of the released rows, as text."""
    return service.releases.rows(id, user, start=start, count=count, sort=sort, descending=descending, table=table)


@router.get("/data", response_class=FileResponse)
def release_data(
    id: str, service: Running, user: User, to: To, format: DownloadFormat | None = None, table: Table = None
) -> FileResponse:
    """Download the released rows: the file that was checked, or the same cells in another format.

    With this the release is handed out: it is checked once more with those that were handed out before, and registered
    in the ledger with who gets it (`to`).
    """
    path = service.releases.file(id, user, format, table, to=to)
    return _download(path, encoding_of(path))


@router.post("/data")
def prepare_data(id: str, body: DownloadRequest, service: Running, user: User) -> PreparedDownload:
    """Hand the released rows out, and do what their download needs, so that the download itself begins at once."""
    path = service.releases.file(id, user, body.format, body.table, to=body.to, despite=body.despite)
    return PreparedDownload(name=path.name, bytes=path.stat().st_size, sha256=file_sha256(path))


@router.get("/archive", response_class=FileResponse)
def release_archive(
    id: str, service: Running, user: User, to: To, format: DownloadFormat = "csv", language: Language = "en"
) -> FileResponse:
    """Download all tables of a release in one file, with the evidence and the reports: with this it is handed out."""
    return _download(service.releases.archive(id, user, format, language, to=to))


@router.post("/archive")
def prepare_archive(id: str, body: WantedArchive, service: Running, user: User) -> PreparedDownload:
    """Hand all tables out, and do what their download needs."""
    path = service.releases.archive(id, user, body.format, body.language, to=body.to, despite=body.despite)
    return PreparedDownload(name=path.name, bytes=path.stat().st_size, sha256=file_sha256(path))


@router.get("/evidence", response_class=FileResponse)
def release_evidence(id: str, service: Running, user: User, table: Table = None) -> FileResponse:
    """Download the evidence, of several tables also that of one."""
    return _download(service.releases.document(id, user, EVIDENCE, table))


@router.get("/record", response_class=Response)
def release_record(
    id: str,
    service: Running,
    user: User,
    projects: Projects,
    format: Literal["json", "pdf", "docx"] = "json",
    language: Language = "en",
    table: Table = None,
) -> Response:
    """Download the record of processing, of several tables that of one; it is to be kept inside.

    Who answers for the data is what the project says now: it may be completed after the run.
    """
    controller = projects.controller(service.jobs.get(id, user)["project"])
    content = service.releases.record(id, user, controller, format=format, language=language, table=table)
    name = RECORD if format == "json" else f"record-{language}.{format}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=_MEDIA[f".{format}"], headers=headers)


@router.get("/report", response_class=HTMLResponse)
def release_report(
    id: str,
    service: Running,
    user: User,
    language: Language = "en",
    format: Literal["html", "pdf"] = "html",
    download: bool = False,
    table: Table = None,
) -> Response:
    """Show the report on a release in a language, or download it; as PDF it is a download."""
    path = service.releases.report(id, user, language, format=format, table=table)
    return _download(path) if download or format == "pdf" else _shown(path)


@router.get("/{table}/report.html", response_class=HTMLResponse)
def table_report(id: str, table: str, service: Running, user: User, language: Spoken) -> Response:
    """Show the report on one of several tables, to which the report on all leads."""
    return _shown(service.releases.report(id, user, language, table=table))


@router.post("/table", status_code=202)
def release_table(id: str, body: TargetTables, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Make the same release once more, as new tables beside its source or in another database, checked there."""
    if not (targets := body.targets()):
        raise InputError("web.key-needed", key="table")
    database = body.database
    where = {} if database is None else {"url": database_address(service, database)}
    into = {name: where | one.model_dump(by_alias=True, exclude_none=True) for name, one in targets.items()}
    project = service.jobs.get(id, user)["project"]
    password = None if database is None else database.password
    run = service.jobs.add(user, project, "run", {"run": id, "into": into}, password=password)
    return in_language(language, run)


def _shown(path: Path) -> Response:
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=_SHOWN)


def _download(path: Path, encoding: str = "utf-8") -> FileResponse:
    media = _MEDIA.get(path.suffix, "application/octet-stream")
    charset = {"cp1252": "windows-1252", "latin-1": "iso-8859-1"}.get(encoding, encoding)
    return FileResponse(path, media_type=media.replace("charset=utf-8", f"charset={charset}"), filename=path.name)
