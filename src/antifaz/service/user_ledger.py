"""The ledger of one user of the page: drafts, the hand-out, what was handed out, and forgetting what never left.

A release of the page is a draft until somebody takes its rows away: most of what is run there is looked at, judged,
and run again. What the ledger must know of a draft is kept beside it in the work folder, as keyed hashes without a
cell, and is erased with it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antifaz.core.errors import LedgerRefused
from antifaz.ledger.ledger import OFF, VARIABLE, Ledger, default_ledger
from antifaz.pipeline.hand_out import hand_out as hand_out_folder
from antifaz.projects import actions
from antifaz.service.errors import NotFound
from antifaz.sources.text_options import DOWNLOADS


class DraftLedger(Ledger):
    """The user's ledger, with the drafts of one run in a folder of the service."""

    def __init__(self, folder: Path, owner: str) -> None:
        """Take the folder where what must be known of a run is kept until it leaves."""
        super().__init__(os.environ.get(VARIABLE), user=owner)
        self._drafts = folder


def draft_ledger(folder: Path, owner: str) -> DraftLedger | bool:
    """Return the ledger for a run that stays here; False where the ledger is turned off."""
    return False if os.environ.get(VARIABLE) == OFF else DraftLedger(folder, owner)


def hand_out(spec: Mapping[str, Any]) -> None:
    """Do what must be done before a release leaves: first the format, because what can't be had does not leave."""
    if "target" in spec:
        from antifaz.engines.local.convert import convert

        convert(Path(spec["path"]), Path(spec["target"]), spec["format"], spec["reading"])
    if "draft" in spec:
        ledger = draft_ledger(Path(spec["draft"]), spec["owner"])
        if isinstance(ledger, DraftLedger):
            folder = Path(spec["release"])
            made = _made_since(folder)
            other_formats = [path.relative_to(folder).as_posix() for path in made]
            with refusal_for_page():
                hand_out_folder(
                    folder, to=spec["to"], despite=spec.get("despite"), ledger=ledger, other_formats=other_formats
                )
            for path in made:
                if not path.name.startswith("release."):
                    path.unlink(missing_ok=True)  # it says that this is a draft, or names another recipient
        # Turned off since: it leaves unregistered, as everything does then.
        shutil.rmtree(spec["draft"], ignore_errors=True)


def _made_since(folder: Path) -> list[Path]:
    """Return what the service made of a release to be handed out: other formats, reports in languages, archives."""
    names = [*(f"release.{format}" for format in DOWNLOADS), "report-*.*", "release-*-*.zip"]
    return [path for name in names for path in folder.rglob(name)]


@contextmanager
def refusal_for_page() -> Iterator[None]:
    """Word a refusal of the ledger for the page, which has no options of a command."""
    try:
        yield
    except LedgerRefused as error:
        if "finding" not in error.message.values:  # the budget of differential privacy, which has no such options
            raise
        values = {name: error.message.values[name] for name in ("finding", "whose")}
        raise LedgerRefused("service.hand-out-refused", **values) from None


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
