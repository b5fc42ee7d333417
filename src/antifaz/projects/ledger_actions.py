"""The ledger for faces: what was released, what a new release would give away, and two tables that anybody made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from antifaz.core.errors import InputError
from antifaz.core.progress import Progress
from antifaz.engines.opening import open_data
from antifaz.ledger.check import LedgerCheck
from antifaz.ledger.ledger import VARIABLE, Ledger, default_ledger
from antifaz.projects.project import LedgerUse, Loaded, load_project


def the_ledger() -> Ledger:
    """Return the user's ledger, or say that it is turned off."""
    found = default_ledger()
    if found is None:
        raise InputError("ledger.turned-off", variable=VARIABLE)
    return found


def check_project(project: str | Path, *, progress: Progress | None = None) -> dict[str, Any]:
    """Decide as a run would, and return what the ledger says of that release; nothing is written or registered."""
    from antifaz.pipeline.light import release_of
    from antifaz.projects.actions import planned

    loaded, told = load_project(project), progress or Progress()
    check = ledger_check_of(loaded, the_ledger(), None)
    if check is None:
        raise InputError("ledger.project-keeps-none")
    with planned(loaded, told) as (plan, opened):
        return check.examine(release_of(plan, opened, told).new_release())


def check_tables(
    new: str | Path, old: str | Path, quasi_identifiers: Sequence[str], k: int, **options: Any
) -> dict[str, Any]:
    """Do to two released tables what an outsider can do who has both: join them, and lay them side by side."""
    from antifaz.ledger.complementary import outsider
    from antifaz.ledger.entry import in_order

    if k < 1:
        raise InputError("project.k-below-1", k=k)
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


def ledger_check_of(
    loaded: Loaded, ledger: Ledger | str | Path | bool | None, despite: str | None, *, whole: str = "", part: str = ""
) -> LedgerCheck | None:
    """Return the check of a project's release, or of one `part` of the `whole` of several tables.

    `True` means the ledger in the user's data folder; None that one only if the project speaks of a ledger.
    """
    said = loaded.project.ledger
    if ledger is False or (said is not None and not said.keep) or (ledger is None and said is None):
        return None
    known = default_ledger() if ledger is None or ledger is True else ledger
    if known is None:
        return None
    known = known if isinstance(known, Ledger) else Ledger(known)
    use = said or LedgerUse()
    source = loaded.project.source
    place = whole or " ".join(map(str, filter(None, (source.place(loaded.folder), source.schema_, source.table))))
    return known.new_check(
        dataset=use.dataset or known.name_of(place),
        part=part,
        person=use.person,
        despite=despite or use.despite,
    )
