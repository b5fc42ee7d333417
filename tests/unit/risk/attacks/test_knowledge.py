"""What attackers know."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from antifaz import ParameterError
from antifaz.risk.attacks import Attacker, run_attacks
from failing import Like, failing, like
from unit.risk.attacks.test_run import COPY, PEOPLE, QI, ROLES, SENSITIVE


def test_a_described_attacker_knows_what_was_said_and_no_more() -> None:
    before = pa.table(
        {"age": [30, 31, 50, 60], "post": ["08001", "08002", "08003", "28001"], "d": ["a", "b", "c", "c"]}
    )
    roles = {"age": QI, "post": QI, "d": SENSITIVE}

    def success(**given: Any) -> float:
        attacker = Attacker(name="x", **given)
        return float(run_attacks(before, before, roles, seed=1, attackers=[attacker])[-1]["success"])

    assert success(knows=["age"]) == 1
    # The first three can't be told apart by their first digits.
    assert success(knows=["post"], exactly={"post": 3}) == pytest.approx((3 * 1 / 3 + 1) / 4)
    assert success(knows="post", exactly={"post": "first 2"}) == pytest.approx(0.5)
    assert success(knows=["age", "post"], exactly={"post": 2, "age": 0}) == 1
    assert success(knows=["age"], exactly={"age": "first 1"}) == pytest.approx((1 / 2 + 1 / 2 + 1 + 1) / 4)
    # With a margin of 5 the two youngest fit each other's question, and nobody else's.
    assert 0.5 <= success(knows=["age"], exactly={"age": 5}) < 1
    assert 0.25 <= success(knows=["age"], exactly={"age": 100}) <= 0.5
    guess = Attacker(name="x", knows=["post"], exactly={"post": 4}, goal="sensitive attribute", of=3)
    found = run_attacks(before, before, roles, seed=1, attackers=[guess])[-1]
    assert (found["name"], found["number"]) == ("inference of d: x", 3)


def test_what_an_attacker_knows_wrongly_does_not_help() -> None:
    n = 400
    before = pa.table({"age": list(range(n)), "sex": ["f"] * n})

    def found(**given: Any) -> dict[str, Any]:
        attacker = Attacker(name="x", of=n, **given)
        return run_attacks(before, before, {"age": QI, "sex": QI}, seed=3, attacks=1, attackers=[attacker])[-1]

    # Another person's age leads to another person's record; of n people one draw in n is their own.
    assert found(knows=["age"], noise=1)["success"] < 5 / n
    half = found(knows=["age"], noise=0.5)["interval"]
    assert half[0] < 0.5 + 0.5 / n < half[1]
    # All have the same sex, so a wrong one is right: everybody fits, and about one in n is the person.
    assert 0 < found(knows=["sex"], noise=1)["success"] < 5 / n
    assert found(knows=["age"])["success"] == 1


def test_an_attacker_is_what_a_file_says() -> None:
    given = {"name": "a neighbour", "knows": ["age", "postcode"], "of": 100, "exactly": {"age": 2, "postcode": 3}}
    attacker = Attacker.parse(given)
    assert attacker == Attacker(**given)
    assert (attacker.who, attacker.goal) == ("a neighbour", "identity")
    assert Attacker.parse(json.loads(json.dumps(attacker.parameters()))) == attacker
    assert "name" in Attacker.model_json_schema()["properties"]
    assert run_attacks(PEOPLE, COPY, ROLES, attacks=20, seed=1, attackers=[given])[-1]["number"] == 100


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"knows": ["age"]}, like("declared.parameter-needed", name="attacker", where="name")),
        ({"name": "x", "knows": []}, like("declared.parameter-wrong", name="attacker", where="knows")),
        (
            {"name": "x", "knows": ["age"], "of": 0},
            like("declared.parameter-wrong", name="attacker", where="of", what="greater than or equal to 1"),
        ),
        (
            {"name": "x", "knows": ["age"], "exactly": {"sex": 1}},
            like(
                "declared.parameter-wrong",
                name="attacker",
                what="'exactly' only about columns in 'knows', which 'sex' is not",
            ),
        ),
        (
            {"name": "x", "knows": ["age"], "exactly": {"age": "about"}},
            like("declared.parameter-wrong", name="attacker", what="'exactly' of 'age' a number, or such as 'first 3'"),
        ),
        (
            {"name": "x", "knows": ["age"], "exactly": {"age": -1}},
            like("declared.parameter-wrong", name="attacker", what="'exactly' of 'age' a number of at least 0"),
        ),
        (
            {"name": "x", "knows": ["age"], "attribute": "d"},
            like("declared.parameter-wrong", name="attacker", what="without 'attribute' where the goal is identity"),
        ),
        (
            {"name": "x", "knows": ["age", "age"]},
            like("declared.parameter-wrong", name="attacker", what="columns named once each in 'knows'"),
        ),
        (
            {"name": "x", "knows": ["age"], "goal": "fun"},
            like("declared.parameter-wrong", name="attacker", where="goal"),
        ),
    ],
)
def test_a_wrong_description_is_refused_in_a_sentence(given: dict[str, Any], says: str | Like) -> None:
    with failing(says, ParameterError):
        Attacker(**given)
