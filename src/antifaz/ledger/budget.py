"""The budget of differential privacy of a data set: what its releases have spent, and a limit that none may exceed.

What is counted is basic composition: releases with (ε₁, δ₁) and (ε₂, δ₂) are together (ε₁ + ε₂, δ₁ + δ₂). That holds
however they depend on one another, and bounds what somebody learns who has all of them.
"""

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from antifaz.core.errors import InputError, LedgerRefused
from antifaz.core.messages import Message
from antifaz.ledger.database import earlier_releases
from antifaz.storage.database import Database, now

#: Sums of decimal fractions are off by less than this share: 0.1 + 0.2 must fit in 0.3.
_SLACK = 1e-9


@dataclass(frozen=True, kw_only=True)
class PrivacySpent:
    """The ε and δ of a release, or of several together."""

    epsilon: float
    delta: float


@dataclass(frozen=True, kw_only=True)
class PrivacyBudget:
    """What is spent of a data set, by how many releases, and the limit; None where nobody set one."""

    dataset: str
    spent: PrivacySpent
    releases: int
    limit: PrivacySpent | None = None

    @property
    def left(self) -> PrivacySpent | None:
        """What a release may still spend; None where there is no limit."""
        if self.limit is None:
            return None
        epsilon, delta = self.limit.epsilon - self.spent.epsilon, self.limit.delta - self.spent.delta
        return PrivacySpent(epsilon=max(0.0, epsilon), delta=max(0.0, delta))

    def allows(self, spent: PrivacySpent) -> bool:
        """Say whether a release with this ε and δ stays within the limit."""
        return self.limit is None or (
            self.spent.epsilon + spent.epsilon <= self.limit.epsilon * (1 + _SLACK)
            and self.spent.delta + spent.delta <= self.limit.delta * (1 + _SLACK)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the budget as JSON-ready data."""
        return asdict(self) | {"left": None if self.left is None else asdict(self.left)}


def budget_of(database: Database, dataset: str, but: str = "") -> PrivacyBudget:
    """Return the budget of a data set as all releases that count have left it, except one."""
    spent = []
    for row in earlier_releases(database):
        own = json.loads(row["verdict"]).get("budget")
        if row["dataset"] == dataset and row["id"] != but and own:
            spent.append(own)
    limit = database.rows("SELECT epsilon, delta FROM antifaz_budget WHERE dataset = ?", dataset)
    return PrivacyBudget(
        dataset=dataset,
        spent=PrivacySpent(
            epsilon=math.fsum(own["epsilon"] for own in spent), delta=math.fsum(own["delta"] for own in spent)
        ),
        releases=len(spent),
        limit=PrivacySpent(epsilon=float(limit[0]["epsilon"]), delta=float(limit[0]["delta"])) if limit else None,
    )


def all_budgets(database: Database) -> list[PrivacyBudget]:
    """Return the budgets of all data sets that have a limit or spent something, by name."""
    named = {row["dataset"] for row in database.rows("SELECT dataset FROM antifaz_budget")}
    named |= {row["dataset"] for row in earlier_releases(database) if json.loads(row["verdict"]).get("budget")}
    return [budget_of(database, dataset) for dataset in sorted(named)]


def set_limit(database: Database, dataset: str, limit: PrivacySpent, user: str) -> None:
    """Limit what releases of a data set may spend together; an earlier limit makes room."""
    if not (0 < limit.epsilon < math.inf and 0 <= limit.delta < 1):
        raise InputError("ledger.budget-not-a-budget")
    with database.writing():
        database.rows("DELETE FROM antifaz_budget WHERE dataset = ?", dataset)
        database.rows(
            "INSERT INTO antifaz_budget (dataset, epsilon, delta, made, made_by) VALUES (?, ?, ?, ?, ?)",
            *(dataset, limit.epsilon, limit.delta, now(), user),
        )


def spending(database: Database, dataset: str, release: str, spent: PrivacySpent | None) -> dict[str, Any]:
    """Return as evidence what a release adds to what is spent; nothing where it is not differentially private."""
    if spent is None:
        return {}
    before = budget_of(database, dataset, but=release)
    total = {"epsilon": before.spent.epsilon + spent.epsilon, "delta": before.spent.delta + spent.delta}
    limit = None if before.limit is None else asdict(before.limit)
    return {"budget": asdict(spent) | {"together": total, "limit": limit, "within": before.allows(spent)}}


def require_budget(database: Database, dataset: str, release: str, spent: PrivacySpent | None) -> None:
    """Raise where a release would spend more than is left."""
    if spent is None:
        return
    before = budget_of(database, dataset, but=release)
    if not before.allows(spent) and before.limit is not None and before.left is not None:
        raise LedgerRefused(
            Message(
                "ledger.budget-exceeded", dataset=dataset or "unnamed", epsilon=spent.epsilon, delta=spent.delta,
                left_epsilon=before.left.epsilon, left_delta=before.left.delta,
                most_epsilon=before.limit.epsilon, most_delta=before.limit.delta,
            )
        )  # fmt: skip


def spent_by(evidence: dict[str, Any]) -> PrivacySpent | None:
    """Return what the evidence of a release says that it spends; None where it is not differentially private."""
    own = evidence.get("budget")
    return None if not own else PrivacySpent(epsilon=own["epsilon"], delta=own["delta"])
