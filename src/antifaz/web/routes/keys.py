"""Keys for encryption and pseudonyms: made here and taken away, or handed over; kept in memory only."""

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from antifaz.web.errors import ERRORS
from antifaz.web.models import Body
from antifaz.web.state import Running, User

router = APIRouter(prefix="/keys", tags=["keys"], responses=ERRORS)


class NewKey(Body):
    """A key to be made, or one that is handed over."""

    name: str = Field(max_length=100, description="What operations call it; also the name of its file.")
    key: str | None = Field(default=None, max_length=1000, description="The text of a key file; made when left out.")


class MadeKey(BaseModel):
    """A key, for its owner to keep: the service forgets it when it stops."""

    name: str
    key: str | None = Field(description="The text of the key file, of a key that was made; it is told only once.")


@router.get("")
def list_keys(service: Running, user: User) -> list[str]:
    """List the names of the keys that are here."""
    return service.jobs.keys.names(user)


@router.post("", status_code=201)
def make_key(service: Running, user: User, body: NewKey) -> MadeKey:
    """Make a key and return it once, or take one that is handed over."""
    if body.key is None:
        return MadeKey(name=body.name, key=service.jobs.keys.make(user, body.name))
    service.jobs.keys.add(user, body.name, body.key)
    return MadeKey(name=body.name, key=None)


@router.delete("/{name}", status_code=204)
def forget_key(service: Running, user: User, name: str) -> Response:
    """Forget a key."""
    service.jobs.keys.forget(user, name)
    return Response(status_code=204)
