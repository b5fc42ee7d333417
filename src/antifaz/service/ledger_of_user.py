"""What one person handed out, as the ledger knows it; and forgetting what never left."""

from typing import Any

from antifaz.ledger.ledger import Ledger, default_ledger
from antifaz.projects import actions
from antifaz.service.errors import NotFound


def handed_out(owner: str) -> dict[str, Any]:
    """Return the releases that a person made or handed out, the newest first; `on` says whether there is a ledger."""
    ledger = default_ledger()
    if ledger is None:
        return {"on": False, "releases": []}
    return {"on": True, "releases": list(reversed(_own(ledger, owner)))}


def forget(owner: str, release: str, reason: str) -> dict[str, Any]:
    """Take a release of this person out of what new ones are checked with; that it was there, and why, stays."""
    ledger = actions.the_ledger()
    if release not in {one["release"] for one in _own(ledger, owner)}:
        raise NotFound("service.release-not-in-ledger")
    ledger.user = owner
    return dict(ledger.forget(release, reason))


def _own(ledger: Ledger, owner: str) -> list[dict[str, Any]]:
    """Return what a person may see: on a server with accounts, others hand out too."""
    return [
        {key: value for key, value in one.items() if key != "place"}
        for one in ledger.releases()
        if owner in {one["made_by"], *(each["handed_by"] for each in one["recipients"])}
    ]
