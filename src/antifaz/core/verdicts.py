"""Verdicts: what a judge found, as data. Showing it is somebody else's work."""

from dataclasses import dataclass, field
from typing import ClassVar

from antifaz.core.inline import Inline
from antifaz.core.messages import Message

#: What a verdict says as data, beside the parameters of its model.
OUTCOME = ("model", "achieved", "holds", "failing", "note")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a privacy model holds, and by how much."""

    model: str
    parameters: dict[str, object]
    achieved: float | int | None
    holds: bool
    #: Records in classes that fail the model.
    failing: int = 0
    note: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return the form that evidence.json has: parameters beside what was achieved."""
        result = {"achieved": self.achieved, "holds": self.holds, "failing": self.failing}
        return {"model": self.model, **self.parameters, **result, **({"note": self.note} if self.note else {})}


@dataclass(frozen=True, kw_only=True)
class Proposal(Inline):
    """Something a person may take with one click, with the reasons for it."""

    inline_template: ClassVar[str] = "proposal"

    value: str
    reason: Message
    details: dict[str, object] = field(default_factory=dict)
