"""What routes are given: the service, and who asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from antifaz.web.service import Service


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


def _user(request: Request) -> str:
    # The guard has put it there; without it, nothing gets this far.
    return str(request.state.user)


#: The running service.
Running = Annotated[Service, Depends(_service)]
#: Whose data it is about.
User = Annotated[str, Depends(_user)]
