"""k-map and δ-presence: classes beside the population they were drawn from."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import poisson

import antifaz as az
from antifaz.core.errors import CheckFailed, DataError, ParameterError, SchemaError
from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.privacy import DeltaPresence, KMap
from antifaz.privacy.population import estimated_size
from antifaz.releases.gate import model_as_data
from antifaz.releases.verifier.models import verify
from failing import failing
from unit.releases.verifier.test_models import counted


def beside(*pairs: tuple[int, int], absent: int = 0) -> ClassTable:
    """Return a class table from records and people per class."""
    sizes, people = (np.array(part, np.int64) for part in zip(*pairs, strict=True))
    return ClassTable(sizes=sizes, population=Population(sizes=people, absent=absent))


def k_map(k: int) -> KMap:
    return KMap(k, population="people.csv")


def presence(high: float, low: float = 0.0) -> DeltaPresence:
    return DeltaPresence(population="people.csv", low=low, high=high)


def test_a_record_may_be_as_many_as_look_like_it() -> None:
    found = beside((1, 5), (1, 4), (9, 9))
    assert k_map(5).passes(found).tolist() == [True, False, True]
    assert k_map(5).achieved(found) == 4
    verdict = k_map(10).judge(found)
    assert (verdict.holds, verdict.failing) == (False, 11)


def test_whoever_is_not_in_the_population_is_nobody() -> None:
    found = beside((3, 0), (2, 7))
    assert k_map(1).passes(found).tolist() == [False, True]
    assert k_map(1).achieved(found) == 0


def test_people_like_whom_nobody_is_in_the_data_do_not_matter_to_k_map() -> None:
    assert k_map(5).passes(beside((1, 5), absent=100)).tolist() == [True]


def check_estimate(k: int, fraction: float, significance: float) -> None:
    """The least size that a sample of k people, known not to be empty, reaches but rarely."""
    needed = estimated_size(k, fraction, significance)

    def tail(n: int) -> float:
        return float(poisson.sf(n - 1, k * fraction) / poisson.sf(0, k * fraction))

    assert tail(needed) <= significance * (1 + 1e-9)
    assert needed == 1 or tail(needed - 1) > significance * (1 - 1e-9)


@pytest.mark.parametrize("significance", [0.001, 0.01, 0.05, 0.3])
@pytest.mark.parametrize(("k", "fraction"), [(1, 0.01), (5, 0.0001), (5, 0.1), (5, 0.9), (50, 0.3), (1000, 0.5)])
def test_the_estimate_is_the_tail_of_a_truncated_poisson(k: int, fraction: float, significance: float) -> None:
    check_estimate(k, fraction, significance)


@pytest.mark.parametrize("k", [2000, 20_000])
def test_the_estimate_of_many_people(k: int) -> None:
    # The chance that nobody of a thousand is sampled is smaller than any number a computer has.
    check_estimate(k, 0.5, 0.01)


def test_the_estimate_is_looked_for_far_enough_beyond_the_mean() -> None:
    # Seven standard deviations and more of a draw whose mean is 50,000.
    check_estimate(100_000, 0.5, 1e-12)


def test_a_chance_too_small_to_be_written_is_rare_enough() -> None:
    # Two of one person: 1e-400 is less than any number a computer has, and so is the limit.
    assert estimated_size(1, 1e-200, 1e-200) == 2


@pytest.mark.parametrize(("k", "fraction"), [(5, 0.0001), (5, 0.1), (100, 0.5), (2000, 0.5), (20_000, 0.5)])
def test_the_verifier_asks_for_as_many_as_the_poisson_does(k: int, fraction: float) -> None:
    needed = int(poisson.isf(0.01 * poisson.sf(0, k * fraction), k * fraction)) + 1
    model = KMap(k, fraction=fraction)
    for size in (needed, needed - 1):
        (verdict,) = verify(counted({"a": size}), [model_as_data(model)])
        assert verdict.holds == (size >= needed)
        assert f"must have {needed} records" in verdict.note


def test_an_estimated_population_asks_for_larger_classes() -> None:
    # Half a person sampled on average of five: of a truncated draw 3 or more come in 3.6 %, 4 or more in 0.4 %.
    model = KMap(5, fraction=0.1)
    found = ClassTable(sizes=np.array([3, 4, 9], np.int64))
    assert model.passes(found).tolist() == [False, True, True]
    reached = model.achieved(found)
    assert estimated_size(reached, 0.1, 0.01) <= 3 < estimated_size(reached + 1, 0.1, 0.01)
    assert KMap(reached, fraction=0.1).judge(found).holds
    assert not KMap(reached + 1, fraction=0.1).judge(found).holds
    assert model.population_path is None


def test_presence_lies_between_two_bounds() -> None:
    found = beside((1, 4), (2, 4), (3, 4))
    assert presence(0.5).passes(found).tolist() == [True, True, False]
    assert presence(0.75, 0.5).passes(found).tolist() == [False, True, True]
    assert presence(0.5).achieved(found) == 0.75
    assert presence(0.75, 0.25).judge(found).holds


def test_people_who_are_surely_absent_break_a_lower_bound() -> None:
    found = beside((1, 4), (2, 4), absent=1)
    assert presence(0.5).passes(found).tolist() == [True, True]
    assert presence(0.5, 0.1).passes(found).tolist() == [False, False]


def test_whoever_is_not_in_the_population_is_surely_present() -> None:
    found = beside((1, 0), (1, 4))
    assert presence(1).passes(found).tolist() == [False, True]
    verdict = presence(1).judge(found)
    assert (verdict.holds, verdict.failing) == (False, 1)


def test_where_no_bound_would_do_nothing_is_achieved() -> None:
    # As in the other models and in the verifier: None, because infinity is no number for evidence or a message.
    verdict = presence(1).judge(beside((1, 0), (1, 4)))
    assert verdict.achieved is None
    json.dumps(verdict.as_dict(), allow_nan=False)


def test_a_share_is_the_decimal_that_was_written() -> None:
    for n in range(1, 100):
        assert presence(n / 100, n / 100).passes(beside((n, 100))).tolist() == [True]


def test_joined_classes() -> None:
    assert k_map(3).monotone_suppression
    assert k_map(3).monotone_generalization
    assert presence(0.5, 0.1).monotone_generalization
    assert not presence(0.5, 0.1).monotone_suppression
    assert presence(0.5).passes(beside((1, 4), (9, 9))).tolist() == [True, False]
    assert presence(0.5).passes(beside((10, 13))).tolist() == [False]


def test_a_population_is_needed_to_compare_with() -> None:
    for model in (k_map(3), presence(0.5)):
        with failing("model.population-needed", ParameterError, name=model.name):
            model.passes(ClassTable(sizes=np.array([3], np.int64)))


def test_a_table_without_records_holds() -> None:
    empty = ClassTable(sizes=np.zeros(0, np.int64), population=Population(sizes=np.zeros(0, np.int64), absent=0))
    for model in (k_map(3), KMap(3, fraction=0.1), presence(0.5, 0.1)):
        verdict = model.judge(empty)
        assert (verdict.holds, verdict.achieved, verdict.failing) == (True, None, 0)


def test_paths_are_the_projects_and_do_not_travel(tmp_path: Path) -> None:
    for model in (k_map(3), presence(0.5)):
        placed = model.placed(tmp_path)
        assert placed.population_path == str(tmp_path / "people.csv")
        assert placed.parameters()["population"] == "people.csv"
    estimated = KMap(3, fraction=0.1)
    assert estimated.placed(tmp_path) is estimated


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"k": 3}, "one of 'population', 'weight' and 'fraction'"),
        ({"k": 3, "population": "a.csv", "fraction": 0.1}, "one of 'population', 'weight' and 'fraction'"),
        ({"k": 0, "fraction": 0.1}, "k should be"),
        ({"k": 3, "fraction": 1}, "fraction should be"),
        ({"k": 3, "fraction": 0}, "fraction should be"),
        ({"k": 3, "fraction": 0.1, "significance": 0}, "significance should be"),
    ],
)
def test_a_bad_k_map_is_named_in_one_sentence(given: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        KMap(**given)
    assert str(caught.value).startswith("k-map: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"population": "a.csv", "low": 0.6, "high": 0.5}, "'low' at most 'high'"),
        ({"population": "a.csv", "high": 1.5}, "high should be"),
        ({"high": 0.5}, "'population' is needed"),
        ({"population": "a.csv"}, "'high' is needed"),
    ],
)
def test_a_bad_presence_is_named_in_one_sentence(given: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        DeltaPresence(**given)
    assert str(caught.value).startswith("delta-presence: ")
    assert words in str(caught.value)


def test_a_class_stands_for_one_of_the_population_where_it_has_one() -> None:
    assert presence(1.0).passes(beside((1, 1), (1, 0))).tolist() == [True, False]


def test_with_a_least_share_all_classes_stay_or_none() -> None:
    kept = np.ones(3, np.bool_)
    found = beside((1, 4), (2, 4), (3, 4))
    # Without a least share, those beyond the largest go; what was gone stays gone.
    assert presence(0.5).keep(found, kept).tolist() == [True, True, False]
    assert presence(0.5).keep(found, np.array([False, True, True])).tolist() == [False, True, False]
    # With one, whoever is left out is known not to be in the data.
    assert presence(0.5, 0.1).keep(found, kept).tolist() == [False, False, False]
    assert presence(0.75, 0.25).keep(found, kept).tolist() == [True, True, True]
    assert presence(0.75, 0.25).keep(found, np.array([True, True, False])).tolist() == [False, False, False]


@pytest.mark.parametrize("smallest", [3, 8, 9, 12, 15])
def test_what_an_estimate_achieves_is_the_largest_k_that_its_smallest_class_allows(smallest: int) -> None:
    sizes = ClassTable(sizes=np.array([40, smallest, 30], np.int64))
    for fraction in (0.01, 0.3, 0.9):
        found = KMap(1, fraction=fraction).achieved(sizes)
        assert found == max([0, *(k for k in range(1, 2000) if estimated_size(k, fraction, 0.01) <= smallest)])
        assert not KMap(found + 1, fraction=fraction).passes(sizes).all()
    # A class of one record hardly stands for anybody where nearly all were sampled.
    assert KMap(1, fraction=0.9).achieved(ClassTable(sizes=np.array([1], np.int64))) == 0


def test_what_is_not_said_is_the_usual() -> None:
    assert KMap(2, fraction=0.5).significance == 0.01
    assert KMap(2, fraction=0.5, significance=0.9).significance == 0.9
    for bad in (0, 1):
        with failing("declared.parameter-wrong", ParameterError, where="significance"):
            KMap(2, fraction=0.5, significance=bad)
    with failing("declared.parameter-wrong", ParameterError, where="low", what="less than or equal to 1"):
        presence(1.0, 1.5)
    model = DeltaPresence(population="people.csv", high=0.5)
    assert (model.low, model.whole_table, model.monotone_generalization) == (0.0, True, True)


def test_an_estimate_goes_no_further_than_ten_thousand() -> None:
    assert KMap(1, fraction=0.5).achieved(ClassTable(sizes=np.array([10**6], np.int64))) == 10_000


# -- by weights


def weighed(*classes: dict[str | None, int]) -> ClassTable:
    """Return a class table from, per class, how many records have each weight."""
    labels = tuple(dict.fromkeys(label for found in classes for label in found))
    cells = [(labels.index(label), count) for found in classes for label, count in found.items()]
    totals = np.zeros(len(labels), np.int64)
    for value, count in cells:
        totals[value] += count
    table = SensitiveTable(
        offsets=np.cumsum([0, *map(len, classes)]).astype(np.int64),
        values=np.array([value for value, _ in cells], np.int32),
        counts=np.array([count for _, count in cells], np.int64),
        totals=totals,
        labels=labels,
    )
    return ClassTable(sizes=np.array([sum(found.values()) for found in classes], np.int64), sensitive={"w": table})


def test_the_weights_of_a_class_are_people() -> None:
    found = weighed({"10": 2, "2.5": 1}, {"22": 1}, {"0.1": 10})
    assert KMap(22, weight="w").passes(found).tolist() == [True, True, False]
    assert KMap(23, weight="w").passes(found).tolist() == [False, False, False]
    # Ten records are ten people, whatever they weigh.
    assert KMap(10, weight="w").passes(found).tolist() == [True, True, True]
    assert KMap(5, weight="w").achieved(found) == 10
    assert KMap(5, weight="w").sensitive() == ("w",)


def test_sums_of_decimal_weights_are_exact() -> None:
    # In binary, ten times 0.1 and nine times 3.3 are not what they are.
    assert KMap(31, weight="w").passes(weighed({"0.1": 10, "3.3": 9, "0.3": 1})).tolist() == [True]
    assert KMap(31, weight="w").passes(weighed({"0.1": 10, "3.3": 9, "0.29": 1})).tolist() == [False]


@pytest.mark.parametrize("label", [None, "heavy", "0", "-1", "nan", "inf", "1e6", "1e400"])
def test_what_is_no_weight_is_refused_without_a_word_on_it(label: str | None) -> None:
    with failing("model.weights-not-positive", DataError, column="w", bad=2):
        KMap(5, weight="w").passes(weighed({"1": 3, label: 2}))


SURVEY = pa.table(
    {
        "area": ["a", "a", "b", "b", "c", "c"],
        "sex": ["m", "f", "m", "m", "f", "f"],
        "w": [30.5, 20.0, 10.0, 15.25, 4.0, 6.0],
        "home": [1, 1, 2, 2, 3, 3],
    }
)
ROLES = {"area": "quasi-identifier", "sex": "quasi-identifier", "w": "insensitive", "home": "identifier"}
TREES = {"area": az.hierarchy.flat(), "sex": az.hierarchy.flat()}


@pytest.mark.parametrize(("k", "holds", "fail"), [(10, True, 0), (11, False, 2), (26, False, 5)])
def test_the_verifier_adds_the_weights_up_from_the_rows(k: int, holds: bool, fail: int) -> None:
    # By hand: a/m 30.5, a/f 20, b/m 25.25, c/f 10.
    (verdict,) = az.verify(SURVEY, ["area", "sex"], KMap(k, weight="w"))
    assert (verdict.holds, verdict.failing, verdict.achieved) == (holds, fail, 10)


@pytest.mark.parametrize(("k", "levels", "reached"), [(10, {"area": 0, "sex": 0}, 10), (25, {"area": 1, "sex": 0}, 30)])
def test_a_release_stands_for_k_people_in_every_class(k: int, levels: dict[str, int], reached: int) -> None:
    release = az.anonymize(SURVEY, roles=ROLES, hierarchies=TREES, privacy=KMap(k, weight="w"), seed=1)
    assert release.evidence["method"]["levels"] == levels
    assert release.evidence["privacy"][0]["achieved"] == reached
    assert az.verify(release.frame, ["area", "sex"], KMap(k, weight="w"))[0].holds


@pytest.mark.parametrize(
    "method",
    [
        az.FullDomain(suppression=0.2),
        az.Mondrian(),
        az.KMembers(),
        az.LocalSuppression(),
        az.Specialization(),
        az.Hilbert(),
    ],
)
def test_any_method_can_be_asked(method: az.Method) -> None:
    people = az.datasets.people(300, seed=4).select(["age", "sex", "education"])
    weights = np.round(np.random.default_rng(1).lognormal(3, 0.7, 300), 2)
    table = people.append_column("w", pa.array(weights))
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "education": "quasi-identifier", "w": "insensitive"}
    trees = {"age": az.hierarchy.intervals(10, 20, 40), "sex": az.hierarchy.flat(), "education": az.hierarchy.flat()}
    released = az.anonymize(
        table, roles=roles, hierarchies=trees, privacy=KMap(120, weight="w"), method=method, seed=1
    ).frame.to_pylist()
    people_of: dict[tuple[object, ...], Fraction] = {}
    for row in released:
        key = (row["age"], row["sex"], row["education"])
        people_of[key] = people_of.get(key, Fraction(0)) + Fraction(str(row["w"]))
    assert min(people_of.values()) >= 120
    assert len(people_of) > 1


@pytest.mark.parametrize("role", ["identifier", "quasi-identifier"])
def test_weights_that_are_not_released_can_not_be_counted_there(role: str) -> None:
    with failing("plan.counted-column-not-released", SchemaError, name="w"):
        trees = TREES | {"w": az.hierarchy.flat()}
        az.anonymize(SURVEY, roles=ROLES | {"w": role}, hierarchies=trees, privacy=KMap(5, weight="w"))
    with failing("column.unknown", SchemaError):
        az.anonymize(SURVEY, roles=ROLES, hierarchies=TREES, privacy=KMap(5, weight="v"))


@pytest.mark.parametrize("label", [None, "heavy", "0", "-3", "1e9"])
def test_the_verifier_refuses_what_is_no_weight(label: str | None) -> None:
    with failing("verifier.weights-not-positive", CheckFailed, name="s"):
        verify(counted({"5": 1, label: 1}), [model_as_data(KMap(2, weight="s"))])
    with failing("verifier.not-counted-sensitive", SchemaError, name="w"):
        verify(counted({"5": 1}), [model_as_data(KMap(2, weight="w"))])
