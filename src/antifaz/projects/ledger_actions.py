"""The ledger for faces: what was released, what a new release would give away, and two tables that anybody made."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from antifaz.core.errors import InputError
from antifaz.core.progress import Progress
from antifaz.engines.opening import open_data
from antifaz.ledger.ledger import VARIABLE, Ledger, default_ledger
from antifaz.pipeline.release import Release
from antifaz.pipeline.steps import Requested, plan
from antifaz.projects.project import load_project
from antifaz.projects.requests import ledger_check_of, table_request


def the_ledger() -> Ledger:
    """Return the user's ledger, or say that it is turned off."""
    found = default_ledger()
    if found is None:
        raise InputError("ledger.turned-off", variable=VARIABLE)
    return found


def check_project(project: str | Path, *, progress: Progress | None = None) -> dict[str, Any]:
    """Decide as a run would, and return what the ledger says of that release; nothing is written or registered."""
    loaded = load_project(project)
    check = ledger_check_of(loaded, the_ledger(), None)
    if check is None:
        raise InputError("ledger.project-keeps-none")
    with ExitStack() as resources:
        request = table_request(loaded)
        resources.enter_context(loaded.of_columns())
        planned = plan(Requested(request=request, progress=progress or Progress(), resources=resources))
        return check.examine(Release(planned).new_release())


def check_tables(
    new: str | Path, old: str | Path, quasi_identifiers: Sequence[str], k: int, **options: Any
) -> dict[str, Any]:
    """Do to two released tables what an outsider can do who has both: join them, and lay them side by side."""
    from antifaz.ledger.complementary import attack_two_tables
    from antifaz.ledger.entry import entry_of_table

    if k < 1:
        raise InputError("project.k-below-1", k=k)
    key, entries = np.frombuffer(np.random.default_rng().bytes(16), np.uint64), []
    for place in (new, old):
        with open_data(place, engine="local", **options) as data:
            data.schema.require(quasi_identifiers)
            table = data.cells(data.schema.names)
            entries.append(entry_of_table(table, tuple(quasi_identifiers), key))
    found = attack_two_tables(entries[0], entries[1], k)
    sizes = [one.smallest for one in found.values() if one.smallest is not None]
    return {
        "k": k,
        "holds": not any(one.exposed for one in found.values()),
        "smallest_intersection": min(sizes, default=None),
        "attacks": {name: one.as_dict() for name, one in found.items()},
    }
