"""The publisher's payout as what a search keeps high."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.testing import check
from antifaz.utility import QUALITIES

ROLES = {"age": "quasi-identifier"}
STAKES = {"benefit": 1200, "loss": 300, "gain": 300, "cost": 100}


def test_it_keeps_what_every_quality_promises() -> None:
    check(QUALITIES["publisher-payout"])


def test_the_score_is_the_money_not_earned() -> None:
    # Four ages, alone each: as they are, all are attacked, and 4 · 300 is lost. In two groups of two, half of the bits
    # and 4 · 150; all together nothing is left. So nothing is generalized, though it would keep attackers away.
    ages = pa.table({"age": [20, 21, 30, 31]})
    method = az.FullDomain(quality="publisher-payout", stakes=STAKES)
    hierarchies = {"age": az.hierarchy.intervals(10)}
    found = az.candidates(ages, roles=ROLES, hierarchies=hierarchies, privacy=az.KAnonymity(1), method=method)
    scores = {node["levels"]["age"]: node["quality"] for node in found.nodes() if node["quality"] is not None}
    assert scores == pytest.approx({0: 1200, 1: 4 * 600 + 4 * 150, 2: 4800})


def test_stakes_belong_to_the_payout() -> None:
    with pytest.raises(az.ParameterError, match="'benefit' is needed"):
        az.FullDomain(quality="publisher-payout")
    with pytest.raises(az.ParameterError, match="has no 'benefit'"):
        az.FullDomain(quality="loss", stakes=STAKES)
