"""Releases of runs on the page: drafts, until somebody takes their rows away. That is the hand-out.

On the page one tries things: most of what is run is looked at, judged, and run again. What the ledger must know of a
draft is kept beside it in the work folder, as keyed hashes without a cell, and is erased with it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antifaz.core.errors import LedgerRefused
from antifaz.engines.local.convert import FORMATS
from antifaz.ledger.ledger import OFF, VARIABLE, Ledger
from antifaz.pipeline.hand_out import hand_out as hand_out_folder


class DraftLedger(Ledger):
    """The user's ledger, with the drafts of one run in a folder of the service."""

    def __init__(self, folder: Path, owner: str) -> None:
        """Take the folder where what must be known of a run is kept until it leaves."""
        super().__init__(os.environ.get(VARIABLE), user=owner)
        self._drafts = folder


def draft_ledger(folder: Path, owner: str) -> DraftLedger | bool:
    """Return the ledger for a run that stays here; False where the ledger is turned off."""
    return False if os.environ.get(VARIABLE) == OFF else DraftLedger(folder, owner)


def hand_out(order: Mapping[str, Any]) -> None:
    """Do what must be done before a release leaves: first the format, because what can't be had does not leave."""
    if "target" in order:
        from antifaz.engines.local.convert import convert

        convert(Path(order["path"]), Path(order["target"]), order["format"], order["reading"])
    if "draft" in order:
        ledger = draft_ledger(Path(order["draft"]), order["owner"])
        if isinstance(ledger, DraftLedger):
            folder = Path(order["release"])
            made = _made_since(folder)
            beside = [path.relative_to(folder).as_posix() for path in made]
            with refusal_for_page():
                hand_out_folder(folder, to=order["to"], despite=order.get("despite"), ledger=ledger, beside=beside)
            for path in made:
                if not path.name.startswith("release."):
                    path.unlink(missing_ok=True)  # it says that this is a draft, or names another recipient
        # Turned off since: it leaves unregistered, as everything does then.
        shutil.rmtree(order["draft"], ignore_errors=True)


def _made_since(folder: Path) -> list[Path]:
    """Return what the service made of a release to be handed out: other formats, reports in languages, archives."""
    names = [*(f"release.{format}" for format in FORMATS), "report-*.*", "release-*-*.zip"]
    return [path for name in names for path in folder.rglob(name)]


@contextmanager
def refusal_for_page() -> Iterator[None]:
    """Word a refusal of the ledger for the page, which has no options of a command."""
    try:
        yield
    except LedgerRefused as error:
        if "finding" not in error.message.values:  # the budget of differential privacy, which has no such options
            raise
        told = {name: error.message.values[name] for name in ("finding", "whose")}
        raise LedgerRefused("service.hand-out-refused", **told) from None
