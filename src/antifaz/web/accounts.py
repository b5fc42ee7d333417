"""Accounts: names and scrypt hashes of passwords, in a file that only its owner can read."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.files import replace_file
from antifaz.core.messages import Message

#: What scrypt costs: 32 MiB and about a tenth of a second.
_COST: dict[str, int] = {"n": 2**15, "r": 8, "p": 1}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
#: The fewest characters of a password.
SHORTEST = 10


class Accounts:
    """Who may sign in."""

    def __init__(self, path: Path) -> None:
        """Read the file, or say in one sentence what is wrong with it."""
        self._path = path
        self._users = _read(path)
        if not self._users:
            raise InputError("web.no-accounts", file=path.name)
        self._nobody = _hashed(secrets.token_hex(16))

    def check(self, user: str, password: str) -> bool:
        """Say whether this is the password of this user; it takes as long where there is no such user."""
        kept = self._users.get(user)
        right = _same(kept or self._nobody, password)
        return right and kept is not None


def add_user(path: Path, user: str, password: str) -> None:
    """Put a user into the file, or give one a new password; the file is made where it is not."""
    if not _NAME.fullmatch(user):
        raise InputError("web.user-name-wrong")
    if len(password) < SHORTEST:
        raise InputError("web.password-too-short", shortest=SHORTEST)
    users = _read(path) if path.exists() else {}
    users[user] = _hashed(password)
    write_private(path, json.dumps({"antifaz": 1, "users": users}, indent=1) + "\n")


def read_private(path: Path) -> str:
    """Read a file that only its owner may be able to read."""
    try:
        with path.open(encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise InputError("web.accounts-readable-by-others", file=path.name)
            return file.read()
    except (OSError, UnicodeError) as error:
        said = error.strerror if isinstance(error, OSError) else Message("web.file-not-text")
        raise InputError("web.accounts-not-readable", file=path.name, what=said) from None


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, all or nothing."""
    try:
        replace_file(path, text.encode("utf-8"))
    except OSError as error:
        raise InputError("web.accounts-not-writable", file=path.name, reason=error.strerror) from None


def _read(path: Path) -> dict[str, Any]:
    text = read_private(path)
    try:
        found = json.loads(text)
        users = dict(found["users"])
        for kept in users.values():
            _same(kept | {"n": 2}, "")
    except (ValueError, KeyError, TypeError):
        raise InputError("web.not-a-file-of-accounts", file=path.name) from None
    return users


def _hashed(password: str) -> dict[str, Any]:
    salt = secrets.token_bytes(16)
    return {**_COST, "salt": salt.hex(), "hash": _scrypt(password, salt, **_COST).hex()}


def _same(kept: dict[str, Any], password: str) -> bool:
    made = _scrypt(password, bytes.fromhex(kept["salt"]), n=kept["n"], r=kept["r"], p=kept["p"])
    return hmac.compare_digest(made, bytes.fromhex(kept["hash"]))


def _scrypt(password: str, salt: bytes, *, n: int, r: int, p: int) -> bytes:
    raw = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(raw, salt=salt, n=n, r=r, p=p, maxmem=256 * n * r * p + (1 << 20), dklen=32)
