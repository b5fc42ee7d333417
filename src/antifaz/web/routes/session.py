"""Signing in and out."""

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from antifaz.core.errors import InputError
from antifaz.core.language import LANGUAGES
from antifaz.core.messages import Message
from antifaz.web.accounts import WRONG, WRONG_FROM_PLACE
from antifaz.web.models import SessionUser, SignIn
from antifaz.web.security import COOKIE, client
from antifaz.web.state import Running, User

router = APIRouter(prefix="/session", tags=["session"])

#: The cookie by which a browser that was signed in before is known, and how long it keeps it, in seconds.
DEVICE, _YEAR = "antifaz_device", 365 * 24 * 3600


@router.post("", status_code=204)
def sign_in(request: Request, service: Running, body: SignIn) -> Response:
    """Begin a session with a code of one use, or with a name and its password."""
    keys = _attempt(request, service, body)
    # Nobody guesses a code, so the right one is taken however many wrong ones came from there.
    user = service.sessions.use_code(body.code) if body.code is not None else None
    if user is None:
        if not service.attempts.begin(*keys):
            raise HTTPException(429, headers={"retry-after": "60"})
        user = _by_password(service, body)
        service.attempts.forgive(*keys)
    answer = Response(status_code=204)
    if body.user is not None:
        mark = service.attempts.new_device(body.user)
        answer.set_cookie(DEVICE, mark, max_age=_YEAR, httponly=True, samesite="strict", path="/")
    answer.set_cookie(COOKIE, service.sessions.begin(user), httponly=True, samesite="strict", path="/")
    return answer


def _attempt(request: Request, service: Running, body: SignIn) -> list[tuple[str, int]]:
    """Return what an attempt counts for, and how often that may be wrong."""
    place = client(request.scope)
    if body.user is None:
        return [(place, WRONG)]
    device = service.attempts.known_device(body.user, request.cookies.get(DEVICE))
    if device is not None:
        return [(f"device {device}", WRONG)]
    return [(f"user {body.user}", WRONG), (f"signing in {place}", WRONG_FROM_PLACE)]


def _by_password(service: Running, body: SignIn) -> str:
    accounts = service.settings.accounts
    if body.code is None and (body.user is None or body.password is None):
        needed = Message("web.needs-name-and-password") if accounts else Message("web.needs-code")
        raise InputError("web.sign-in-incomplete", needed=needed)
    if accounts is None or body.user is None or body.password is None or not accounts.check(body.user, body.password):
        raise HTTPException(401)
    return body.user


@router.get("")
def who(request: Request, service: Running, user: User) -> SessionUser:
    """Say who is signed in, and what other requests than reading must carry."""
    accounts = service.settings.accounts is not None
    return SessionUser(user=user, csrf=request.state.csrf, accounts=accounts, languages=list(LANGUAGES))


@router.delete("", status_code=204)
def sign_out(request: Request, service: Running, user: User) -> Response:
    """End the session."""
    service.sessions.end(request.state.token)
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


@router.post("/codes", status_code=201)
def new_code(service: Running, user: User) -> dict[str, str]:
    """Make a code that lets another browser in as the same user, once, for ten minutes."""
    return {"code": service.sessions.new_code(user)}
