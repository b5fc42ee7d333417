"""One call from a table to a release with a verdict: everything that can be proposed is."""

from collections.abc import Mapping
from typing import Any

from antifaz.core.errors import SchemaError
from antifaz.core.progress import Progress
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.pipeline.release import Release
from antifaz.privacy import LDiversity, PrivacyModel
from antifaz.projects.data_actions import anonymize
from antifaz.projects.template import diverse_columns
from antifaz.proposals.audiences import USUAL, audience_limit
from antifaz.proposals.auto import Auto
from antifaz.proposals.hierarchies import hierarchy as propose_hierarchy
from antifaz.proposals.k import k_anonymity
from antifaz.proposals.person import with_person
from antifaz.proposals.roles import roles as propose_roles


def protect(
    frame: Any,
    *,
    purpose: str = "analyse",
    recipient: str = USUAL,
    target: str | None = None,
    roles: Mapping[str, str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Propose everything, anonymize, and judge: return a release whose `verdict` says whether it may be handed over.

    Roles and hierarchies are those proposed; k is that of the recipient, and the few columns that are surely sensitive
    must have two values in every class; the method is the one that serves the purpose best of those that fit.

    Args:
        frame: A pandas, polars or pyarrow table, a path, or what `open` returned.
        purpose: What will be done with it: "analyse" (also train), "read" tables, or keep "numbers".
        recipient: Who gets it: "known" (a partner; k = 3), "many" (k = 5) or "public" (k = 11).
        target: The column to be predicted; it is released as it is, protected as sensitive, and methods are compared
            by how well it can still be told.
        roles: Roles that you know better, by column; a column of which nothing is known must be among them.
        seed: Makes the run repeatable; a secure one is drawn when left out.
        progress: Told of every step.
    """
    limit = audience_limit(recipient)
    method = Auto(purpose=purpose, target=target)
    data = open_data(frame)
    proposed = propose_roles(data)
    proposed = with_person(data, proposed)
    known = _roles(data, proposed, dict(roles or {}), target)
    quasi = [name for name, role in known.items() if role == Role.QUASI_IDENTIFIER]
    models: list[PrivacyModel] = [k_anonymity(limit.k, data.profile(), known)]
    models += [LDiversity(2, attribute=name) for name in diverse_columns(data.profile(), known, proposed)]
    release = anonymize(
        data,
        roles=known,
        hierarchies={name: propose_hierarchy(data, name).details for name in quasi},
        privacy=models,
        method=method,
        seed=seed,
        audience=recipient,
        progress=progress,
    )
    release.verdict  # noqa: B018 - attacks are tried now, so that the evidence has the answer
    return release


def _roles(data: Data, proposed: Mapping[str, Proposal], chosen: dict[str, str], target: str | None) -> dict[str, str]:
    """Return the role of every column: as given, else as proposed; say which are left to the person."""
    data.schema.require([*chosen, *([target] if target is not None else [])])
    if target is not None:
        chosen.setdefault(target, str(Role.SENSITIVE))
    known = {name: chosen.get(name, proposal.value) for name, proposal in proposed.items()}
    open_ones = [name for name, role in known.items() if role == "decide"]
    if open_ones:
        raise SchemaError("protect.roles-to-decide", names=open_ones, first=open_ones[0])
    return known
