"""One call: propose everything, anonymize, judge."""

from __future__ import annotations

import pytest

import antifaz as az
from failing import failing

COLUMNS = ["name", "age", "sex", "postcode", "diagnosis"]


@pytest.mark.parametrize(("recipient", "k"), [("known", 3), ("many", 5), ("public", 11)])
def test_k_is_the_recipients_and_the_verdict_is_there(recipient: str, k: int) -> None:
    table = az.datasets.people(600, seed=1).select(COLUMNS)
    release = az.protect(table, recipient=recipient, seed=1)
    evidence = release.evidence
    assert evidence["privacy"][0]["k"] == k and evidence["privacy"][0]["achieved"] >= k
    assert "name" not in release.frame.column_names
    assert release.verdict["audience"] == recipient
    assert release.verdict["hand_over"] in ("yes", "with care", "no")
    assert evidence["method"]["name"] == "auto" and evidence["criteria"]["singling_out"]["measured"]
    assert az.verify(release.frame, ["age", "sex", "postcode"], az.KAnonymity(k))[0].holds


def test_a_target_is_released_and_compared_by() -> None:
    table = az.datasets.people(600, seed=1).select(COLUMNS)
    release = az.protect(table, target="diagnosis", seed=1)
    assert all("accuracy" in one for one in release.evidence["method"]["tried"])
    assert set(release.frame.column("diagnosis").to_pylist()) <= set(table.column("diagnosis").to_pylist())


def test_columns_of_which_nothing_is_known_are_named_with_what_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    from antifaz.core.verdicts import Proposal
    from antifaz.projects import protect as module

    table = az.datasets.people(300, seed=1).select(COLUMNS)
    proposed = dict(az.propose.roles(table))
    left = {"postcode": Proposal(value="decide", reason=proposed["age"].reason, details={"confidence": 0.1})}
    monkeypatch.setattr(module, "propose_roles", lambda data: proposed | left)
    with failing("protect.roles-to-decide", az.SchemaError):
        az.protect(table)
    assert az.protect(table, roles={"postcode": "identifier"}, seed=1).frame.column_names == ["age", "sex", "diagnosis"]


def test_what_is_said_wrong_is_said_early() -> None:
    table = az.datasets.people(20, seed=1).select(COLUMNS)
    with failing("proposal.unknown-audience"):
        az.protect(table, recipient="friends")
    with pytest.raises(az.ParameterError):
        az.protect(table, purpose="fun")
    with pytest.raises(az.SchemaError):
        az.protect(table, roles={"shoe": "sensitive"})
