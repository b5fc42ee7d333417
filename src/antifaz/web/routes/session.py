"""Signing in and out."""

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from antifaz.core.errors import InputError
from antifaz.core.language import LANGUAGES
from antifaz.core.messages import Message
from antifaz.web.models import SignIn, Who
from antifaz.web.security import COOKIE, client
from antifaz.web.state import Running, User

router = APIRouter(prefix="/session", tags=["session"])


@router.post("", status_code=204)
def sign_in(request: Request, service: Running, body: SignIn) -> Response:
    """Begin a session with a code of one use, or with a name and its password."""
    keys = [client(request.scope), *([f"user {body.user}"] if body.user else [])]
    if service.attempts.exceeded(*keys):
        raise HTTPException(429, headers={"retry-after": "60"})
    user = _who(service, body)
    if user is None:
        service.attempts.record_failure(*keys)
        raise HTTPException(401)
    answer = Response(status_code=204)
    answer.set_cookie(COOKIE, service.sessions.begin(user), httponly=True, samesite="strict", path="/")
    return answer


def _who(service: Running, body: SignIn) -> str | None:
    if body.code is not None:
        return service.sessions.use_code(body.code)
    accounts = service.settings.accounts
    if body.user is None or body.password is None:
        needed = Message("web.needs-name-and-password") if accounts else Message("web.needs-code")
        raise InputError("web.sign-in-incomplete", needed=needed)
    return body.user if accounts is not None and accounts.check(body.user, body.password) else None


@router.get("")
def who(request: Request, service: Running, user: User) -> Who:
    """Say who is signed in, and what other requests than reading must carry."""
    accounts = service.settings.accounts is not None
    return Who(user=user, csrf=request.state.csrf, accounts=accounts, languages=list(LANGUAGES))


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
