"""What a release says of those who know the method that made it (see docs/theory/knowing-the-method.md)."""

from __future__ import annotations

from collections.abc import Sequence

from antifaz.core.messages import Message
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
        return [Message("warning.hardened")]
    if not any("attribute" in verdict.parameters for verdict in verdicts):
        return []
    if method.name not in SUREST:
        return [Message("warning.knowing-the-method-not-measured")]
    return [
        Message(
            "warning.knowing-the-method",
            promised=PROMISED,
            method=method.name,
            surest=SUREST[method.name],
        )
    ]
