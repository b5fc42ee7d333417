"""The application: the routes, the page's files, and the guard before all of it."""

import hashlib
import json
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from antifaz.core.language import LANGUAGES, about, texts
from antifaz.core.version import VERSION
from antifaz.web import errors
from antifaz.web.routes import (
    datasets,
    files,
    hierarchies,
    keys,
    ledger,
    projects,
    proposals,
    releases,
    runs,
    service,
    session,
)
from antifaz.web.security import API, AccessGuard
from antifaz.web.state import AppState

#: All routes, in the order in which they are described.
PARTS = (session, service, files, datasets, proposals, hierarchies, keys, projects, runs, releases, ledger)
#: The page's files, as they are shipped.
PAGE = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
    ".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2", ".ico": "image/x-icon",
}  # fmt: skip
_DESCRIPTION = "Share data about people without giving the people away: everything that the page does."


class _Files(StaticFiles):
    """The page's files: types that do not depend on the machine, asked for anew each time, not sent anew."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        kind = _TYPES.get(Path(path).suffix.lower())
        if kind is None:
            raise HTTPException(404)
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = "no-cache"
        if answer.status_code == 200:
            answer.headers["content-type"] = kind
        return answer


def make_app(state: AppState) -> AccessGuard:
    """Return the application behind its guard; whoever made its state starts and stops it."""
    app = FastAPI(
        title="antifaz", version=VERSION, description=_DESCRIPTION, docs_url=None, redoc_url=None,
        openapi_url=f"{API}/openapi.json",
    )  # fmt: skip
    app.state.service = state
    errors.handle(app)
    for part in PARTS:
        app.include_router(part.router, prefix=API, responses=errors.ERRORS)
    errors.describe_forms(app)
    _add_page(app)
    return AccessGuard(app, state)


def _add_page(app: FastAPI) -> None:
    def page(rest: str = "") -> FileResponse:
        return FileResponse(PAGE / "index.html", media_type=_TYPES[".html"], headers={"cache-control": "no-cache"})

    for path in ("/", "/p/{rest:path}", "/runs/{rest:path}", "/glossary", "/ledger", "/help"):
        app.add_api_route(path, page, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/page/words/{name}.json", _page_words, methods=["GET", "HEAD"], include_in_schema=False)
    app.mount("/page", _Files(directory=PAGE, check_dir=False), name="page")


def _page_words(request: Request, name: str) -> Response:
    """Answer the names of the languages (`languages`), or the words of the page in one of them."""
    if name == "languages":
        words = {language: about(language)["name"] for language in LANGUAGES}
    elif name in LANGUAGES:
        words = dict(texts("page", name))
    else:
        raise HTTPException(404)
    body = json.dumps(words, ensure_ascii=False).encode()
    headers = {"cache-control": "no-cache", "etag": f'"{hashlib.sha256(body).hexdigest()}"'}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=_TYPES[".json"], headers=headers)
