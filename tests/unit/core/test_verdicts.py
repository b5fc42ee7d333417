"""Verdicts as data."""

from __future__ import annotations

from antifaz.core.verdicts import Verdict


def test_a_verdict_as_evidence_says_it() -> None:
    verdict = Verdict(model="m", parameters={"k": 2}, achieved=3, holds=True)
    assert verdict.as_dict() == {"model": "m", "k": 2, "achieved": 3, "holds": True, "failing": 0}
    noted = Verdict(model="m", parameters={}, achieved=None, holds=False, failing=4, note="why")
    assert noted.as_dict() == {"model": "m", "achieved": None, "holds": False, "failing": 4, "note": "why"}
