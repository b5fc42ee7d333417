"""Data sets: uploaded, opened by path, from a database, made up; their profiles, and windows of their rows."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool

from antifaz.core.messages import in_language
from antifaz.service import examples
from antifaz.service.dataset_sources import DatabaseSource, LocalFile, Reading, UploadedFile, address, is_file
from antifaz.service.user_projects import UserProjects
from antifaz.web import models
from antifaz.web.state import AppState, Running, Spoken, User
from antifaz.web.uploads import described_form, receive

router = APIRouter(prefix="/datasets", tags=["data sets"])

#: The first row of a window, how many rows it has, and the column that sorts them.
Start = Annotated[int, Query(ge=0, le=2**53)]
Count = Annotated[int, Query(ge=0, le=1000)]
ColumnName = Annotated[str | None, Query(max_length=1000)]
_FORM = described_form("CSV, JSON, Parquet or XLSX.", "JSON: how it is to be read, as in PATCH.")


@router.post("", status_code=201, response_model=models.Dataset, openapi_extra=_FORM)
async def upload(request: Request, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Take a file; it is on the disk only encrypted, under a key that lives in memory."""
    with service.vault.open_writer(service.settings.upload_limit) as writer:
        form = await receive(request, writer)
        options = form.options()
        encrypted = await run_in_threadpool(writer.finish)
    name = form.name or "upload"
    place = UploadedFile(service.vault, encrypted.id, name, encrypted.bytes)
    return in_language(language, await run_in_threadpool(service.datasets.add, user, name, "upload", place, options))


@router.post("/path", status_code=201, response_model=models.Dataset)
def open_path(service: Running, user: User, language: Spoken, body: models.OpenPath) -> dict[str, Any]:
    """Open a file of the machine that the service runs on; it stays where it is."""
    path = service.path(body.path)
    return in_language(
        language, service.datasets.add(user, path.name, "path", LocalFile(path), _chosen_options(body.options))
    )


@router.post("/database", status_code=201, response_model=models.Dataset)
def open_database(service: Running, user: User, language: Spoken, body: models.DatabaseTable) -> dict[str, Any]:
    """Open a table of a database; rows stay there, and the password is kept in memory only."""
    url = database_address(service, body)
    password = body.password or service.hosts.password(url)
    place = DatabaseSource(url, body.table, body.schema_, password)
    return in_language(
        language, service.datasets.add(user, body.table, "database", place, _chosen_options(body.options))
    )


@router.post("/database/tables")
def list_tables(service: Running, user: User, body: models.DatabaseAddress) -> dict[str, list[str]]:
    """List the tables and views of a database."""
    url = database_address(service, body)
    password = body.password or service.hosts.password(url)
    return {"tables": list(service.datasets.once("tables", {"url": url, "schema": body.schema_}, password=password))}


@router.post("/example", status_code=201, response_model=models.Dataset)
def make_example(service: Running, user: User, language: Spoken, body: models.Example) -> dict[str, Any]:
    """Make up people who do not exist."""
    place, id = examples.make_example(service.vault, body.name, body.rows), examples.example_id(body.name, body.rows)
    return in_language(language, service.datasets.add(user, body.name, "example", place, id=id))


@router.get("", response_model=list[models.Dataset])
def all_datasets(service: Running, user: User, language: Spoken) -> list[dict[str, Any]]:
    """List the data sets, the newest first."""
    return in_language(language, service.datasets.all(user))


@router.get("/{id}", response_model=models.Dataset)
def one_dataset(service: Running, user: User, language: Spoken, id: str) -> dict[str, Any]:
    """Describe a data set."""
    return in_language(language, service.datasets.get(user, id))


@router.patch("/{id}", response_model=models.Dataset)
def change_dataset(
    service: Running, user: User, language: Spoken, id: str, body: models.ChangeDataset
) -> dict[str, Any]:
    """Give it another name, or read it anew with other options; projects bound to it say so from then on."""
    return in_language(
        language,
        UserProjects(service.jobs, service.datasets, user).reread(
            id, name=body.name, options=_chosen_options(body.options)
        ),
    )


@router.get("/{id}/rows", response_model=models.Window)
def rows(
    service: Running,
    user: User,
    id: str,
    start: Start = 0,
    count: Count = 100,
    sort: ColumnName = None,
    descending: bool = False,
) -> dict[str, Any]:
    """Return a window of rows, in the order of the data or of one column."""
    return service.datasets.rows(user, id, start=start, count=count, sort=sort, descending=descending)


@router.delete("/{id}")
def erase_dataset(service: Running, user: User, id: str) -> dict[str, Any]:
    """Erase a data set and show that it is gone; a file opened by its path, or a table, stays where it is."""
    erased = service.datasets.erase(user, id)
    service.jobs.store.unbind(id)
    return {"erased": erased}


def _chosen_options(options: Reading | None) -> dict[str, Any] | None:
    return None if options is None else options.model_dump(exclude_unset=True)


def database_address(service: AppState, body: models.DatabaseAddress) -> str:
    """Return the address of a database; its server must be one that may be reached, its file one that may be opened."""
    database = body.database
    if is_file(body.kind):
        database = str(service.path(database))
    url = address(body.kind, host=body.host, port=body.port, database=database, user=body.user, tls=body.tls)
    service.hosts.check(url)
    return url
