"""Files before they are open: handed over, looked at with the repairs and options that are tried, then opened."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from antifaz.core.messages import in_language
from antifaz.service.dataset_sources import LocalFile, Reading, UploadedFile
from antifaz.web import models
from antifaz.web.state import Running, Spoken, User
from antifaz.web.uploads import described_form, receive

router = APIRouter(prefix="/files", tags=["files"])

_FORM = described_form("A table in any format that can be read.", "JSON: nothing is asked here.")


class FilePath(models.Body):
    """A file of the machine that the service runs on."""

    path: models.PathText


class ReadingAsked(models.Body):
    """How a file is to be read; what is left out is found from it."""

    options: Reading | None = None

    def given(self) -> dict[str, Any] | None:
        """Return what was said."""
        return None if self.options is None else self.options.model_dump(exclude_unset=True)


@router.post("", status_code=201, response_model=models.WaitingFile, openapi_extra=_FORM)
async def upload_file(request: Request, service: Running, user: User) -> dict[str, Any]:
    """Take a file without opening it; it is on the disk only encrypted, under a key that lives in memory."""
    with service.vault.open_writer(service.settings.upload_limit) as writer:
        form = await receive(request, writer)
        encrypted = await run_in_threadpool(writer.finish)
    name = form.name or "upload"
    place = UploadedFile(service.vault, encrypted.id, name, encrypted.bytes)
    return service.files.add(user, name, "upload", place)


@router.post("/path", status_code=201, response_model=models.WaitingFile)
def name_path(service: Running, user: User, body: FilePath) -> dict[str, Any]:
    """Name a file of the machine that the service runs on, without opening it."""
    path = service.path(body.path)
    return service.files.add(user, path.name, "path", LocalFile(path))


@router.post("/{id}/look", response_model=models.FilePreview)
def look(service: Running, user: User, language: Spoken, id: str, body: ReadingAsked) -> dict[str, Any]:
    """Show the first lines, what is wrong, the repairs that help, and the first rows as they would be read."""
    return in_language(language, service.files.look(user, id, body.given()))


@router.post("/{id}/open", status_code=201, response_model=models.Dataset)
def open_file(service: Running, user: User, language: Spoken, id: str, body: ReadingAsked) -> dict[str, Any]:
    """Make a data set of it; where it can't be read it goes on waiting."""
    return in_language(language, service.files.open(user, id, body.given()))


@router.delete("/{id}")
def erase_file(service: Running, user: User, id: str) -> dict[str, Any]:
    """Erase a file that was sent; one that was named by its path stays where it is."""
    return {"erased": service.files.erase(user, id)}
