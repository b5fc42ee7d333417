"""Who gets in: a guard before all else, in the order host, origin, session, forgery; and what every answer carries.

The guard is plain ASGI, so that nothing of the application runs for a request that it refuses, and so that an error
that nobody foresaw ends here and not in a log.
"""

import hmac
import os
import sys
import traceback
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from antifaz.core.messages import Message
from antifaz.service.vault import too_large
from antifaz.web import errors
from antifaz.web.accounts import WRONG
from antifaz.web.state import AppState

API = "/api/v1"
COOKIE = "antifaz_session"
CSRF = "x-antifaz-csrf"
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
#: What every answer carries, unless a route said otherwise.
HEADERS = {
    "content-security-policy": POLICY, "x-content-type-options": "nosniff", "cache-control": "no-store",
    "referrer-policy": "no-referrer", "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin", "x-frame-options": "DENY",
}  # fmt: skip
#: The most bytes of a body, by how the address begins; uploads have a limit of their own.
SMALL, LARGE = 1 << 20, 20 << 20
_LARGE = (f"{API}/hierarchies/", f"{API}/projects")
_UPLOADS = (f"{API}/datasets", f"{API}/files")
#: What anybody may see: the page itself, which holds no data.
_PAGES = ("/p/", "/runs/", "/page/", "/glossary", "/help")
_READS = ("GET", "HEAD")


def is_page(path: str) -> bool:
    """Say whether an address is one of the page's, which hold no data."""
    return path in ("/", "/favicon.ico") or path.startswith(_PAGES)


class AccessGuard:
    """Lets a request through to the application, or answers it."""

    def __init__(self, app: ASGIApp, service: AppState) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = _Answer(send, way="account" if self._service.settings.accounts else "code")
        refused = self._refusal(scope)
        if refused is not None:
            await answer.error(*refused)
            return
        try:
            await self._app(scope, self._limited_receive(scope, receive, answer), answer)
        except Exception as error:
            status, body = errors.describe(error)
            if status == 500:
                _log(error)
            if not answer.begun:
                await answer.error(status, body)

    def _refusal(self, scope: Scope) -> tuple[int, dict[str, Any]] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not _is_own(host, scope, self._service.settings.hosts):
            return 421, errors.document("not-allowed", Message("web.other-host"))
        if _foreign(scope, headers, host):
            return 403, errors.document("not-allowed", Message("web.other-site"))
        if is_page(scope["path"]) and scope["method"] in _READS:
            return None
        if scope["path"] == f"{API}/session" and scope["method"] == "POST":
            return self._too_large(scope, headers)
        return self._authenticate(scope, headers) or self._too_large(scope, headers)

    def _authenticate(self, scope: Scope, headers: Headers) -> tuple[int, dict[str, Any]] | None:
        """Find who asks; refuse who is not known, and what another site may have sent with somebody's cookie."""
        state = scope.setdefault("state", {})
        kind, _, shown = headers.get("authorization", "").partition(" ")
        if kind:
            return self._unknown_program(scope, kind, shown.strip())
        token = _cookie(headers)
        session = self._service.sessions.find(token) if token else None
        if session is None:
            return errors.describe(HTTPException(401))
        given = headers.get(CSRF, "")
        if scope["method"] not in _READS and not hmac.compare_digest(given.encode(), session.csrf.encode()):
            return 403, errors.document("not-allowed", Message("web.csrf-wrong"))
        state.update(user=session.user, csrf=session.csrf, token=token)
        return None

    def _unknown_program(self, scope: Scope, kind: str, shown: str) -> tuple[int, dict[str, Any]] | None:
        known = self._service.settings.token
        if kind.lower() != "bearer" or known is None or not hmac.compare_digest(shown.encode(), known.encode()):
            slow = not self._service.attempts.begin((client(scope), WRONG))
            return TOO_OFTEN if slow else errors.describe(HTTPException(401))
        scope["state"].update(user=self._service.settings.user, csrf="", token="")
        return None

    def _limit(self, scope: Scope) -> int:
        if scope["path"] in _UPLOADS and scope["method"] == "POST":
            return self._service.settings.upload_limit + SMALL
        return LARGE if scope["path"].startswith(_LARGE) else SMALL

    def _too_large(self, scope: Scope, headers: Headers) -> tuple[int, dict[str, Any]] | None:
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) <= self._limit(scope):
            return None
        if length.isdigit() and scope["path"] in _UPLOADS:
            return errors.describe(too_large(self._service.settings.upload_limit))
        return errors.describe(HTTPException(413 if length.isdigit() else 400))

    def _limited_receive(self, scope: Scope, receive: Receive, answer: "_Answer") -> Receive:
        """Return a way to receive the body that stops where it is too large, whatever was said of its length."""
        left = self._limit(scope)

        async def limited() -> Event:
            nonlocal left
            message = await receive()
            answer.unread = bool(message.get("more_body"))
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413)
            return message

        return limited


#: What somebody is answered who was wrong too often.
TOO_OFTEN = errors.describe(HTTPException(429))


class _Answer:
    """Sends an answer with the headers that every one carries."""

    def __init__(self, send: Send, way: str) -> None:
        self._send = send
        #: How people get in, which is said to those who are not.
        self._way = way
        self.begun = False
        #: Whether some of the body has not been read.
        self.unread = False

    async def __call__(self, message: Event) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            if self.unread:
                headers["connection"] = "close"  # else the rest of it would be waited for
            if message["status"] == 401:
                headers["www-authenticate"] = f'Bearer, Antifaz by="{self._way}"'
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    async def error(self, status: int, body: dict[str, Any]) -> None:
        raw = errors.dumped(body)
        # What was not read of the body is not waited for.
        headers = {"content-type": "application/json", "content-length": str(len(raw)), "connection": "close"}
        headers |= {"retry-after": "60"} if status == 429 else {}
        await self({"type": "http.response.start", "status": status, "headers": Headers(headers).raw})
        await self._send({"type": "http.response.body", "body": raw})


def _log(error: Exception) -> None:
    """Say on the terminal where an error that is not ours came from; what it quotes, only by ANTIFAZ_DEBUG."""
    if os.environ.get("ANTIFAZ_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
        return
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" at {last[0].name}, line {last[0].lineno}" if last else ""
    sys.stderr.write(f"antifaz: an internal {type(error).__name__}{place}\n")


def client(scope: Scope) -> str:
    """Return where a request comes from."""
    return f"from {scope['client'][0]}" if scope.get("client") else "from nowhere"


def _is_own(host: str, scope: Scope, names: Collection[str]) -> bool:
    """Say whether a header Host is one of our names with the port that we listen on, and nothing else."""
    port = (scope.get("server") or (None, None))[1]
    exact = {f"{name}:{port}" for name in names} | (set(names) if port in (None, 80) else set())
    return host.lower() in exact


def _foreign(scope: Scope, headers: Headers, host: str) -> bool:
    """Say whether another site sent this; a link that leads to the page is no more than a link."""
    origin = headers.get("origin")
    if origin is not None:
        return origin.lower() != f"{scope.get('scheme', 'http')}://{host}".lower()
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return False
    followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return not (followed and scope["method"] == "GET" and is_page(scope["path"]))


def _cookie(headers: Headers) -> str | None:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return cookie.value if cookie is not None else None
