"""How many people the rows of a survey stand for, added up from the weights that were released with them."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.errors import CheckFailed, SchemaError, hint
from antifaz.releases.verifier.distances import is_finite

#: Weights are added up as whole numbers of this part of a person.
_PART = 10**9


def count_by_weights(name: str, cells: Mapping[str, Any], sizes: Ints) -> Ints:
    """Return how many people each class stands for by a column of weights, and no fewer than it has rows.

    `cells` are counts of the values of columns in every class, as the auditor has them.
    """
    if name not in cells:
        raise SchemaError("verifier.not-counted-sensitive", model="k-map", name=name, known=hint(name, cells))
    own = cells[name]
    weights = [Fraction(label) if label is not None and is_finite(label) else Fraction(0) for label in own.labels]
    if not all(0 < weight < _PART for weight in weights):
        raise CheckFailed("verifier.weights-not-positive", name=name)
    parts, people = [math.floor(weight * _PART) for weight in weights], [0] * len(sizes)
    # Python's whole numbers have no end, so that no sum can run over.
    for at, value, count in zip(own.classes.tolist(), own.values.tolist(), own.counts.tolist(), strict=True):
        people[at] += parts[value] * count
    return np.array([max(whole // _PART, size) for whole, size in zip(people, sizes.tolist(), strict=True)], np.int64)
