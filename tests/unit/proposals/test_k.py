"""A proposed k says what it gives and what the next one would cost."""

from __future__ import annotations

import pytest

import antifaz as az
from antifaz.core.errors import AntifazError


def point(k: int, loss: float) -> dict[str, object]:
    return {"k": k, "loss": loss, "gcp": loss, "ks_min": None, "highest_risk": 1 / k, "suppressed": 0}


def test_the_reason_has_the_figures() -> None:
    found = {
        "points": [point(2, 0.1), point(5, 0.2), point(10, 0.6)],
        "recommended": {"k": 5, "reason": "a good reason"},
    }
    proposal = az.propose.k(found)
    assert proposal.value == "5"
    assert proposal.reason.startswith("k = 5: a good reason. ")
    assert "20.0%" in proposal.reason and "k = 10" in proposal.reason and "60.0%" in proposal.reason
    assert proposal.details["next"]["k"] == 10  # type: ignore[index]


def test_more_privacy_for_nothing_is_taken() -> None:
    found = {"points": [point(2, 0.1), point(3, 0.1), point(4, 0.3)], "recommended": {"k": 2, "reason": "the least"}}
    proposal = az.propose.k(found)
    assert (proposal.value, proposal.details["k"]) == ("3", 3)
    assert proposal.reason.startswith("k = 3 costs no more than k = 2, and that is: the least. ")


def test_it_says_what_can_not_be_reached() -> None:
    found = {"points": [point(2, 0.1)], "recommended": {"k": 2, "reason": "all there is"}, "unreachable_from": 3}
    assert "k = 3 can't be reached" in az.propose.k(found).reason


def test_it_takes_what_a_frontier_returns() -> None:
    people = az.datasets.people(300, seed=1).select(["age", "sex"])
    found = az.frontier(
        people,
        roles={"age": "quasi-identifier", "sex": "quasi-identifier"},
        hierarchies={name: az.propose.hierarchy(people, name).details for name in ("age", "sex")},
        k=[2, 5, 10],
    )
    assert int(az.propose.k(found).value) >= found["recommended"]["k"]
    with pytest.raises(AntifazError, match="frontier"):
        az.propose.k({"points": []})
