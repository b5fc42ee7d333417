"""The ledger: what was handed out to whom, and forgetting what never left."""

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from antifaz.core.messages import in_language, restored
from antifaz.service import user_ledger
from antifaz.web.errors import ERRORS
from antifaz.web.models import Body
from antifaz.web.state import Spoken, User

router = APIRouter(prefix="/ledger", tags=["ledger"], responses=ERRORS)


class Forget(Body):
    """Why a release is forgotten."""

    reason: str = Field(max_length=1000, description="Why it counts no more: it never left the house.")


@router.get("")
def show_ledger(user: User) -> dict[str, Any]:
    """List what was handed out and to whom, the newest release first."""
    return user_ledger.handed_out(user)


@router.post("/{release}/forget")
def forget_release(release: str, body: Forget, user: User, language: Spoken) -> dict[str, Any]:
    """Take a release out of what new ones are checked with; that it was there, and the reason, stay."""
    return in_language(language, restored(user_ledger.forget(user, release, body.reason)))
