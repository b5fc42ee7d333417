"""Uploaded files: the parts of a form, taken as they come and never written in clear.

(The framework's own form reader spools to temporary files as they are.)
"""

import json
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Protocol

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from antifaz.core.errors import InputError
from antifaz.service.errors import TooLarge

#: The most bytes of a part that is no file.
_FIELD = 1 << 20
_FILE = "file"
_NOT_SHOWN = re.compile(r'[\x00-\x1f\x7f<>"|?*:]')


def described_form(file: str, options: str) -> dict[str, Any]:
    """Say to the description of the service that a route takes a form with a file, and options as JSON."""
    parts = {
        _FILE: {"type": "string", "format": "binary", "description": file},
        "options": {"type": "string", "description": options},
    }
    schema = {"type": "object", "required": [_FILE], "properties": parts}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


class Sink(Protocol):
    """Where the bytes of a file go."""

    def write(self, data: bytes, /) -> object:
        """Take some bytes."""


@dataclass
class Form:
    """What was in a form beside the bytes of its file."""

    name: str | None = None
    fields: dict[str, str] = field(default_factory=dict)

    def options(self) -> dict[str, Any] | None:
        """Return the part `options`, which is JSON."""
        if not self.fields.get("options"):
            return None
        try:
            options = json.loads(self.fields["options"])
        except (ValueError, RecursionError):
            raise InputError("web.options-not-json") from None
        if not isinstance(options, dict):
            raise InputError("service.options-not-a-mapping")
        return options


class _Parts:
    """Listens to the parser and sorts what comes."""

    def __init__(self, sink: Sink, others: frozenset[str]) -> None:
        self.form = Form()
        self.whole = False
        self._sink, self._others = sink, others
        self._header, self._value = b"", b""
        self._headers: dict[bytes, bytes] = {}
        self._part = ""
        self._buffer = bytearray()

    def callbacks(self) -> Any:
        return {name: getattr(self, name) for name in dir(self) if name.startswith("on_")}

    def on_part_begin(self) -> None:
        self._headers.clear()

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header, self._value = b"", b""

    def on_headers_finished(self) -> None:
        _, named = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._part = named.get(b"name", b"").decode("utf-8", "replace")
        self._buffer.clear()
        if self._part == _FILE:
            if self.form.name is not None:
                raise InputError("web.one-file-at-a-time")
            self.form.name = shown_name(named.get(b"filename", b"").decode("utf-8", "replace"))
        elif self._part not in self._others:
            raise InputError("web.form-has-other-parts", others=sorted(self._others))

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part == _FILE:
            self._sink.write(data[start:end])
            return
        self._buffer += data[start:end]
        if len(self._buffer) > _FIELD:
            raise TooLarge("web.form-part-too-large", part=self._part)

    def on_part_end(self) -> None:
        if self._part != _FILE:
            self.form.fields[self._part] = self._buffer.decode("utf-8", "replace")

    def on_end(self) -> None:
        self.whole = True


async def receive(request: Request, sink: Sink, others: frozenset[str] = frozenset({"options"})) -> Form:
    """Read a form as it comes: its file into a sink, other parts by their names."""
    kind, parameters = parse_options_header(request.headers.get("content-type", ""))
    boundary = parameters.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not 1 <= len(boundary) <= 200:
        raise InputError("web.not-a-form")
    parts = _Parts(sink, others)
    parser = MultipartParser(boundary, parts.callbacks())
    try:
        async for chunk in request.stream():
            parser.write(chunk)
        parser.finalize()
    except MultipartParseError:
        raise InputError("web.form-not-readable") from None
    if not parts.whole or parts.form.name is None:
        raise InputError("web.form-without-file")
    return parts.form


def shown_name(name: str) -> str:
    """Return a file's name as it is shown; it never becomes part of a path."""
    last = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    clean = "".join(sign for sign in _NOT_SHOWN.sub("", last) if sign.isprintable()).strip(" .")
    stem, dot, end = clean.rpartition(".")
    return f"{stem[:150]}{dot}{end[:20]}" if clean else "upload"
