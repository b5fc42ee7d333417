"""Keys for encryption and pseudonyms that were made on the page or handed over: in memory only, by their owner."""

import base64
import re
import secrets
from collections.abc import Mapping
from threading import Lock
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.keys import read_key
from antifaz.service.errors import NotFound

_NAME = re.compile(r"[\w-][\w. -]{0,99}")
#: The most keys of one person.
_MOST = 100


class UserKeys:
    """The keys of all people; they are never on the disk, and are lost when the service stops."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, bytes]] = {}
        self._lock = Lock()

    def names(self, owner: str) -> list[str]:
        """Return the names of a person's keys."""
        with self._lock:
            return sorted(self._known.get(owner, {}))

    def make(self, owner: str, name: str) -> str:
        """Make a key and return it as the text of a key file, for its owner to keep."""
        text = base64.b64encode(secrets.token_bytes(64)).decode()
        self.add(owner, name, text)
        return text

    def add(self, owner: str, name: str, text: str) -> None:
        """Take the text of a key file; a key that is there is never replaced by another one."""
        if not _NAME.fullmatch(name):
            raise InputError("service.key-name-wrong")
        key = read_key(name, text.strip().encode())
        with self._lock:
            own = self._known.setdefault(owner, {})
            if own.get(name, key) != key or len(own) >= _MOST:
                raise InputError("service.key-name-taken", name=name)
            own[name] = key

    def forget(self, owner: str, name: str) -> None:
        """Forget a key; what was made with it can't be read any more by this service."""
        with self._lock:
            if self._known.get(owner, {}).pop(name, None) is None:
                raise NotFound("service.key-not-found")

    def forget_all(self, owner: str) -> bool:
        """Forget all keys of a person; say whether there were any."""
        with self._lock:
            return bool(self._known.pop(owner, None))

    def for_job(self, owner: str) -> dict[str, str]:
        """Return a person's keys as a worker is told them."""
        with self._lock:
            return {name: base64.b64encode(key).decode() for name, key in self._known.get(owner, {}).items()}


def with_keys(document: Any, keys: Mapping[str, str]) -> Any:
    """Return a document in which keys stand where operations name them."""
    if isinstance(document, Mapping):
        return {
            name: base64.b64decode(keys[inner])
            if name == "key" and isinstance(inner, str) and inner in keys
            else with_keys(inner, keys)
            for name, inner in document.items()
        }
    return [with_keys(inner, keys) for inner in document] if isinstance(document, list) else document
