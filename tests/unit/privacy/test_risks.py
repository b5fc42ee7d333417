"""Thresholds on risk: the highest, the average, and uniqueness in the sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError
from antifaz.privacy import AverageRisk, HighestRisk, PrivacyModel, SampleUniqueness
from antifaz.privacy.model import in_order
from failing import failing
from unit.privacy.test_k_anonymity import table


def kept(model: PrivacyModel, *sizes: int, of: list[bool] | None = None) -> list[bool]:
    """Return which classes stay where records may be left out."""
    so_far = np.ones(len(sizes), np.bool_) if of is None else np.array(of)
    return model.keep(table(*sizes), so_far).tolist()


def test_the_highest_risk_is_that_of_the_smallest_class() -> None:
    assert HighestRisk(0.25).passes(table(3, 4, 5)).tolist() == [False, True, True]
    assert HighestRisk(0.09).passes(table(11, 12)).tolist() == [False, True]
    assert HighestRisk(0.5).achieved(table(3, 4)) == 1 / 3
    for size in range(1, 200):
        assert HighestRisk(1 / size).passes(table(size, size + 1)).all()


def test_the_average_risk_is_classes_over_records() -> None:
    found = table(1, 2, 3)
    assert AverageRisk(threshold=0.5).achieved(found) == 0.5
    assert AverageRisk(threshold=0.5).passes(found).tolist() == [True] * 3
    verdict = AverageRisk(threshold=0.49).judge(found)
    assert (verdict.holds, verdict.failing) == (False, 6)  # a failing table fails as a whole


def test_uniqueness_is_the_share_of_classes_of_one() -> None:
    found = table(1, 1, 2, 6)
    assert SampleUniqueness(threshold=0.2).achieved(found) == 0.2
    assert SampleUniqueness(threshold=0.2).passes(found).all()
    assert SampleUniqueness(threshold=0.19).judge(found).failing == 10
    assert SampleUniqueness(threshold=0).passes(table(2, 2)).all()


def test_the_smallest_classes_go_until_the_average_is_low_enough() -> None:
    # 4 of 10, then 3 of 9, then 2 of 7: the last is below 0.3.
    assert kept(AverageRisk(threshold=0.3), 1, 2, 3, 4) == [False, False, True, True]
    assert kept(AverageRisk(threshold=0.4), 1, 2, 3, 4) == [True] * 4
    assert kept(AverageRisk(threshold=0.25), 4, 3, 2, 1) == [True, False, False, False]
    assert kept(AverageRisk(threshold=0.2), 1, 2, 3, 4) == [False] * 4


def test_classes_of_one_size_go_together() -> None:
    # Without one of the twos the average would do: (3)/(9). Which one would depend on their order.
    assert kept(AverageRisk(threshold=1 / 3), 2, 2, 2, 5) == [False, False, False, True]
    assert kept(SampleUniqueness(threshold=0.1), 1, 1, 9) == [False, False, True]
    assert kept(SampleUniqueness(threshold=0.2), 1, 1, 9) == [True, True, True]


def test_what_is_gone_already_does_not_count() -> None:
    assert kept(AverageRisk(threshold=0.3), 1, 2, 3, 4, of=[False, True, True, True]) == [False, False, True, True]
    assert kept(AverageRisk(threshold=0.34), 1, 2, 3, 4, of=[False, True, True, True]) == [False, True, True, True]
    assert kept(AverageRisk(threshold=0.3), 1, 4, of=[False, False]) == [False, False]
    assert kept(AverageRisk(threshold=0.5)) == []


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 20).map(lambda n: n / 20), st.booleans())
def test_what_stays_is_the_most_that_can(sizes: list[int], threshold: float, unique: bool) -> None:
    model = (SampleUniqueness if unique else AverageRisk)(threshold=threshold)

    def low(some: list[int]) -> bool:
        return bool(some) and (some.count(1) if unique else len(some)) / sum(some) <= threshold

    found = np.array(kept(model, *sizes))
    least = next((n for n in sorted(set(sizes)) if low([size for size in sizes if size >= n])), 99)
    assert found.tolist() == [size >= least for size in sizes]
    if found.any():
        assert model.passes(table(*(size for size, stays in zip(sizes, found, strict=True) if stays))).all()


def test_the_whole_table_is_judged_last() -> None:
    average, highest = AverageRisk(threshold=0.1), HighestRisk(0.1)
    assert average.whole_table
    assert not highest.whole_table
    assert in_order([average, highest]) == [highest, average]
    assert highest.monotone_suppression
    assert not average.monotone_suppression
    assert average.monotone_generalization


@pytest.mark.parametrize("model", [HighestRisk(0.1), AverageRisk(threshold=0.1), SampleUniqueness(threshold=0.1)])
def test_a_table_without_records_holds(model: PrivacyModel) -> None:
    verdict = model.judge(table())
    assert (verdict.holds, verdict.achieved, verdict.failing) == (True, None, 0)


@pytest.mark.parametrize("cls", [HighestRisk, AverageRisk, SampleUniqueness])
@pytest.mark.parametrize("given", [{"threshold": 1.1}, {"threshold": -0.1}, {"threshold": float("nan")}, {}])
def test_a_bad_parameter_is_named_in_one_sentence(cls: type[PrivacyModel], given: dict[str, object]) -> None:
    with failing(
        f"declared.parameter-{'wrong' if given else 'needed'}", ParameterError, name=cls.name, where="threshold"
    ):
        cls(**given)


def test_a_cut_never_goes_through_classes_of_one_size() -> None:
    # Without 1: 4/16. Without one or two of the 2s it would be 3/14 and 2/12, but all three go: 1/10.
    assert kept(AverageRisk(0.2), 2, 10, 1, 2, 2) == [False, True, False, False, False]
    assert kept(AverageRisk(0.25), 2, 10, 1, 2, 2) == [True, True, False, True, True]


def test_risks_are_at_most_one() -> None:
    assert HighestRisk(1).threshold == 1
    assert (AverageRisk(1).threshold, SampleUniqueness(0).threshold) == (1, 0)
    with failing("declared.parameter-wrong", ParameterError, what="less than or equal to 1"):
        HighestRisk(1.5)
    with failing("declared.parameter-wrong", ParameterError, what="less than or equal to 1"):
        AverageRisk(1.5)
    assert HighestRisk(0.5).monotone_generalization
    assert AverageRisk(0.5).monotone_generalization
    assert AverageRisk(0.5).whole_table
