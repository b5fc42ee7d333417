"""A proposed k says what it gives and what the next one would cost."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import antifaz as az
from failing import failing


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


def test_from_data_alone_it_is_what_the_frontier_says_with_what_is_proposed() -> None:
    people = az.datasets.people(500, seed=1).select(["age", "sex", "education", "diagnosis"])
    with az.open(people) as data:
        known = {name: proposal.value for name, proposal in az.propose.roles(data).items()}
        qis = [name for name, role in known.items() if role == "quasi-identifier"]
        trees = {name: az.propose.hierarchy(data, name).details for name in qis}
        found = az.frontier(people, roles=known, hierarchies=trees, method=az.FullDomain(suppression=0.02), k=[2, 4, 8])
        proposal = az.propose.k(data, ks=[2, 4, 8])
    assert qis == ["age", "sex", "education"]
    assert proposal == az.propose.k(found) == az.propose.k(people, known, trees, [2, 4, 8])
    assert proposal.details["k"] in (2, 4, 8)


def test_from_data_by_hand() -> None:
    # Two of each: k = 2 costs nothing, k = 4 needs both columns as '*', or one of them.
    table = pa.table({"a": ["x", "x", "y", "y"], "b": ["p", "p", "p", "p"]})
    proposal = az.propose.k(table, dict.fromkeys(("a", "b"), "quasi-identifier"), ks=[2, 3, 4])
    figures: Any = proposal.details
    # Many recipients would take 5, which four records can't give: the largest there is, and never the smallest.
    assert (figures["k"], figures["gcp"], figures["highest_risk"]) == (4, 0.5, 0.25)
    assert [(each["k"], each["gcp"]) for each in figures["costs"]] == [(2, 0), (3, 0.5), (4, 0.5)]
    assert "next" not in figures and "k = 5" in proposal.reason
    # A known partner takes 3; 4 costs no more.
    known = az.propose.k(table, dict.fromkeys(("a", "b"), "quasi-identifier"), ks=[2, 3, 4], audience="known")
    assert known.value == "4" and "costs no more than k = 3" in known.reason


def test_without_anything_to_protect_it_says_so() -> None:
    with failing("proposal.k-without-quasi-identifiers"):
        az.propose.k(pa.table({"x": [1.5, 2.5]}), {"x": "sensitive"})
    with failing("proposal.k-without-records"):
        az.propose.k(pa.table({"x": pa.array([], pa.string())}), {"x": "quasi-identifier"})


def test_it_takes_what_a_frontier_returns() -> None:
    people = az.datasets.people(300, seed=1).select(["age", "sex"])
    found = az.frontier(
        people,
        roles={"age": "quasi-identifier", "sex": "quasi-identifier"},
        hierarchies={name: az.propose.hierarchy(people, name).details for name in ("age", "sex")},
        k=[2, 5, 10],
    )
    assert int(az.propose.k(found).value) >= found["recommended"]["k"]
    with failing("proposal.not-a-frontier"):
        az.propose.k({"points": []})
