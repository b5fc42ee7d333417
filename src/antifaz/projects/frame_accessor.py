"""`frame.antifaz`: what the library does with a frame, said from the frame. One for pandas and polars."""

from collections.abc import Mapping, Sequence
from typing import Any

from antifaz.core.verdicts import Proposal, Verdict
from antifaz.pipeline.candidates import Candidates
from antifaz.pipeline.release import Release
from antifaz.privacy import PrivacyModel
from antifaz.projects import actions
from antifaz.proposals.roles import roles as propose_roles


class FrameAccessor:
    """The public functions whose first argument is the frame; the others are theirs."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def propose(self) -> dict[str, Proposal]:
        """Return a proposed role for every column, as `antifaz.propose.roles` does."""
        return propose_roles(self._frame)

    def protect(self, **options: Any) -> Release:
        """Propose everything, anonymize and judge, as `antifaz.protect` does."""
        return actions.protect(self._frame, **options)

    def anonymize(self, *, roles: Mapping[str, str], **options: Any) -> Release:
        """Decide, apply and verify, as `antifaz.anonymize` does."""
        return actions.anonymize(self._frame, roles=roles, **options)

    def apply(self, recoding: Any, **options: Any) -> Release:
        """Recode as earlier rows were, as `antifaz.apply` does."""
        return actions.apply(recoding, self._frame, **options)

    def candidates(self, *, roles: Mapping[str, str], **options: Any) -> Candidates:
        """List every generalization that satisfies the models, as `antifaz.candidates` does."""
        return actions.candidates(self._frame, roles=roles, **options)

    def frontier(self, *, roles: Mapping[str, str], **options: Any) -> dict[str, Any]:
        """Show what each k costs, as `antifaz.frontier` does."""
        return actions.frontier(self._frame, roles=roles, **options)

    def verify(self, quasi_identifiers: Sequence[str], privacy: Sequence[PrivacyModel] | PrivacyModel) -> list[Verdict]:
        """Check the frame as it is, as `antifaz.verify` does."""
        return actions.verify(self._frame, quasi_identifiers, privacy)
