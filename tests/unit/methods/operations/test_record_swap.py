"""Record swapping against its definition, counted by brute force from the tables before and after."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.methods.operations.record_swap import RecordSwap
from antifaz.projects import actions
from failing import failing

SOME = settings(deadline=None, max_examples=60)
PLACE = ["region", "town"]


def census(homes: int, seed: int, values: int = 3) -> pa.Table:
    """Households of one to four people in three regions with towns, some of whose names are in several regions."""
    random = np.random.default_rng(seed)
    rows = []
    for home in range(homes):
        region, town = str(random.choice(["north", "south", "islands"], p=[0.5, 0.4, 0.1])), int(random.integers(3))
        for _ in range(int(random.integers(1, 5))):
            person = {"age": int(random.integers(values)), "sex": str(random.choice(["f", "m"]))}
            rows.append({"home": home, "region": region, "town": f"town {town}", **person})
    random.shuffle(rows)
    return pa.Table.from_pylist(rows, schema=SCHEMA)


SCHEMA = pa.schema(
    {"home": pa.int64(), "region": pa.string(), "town": pa.string(), "age": pa.int64(), "sex": pa.string()}
)


class Counted:
    """All that the definition speaks of, by loops over rows."""

    def __init__(self, before: pa.Table, after: pa.Table, k: int, risk: list[str], similar: list[list[str]]) -> None:
        self.before: dict[Any, list[dict[str, Any]]] = defaultdict(list)
        self.place: dict[Any, tuple[str, ...]] = {}
        for old, new in zip(before.to_pylist(), after.to_pylist(), strict=True):
            home = old["home"]
            self.before[home].append(old)
            now = tuple(new[name] for name in PLACE)
            assert self.place.setdefault(home, now) == now, "members stay together"
        self.was = {home: tuple(rows[0][name] for name in PLACE) for home, rows in self.before.items()}
        people = before.to_pylist()
        self.level: dict[Any, int] = {}
        for home, rows in self.before.items():
            levels = [
                level
                for level in range(len(PLACE))
                for row in rows
                if sum(all(row[name] == other[name] for name in [*PLACE[: level + 1], *risk]) for other in people) < k
            ]
            if levels:
                self.level[home] = min(levels)
        self.similar = similar
        self.swapped = {home for home in self.was if self.was[home] != self.place[home]}

    def alike(self, one: Any, other: Any) -> bool:
        return any(
            Counter(tuple(row[name] for name in profile) for row in self.before[one])
            == Counter(tuple(row[name] for name in profile) for row in self.before[other])
            for profile in self.similar
        )

    def could(self, one: Any, other: Any, level: int) -> bool:
        return (
            self.was[one][:level] == self.was[other][:level]
            and self.was[one][level] != self.was[other][level]
            and self.alike(one, other)
        )


@SOME
@given(
    homes=st.integers(1, 40),
    seed=st.integers(0, 999),
    k=st.integers(1, 4),
    rate=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    similar=st.sampled_from([[[]], [["sex"], []], [["age", "sex"], ["sex"]], [["age"]]]),
)
def test_it_is_what_is_defined(homes: int, seed: int, k: int, rate: float, similar: list[list[str]]) -> None:
    table = census(homes, seed)
    asked = RecordSwap(k=k, risk=["age", "sex"], similar=similar, rate=rate, household="home")
    made = asked.apply(table, PLACE, np.random.default_rng(seed))
    assert made.drop(PLACE).equals(table.drop(PLACE))
    found = Counted(table, made, k, ["age", "sex"], similar)
    # Places are exchanged in pairs of similar households: people and households of each size stay where they were.
    sizes = {home: len(rows) for home, rows in found.before.items()}
    assert Counter((found.was[home], sizes[home]) for home in sizes) == Counter(
        (found.place[home], sizes[home]) for home in sizes
    )
    for home in found.swapped:
        assert any(found.place[home] == found.was[other] and found.alike(home, other) for other in found.swapped)
    left = [home for home, at in found.level.items() if found.was[home][: at + 1] == found.place[home][: at + 1]]
    still = set(found.was) - found.swapped
    for home, level in found.level.items():
        if home in found.swapped and home not in left:
            # It did not go farther than it had to.
            assert found.was[home][:level] == found.place[home][:level] or any(
                found.level.get(other, 9) < level for other in found.swapped if found.place[home] == found.was[other]
            )
        elif home in still:
            assert not any(found.could(home, other, level) for other in still)
    counts = asked.counts(table, made, PLACE)
    assert counts == {
        "households": homes,
        "swapped": len(found.swapped),
        "at_risk": len(found.level),
        "without_donor": len(left),
    }
    for town, there in Counter(found.was.values()).items():
        own = [home for home in found.was if found.was[home] == town]
        short = sum(home in found.swapped for home in own) < int(rate * there + 1e-9)
        finest = len(PLACE) - 1
        if short:
            assert not any(found.could(home, other, finest) for home in own if home in still for other in still)


def test_with_many_alike_all_at_risk_are_swapped_and_the_share_is_reached() -> None:
    table = census(2_000, seed=1, values=40)
    asked = RecordSwap(k=3, risk="age", rate=0.2, household="home")
    counts = asked.counts(table, asked.apply(table, PLACE, np.random.default_rng(1)), PLACE)
    assert counts["at_risk"] > 30 and counts["without_donor"] == 0
    assert counts["swapped"] >= counts["at_risk"]


def test_every_similar_household_is_as_likely_to_be_the_partner() -> None:
    # One household at risk in a, five like it in b.
    table = pa.table({"town": ["a"] + ["b"] * 5, "age": [9] + [1] * 5})
    partners = Counter(
        az.perturb.record_swap(table, "town", risk="age", k=2, seed=seed)["town"].to_pylist().index("a", 1)
        for seed in range(2_000)
    )
    # 400 each, give or take five deviations of a binomial count.
    assert set(partners) == {1, 2, 3, 4, 5} and all(abs(count - 400) < 90 for count in partners.values())


def test_who_is_at_risk_in_a_region_leaves_it_and_who_is_only_in_a_town_stays_in_the_region() -> None:
    table = pa.table({
        "region": ["n", "n", "n", "n", "s", "s"],
        "town": ["1", "1", "2", "2", "1", "2"],
        "age": [7, 5, 5, 4, 4, 4],
    })  # fmt: skip
    made = az.perturb.record_swap(table, PLACE, risk="age", k=2, seed=1).to_pylist()
    # 7 is alone in its region and in the country. 5 is alone in each town, and not in the region.
    assert made[0]["region"] == "s"
    assert {made[1]["region"], made[2]["region"]} <= {"n", "s"}
    assert RecordSwap(risk="age", k=2).counts(table, table, PLACE) == {
        "households": 6, "swapped": 0, "at_risk": 6, "without_donor": 6,
    }  # fmt: skip


def test_a_column_that_goes_along_is_exchanged_and_is_no_level() -> None:
    table = pa.table({"town": ["a", "b", "b"], "postcode": ["1", "2", "3"], "age": [9, 1, 1]})
    made = az.perturb.record_swap(table, ["town", "postcode"], carry="postcode", risk="age", k=2, seed=1)
    pairs = {("a", "1"), ("b", "2"), ("b", "3")}
    assert set(zip(made["town"].to_pylist(), made["postcode"].to_pylist(), strict=True)) == pairs
    assert made["town"][0].as_py() == "b"
    for carry in (["town", "postcode"], ["age"]):
        with failing("operation.record-swap-carries", az.ParameterError):
            az.perturb.record_swap(table, ["town", "postcode"], carry=carry)


def test_strata_are_not_left() -> None:
    table = census(300, seed=4)
    made = az.perturb.record_swap(table, ["town"], risk="age", k=99, strata="region", household="home", seed=1)
    before, after = (Counter(zip(*each.select(PLACE).to_pydict().values(), strict=True)) for each in (table, made))
    assert before == after and not made.equals(table)


def test_missing_places_and_values_are_values_and_a_row_without_a_household_is_one() -> None:
    table = pa.table({"home": [None, None, 1], "town": [None, "a", "a"], "age": [None, 1, 1]})
    made = az.perturb.record_swap(table, "town", risk="age", k=2, household="home", seed=1)
    assert Counter(made["town"].to_pylist()) == Counter([None, "a", "a"])
    assert made["town"][0].as_py() == "a"


@pytest.mark.parametrize("rows", [0, 1])
def test_no_row_and_one_row_come_back(rows: int) -> None:
    table = census(3, seed=1).slice(0, rows)
    asked = {"risk": "age", "k": 9, "rate": 1.0, "household": "home", "seed": 1}
    assert az.perturb.record_swap(table, PLACE, **asked).equals(table)


def test_members_in_two_places_are_refused_and_so_is_a_column_twice() -> None:
    table = pa.table({"home": [1, 1], "town": ["a", "b"], "age": [1, 2]})
    with failing("operation.household-differs", az.DataError):
        az.perturb.record_swap(table, "town", risk="age", household="home")
    for role in ("risk", "similar"):
        with failing("operation.column-in-two-parameters", az.ParameterError):
            az.perturb.record_swap(table, "town", **{role: "town"})


def test_a_seed_repeats_it_and_kinds_of_frames_come_back() -> None:
    def made(seed: int, frame: Any) -> Any:
        return az.perturb.record_swap(frame, PLACE, risk="age", k=9, household="home", seed=seed)

    table = census(100, seed=2, values=30)
    assert made(1, table).equals(made(1, table)) and not made(1, table).equals(made(2, table))
    assert isinstance(made(1, pl.from_arrow(table)), pl.DataFrame)


def test_a_project_says_who_was_swapped_and_who_found_nobody(tmp_path: Path) -> None:
    table = census(80, seed=3, values=30)
    pyarrow.csv.write_csv(table, tmp_path / "census.csv")
    swap = {"name": "record-swap", "columns": PLACE, "risk": ["age"], "k": 3, "similar": [["sex", "age"], ["sex"]]}
    project = {
        "antifaz": 1,
        "source": {"path": "census.csv"},
        "attributes": {
            "home": {"role": "identifier"},
            "region": {"role": "quasi-identifier"},
            "town": {"role": "insensitive"},
            "age": {"role": "insensitive"},
            "sex": {"role": "quasi-identifier"},
        },
        "perturbation": [swap | {"household": "home", "rate": 0.1}],
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "local-suppression"},
        "seed": 1,
    }
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(project))
    evidence = actions.run(tmp_path / "project.yaml", ledger=False)
    (step,) = evidence["perturbation"]
    assert step["counts"]["at_risk"] >= step["counts"]["without_donor"] > 0
    assert step["parameters"]["similar"] == [["sex", "age"], ["sex"]]
    assert "note.households-not-swapped" in [note["code"] for note in evidence["messages"]["notes"]]
