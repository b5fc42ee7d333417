"""Every error as one small document that quotes nothing of the data."""

from __future__ import annotations

import json
import re
import sys
import traceback
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from antifaz.core.errors import AntifazError, CheckFailed, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.projects.actions import NameTaken
from antifaz.service.errors import Busy, Gone, InternalFault, NotAllowed, NotFound, TooLarge

Code = Literal[
    "bad-input", "privacy-not-reached", "not-found", "busy", "taken", "too-large", "not-allowed", "gone", "internal"
]  # fmt: skip


class Where(BaseModel):
    """Where in a file or a body something is wrong."""

    line: int | None = None
    column: int | None = None
    key: str | None = None


class Problem(BaseModel):
    """What went wrong, in one sentence."""

    code: Code
    message: str
    where: Where | None = None


class ErrorDocument(BaseModel):
    """The body of every answer that is an error."""

    error: Problem


_FORMS = "#/components/schemas/"
#: What any route may answer beside its own, for the description of the service.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {"application/json": {"schema": {"$ref": f"{_FORMS}ErrorDocument"}}}}
    for status, words in {
        400: "What was given is not right.",
        401: "There is no session.",
        403: Message("web.not-allowed"),
        404: "There is no such thing.",
        405: "This can't be done with it.",
        409: "Something else is going on, or a name is taken.",
        410: "It was erased.",
        413: "It is too large.",
        421: "The request is meant for another host.",
        422: "The privacy asked for can't be reached.",
        429: "Too many wrong attempts.",
        500: "A mistake of the program.",
    }.items()
}

#: The errors by class, the more special first.
_KINDS: tuple[tuple[type[AntifazError], int, Code], ...] = (
    (NotFound, 404, "not-found"),
    (Busy, 409, "busy"),
    (NameTaken, 409, "taken"),
    (Gone, 410, "gone"),
    (NotAllowed, 403, "not-allowed"),
    (TooLarge, 413, "too-large"),
    (PrivacyNotReached, 422, "privacy-not-reached"),
    (CheckFailed, 422, "privacy-not-reached"),
    (InternalFault, 500, "internal"),
    (AntifazError, 400, "bad-input"),
)
_STATUS: dict[int, tuple[Code, str]] = {
    400: ("bad-input", Message("web.request-wrong")),
    401: ("not-allowed", Message("web.sign-in-first")),
    403: ("not-allowed", Message("web.not-allowed")),
    404: ("not-found", Message("web.not-found")),
    405: ("bad-input", Message("web.method-not-allowed")),
    413: ("too-large", Message("web.too-large")),
    429: ("busy", Message("web.too-many-wrong-attempts")),
    415: ("bad-input", Message("web.body-of-other-kind")),
}
_PLACE = re.compile(r"\bline (\d+)(?:, column (\d+))?")


def document(code: Code, message: str, where: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the body of an error."""
    found: dict[str, Any] = {"code": code, "message": message}
    return {"error": found | ({"where": where} if where else {})}


def describe(error: Exception) -> tuple[int, dict[str, Any]]:
    """Return the status and the body for any error; words that are not ours are not shown."""
    if isinstance(error, AntifazError):
        status, code = next((status, code) for kind, status, code in _KINDS if isinstance(error, kind))
        return status, document(code, str(error), _where(str(error)))
    if isinstance(error, RequestValidationError):
        return 400, _of_validation(error)
    if isinstance(error, HTTPException):
        code, words = _STATUS.get(error.status_code, ("bad-input", Message("web.request-wrong")))
        return error.status_code, document(code, words)
    return 500, document("internal", Message("web.internal-error", type=type(error).__name__))


def note(error: Exception) -> None:
    """Say on the terminal where an error that is not ours came from, but nothing that it quotes."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" at {last[0].name}, line {last[0].lineno}" if last else ""
    sys.stderr.write(f"antifaz: an internal {type(error).__name__}{place}\n")


def handle(app: FastAPI) -> None:
    """Make every error of the application such a document."""

    async def answer(_request: Request, error: Exception) -> Response:
        status, body = describe(error)
        headers = getattr(error, "headers", None)
        return Response(dumped(body), status, headers=headers, media_type="application/json")

    for kind in (AntifazError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)


def describe_forms(app: FastAPI) -> None:
    """Put the form of errors into the description of the service, whatever else a route answers."""
    usual = app.openapi

    def described() -> dict[str, Any]:
        found = usual()
        form = ErrorDocument.model_json_schema(ref_template=_FORMS + "{model}")
        forms = found.setdefault("components", {}).setdefault("schemas", {})
        forms |= form.pop("$defs", {}) | {"ErrorDocument": form}
        return found

    app.openapi = described  # type: ignore[method-assign]


def _where(message: str) -> dict[str, Any] | None:
    found = _PLACE.search(message)
    if found is None:
        return None
    line, column = found.groups()
    return {"line": int(line)} | ({"column": int(column)} if column else {})


def _of_validation(error: RequestValidationError) -> dict[str, Any]:
    first: dict[str, Any] = dict(next(iter(error.errors()), {}))
    place = [str(part) for part in first.get("loc", ()) if part not in ("body", "query", "path", "header")]
    kind = str(first.get("type", ""))
    if kind == "json_invalid":
        return document("bad-input", Message("web.body-not-json"))
    key = ".".join(place)
    if not key:
        return document("bad-input", Message("web.body-not-an-object"))
    if kind == "missing":
        return document("bad-input", f"{key!r} is needed.", {"key": key})
    if kind == "extra_forbidden":
        return document("bad-input", Message("web.unknown-key", key=key), {"key": key})
    said = str(first.get("msg", "right")).removeprefix("Input should be ").removeprefix("Value error, ")
    return document("bad-input", f"{key!r} should be {said[:1].lower()}{said[1:]}.", {"key": key})


def debug(error: Exception) -> str:
    """Return the whole trace, for somebody who asked for it by ANTIFAZ_DEBUG."""
    return "".join(traceback.format_exception(error))


def dumped(body: dict[str, Any]) -> bytes:
    """Return a body as bytes."""
    return json.dumps(body).encode()  # half of a character can be written this way, too
