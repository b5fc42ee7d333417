"""Check 4: what those conclude of illnesses who know the method, by trying it on every table there could have been.

See docs/theory/knowing-the-method.md for the attack worked out on the six people, and for the figures found here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import antifaz as az
from antifaz.methods import METHODS
from antifaz.releases.attack_findings import PROMISED
from checks.knowing import SIX, SIX_ROWS, TREE, TWELVE, People, beliefs, gain, seeds_of, surest

HALF = Fraction(1, 2)
AT_MOST_HALF = [az.AlphaK(alpha=0.5, k=2, attribute="illness")]

SIGHTED = {
    "full-domain": az.FullDomain(),
    "datafly": az.Datafly(),
    "bottom-up": az.BottomUp(),
    "specialization": az.Specialization(),
    "mondrian": az.Mondrian(),
    "k-members": az.KMembers(starts=2),
    "l-greedy": az.LGreedy(),
    "hilbert": az.Hilbert(),
    "one-pass": az.OnePass(),
}
#: Those that release people alike who look alike.
TOGETHER = ("full-domain", "datafly", "bottom-up", "specialization", "mondrian")


@pytest.mark.parametrize("name", ["full-domain", "datafly"])
def test_check_04_levels_that_follow_from_what_is_known_tell_nothing_more(name: str) -> None:
    # With k alone the method does not look at illnesses, so knowing it adds nothing, whatever was released.
    for k in (2, 6):
        found, _ = beliefs(SIX, SIGHTED[name], az.KAnonymity(k))
        assert gain(SIX, found) == 0


@pytest.mark.parametrize("name", SIGHTED)
def test_check_04_the_figure_that_a_run_prints_is_that_of_every_table_of_six_people(name: str) -> None:
    found, often = beliefs(SIX, SIGHTED[name], AT_MOST_HALF)
    # Both of the north have the flu, and the release can only have come about because of that.
    assert surest(SIX, found) == Fraction(METHODS[name].surest_of_six or 0, 100)
    assert often == 1
    assert Fraction(PROMISED, 100) == HALF


def test_check_04_every_method_that_takes_such_models_has_its_figure() -> None:
    # Two work on numbers only, or blank single cells, and print that nothing was measured. Auto takes another one.
    without = {method.name for method in METHODS if method.surest_of_six is None}
    assert without == {"auto", "mdav", "local-suppression"}


def test_check_04_no_method_has_a_figure_that_was_not_found_here() -> None:
    # Of a method of somebody else's without a figure, a run prints that nothing was measured.
    assert {method.name for method in METHODS if method.surest_of_six is not None} == set(SIGHTED)


def test_check_04_minimality_on_six_people_is_two_thirds_more_than_counting_tells() -> None:
    found, _ = beliefs(SIX, az.FullDomain(), AT_MOST_HALF)
    assert gain(SIX, found) == Fraction(2, 3)


def test_check_04_a_margin_of_the_models_alone_is_not_enough() -> None:
    # Why hardened runs don't ask for a smaller α instead: for the six people 0.4 would do, for these eight it doesn't.
    eight = People((("north", 3), ("south", 5)), (2,), TREE)
    stricter = [az.AlphaK(alpha=0.4, k=2, attribute="illness")]
    assert surest(SIX, beliefs(SIX, az.FullDomain(), stricter)[0]) <= HALF
    assert surest(eight, beliefs(eight, az.FullDomain(), stricter)[0]) == Fraction(2, 3)


@pytest.mark.parametrize("name", TOGETHER)
def test_check_04_hardened_knowing_the_method_adds_nothing(name: str) -> None:
    method, seeds = SIGHTED[name], seeds_of(AT_MOST_HALF)
    found, _ = beliefs(SIX, method, AT_MOST_HALF, seeds, hardened=True)
    assert (gain(SIX, found), surest(SIX, found)) == (0, Fraction(1, 3))
    # Of twelve people the north is large enough to be released by itself.
    found, often = beliefs(TWELVE, method, AT_MOST_HALF, seeds, hardened=True)
    assert (gain(TWELVE, found), surest(TWELVE, found)) == (0, HALF)
    assert often > Fraction(9, 10)
    assert surest(TWELVE, beliefs(TWELVE, method, AT_MOST_HALF)[0]) == Fraction(3, 4)


@pytest.mark.parametrize("name", [name for name in SIGHTED if name not in TOGETHER])
def test_check_04_hardened_the_promise_holds_where_people_who_look_alike_are_parted(name: str) -> None:
    found, often = beliefs(SIX_ROWS, SIGHTED[name], AT_MOST_HALF, seeds_of(AT_MOST_HALF), hardened=True)
    assert surest(SIX_ROWS, found) == Fraction(1, 3)
    assert often > HALF
    assert surest(TWELVE, beliefs(TWELVE, SIGHTED[name], AT_MOST_HALF)[0]) == Fraction(3, 4)


MODELS = {
    "distinct": az.LDiversity(2, attribute="illness"),
    "entropy": az.LDiversity(1.6, kind="entropy", attribute="illness"),
    "recursive": az.LDiversity(2, kind="recursive", c=2, attribute="illness"),
    "t-closeness": az.TCloseness(0.3, attribute="illness"),
    "beta-likeness": az.BetaLikeness(0.5, attribute="illness"),
    "delta-disclosure": az.DeltaDisclosure(1, attribute="illness"),
}


@pytest.mark.parametrize("name", MODELS)
def test_check_04_hardened_knowing_the_method_adds_nothing_under_any_model(name: str) -> None:
    # Two illnesses that share all twelve, so that every model has something to say; k is 2.
    people = People(TWELVE.places, (5, 7), TREE)
    models = [az.KAnonymity(2), MODELS[name]]
    found, often = beliefs(people, az.FullDomain(), models, seeds_of(models), hardened=True)
    assert found
    assert gain(people, found) == 0
    sighted, _ = beliefs(people, az.FullDomain(), models)
    assert gain(people, sighted) > 0, "this attack would not have been one"
    assert often > Fraction(1, 10)


def traced(method: Any, illnesses: list[str], **more: Any) -> dict[str, tuple[Any, ...]]:
    """Who is released with which labels, by a column of their own that nothing looks at."""
    import pyarrow as pa

    rows = range(len(illnesses))
    table = pa.table(
        {
            "age": [20 + 7 * i % 10 for i in rows],
            "size": [150 + 10 * (i % 3) for i in rows],
            "illness": illnesses,
            "who": [f"person {i}" for i in rows],
        }
    )
    qis = {"age": az.hierarchy.intervals(2, 4), "size": az.hierarchy.intervals(20)}
    release = az.anonymize(
        table,
        roles=dict.fromkeys(qis, "quasi-identifier") | {"illness": "sensitive", "who": "insensitive"},
        hierarchies={} if method.numbers_only else qis,
        # Any class has one value at least: nothing is refused, so all assignments can be compared.
        privacy=[az.KAnonymity(3), az.LDiversity(1, attribute="illness")],
        method=method,
        **more,
    )
    return {row["who"]: (row["age"], row["size"]) for row in release.frame.to_pylist()}


@pytest.mark.parametrize("name", [*SIGHTED, "mdav", "local-suppression"])
def test_check_04_hardened_who_is_in_which_class_does_not_depend_on_illnesses(name: str) -> None:
    # From this it follows for every table and every model that knowing the method adds nothing.
    method = (SIGHTED | {"mdav": az.Mdav(), "local-suppression": az.LocalSuppression()})[name]
    illnesses = ["flu"] * 10 + ["gout"] * 10 + ["cold"] * 10
    first = traced(method, illnesses, seed=1, hardened=True)
    for others in (illnesses[::-1], illnesses[::3] + illnesses[1::3] + illnesses[2::3]):
        assert traced(method, others, seed=1, hardened=True) == first
