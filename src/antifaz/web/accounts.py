"""Who may sign in, and who is there.

Accounts are names and scrypt hashes of passwords, in a file that only its owner can read. Codes of one use, sessions,
and how often somebody was wrong live in memory.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.files import readable_by_others, replace_file
from antifaz.core.messages import Message

#: What scrypt costs: 32 MiB and about a tenth of a second.
_COST: dict[str, int] = {"n": 2**15, "r": 8, "p": 1}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
#: The fewest characters of a password.
SHORTEST = 10
#: How long a code can be used, and how long a session that nobody uses lasts, in seconds.
CODE_LIFE = 600.0
IDLE = 12 * 3600.0
#: How many wrong attempts are taken in how many seconds: for one name, or from one place whatever the names.
WRONG, WRONG_FROM_PLACE, WITHIN = 10, 50, 60.0
_MOST = 1000


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
        account = self._users.get(user)
        right = _same(account or self._nobody, password)
        return right and account is not None


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
            if readable_by_others(os.fstat(file.fileno()).st_mode):
                raise InputError("web.accounts-readable-by-others", file=path.name)
            return file.read()
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else Message("web.file-not-text")
        raise InputError("web.accounts-not-readable", file=path.name, what=reason) from None


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, all or nothing."""
    try:
        replace_file(path, text.encode("utf-8"))
    except OSError as error:
        raise InputError("web.accounts-not-writable", file=path.name, reason=error.strerror) from None


def _read(path: Path) -> dict[str, Any]:
    text = read_private(path)
    try:
        users = dict(json.loads(text)["users"])
        for account in users.values():
            _same(account | {"n": 2}, "")
    except (ValueError, KeyError, TypeError):
        raise InputError("web.not-a-file-of-accounts", file=path.name) from None
    return users


def _hashed(password: str) -> dict[str, Any]:
    salt = secrets.token_bytes(16)
    return {**_COST, "salt": salt.hex(), "hash": _scrypt(password, salt, **_COST).hex()}


def _same(account: dict[str, Any], password: str) -> bool:
    made = _scrypt(password, bytes.fromhex(account["salt"]), n=account["n"], r=account["r"], p=account["p"])
    return hmac.compare_digest(made, bytes.fromhex(account["hash"]))


def _scrypt(password: str, salt: bytes, *, n: int, r: int, p: int) -> bytes:
    raw = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(raw, salt=salt, n=n, r=r, p=p, maxmem=256 * n * r * p + (1 << 20), dklen=32)


@dataclass
class Session:
    """Somebody who signed in."""

    user: str
    csrf: str
    seen: float


class Sessions:
    """All codes and sessions of a service; of each only a digest is kept."""

    def __init__(self) -> None:
        self._codes: dict[bytes, tuple[str, float]] = {}
        self._sessions: dict[bytes, Session] = {}
        self._lock = Lock()

    def new_code(self, user: str) -> str:
        """Make a code of 256 bits that lets somebody in once, as this user."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._codes = {key: known for key, known in self._codes.items() if known[1] > time.monotonic()}
            self._codes[_digest(code)] = (user, time.monotonic() + CODE_LIFE)
        return code

    def use_code(self, code: str) -> str | None:
        """Return whose code it is, and never again; None where it is not, or too old."""
        digest, entry = _digest(code), None
        with self._lock:
            for key in list(self._codes):  # all of them, so that the time says nothing
                if hmac.compare_digest(key, digest):
                    entry = self._codes.pop(key)
        return entry[0] if entry is not None and entry[1] > time.monotonic() else None

    def begin(self, user: str) -> str:
        """Begin a session and return its token."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            if len(self._sessions) >= _MOST:
                oldest = min(self._sessions, key=lambda key: self._sessions[key].seen)
                del self._sessions[oldest]
            self._sessions[_digest(token)] = Session(user, secrets.token_urlsafe(32), time.monotonic())
        return token

    def find(self, token: str) -> Session | None:
        """Return the session of a token, if it lives."""
        with self._lock:
            session = self._sessions.get(_digest(token))
            if session is None:
                return None
            if time.monotonic() - session.seen > IDLE:
                del self._sessions[_digest(token)]
                return None
            session.seen = time.monotonic()
            return session

    def end(self, token: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_digest(token), None)


class AttemptLimiter:
    """Counts attempts to get in until they prove right, and says when there were too many wrong ones.

    An attempt counts from its beginning, so many at a time are no way around the limit. A browser that was signed in
    before shows a mark of that (`known_device`): its attempts count for itself alone. So whoever guesses somebody's
    password locks out strangers who try that name, and not the person whose name it is.
    """

    def __init__(self) -> None:
        self._begun: dict[str, deque[float]] = {}
        self._lock = Lock()
        self._key = secrets.token_bytes(32)

    def begin(self, *keys: tuple[str, int]) -> bool:
        """Count an attempt under each key, unless one of them has had as many of late as it may have; say which."""
        now = time.monotonic()
        with self._lock:
            if any(self._late(key, now) >= most for key, most in keys):
                return False
            if len(self._begun) > _MOST:
                self._begun = {key: times for key, times in self._begun.items() if now - times[-1] < WITHIN}
            for key, most in keys:
                self._begun.setdefault(key, deque(maxlen=most)).append(now)
        return True

    def forgive(self, *keys: tuple[str, int]) -> None:
        """Take back the last attempt under each key: it was right."""
        with self._lock:
            for key, _ in keys:
                if self._begun.get(key):
                    self._begun[key].pop()
                    if not self._begun[key]:
                        del self._begun[key]

    def new_device(self, user: str) -> str:
        """Return the mark of a browser in which a user was signed in."""
        name = secrets.token_urlsafe(16)
        return f"{name}.{self._mark(user, name)}"

    def known_device(self, user: str, mark: str | None) -> str | None:
        """Return the name of the browser that shows a mark of this user; None where it is none."""
        name, _, shown = (mark or "").partition(".")
        return name if hmac.compare_digest(shown.encode(), self._mark(user, name).encode()) else None

    def _mark(self, user: str, name: str) -> str:
        return hmac.new(self._key, f"{name} {user}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def _late(self, key: str, now: float) -> int:
        return sum(now - at < WITHIN for at in self._begun.get(key, ()))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
