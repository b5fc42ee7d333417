"""Errors of the work that a service keeps by ids; faces turn each into an answer of its own."""

from collections.abc import Mapping
from typing import Any, Literal

from antifaz.core.errors import AntifazError, CheckFailed, InputError
from antifaz.core.messages import Message

#: The kinds of errors, for programs.
Code = Literal[
    "bad-input", "privacy-not-reached", "not-found", "busy", "taken", "too-large", "not-allowed", "gone", "internal"
]  # fmt: skip


class NotFound(InputError):
    """There is nothing with this id, or it is somebody else's."""


class Busy(InputError):
    """It can't be done while something else is going on."""


class Gone(InputError):
    """It was there once, and was erased."""


class NotAllowed(InputError):
    """This service does not let its users do that."""


class TooLarge(InputError):
    """It is more than this service takes."""


class InternalFault(AntifazError):
    """A mistake of the program, in another process."""


def error_document(error: AntifazError) -> dict[str, Any]:
    """Return an error as the service tells it: a code, one sentence, and where in a project file it is."""
    place = place_of(error.message)
    return message_document(error_code(error), error.message) | ({"where": place} if place else {})


def error_code(error: AntifazError) -> Code:
    """Return the kind of an error as a code for programs."""
    return _CODES.get(type(error), "privacy-not-reached" if error.exit_code == 1 else "bad-input")


def place_of(message: Message) -> dict[str, int] | None:
    """Return the line, and where it is known the column, that a message or one inside it is about."""
    line, column = message.values.get("line"), message.values.get("column")
    if isinstance(line, int):
        return {"line": line} | ({"column": column} if isinstance(column, int) else {})
    inside = (place_of(value) for value in message.values.values() if isinstance(value, Message))
    return next((place for place in inside if place is not None), None)


def without_place(message: Message) -> Message:
    """Return a message about a project file that does not say the place, which is told beside it."""
    error = message.values.get("error")
    if message.code == "project.in-file" and isinstance(error, Message):
        return error
    named = {name: value.code for name, value in message.values.items() if isinstance(value, Message)}
    places = {name: Message("project.here") for name, code in named.items() if code == "project.place"}
    return Message(message.code, **{**message.values, **places})


def message_document(code: str, message: Message) -> dict[str, Any]:
    """Return what went wrong as the service tells it: of which kind it is, in English, and as a message."""
    return {"code": code, "message": str(message), "reason": message.as_dict()}


def error_from_document(document: Mapping[str, Any] | None) -> AntifazError:
    """Return an error that another process told of, to be raised here; None where it ended without a word."""
    if document is None:
        return InputError("service.process-ended")
    code, reason = document["code"], document.get("reason")
    kinds = {name: kind for kind, name in _CODES.items()} | {"privacy-not-reached": CheckFailed}
    return kinds.get(code, InputError)(Message.from_dict(reason) if reason else document["message"])


_CODES: dict[type[AntifazError], Code] = {
    NotFound: "not-found", Busy: "busy", Gone: "gone", NotAllowed: "not-allowed", TooLarge: "too-large",
    InternalFault: "internal",
}  # fmt: skip
