"""The ledger for faces: what was released, what a new release would give away, and two tables that anybody made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from antifaz.core.errors import InputError
from antifaz.core.progress import Progress
from antifaz.engines.opening import open_data
from antifaz.ledger.check import guard_of
from antifaz.ledger.ledger import VARIABLE, Ledger, default_ledger
from antifaz.projects.project import load_project


def the_ledger() -> Ledger:
    """Return the user's ledger, or say that it is turned off."""
    found = default_ledger()
    if found is None:
        raise InputError(f"The ledger is turned off by {VARIABLE}; take that away to use it.")
    return found


def check_project(project: str | Path, *, progress: Progress | None = None) -> dict[str, Any]:
    """Decide as a run would, and return what the ledger says of that release; nothing is written or registered."""
    from antifaz.pipeline.light import release_of
    from antifaz.projects.actions import planned

    loaded, told = load_project(project), progress or Progress()
    guard = guard_of(loaded, the_ledger(), None)
    if guard is None:
        raise InputError("This project says ledger.keep: false, so there is nothing to check.")
    with planned(loaded, told) as (plan, opened):
        return release_of(plan, opened, told).examined(guard)


def check_tables(
    new: str | Path, old: str | Path, quasi_identifiers: Sequence[str], k: int, **options: Any
) -> dict[str, Any]:
    """Do to two released tables what an outsider can do who has both: join them, and lay them side by side."""
    from antifaz.ledger.complementary import outsider
    from antifaz.ledger.entry import in_order

    if k < 1:
        raise InputError(f"k should be at least 1 (got {k}).")
    key, entries = np.frombuffer(np.random.default_rng().bytes(16), np.uint64), []
    for place in (new, old):
        with open_data(place, engine="local", **options) as data:
            data.schema.require(quasi_identifiers)
            table = data.cells(data.schema.names)
            entries.append(in_order(table, tuple(quasi_identifiers), key))
    found = outsider(entries[0], entries[1], k)
    sizes = [one.smallest for one in found.values() if one.smallest is not None]
    return {
        "k": k,
        "holds": not any(one.exposed for one in found.values()),
        "smallest_intersection": min(sizes, default=None),
        "attacks": {name: one.as_dict() for name, one in found.items()},
    }
