"""Keys: made, read from a key file or a keyring, and kept away from the data"""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from antifaz.core.errors import InputError, MissingExtra, ParameterError
from antifaz.core.files import readable_by_others, set_rights

#: How many bytes a key may have. A new one has the larger number: AES-SIV then works with AES-256.
SIZES = (32, 64)
_RING = "keyring:"
#: The fewest different bytes of a key.
_DIFFERENT = 12

#: The parameter `key` of an operation. In the library the key itself may be given, as bytes.
Key = Annotated[
    Any,
    Field(
        default=None,
        repr=False,
        json_schema_extra={"type": "string"},
        description="Where the key is: a key file (see `antifaz key new`), or 'keyring:service/name'.",
    ),
]


def new_key(path: str | Path) -> Path:
    """Make a new key and write it to a file that only its owner may read; a file that is there is never replaced."""
    place = Path(path).expanduser()
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            set_rights(file.fileno(), 0o600)
            file.write(base64.b64encode(secrets.token_bytes(64)) + b"\n")
    except FileExistsError:
        raise InputError("operation.key-file-exists-already", file=place.name) from None
    except OSError as error:
        raise InputError("operation.key-file-not-writable", file=place.name, reason=error.strerror) from None
    return place


def read_key(who: str, key: Any, folder: Path | None = None, away: Sequence[Path] = ()) -> bytes:
    """Return the bytes of a key; errors say neither the key nor where it is, in case the key itself was written there.

    `key` is bytes, a path (relative to `folder`), or 'keyring:service/name'. `away` are folders in which no key may be:
    those of the data and of the release.
    """
    if isinstance(key, (bytes, bytearray)):
        return _check_size(who, bytes(key))
    if not isinstance(key, (str, Path)) or not str(key):
        raise ParameterError("operation.key-not-a-path", who=who)
    if str(key).startswith(_RING):
        return _from_ring(who, str(key).removeprefix(_RING))
    path = (folder or Path()) / Path(key).expanduser()
    if path.is_symlink():  # who may change where it leads would choose the key
        raise ParameterError("operation.key-file-is-link", who=who)
    try:
        return _from_file(who, path.resolve(), away)
    except OSError as error:
        error.args, error.filename = (error.errno, error.strerror), None
        raise ParameterError("operation.key-file-not-readable", who=who, reason=error.strerror) from None


def _from_file(who: str, path: Path, away: Sequence[Path]) -> bytes:
    if path.parent in [place.resolve() for place in away]:
        raise ParameterError("operation.key-file-beside-data", who=who)
    size = path.stat()
    if readable_by_others(size.st_mode):
        raise ParameterError("operation.key-file-readable-by-others", who=who)
    if size.st_size > 1000:
        raise ParameterError("operation.key-file-of-wrong-size", who=who, bytes=size.st_size)
    return _check_size(who, path.read_bytes())


def _from_ring(who: str, place: str) -> bytes:
    service, slash, name = place.partition("/")
    if not (service and slash and name):
        raise ParameterError("operation.keyring-name-incomplete", who=who)
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise MissingExtra("operation.keyring-package-missing", who=who) from None
    try:
        secret = keyring.get_password(service, name)
    except KeyringError:
        raise ParameterError("operation.keyring-not-available", who=who) from None
    if secret is None:
        raise ParameterError("operation.keyring-has-no-entry", who=who)
    return _check_size(who, secret.encode())


def _check_size(who: str, key: bytes) -> bytes:
    if len(key) in SIZES:
        return _check_random(who, key)
    try:
        decoded = base64.b64decode(key.strip(), validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if len(decoded) in SIZES:
        return _check_random(who, decoded)
    raise ParameterError("operation.key-of-wrong-length", who=who, count=len(decoded) or len(key))


def _check_random(who: str, key: bytes) -> bytes:
    """Refuse a key that nobody drew: of 32 random bytes, about 30 are different."""
    if len(set(key)) < _DIFFERENT:
        raise ParameterError("operation.key-without-variety", who=who)
    return key


def derived(key: bytes, use: str) -> bytes:
    """Return 32 bytes for one use that follow from a key and tell nothing about it."""
    return hmac.digest(key, f"antifaz {use}".encode(), hashlib.sha256)
