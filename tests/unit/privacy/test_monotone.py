"""What models promise about classes that are joined: tried, because the search prunes by it."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.counting.classes import ClassTable
from antifaz.privacy import KAnonymity, LDiversity, PrivacyModel
from oracles.counted import lattice_of

MODELS = [
    KAnonymity(4),
    LDiversity(2, attribute="s"),
    LDiversity(3, attribute="s"),
    LDiversity(2, kind="entropy", attribute="s"),
    LDiversity(1.7, kind="entropy", attribute="s"),
    LDiversity(2, kind="recursive", c=1, attribute="s"),
    LDiversity(3, kind="recursive", c=3, attribute="s"),
]
COUNTS = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5), min_size=1).map(Counter)


def judged(*classes: Counter[str]) -> list[ClassTable]:
    """Return the classes side by side, and all of them as one."""
    rows: list[dict[str, str | None]] = [
        {"q": str(i), "s": value} for i, cells in enumerate(classes) for value in cells.elements()
    ]
    tree = {str(i): [str(i), "*"] for i in range(len(classes))}
    lattice = lattice_of(rows, {"q": tree}, ("s",))
    return [lattice.class_table((0,)), lattice.class_table((1,))]


@settings(deadline=None, max_examples=150)
@given(COUNTS, COUNTS)
def test_joined_classes_keep_what_the_model_says_they_keep(one: Counter[str], other: Counter[str]) -> None:
    apart, together = judged(one, other)
    for model in MODELS:
        parts, (whole,) = model.passes(apart), model.passes(together)
        if model.monotone_generalization and parts.all():
            assert whole
        if model.monotone_suppression and parts.any():
            assert whole


@pytest.mark.parametrize("model", MODELS[3:])
def test_a_crowd_of_one_value_undoes_entropy_and_recursive_diversity(model: PrivacyModel) -> None:
    apart, together = judged(Counter("abcd"), Counter("a" * 50))
    assert model.passes(apart).tolist() == [True, False]
    assert model.passes(together).tolist() == [False]
    assert not model.monotone_suppression
