"""Every error as one small document that quotes nothing of the data."""

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from antifaz.core.errors import AntifazError
from antifaz.core.expectations import expected
from antifaz.core.language import Language, preferred
from antifaz.core.messages import Message, text_in
from antifaz.projects.actions import NameTaken
from antifaz.service.errors import Code, error_code, place_of


class ErrorLocation(BaseModel):
    """Where in a file or a body something is wrong."""

    line: int | None = None
    column: int | None = None
    key: str | None = None


class Problem(BaseModel):
    """What went wrong, in one sentence."""

    code: Code
    message: str
    where: ErrorLocation | None = None
    #: What is said, as a code with values, for programs.
    reason: dict[str, Any] | None = None


class ErrorDocument(BaseModel):
    """The body of every answer that is an error."""

    error: Problem


_FORMS = "#/components/schemas/"
_MEANINGS: dict[int, str] = {
    400: "What was given is not right.", 401: "There is no session.", 403: Message("web.not-allowed"),
    404: "There is no such thing.", 405: "This can't be done with it.",
    409: "Something else is going on, or a name is taken.", 410: "It was erased.", 413: "It is too large.",
    421: "The request is meant for another host.", 422: "The privacy asked for can't be reached.",
    429: "Too many wrong attempts.", 500: "A mistake of the program.",
}  # fmt: skip
#: What any route may answer beside its own, for the description of the service.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {"application/json": {"schema": {"$ref": f"{_FORMS}ErrorDocument"}}}}
    for status, words in _MEANINGS.items()
}
#: The status of an error by its code.
_STATUS_OF: dict[Code, int] = {
    "not-found": 404, "busy": 409, "taken": 409, "gone": 410, "not-allowed": 403, "too-large": 413,
    "privacy-not-reached": 422, "internal": 500, "bad-input": 400,
}  # fmt: skip
_STATUS: dict[int, tuple[Code, str]] = {
    400: ("bad-input", Message("web.request-wrong")), 401: ("not-allowed", Message("web.sign-in-first")),
    403: ("not-allowed", Message("web.not-allowed")), 404: ("not-found", Message("web.not-found")),
    405: ("bad-input", Message("web.method-not-allowed")), 413: ("too-large", Message("web.too-large")),
    429: ("busy", Message("web.too-many-wrong-attempts")), 415: ("bad-input", Message("web.body-of-other-kind")),
}  # fmt: skip


def document(
    code: Code, message: str, where: dict[str, Any] | None = None, language: Language = "en"
) -> dict[str, Any]:
    """Return the body of an error."""
    document: dict[str, Any] = {"code": code, "message": text_in(language, message)}
    if isinstance(message, Message):
        document["reason"] = {key: value for key, value in message.as_dict().items() if key != "text"}
    return {"error": document | ({"where": where} if where else {})}


def describe(error: Exception, language: Language = "en") -> tuple[int, dict[str, Any]]:
    """Return the status and the body for any error; words that are not ours are not shown."""
    if isinstance(error, AntifazError):
        code: Code = "taken" if isinstance(error, NameTaken) else error_code(error)
        return _STATUS_OF[code], document(code, error.message, place_of(error.message), language)
    if isinstance(error, RequestValidationError):
        return 400, _of_validation(error, language)
    if isinstance(error, HTTPException):
        code, words = _STATUS.get(error.status_code, ("bad-input", Message("web.request-wrong")))
        return error.status_code, document(code, words, None, language)
    return 500, document("internal", Message("web.internal-error", type=type(error).__name__), None, language)


def handle(app: FastAPI) -> None:
    """Make every error of the application such a document."""

    async def answer(request: Request, error: Exception) -> Response:
        status, body = describe(error, preferred(request.headers.get("accept-language")))
        headers = getattr(error, "headers", None)
        return Response(dumped(body), status, headers=headers, media_type="application/json")

    for kind in (AntifazError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)


def describe_forms(app: FastAPI) -> None:
    """Put the form of errors into the description of the service, whatever else a route answers."""
    usual = app.openapi

    def described() -> dict[str, Any]:
        schema = usual()
        form = ErrorDocument.model_json_schema(ref_template=_FORMS + "{model}")
        forms = schema.setdefault("components", {}).setdefault("schemas", {})
        forms |= form.pop("$defs", {}) | {"ErrorDocument": form}
        return schema

    app.openapi = described  # type: ignore[method-assign]


def _of_validation(error: RequestValidationError, language: Language) -> dict[str, Any]:
    first: dict[str, Any] = dict(next(iter(error.errors()), {}))
    place = [str(part) for part in first.get("loc", ()) if part not in ("body", "query", "path", "header")]
    key, kind = ".".join(place), str(first.get("type", ""))
    if kind == "json_invalid" or not key:
        wrong = Message("web.body-not-json" if kind == "json_invalid" else "web.body-not-an-object")
        return document("bad-input", wrong, None, language)
    if kind in ("missing", "extra_forbidden"):
        wrong = Message("web.key-needed" if kind == "missing" else "web.unknown-key", key=key)
    else:
        wrong = Message("web.key-wrong", key=key, expected=expected(first))
    return document("bad-input", wrong, {"key": key}, language)


def dumped(body: dict[str, Any]) -> bytes:
    """Return a body as bytes."""
    return json.dumps(body).encode()  # half of a character can be written this way, too
