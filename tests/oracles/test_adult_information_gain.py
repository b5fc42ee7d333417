"""The tree of age that a study prints comes out of the real Adult: cut three times where the income is told best."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import antifaz as az
from antifaz.core.types import DataType
from oracles.test_adult_specialization import hours
from oracles.test_document_trees import raw, trees


def learnt(column: str) -> dict[str, list[list[str]]]:
    """Per value the bounds of the parts that hold it, from the value to the root."""
    seen = Counter((row[column], row["income"]) for row in raw())
    values, classes = (sorted({key[i] for key in seen}) for i in (0, 1))
    counts = np.array([[seen[value, income] for income in classes] for value in values], np.int64)
    made = az.hierarchy.information_gain().learn(values, DataType.INTEGER, counts)
    return {row[0]: [_bounds(label) for label in row] for row in made.paths()}


def _bounds(label: str) -> list[str]:
    ends = label.strip("[]").replace("-", ", ").split(", ")
    return [ends[0], ends[-1]]


@pytest.mark.parametrize("column", ["age", "hours-per-week"])
def test_the_tree_of_the_study(column: str) -> None:
    printed = trees()["age"] if column == "age" else hours()
    found = learnt(column)
    # The study's tree of age also has those ages that nobody in Adult has.
    assert found == {leaf: [_bounds(label) for label in path] for leaf, path in printed.items() if leaf in found}
