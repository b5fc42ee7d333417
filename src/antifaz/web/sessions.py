"""Who is there: codes of one use, sessions, and how often somebody may be wrong. All of it lives in memory."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import deque
from dataclasses import dataclass
from threading import Lock

#: How long a code can be used, and how long a session that nobody uses lasts, in seconds.
CODE_LIFE = 600.0
IDLE = 12 * 3600.0
#: How many wrong attempts are taken in how many seconds, from one place or for one name.
WRONG, WITHIN = 10, 60.0
_MOST = 1000


@dataclass
class Session:
    """Somebody who signed in."""

    user: str
    csrf: str
    seen: float


class Sessions:
    """All codes and sessions of a service; of each only a digest is kept."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._codes: dict[bytes, tuple[str, float]] = {}
        self._sessions: dict[bytes, Session] = {}
        self._lock = Lock()

    def new_code(self, user: str) -> str:
        """Make a code of 256 bits that lets somebody in once, as this user."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._codes = {key: said for key, said in self._codes.items() if said[1] > time.monotonic()}
            self._codes[_digest(code)] = (user, time.monotonic() + CODE_LIFE)
        return code

    def use_code(self, code: str) -> str | None:
        """Return whose code it is, and never again; None where it is not, or too old."""
        given, found = _digest(code), None
        with self._lock:
            for key in list(self._codes):  # all of them, so that the time says nothing
                if hmac.compare_digest(key, given):
                    found = self._codes.pop(key)
        return found[0] if found is not None and found[1] > time.monotonic() else None

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
            found = self._sessions.get(_digest(token))
            if found is None:
                return None
            if time.monotonic() - found.seen > IDLE:
                del self._sessions[_digest(token)]
                return None
            found.seen = time.monotonic()
            return found

    def end(self, token: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_digest(token), None)


class AttemptLimiter:
    """Counts wrong attempts by place and by name, and says when there were too many."""

    def __init__(self) -> None:
        """Begin with none."""
        self._wrong: dict[str, deque[float]] = {}
        self._lock = Lock()

    def exceeded(self, *keys: str) -> bool:
        """Say whether one of these was wrong too often of late."""
        now = time.monotonic()
        with self._lock:
            return any(sum(now - at < WITHIN for at in self._wrong.get(key, ())) >= WRONG for key in keys)

    def record_failure(self, *keys: str) -> None:
        """Count an attempt that was wrong."""
        with self._lock:
            if len(self._wrong) > _MOST:
                self._wrong.clear()
            for key in keys:
                self._wrong.setdefault(key, deque(maxlen=WRONG)).append(time.monotonic())


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
