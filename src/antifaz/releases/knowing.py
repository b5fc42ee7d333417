"""What a release says of those who know the method that made it (see docs/theory/knowing-the-method.md)."""

from __future__ import annotations

from collections.abc import Sequence

from antifaz.core.verdicts import Verdict
from antifaz.methods.method import Method

#: Six people, two with the flu, of whose illnesses a release promises at most one half: how sure of somebody's illness
#: those can be who know the method, in hundredths. Tests find these figures again by trying every table of the six.
SUREST: dict[str, int] = {
    "full-domain": 100,
    "datafly": 100,
    "bottom-up": 100,
    "specialization": 100,
    "mondrian": 100,
    "k-members": 100,
    "l-greedy": 100,
    "hilbert": 100,
    "one-pass": 100,
}
PROMISED = 50


def knowing_the_method(method: Method, verdicts: Sequence[Verdict], *, hardened: bool) -> list[str]:
    """Say what those conclude who know the method, where something is promised of sensitive values."""
    if hardened:
        return [
            "Hardened: the method decided without seeing sensitive values, for larger classes than were promised by a "
            "margin that is kept secret, so knowing the method adds nothing to what the released rows say of them."
        ]
    if not any("attribute" in verdict.parameters for verdict in verdicts):
        return []
    if method.name not in SUREST:
        return [
            "Whoever knows the method may conclude more of sensitive values than is promised here; how much was not "
            "measured for this method. A hardened run stops that."
        ]
    return [
        "Whoever knows the method may conclude more of sensitive values than is promised here: among six people, where "
        f"{PROMISED}% was promised, {method.name} lets them be sure of an illness up to {SUREST[method.name]}%. A "
        "hardened run stops that."
    ]
