"""What classes give away about a sensitive value, by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.types import DataType
from antifaz.risk.disclosure import Values, confidence, disclosure, gather, ordered_distances, skewness


def _values(classes: Sequence[Sequence[str | None]], kind: DataType = DataType.TEXT) -> Values:
    texts = sorted({text for one in classes for text in one}, key=lambda text: (text is None, text or ""))
    owner = np.array([i for i, one in enumerate(classes) for _ in one], np.int64)
    codes = np.array([texts.index(text) for one in classes for text in one], np.int32)
    sizes = np.array([len(one) for one in classes], np.int64)
    return gather(owner, sizes, codes, np.ones(owner.size, np.int64), texts, kind)


# Ten records: one class gives its value away, one leaves two, one leaves four.
MIXED = [["flu", "FLU ", "flu"], ["flu", "flu", "cold"], ["flu", "cold", "gout", "ache"]]


def test_check_05_homogeneity_and_background_knowledge() -> None:
    found = disclosure(_values(MIXED))
    assert found["distinct"] == 4
    assert found["least_distinct"] == 1
    assert found["homogeneity"] == {"records": pytest.approx(0.3), "classes": 1}
    # With one value ruled out the second class is open too; with two still the same; of three, one is no question.
    assert [told["records"] for told in found["background_knowledge"]] == [pytest.approx(0.6), pytest.approx(0.6)]
    assert [told["exclusions"] for told in found["background_knowledge"]] == [1, 2]


def test_check_05_skewness_is_the_distance_from_the_whole_table() -> None:
    # flu 6, cold 2, gout 1, ache 1 of ten.
    assert skewness(_values(MIXED)).tolist() == pytest.approx([0.4, 2 / 3 - 0.6 + 1 / 3 - 0.2, 0.05 + 0.15 + 0.15])
    found = disclosure(_values(MIXED))["skewness"]
    assert found["largest"] == pytest.approx(0.4)
    assert found["average"] == pytest.approx((3 * 0.4 + 3 * 0.2 + 4 * 0.35) / 10)


@pytest.mark.parametrize("exclusions", [0, 1, 2, 3])
def test_certainty_is_the_best_of_all_ways_to_rule_out(exclusions: int) -> None:
    random = np.random.default_rng(exclusions)
    classes = [[str(v) for v in random.integers(0, 6, 12)] for _ in range(5)]
    best = Fraction(0)
    for one in classes:
        for value in set(one):
            others = sorted(set(one) - {value})
            for gone in combinations(others, min(exclusions, len(others))):
                best = max(best, Fraction(one.count(value), sum(v not in gone for v in one)))
    assert confidence(_values(classes), exclusions) == pytest.approx(float(best))


def test_the_ordered_distance_is_that_of_the_definition() -> None:
    random = np.random.default_rng(5)
    classes = [[str(v) for v in random.integers(0, 30, size) ** 2] for size in (1, 2, 5, 40, 90)]
    found = ordered_distances(_values(classes, DataType.INTEGER))
    assert found is not None
    everyone = [int(v) for one in classes for v in one]
    ordered = sorted(set(everyone))
    for one, distance in zip(classes, found, strict=True):
        gaps = [
            abs(
                sum(int(v) <= x for v in one) / len(one)
                - sum(v <= x for v in everyone) / len(everyone)
            )
            for x in ordered
        ]  # fmt: skip
        assert distance == pytest.approx(sum(gaps) / (len(ordered) - 1))


def test_check_05_numbers_are_ordered_by_size_and_similar_within_a_tenth_of_the_range() -> None:
    found = disclosure(_values([["100", "109"], ["9", "109"], ["109", "109"]], DataType.INTEGER))
    # 9 to 109: a tenth is 10.
    assert found["similarity"] == {"within_range": pytest.approx(4 / 6), "narrowest_range": 0}
    assert found["ordered_distance"] is not None


def test_check_05_values_below_one_node_are_similar() -> None:
    values = _values([["ulcer", "gastritis"], ["ulcer", "flu"], ["flu", "flu"]])
    assert values.labels == ("flu", "gastritis", "ulcer")
    found = disclosure(values, parents=np.array([0, 1, 1]))
    assert found["homogeneity"]["records"] == pytest.approx(2 / 6)
    assert found["similarity"] == {"below_one_node": pytest.approx(4 / 6)}


def test_missing_is_a_value_and_records_in_no_class_are_left_out() -> None:
    values = gather(
        np.array([0, 0, -1]), np.array([5]), np.array([0, 1, 0], np.int32), np.array([2, 3, 9]), ["a", None]
    )
    found = disclosure(values)
    assert found["distinct"] == 2
    assert found["confidence"] == 0.6
    assert found["skewness"]["largest"] == 0


def test_no_classes_give_nothing_away() -> None:
    found = disclosure(_values([]))
    assert found["homogeneity"] == {"records": 0, "classes": 0}
    assert found["confidence"] == 0
    assert found["similarity"] == {}


def test_diversity_by_hand():
    table = pa.table({"x": [1] * 6 + [2] * 2, "s": ["a", "a", "a", "b", "b", "c", "a", None]})
    found = az.risk.l_diversity(table, "x", "s", c=2)
    entropy = math.exp(-(0.5 * math.log(0.5) + 1 / 3 * math.log(1 / 3) + 1 / 6 * math.log(1 / 6)))
    assert found.distinct.tolist() == [3] * 6 + [2] * 2
    assert found.entropy == pytest.approx([entropy] * 6 + [2] * 2)
    # 3 < 2·(2 + 1), but not 3 < 2·1. And 1 < 2·1.
    assert found.recursive.tolist() == [2] * 8
