"""Finding passwords in what is about to be kept, so that it is refused."""

import re
from collections.abc import Iterator
from typing import Any

from antifaz.core.errors import ProjectError

#: Files and services whose path may hold ':' and '@'; there a password can only stand before the first '/'.
_PATHS = r"(?:hdfs|webhdfs|swebhdfs|viewfs|file|s3[an]?|gs|abfss?|wasbs?|https?|ftps?|spark)"
_IN_URL = (
    re.compile(rf"\b{_PATHS}://[^\s/?#@:]*:[^\s/?#]+@", re.IGNORECASE),
    # Drivers take everything up to the last '@' for user and password.
    re.compile(rf"\b(?!{_PATHS}:)[a-z][a-z0-9+.\-]*://[^\s@:/]*:[^\s]+@", re.IGNORECASE),
)
_AS_PARAMETER = re.compile(r"\b\w*(?:password|passwd|pwd)\s*=\s*[^\s&]", re.IGNORECASE)
_KEYS = frozenset({"password", "passwd", "pwd", "pass", "contraseña", "clave"})


def refuse_passwords(text: str, where: str) -> None:
    """Raise if a text holds a password in a URL or as a parameter; the message does not repeat it."""
    if any(pattern.search(text) for pattern in (*_IN_URL, _AS_PARAMETER)):
        raise ProjectError("store.password-in-clear", where=where)


def refuse_passwords_in(data: Any, text: str, where: str) -> None:
    """Look in a file's text, comments included, and in what it says once it is read: YAML can spell ':' otherwise."""
    refuse_passwords(text, where)
    for key, value in _texts(data):
        refuse_passwords(value, where)
        if key.lower() in _KEYS and value:
            refuse_passwords(f"password={value.strip()}", f"{where}, key {key!r},")


def _texts(data: Any) -> Iterator[tuple[str, str]]:
    """Give every text in nested lists and mappings, with the key that it stands at; keys are texts too."""
    todo: list[tuple[str, Any]] = [("", data)]
    while todo:
        key, value = todo.pop()
        if isinstance(value, dict):
            for inner, below in value.items():
                yield "", str(inner)
                todo.append((str(inner), below))
        elif isinstance(value, (list, tuple)):
            todo += [(key, below) for below in value]
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            yield key, str(value)
