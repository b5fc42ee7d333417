"""Strata and households: no value leaves its stratum, and members of a household change together."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest
import yaml

import antifaz as az
from antifaz.methods.operations.perturb import Pram, RankSwap
from antifaz.projects import actions
from failing import failing

#: Per operation: what it is called with, beside columns and seed, and whether it changes numbers or categories.
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "rank_swap": ({"p": 0.4}, "rent"),
    "rank_swap_blocks": ({"p": 0.3}, "rent"),
    "shuffle": ({}, "rent"),
    "microaggregate": ({"k": 3}, "rent"),
    "pram": ({"keep": 0.3}, "tenure"),
}
#: Noise makes new values, so that these are of no stratum.
NOISE: dict[str, tuple[dict[str, Any], str]] = {
    "additive_noise": ({"p": 0.2}, "rent"),
    "correlated_noise": ({"p": 0.2}, "rent"),
    "multiplicative_noise": ({"p": 0.2, "low": 0}, "rent"),
}


def survey(households: int = 120, seed: int = 3) -> pa.Table:
    """Households of one to five people in three regions; rent and tenure are those of the household."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 6, households)
    of = np.repeat(np.arange(households), sizes)
    random.shuffle(of)
    region = random.choice(REGIONS, households)
    # Rents of regions do not overlap, so a value tells where it is from.
    rent = random.lognormal(6, 0.5, households) + 100_000 * np.unique(region, return_inverse=True)[1]
    tenure = np.char.add(region, random.choice([" owner", " tenant", " free"], households))
    return pa.table(
        {
            "home": of,
            "region": region[of],
            "rent": rent[of],
            "tenure": tenure[of],
            "age": random.integers(0, 90, of.size),
        }
    )


REGIONS = ("north", "south", "est")


def of_region(table: pa.Table, region: str) -> pa.Table:
    return table.filter(pc.field("region") == region)


def band(value: Any) -> Any:
    """What of a value tells its region."""
    return value if isinstance(value, str) else value // 100_000


def once(table: pa.Table) -> pa.Table:
    """One row of every household, the first."""
    first = np.unique(table["home"].to_numpy(), return_index=True)[1]
    return table.take(pa.array(first))


@pytest.mark.parametrize("name", CALLS)
def test_no_value_leaves_its_stratum(name: str) -> None:
    parameters, column = CALLS[name]
    table = survey()
    made = getattr(az.perturb, name)(table, column, strata="region", seed=1, **parameters)
    assert not made[column].equals(table[column])
    assert made.drop([column]).equals(table.drop([column]))
    for region in REGIONS:
        before, after = (set(map(band, of_region(each, region)[column].to_pylist())) for each in (table, made))
        assert after <= before


def test_strata_are_microaggregated_as_if_they_were_tables_of_their_own() -> None:
    table = survey()
    made = az.perturb.microaggregate(table, ["rent", "age"], k=4, strata=["region"])
    for region in REGIONS:
        alone = az.perturb.microaggregate(of_region(table, region), ["rent", "age"], k=4)
        assert of_region(made, region).equals(alone)


@pytest.mark.parametrize("name", CALLS | NOISE)
@pytest.mark.parametrize("strata", [(), ("region",)])
def test_members_of_a_household_get_the_same(name: str, strata: tuple[str, ...]) -> None:
    parameters, column = (CALLS | NOISE)[name]
    table = survey()
    made = getattr(az.perturb, name)(table, column, strata=strata, household="home", seed=1, **parameters)
    values: dict[int, set[Any]] = {}
    for home, value in zip(table["home"].to_pylist(), made[column].to_pylist(), strict=True):
        values.setdefault(home, set()).add(value)
    assert max(map(len, values.values())) == 1
    assert not made[column].equals(table[column])
    assert made.drop([column]).equals(table.drop([column]))


@pytest.mark.parametrize("name", ["rank_swap", "rank_swap_blocks", "shuffle"])
def test_households_swap_with_households(name: str) -> None:
    parameters, column = CALLS[name]
    table = survey()
    made = getattr(az.perturb, name)(table, column, household="home", seed=1, **parameters)
    assert Counter(once(made)[column].to_pylist()) == Counter(once(table)[column].to_pylist())


def test_noise_is_in_proportion_to_the_spread_of_its_stratum() -> None:
    table = survey(3_000)
    same = pc.if_else(pc.equal(table["region"], "est"), 7.0, table["rent"])
    table = table.set_column(2, "rent", same)
    made = once(az.perturb.additive_noise(table, "rent", p=0.5, strata="region", household="home", seed=1))
    for region in REGIONS:
        before, after = (of_region(each, region)["rent"].to_numpy() for each in (once(table), made))
        # A stratum without spread has no noise; of a thousand households a deviation is known to a twentieth.
        assert (after - before).std() == pytest.approx(0.5 * before.std(), rel=0.1)


def test_a_household_s_noise_does_not_average_out() -> None:
    # With noise of their own, twenty members would give the rent away to a twentieth of the deviation.
    homes, random = np.repeat(np.arange(300), 20), np.random.default_rng(1)
    rent = random.normal(500, 100, 300)
    table = pa.table({"home": homes, "rent": rent[homes]})
    for name in ("additive_noise", "correlated_noise"):
        made = getattr(az.perturb, name)(table, "rent", p=1, household="home", seed=1)["rent"].to_numpy()
        assert (made.reshape(300, 20).mean(axis=1) - rent).std() == pytest.approx(100, rel=0.15)


def test_restored_households_have_their_moments_by_household() -> None:
    table = survey()
    made = az.perturb.correlated_noise(table, ["rent"], p=0.5, restore=True, household="home", seed=1)
    before, after = (once(each)["rent"].to_numpy() for each in (table, made))
    assert after.mean() == pytest.approx(before.mean(), rel=1e-9)
    assert after.std(ddof=1) == pytest.approx(before.std(ddof=1), rel=1e-9)


def test_k_counts_households() -> None:
    made = once(az.perturb.microaggregate(survey(), "rent", k=5, household="home"))
    assert min(Counter(made["rent"].to_pylist()).values()) >= 5
    alone = az.perturb.microaggregate(once(survey()), "rent", k=5)
    assert made["rent"].to_pylist() == pytest.approx(alone["rent"].to_pylist())


def test_a_row_without_a_household_is_one_of_its_own() -> None:
    table = pa.table({"home": [None, None, 1, 1, None], "rent": [1.0, 2.0, 3.0, 3.0, 4.0]})
    made = az.perturb.rank_swap_blocks(table, "rent", p=1, household="home", seed=4)
    assert made["rent"][2].as_py() == made["rent"][3].as_py()
    others = [value for at, value in enumerate(made["rent"].to_pylist()) if at != 3]
    assert sorted(others) == [1.0, 2.0, 3.0, 4.0]


def test_members_that_differ_are_refused_without_a_word_on_their_values() -> None:
    with failing("operation.household-differs", az.DataError) as caught:
        az.perturb.rank_swap(survey(), "age", household="home")
    assert "members differ in column 'age'" in str(caught.value)
    moved = survey().append_column("block", pa.array(range(survey().num_rows)))
    with failing("operation.household-differs", az.DataError):
        az.perturb.rank_swap(moved, "rent", strata="block", household="home")


@pytest.mark.parametrize("parameter", ["strata", "household"])
def test_what_is_changed_is_neither_stratum_nor_household(parameter: str) -> None:
    with failing("operation.column-in-two-parameters", az.ParameterError):
        az.perturb.rank_swap(survey(), "rent", **{parameter: "rent"})
    with failing("column.unknown", az.SchemaError):
        az.perturb.rank_swap(survey(), "rent", **{parameter: "homes"})


def test_k_above_the_records_of_a_stratum_is_refused() -> None:
    table = pa.table({"region": ["a"] * 5 + ["b"] * 2, "rent": [1.0, 2, 3, 4, 5, 6, 7]})
    with failing("operation.k-above-records", az.ParameterError):
        az.perturb.microaggregate(table, "rent", k=3, strata="region")


def test_a_missing_stratum_is_a_stratum_and_one_row_stays() -> None:
    table = pa.table({"region": ["a", None, None, "b"], "rent": [1, 2, 3, 4]})
    made = az.perturb.rank_swap(table, "rent", p=1, strata="region", seed=1)
    assert made["rent"].to_pylist() == [1, 3, 2, 4]


@pytest.mark.parametrize("empty", [survey().slice(0, 0), survey().slice(0, 1)])
def test_no_row_and_one_row_come_back(empty: pa.Table) -> None:
    assert az.perturb.rank_swap(empty, "rent", strata="region", household="home").equals(empty)
    assert az.perturb.pram(empty, "tenure", strata="region", household="home").equals(empty)


def test_any_kind_of_frame_goes_in_and_comes_out() -> None:
    for frame in (survey().to_pandas(), pl.from_arrow(survey())):
        made = az.perturb.microaggregate(frame, "rent", k=3, strata="region", household="home")
        assert isinstance(made, type(frame))
    whole = pd.DataFrame({"home": [1, 1, 2, 3], "rooms": pd.Series([1, 1, 2, 4], dtype="Int64")})
    assert az.perturb.microaggregate(whole, "rooms", k=3, household="home")["rooms"].tolist() == pytest.approx(
        [7 / 3] * 4
    )


def test_a_seed_repeats_it_and_another_does_not() -> None:
    def made(seed: int) -> pa.Table:
        return az.perturb.rank_swap(survey(), "rent", strata="region", household="home", seed=seed)

    assert made(1).equals(made(1))
    assert not made(1).equals(made(2))


def test_evidence_names_strata_and_household() -> None:
    told = RankSwap(p=0.1, strata="region", household="home").evidence()
    assert (told["strata"], told["household"]) == (["region"], "home")
    assert "household" not in Pram(keep=0.5).evidence()


def test_a_project_swaps_households_within_regions(tmp_path: Any) -> None:
    pa.csv.write_csv(survey(), tmp_path / "survey.csv")
    project = {
        "antifaz": 1,
        "source": {"path": "survey.csv"},
        "attributes": {
            "home": {"role": "identifier"},
            "region": {"role": "quasi-identifier"},
            "rent": {"role": "sensitive"},
            "tenure": {"role": "insensitive"},
            "age": {"role": "insensitive", "operation": {"name": "rank-swap", "p": 0.2, "strata": ["region"]}},
        },
        "perturbation": [{"name": "rank-swap", "columns": ["rent"], "p": 0.3, "strata": "region", "household": "home"}],
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "local-suppression"},
        "seed": 1,
    }
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(project))
    evidence = actions.run(tmp_path / "project.yaml", ledger=False)
    released = pa.csv.read_csv(tmp_path / "out" / evidence["released"]["file"])
    for region in REGIONS:
        # Every rent is still there, though a household of another size may have it now.
        before, after = (of_region(each, region)["rent"].to_pylist() for each in (survey(), released))
        assert set(np.round(after, 6)) == set(np.round(before, 6))


def test_the_matrix_of_pram_is_that_of_households() -> None:
    homes = [1, 1, 1, 1, 2, 3, 4]
    table = pa.table({"home": homes, "tenure": ["owner"] * 4 + ["tenant", "tenant", "free"]})
    told = az.perturb.pram_matrix(table, "tenure", keep=0.5, household="home")
    # One household of four owns, two rent, one pays nothing: a quarter, a half, a quarter.
    assert told["tenure"]["owner"] == pytest.approx({"owner": 0.625, "tenant": 0.25, "free": 0.125})
