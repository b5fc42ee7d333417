"""What a hardened run asks of its method: larger classes by a margin, and nothing about sensitive values."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from antifaz.privacy import (
    AlphaK,
    AverageRisk,
    BetaLikeness,
    HighestRisk,
    KAnonymity,
    KMap,
    LDiversity,
    PrivacyModel,
    TCloseness,
)
from antifaz.privacy.hardening import draw_margin, margins, without_sensitive


def test_margins_go_from_one_to_as_many_records_as_are_needed() -> None:
    assert margins([KAnonymity(5)]) == range(1, 6)
    assert margins([KAnonymity(3), LDiversity(4, attribute="illness")]) == range(1, 5)


def test_a_class_of_one_hides_nobody_so_two_are_the_least() -> None:
    assert margins([TCloseness(0.2)]) == range(1, 3)
    assert margins([KAnonymity(1)]) == range(1, 3)
    assert without_sensitive([TCloseness(0.2)], 1) == (KAnonymity(3),)


def test_every_margin_is_drawn_and_about_as_often_as_the_others() -> None:
    random = np.random.default_rng(4)
    drawn = Counter(draw_margin([KAnonymity(5)], random) for _ in range(1_000))
    assert set(drawn) == {1, 2, 3, 4, 5}
    assert min(drawn.values()) > 150


def test_a_method_is_asked_for_larger_classes_and_not_for_sensitive_values() -> None:
    models = [AlphaK(alpha=0.1, k=4, attribute="illness"), KAnonymity(5), HighestRisk(0.25)]
    assert without_sensitive(models, 3) == (KAnonymity(13), HighestRisk(0.25))
    assert without_sensitive([KAnonymity(k=5, blanks="match")], 2) == (KAnonymity(k=7, blanks="match"),)
    assert without_sensitive([LDiversity(3, attribute="illness"), AverageRisk(0.2)], 1) == (
        KAnonymity(4),
        AverageRisk(0.2),
    )


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (KAnonymity(7), 7),
        (LDiversity(3), 3),
        (LDiversity(l=2.5, kind="entropy"), 3),
        (AlphaK(alpha=0.1, k=4), 10),
        (AlphaK(alpha=0.3, k=2), 4),
        (AlphaK(alpha=0.5, k=4), 4),
        # One over the number nearest to 1/49 is more than 49.
        (AlphaK(alpha=1 / 49, k=1), 49),
        (HighestRisk(1 / 49), 49),
        (HighestRisk(0.1), 10),
        (HighestRisk(0.3), 4),
        (KMap(k=5, fraction=0.1), 1),
        (BetaLikeness(1.0), 1),
        (AverageRisk(0.2), 1),
    ],
)
def test_the_least_class_that_can_pass_follows_from_the_parameters(model: PrivacyModel, least: int) -> None:
    assert model.least == least
