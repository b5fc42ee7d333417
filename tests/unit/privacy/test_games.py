"""Profitability and no-attack: tables solved by hand, and all generalizations of small tables by brute force."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pytest

import antifaz as az
from antifaz.privacy import MODELS
from antifaz.testing import check, class_table
from failing import failing

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier"}
#: Eight ages in the file, of which the data has six: what is lost is told by the hierarchy.
AGES = [
    [str(age), f"{age // 2 * 2}-{age // 2 * 2 + 1}", "young" if age < 34 else "older", "*"] for age in range(30, 38)
]
SEXES = [["f", "*"], ["m", "*"]]
PEOPLE = pa.table(
    {
        "age": [30, 30, 30, 31, 32, 33, 33, 34, 34, 35, None],
        "sex": ["f", "f", "m", "m", "f", "f", "f", "m", "m", "m", "f"],
    }
)
GAMES = [
    {"benefit": 10, "loss": 40, "gain": 30, "cost": 8},
    {"benefit": 10, "loss": 12, "gain": 30, "cost": 15},
    {"benefit": 100, "loss": 5, "gain": 30, "cost": 1},
    {"benefit": 1, "loss": 1000, "gain": 5, "cost": 1},
]


@pytest.mark.parametrize("name", ["no-attack", "profitability"])
def test_they_keep_what_every_model_promises(name: str) -> None:
    check(MODELS[name])


def _hierarchies() -> dict[str, Any]:
    return {"age": az.hierarchy.table(AGES), "sex": az.hierarchy.table(SEXES)}


def _labels(levels: tuple[int, int], people: pa.Table) -> list[tuple[str | None, str | None]]:
    """What each row says at some levels: a missing age stays missing below the star."""
    up = ({row[0]: row for row in AGES}, {row[0]: row for row in SEXES})
    rows = []
    for age, sex in zip(people["age"].to_pylist(), people["sex"].to_pylist(), strict=True):
        first = ("*" if levels[0] == 3 else None) if age is None else up[0][str(age)][levels[0]]
        rows.append((first, up[1][sex][levels[1]]))
    return rows


def _lost(levels: tuple[int, int], row: tuple[str | None, str | None]) -> float:
    """The share of bits: nine ages with the missing one, two sexes."""
    leaves = 1 if row[0] is None else [1, 2, 4, 9][levels[0]]
    return (math.log(leaves) + math.log([1, 2][levels[1]])) / (math.log(9) + math.log(2))


def _payout(game: dict[str, float], people: int, lost: float) -> float:
    attacked = game["gain"] / max(people, 1) > game["cost"]
    return game["benefit"] * (1 - lost) - (game["loss"] / max(people, 1) if attacked else 0)


def _best(game: dict[str, float], town: pa.Table | None, share: float) -> tuple[float, set[tuple[int, int]]]:
    """Try every node: leave out what is worth less than nothing, and return the largest payout and where it is had."""
    found: dict[tuple[int, int], float] = {}
    for levels in itertools.product(range(4), range(2)):
        rows = _labels(levels, PEOPLE)
        like = Counter(rows if town is None else _labels(levels, town))
        worth = [_payout(game, like[row], _lost(levels, row)) for row in rows]
        kept = [each for each in worth if each >= -1e-9]
        if kept and len(rows) - len(kept) <= share * len(rows) + 1e-9:
            found[levels] = sum(kept)
    best = max(found.values(), default=-math.inf)
    return best, {levels for levels, sum_ in found.items() if sum_ > best - 1e-6}


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("journalist", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_the_best_payout_is_that_of_brute_force(
    game: dict[str, float], journalist: bool, share: float, tmp_path: Path
) -> None:
    town = pa.concat_tables([PEOPLE, PEOPLE.slice(0, 7), PEOPLE.slice(3, 1)]) if journalist else None
    model: dict[str, Any] = {**game}
    if town is not None:
        csv.write_csv(town, tmp_path / "town.csv")
        model["population"] = str(tmp_path / "town.csv")
    best, where = _best(game, town, share)
    method = az.FullDomain(suppression=share, quality="publisher-payout", stakes=game)
    asked = {"roles": ROLES, "hierarchies": _hierarchies(), "method": method, "seed": 1}
    if not where:
        with pytest.raises(az.PrivacyNotReached):
            _ = az.anonymize(PEOPLE, privacy=az.Profitability(**model), **asked).evidence
        return
    release = az.anonymize(PEOPLE, privacy=az.Profitability(**model), **asked)
    told = release.evidence["method"]
    assert tuple(told["levels"].values()) in where
    (verdict,) = release.evidence["privacy"]
    rows = _labels(tuple(told["levels"].values()), PEOPLE)
    like = Counter(rows if town is None else _labels(tuple(told["levels"].values()), town))
    worth = [_payout(game, like[row], _lost(tuple(told["levels"].values()), row)) for row in rows]
    kept = [each for each in worth if each >= -1e-9]
    assert sum(kept) == pytest.approx(best)
    assert release.frame.num_rows == len(kept)
    # The gate counted it from the released rows.
    assert verdict["holds"]
    assert verdict["achieved"] == pytest.approx(min(kept), abs=1e-9)


def test_the_best_payout_may_lie_above_a_node_that_holds() -> None:
    # Sixteen people of sixteen ages: k = 1 holds as they are, and all are attacked; in two groups of eight nobody is.
    ages = pa.table({"age": list(range(24, 40))})
    stakes = {"benefit": 10, "loss": 100, "gain": 6, "cost": 1}
    method = az.FullDomain(quality="publisher-payout", stakes=stakes)
    asked: dict[str, Any] = {"roles": {"age": "quasi-identifier"}, "hierarchies": {"age": az.hierarchy.intervals(8)}}
    told = az.anonymize(ages, privacy=az.KAnonymity(1), method=method, seed=1, **asked).evidence["method"]
    assert told["levels"] == {"age": 1}


def test_no_attack_is_k_anonymity_with_a_k_that_follows() -> None:
    model = az.NoAttack(gain=300, cost=4)
    assert (model.k, model.class_size, model.with_class_size(7).k) == (75, 75, 7)
    assert all(model.with_class_size(k).k == k for k in range(1, 400))
    table = class_table([{0: 74}, {0: 75}, {1: 1}])
    assert model.passes(table).tolist() == [False, True, False]
    people = az.datasets.people(900, seed=3).select(["age", "sex"])
    asked: dict[str, Any] = {"roles": ROLES, "hierarchies": {"age": az.hierarchy.intervals(5, 10, 20, 40)}, "seed": 1}
    asked["hierarchies"]["sex"] = az.hierarchy.flat()
    ours = az.anonymize(people, privacy=model, **asked).evidence
    theirs = az.anonymize(people, privacy=az.KAnonymity(75), **asked).evidence
    assert ours["method"]["levels"] == theirs["method"]["levels"]
    assert ours["privacy"][0]["achieved"] == theirs["privacy"][0]["achieved"]


def test_with_a_population_no_attack_is_k_map(tmp_path: Path) -> None:
    csv.write_csv(pa.table({"age": ["young"] * 6 + ["old"] * 4}), tmp_path / "town.csv")
    register = pa.table({"age": ["young"] * 2 + ["old"] * 3})
    asked: dict[str, Any] = {"roles": {"age": "quasi-identifier"}, "hierarchies": {"age": az.hierarchy.flat()}}
    for gain, level, achieved in ((4, 0, 4), (5, 1, 10)):
        model = az.NoAttack(gain=gain, cost=1, population=str(tmp_path / "town.csv"))
        told = az.anonymize(register, privacy=model, seed=1, **asked).evidence
        assert (told["method"]["levels"]["age"], told["privacy"][0]["achieved"]) == (level, achieved)
        assert told["privacy"][0]["population"] == "town.csv"  # and no path


def test_people_alone_are_released_where_their_benefit_is_above_the_loss() -> None:
    # What the documentation warns of: money is weighed, and nobody is promised anything.
    alone = pa.table({"age": [30, 31], "sex": ["f", "m"]})
    model = az.Profitability(benefit=1200, loss=300, gain=300, cost=4)
    told = az.anonymize(alone, roles=ROLES, hierarchies=_hierarchies(), privacy=model, seed=1).evidence
    assert (told["method"]["levels"], told["privacy"][0]["achieved"]) == ({"age": 0, "sex": 0}, 900)


def test_a_column_of_one_value_has_nothing_to_lose() -> None:
    table = pa.table({"age": [30, 30, 30]})
    asked: dict[str, Any] = {"roles": {"age": "quasi-identifier"}, "hierarchies": {"age": az.hierarchy.flat()}}
    model = az.Profitability(benefit=10, loss=40, gain=3, cost=1)
    assert az.anonymize(table, privacy=model, seed=1, **asked).evidence["privacy"][0]["achieved"] == 10


@pytest.mark.parametrize("method", [az.Mondrian(), az.KMembers(), az.LocalSuppression()])
def test_methods_without_levels_are_refused(method: Any) -> None:
    model = az.Profitability(benefit=10, loss=4, gain=3, cost=1)
    with failing("model.levels-needed", az.ParameterError, name="profitability"):
        az.anonymize(PEOPLE, roles=ROLES, hierarchies=_hierarchies(), privacy=model, method=method, seed=1)


@pytest.mark.parametrize("method", [az.Datafly(suppression=0.5), az.BottomUp(suppression=0.5), az.Auto()])
def test_methods_with_levels_release(method: Any) -> None:
    model = az.Profitability(benefit=10, loss=40, gain=30, cost=8)
    release = az.anonymize(PEOPLE, roles=ROLES, hierarchies=_hierarchies(), privacy=model, method=method, seed=1)
    assert release.frame.num_rows
    assert release.evidence["privacy"][0]["holds"]


def test_rounds_at_levels_of_their_own_hold_too() -> None:
    people = az.datasets.people(400, seed=2).select(["age", "sex"])
    model = az.Profitability(benefit=10, loss=400, gain=30, cost=4)
    method = az.FullDomain(suppression=0.2, rounds=3)
    hierarchies = {"age": az.hierarchy.intervals(2, 4, 8, 16, 32), "sex": az.hierarchy.flat()}
    release = az.anonymize(people, roles=ROLES, hierarchies=hierarchies, privacy=model, method=method, seed=1)
    assert release.frame.num_rows >= 320
    assert release.evidence["privacy"][0]["holds"]


@pytest.mark.parametrize("wrong", [{"cost": 0}, {"gain": -1}, {"cost": math.nan}, {"gain": math.inf}])
def test_amounts_are_above_zero_and_finite(wrong: dict[str, float]) -> None:
    with pytest.raises(az.ParameterError):
        az.NoAttack(**{"gain": 3, "cost": 1, **wrong})
