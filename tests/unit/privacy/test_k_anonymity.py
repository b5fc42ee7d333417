"""k-anonymity, on tables that can be judged by eye."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable
from antifaz.privacy import KAnonymity
from failing import failing


def table(*sizes: int) -> ClassTable:
    return ClassTable(sizes=np.array(sizes, np.int64))


def test_a_class_passes_from_k_records_on() -> None:
    assert KAnonymity(3).passes(table(2, 3, 4, 1)).tolist() == [False, True, True, False]
    assert KAnonymity(1).passes(table(1, 1)).tolist() == [True, True]


def test_achieved_is_the_smallest_class() -> None:
    assert KAnonymity(3).achieved(table(7, 2, 5)) == 2
    assert KAnonymity(3).achieved(table()) is None


def test_the_verdict_counts_the_records_that_fail() -> None:
    verdict = KAnonymity(3).judge(table(2, 3, 1, 4))
    assert (verdict.holds, verdict.failing, verdict.achieved) == (False, 3, 1)
    assert verdict.as_dict() == {"model": "k-anonymity", "k": 3, "achieved": 1, "holds": False, "failing": 3}
    holding = KAnonymity(3).judge(table(3, 3))
    assert (holding.holds, holding.failing, holding.achieved) == (True, 0, 3)


def test_a_table_without_records_holds() -> None:
    verdict = KAnonymity(3).judge(table())
    assert (verdict.holds, verdict.failing, verdict.achieved) == (True, 0, None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"k": 0}, "k-anonymity: k should be greater than or equal to 1 (got 0)."),
        ({"k": -5}, "k-anonymity: k should be greater than or equal to 1 (got -5)."),
        ({"k": 2.5}, "k-anonymity: k should be a whole number (got 2.5)."),
        ({"k": "many"}, "k-anonymity: k should be a whole number (got 'many')."),
        ({}, "k-anonymity: 'k' is needed."),
        ({"k": 2, "kk": 3}, "k-anonymity: there is no parameter 'kk' (did you mean 'k'?)."),
    ],
)
def test_a_bad_parameter_is_named_in_one_sentence(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        KAnonymity(**given)
    assert str(caught.value) == said


def test_only_k_may_be_given_without_its_name() -> None:
    assert KAnonymity(5) == KAnonymity(k=5)
    for arguments, names in (((2, 3), {}), ((2,), {"k": 3})):
        with failing("declared.parameter-without-name", ParameterError, allowed="only 'k'"):
            KAnonymity(*arguments, **names)


def test_it_asks_for_no_sensitive_attribute() -> None:
    model = KAnonymity(5)
    assert (model.sensitive(), model.needs_sensitive, model.bound(())) == ((), False, model)
    assert model.bound(("disease",)) is model


def test_it_can_not_be_changed() -> None:
    model = KAnonymity(5)
    with pytest.raises(Exception, match="frozen"):
        model.k = 2
    assert model.k == 5


def test_only_where_blanks_match_are_the_values_of_classes_needed() -> None:
    assert KAnonymity(2, blanks="match").needs_values
    assert not KAnonymity(2).needs_values


def test_it_asks_for_nothing_more_than_sizes() -> None:
    model = KAnonymity(2)
    assert (model.needs_tree, model.needs_values, model.whole_table) == (False, False, False)
    assert (model.monotone_generalization, model.monotone_suppression) == (True, True)
    assert model.population_path is None
    assert model.placed(Path("anywhere")) is model


def test_of_the_classes_kept_so_far_those_stay_that_pass() -> None:
    kept = np.array([True, True, False, False])
    assert KAnonymity(3).keep(table(3, 2, 3, 2), kept).tolist() == [True, False, False, False]
