"""Runs: queued, followed as they go, cancelled; and what came out."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from antifaz.core.language import Language
from antifaz.core.messages import in_language, restored
from antifaz.service.errors import NotFound
from antifaz.service.job_store import OVER
from antifaz.service.jobs import JobQueue
from antifaz.web.errors import ERRORS
from antifaz.web.models import Body
from antifaz.web.state import Running, Spoken, User

router = APIRouter(tags=["runs"], responses=ERRORS)

#: How often a run is looked at for whoever follows it, and how often they hear that the line is alive, in seconds.
PAUSE, ALIVE = 0.2, 15.0

Count = Annotated[int, Field(ge=0, le=1_000_000)]


class TabulatedColumn(Body):
    """A column to count by, and the hierarchy whose labels become subtotals, as a project file says it."""

    column: str = Field(min_length=1, max_length=1000)
    hierarchy: dict[str, Any] | None = None


class Tabulation(Body):
    """A table of counts or sums: rules and protections by their names, with the parameters that the library has."""

    dimensions: list[TabulatedColumn] = Field(min_length=1, max_length=10)
    measure: str | None = Field(
        default=None, max_length=1000, description="The column to sum; else records, or people, are counted."
    )
    person: list[Annotated[str, Field(max_length=1000)]] = Field(
        default=[], max_length=10, description="The columns that tell people apart."
    )
    rules: list[dict[str, Any]] = Field(
        default=[], max_length=10, description='What is sensitive, such as {"rule": "threshold", "k": 5}.'
    )
    protection: dict[str, Any] = Field(
        default={"name": "suppression"},
        description='How cells are protected, such as {"name": "rounding", "base": 5}; a key by its name under /keys.',
    )


class NewRun(Body):
    """What is to be done, and how."""

    kind: Literal["run", "candidates", "frontier", "methods", "assess", "tabulate"] = "run"
    tabulation: Tabulation | None = Field(default=None, description="Of tabulate: the table that is made.")
    levels: dict[str, Annotated[int, Field(ge=0, le=1000)]] | None = Field(
        default=None, description="Of a run: one candidate of full-domain generalization, by its levels."
    )
    k: tuple[Count, Count] | None = Field(default=None, description="Of a frontier: the lowest and the highest k.")
    methods: Literal["fitting"] | None = Field(
        default=None, description="Of a frontier: all methods that fit the table, instead of the project's own."
    )
    attacks: Count | None = Field(default=None, description="Of assess: how many times each attack is tried.")
    run: str | None = Field(default=None, description="Of assess: the run to judge; the last one when left out.")
    table: str | None = Field(
        default=None,
        max_length=100,
        description="Of candidates, frontier, methods, assess and tabulate: which of several tables.",
    )
    despite: str | None = Field(
        default=None, max_length=2000, description="Why it is released although earlier releases speak against it."
    )


@router.post("/projects/{id}/runs", status_code=202)
def start_run(id: str, body: NewRun, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Queue a run of a project."""
    request = body.model_dump(exclude={"kind"}, exclude_none=True)
    return in_language(language, service.jobs.add(user, id, body.kind, request))


@router.get("/runs")
def list_runs(service: Running, user: User, language: Spoken, project: str | None = None) -> list[dict[str, Any]]:
    """List the runs, the newest first."""
    return [in_language(language, run) for run in service.jobs.all(user, project)]


@router.get("/runs/{id}")
def show_run(id: str, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Return a run as it is now."""
    return in_language(language, service.jobs.get(id, user))


@router.delete("/runs/{id}")
def delete_run(id: str, service: Running, user: User) -> dict[str, Any]:
    """Forget a run that is over, with its result and what it released."""
    return {"erased": service.jobs.delete(id, user)}


@router.post("/runs/{id}/cancel")
def cancel_run(id: str, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Give up a run; nothing half done is left."""
    return in_language(language, service.jobs.cancel(id, user))


@router.get("/runs/{id}/result", response_class=Response)
def run_result(id: str, service: Running, user: User, language: Spoken) -> Response:
    """Return what came out: the evidence of a run, or the candidates, the frontier, the methods
    compared, the assessment.

    What it says in words is in the reader's language; the evidence that is downloaded is in English.
    """
    content = service.jobs.result_of(id, user).read_bytes()
    if language != "en":
        content = json.dumps(_spoken(language, json.loads(content)), ensure_ascii=False).encode()
    return Response(content, media_type="application/json")


def _spoken(language: Language, document: dict[str, Any]) -> dict[str, Any]:
    """Return a result in a language, that of several tables each by its own messages."""
    parts = {name: _spoken(language, part) for name, part in document.get("tables", {}).items()}
    whole = in_language(language, restored(document))
    return whole | ({"tables": parts} if parts else {})


@router.get("/runs/{id}/cells", response_class=Response)
def table_cells(id: str, service: Running, user: User) -> Response:
    """Return the cells of a table of counts or sums: labels, value, and between which values a hidden one lies.

    Anybody can compute the intervals from what is published.
    """
    return Response(service.jobs.cells_of(id, user).read_bytes(), media_type="application/json")


@router.get("/runs/{id}/verified")
def run_verified(id: str, service: Running, user: User, language: Spoken) -> dict[str, Any]:
    """Return what a run has verified while attacks are still being tried: its evidence so far, and its first rows.

    Nothing of it can be downloaded: once the run is done, its result and its release have it whole.
    """
    verified = service.jobs.verified_of(id, user)
    return verified | {"evidence": _spoken(language, verified["evidence"])}


@router.get("/runs/{id}/events", response_class=StreamingResponse)
async def run_events(
    id: str, service: Running, user: User, spoken: Spoken, language: Language | None = None
) -> StreamingResponse:
    """Follow a run: an event for every change, the last one when it is over.

    Browsers can't choose the header Accept-Language here, so `language` may say it.
    """
    first = await run_in_threadpool(service.jobs.get, id, user)
    return StreamingResponse(_events(service.jobs, first, user, language or spoken), media_type="text/event-stream")


async def _events(jobs: JobQueue, run: dict[str, Any], user: str, language: Language) -> AsyncIterator[str]:
    sent, quiet = "", 0.0
    while run["state"] not in OVER:
        if (now := _without_times(run)) != sent:
            sent, quiet = now, 0.0
            yield f"event: progress\ndata: {json.dumps(in_language(language, run), ensure_ascii=False)}\n\n"
        elif quiet >= ALIVE:
            quiet = 0.0
            yield ": alive\n\n"
        await asyncio.sleep(PAUSE)
        quiet += PAUSE
        try:
            run = await run_in_threadpool(jobs.get, run["id"], user)
        except NotFound:
            return  # deleted meanwhile
    yield f"event: end\ndata: {json.dumps(in_language(language, run), ensure_ascii=False)}\n\n"


def _without_times(run: dict[str, Any]) -> str:
    """Return what has changed if something has; time that passes is no change."""
    steps = [{key: value for key, value in step.items() if key != "seconds"} for step in run["steps"]]
    return json.dumps(run | {"steps": steps}, ensure_ascii=False)
