"""The small tables of a published Incognito, from its chapter on foundations: what it says of them, counted here."""

from __future__ import annotations

import pandas as pd
import pytest

import antifaz as az
from oracles.tables import SIX_PEOPLE, SIX_TREES

PLACES = ["37003", "28108", "24700", "24700", "37003", "28108", "37891", "50011"]
AGES = [40, 44, 37, 37, 44, 40, 33, 13]
CHOLESTEROL = ["S", "S", "N", "N", "S", "S", "N", "S"]
ROLES = {"place": "quasi-identifier", "age": "quasi-identifier", "cholesterol": "sensitive"}
TREES = {"place": az.hierarchy.masking(3), "age": az.hierarchy.intervals(10)}


def people(rows: int) -> pd.DataFrame:
    return pd.DataFrame({"place": PLACES[:rows], "age": AGES[:rows], "cholesterol": CHOLESTEROL[:rows]})


def frequencies(frame: pd.DataFrame, columns: list[str]) -> dict[tuple[str | None, ...], int]:
    with az.open(frame) as data:
        found = data.count(columns)
    cells = [[values[code] for code in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    return dict(zip(zip(*cells, strict=True), found.counts.tolist(), strict=True))


def achieved(frame: pd.DataFrame, columns: list[str]) -> int:
    (verdict,) = az.verify(frame, columns, az.KAnonymity(1))
    return int(verdict.as_dict()["achieved"])


def test_the_frequency_set_of_six_people() -> None:
    assert frequencies(people(6), ["place", "age", "cholesterol"])["24700", "37", "N"] == 2
    assert frequencies(people(6), ["place", "age"])["37003", "40"] == 1
    assert achieved(people(6), ["place", "age"]) == 1


def test_global_and_local_generalization_make_them_2_anonymous() -> None:
    method = az.FullDomain(levels={"place": 1, "age": 1})
    release = az.anonymize(people(6), roles=ROLES, hierarchies=TREES, privacy=az.KAnonymity(2), method=method, seed=1)
    assert sorted(set(zip(release.frame["place"], release.frame["age"], strict=True))) == [
        ("24***", "[30, 40)"), ("28***", "[40, 50)"), ("37***", "[40, 50)"),
    ]  # fmt: skip
    assert achieved(release.frame, ["place", "age"]) == 2
    local = pd.DataFrame({"place": ["37***", "28***", "24700", "24700", "37***", "28***"], "age": [4, 4, 3, 3, 4, 4]})
    assert achieved(local, ["place", "age"]) == 2


def test_the_two_who_fit_nowhere_are_left_out() -> None:
    method = az.FullDomain(levels={"place": 1, "age": 1}, suppression=0.25)
    release = az.anonymize(people(8), roles=ROLES, hierarchies=TREES, privacy=az.KAnonymity(2), method=method, seed=1)
    assert release.evidence["rows"] == {"read": 8, "released": 6, "suppressed": 2}
    assert set(release.frame["place"]) == {"37***", "28***", "24***"}
    assert "[10, 20)" not in set(release.frame["age"])


def test_the_three_properties() -> None:
    before = pd.DataFrame({"sex": list("MMFMF"), "zip": ["53715", "53710", "90210", "02174", "02237"]})
    after = before.assign(zip=[text[:4] + "*" for text in before["zip"]])
    assert list(frequencies(before, ["sex", "zip"]).values()) == [1, 1, 1, 1, 1]
    rolled = frequencies(after, ["sex", "zip"])
    assert sorted(rolled.values(), reverse=True) == [2, 1, 1, 1]
    assert rolled["M", "5371*"] == 2
    assert achieved(before, ["sex", "zip"]) <= achieved(after, ["sex", "zip"])
    for subset in (["sex"], ["zip"]):
        assert achieved(before, ["sex", "zip"]) <= achieved(before, subset)


@pytest.mark.parametrize(("k", "levels"), [(2, [(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]), (3, [(2, 2)])])
def test_the_nodes_that_are_left_of_the_six(k: int, levels: list[tuple[int, int]]) -> None:
    frame = pd.DataFrame(SIX_PEOPLE)
    roles = {"fnac": "quasi-identifier", "cod_postal": "quasi-identifier", "dolencia": "sensitive"}
    trees = {name: az.hierarchy.table(list(tree.values())) for name, tree in SIX_TREES.items()}
    found = az.candidates(frame, roles=roles, hierarchies=trees, privacy=az.KAnonymity(k), others="release")
    assert sorted(tuple(one.levels.values()) for one in found) == levels
    # The document begins with the year alone: at k = 3 only its second level is left, so no node has a lower one.
    year = {"roles": {"fnac": "quasi-identifier"}, "hierarchies": {"fnac": trees["fnac"]}}
    one = az.candidates(frame, **year, privacy=az.KAnonymity(k), others="drop")
    assert {c.levels["fnac"] for c in one} >= {c.levels["fnac"] for c in found}
    assert min(c.levels["fnac"] for c in one) == (0 if k == 2 else 2)


def counted(rows: list[tuple[int, str, int]]) -> tuple[list[str], dict[tuple[str, ...], int]]:
    """What is proposed for rows of a number, a sex and a race, and the distinct tuples of every combination."""
    frame = pd.DataFrame(rows, columns=["number", "sex", "race"]).astype(str)
    found = az.propose.quasi_identifiers(frame, candidates=list(frame.columns))
    counts = {tuple(one["columns"]): one["distinct"] for one in found.details["counts"]}  # type: ignore[attr-defined]
    return list(found.details["columns"]), counts  # type: ignore[call-overload]


def test_age_sex_and_race_are_all_needed() -> None:
    pairs = [(age, race) for age in range(91) for race in range(5) if not (race == 0 and age < 6)]
    one_sex = {(age, 1) for age in range(17)}
    rows = [(age, sex, race) for age, race in pairs for sex in "MF" if sex == "M" or (age, race) not in one_sex]
    columns, counts = counted(rows)
    assert columns == ["number", "sex", "race"]
    assert counts == {
        ("number",): 91, ("sex",): 2, ("race",): 5, ("number", "sex"): 182, ("number", "race"): 449,
        ("sex", "race"): 10, ("number", "sex", "race"): 881,
    }  # fmt: skip


def test_a_postcode_alone_tells_nearly_as_much() -> None:
    rows = [(place, "M", place % 5) for place in range(21648)]
    rows += [(place, "F", (place + 1) % 5) for place in range(125)]
    rows += [(place, "F", place % 5) for place in range(125, 371)]
    rows += [(place, "M", (place + 1) % 5) for place in range(371, 540)]
    columns, counts = counted(rows)
    assert columns == ["number"]
    assert counts["number",] == 21648
    assert counts["number", "sex"] == 22019
    assert counts["number", "race"] == 21942
    assert counts["number", "sex", "race"] == 22188
