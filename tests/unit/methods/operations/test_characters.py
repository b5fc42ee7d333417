"""Characters are covered, all but some at the ends."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from unit.methods.operations.test_frame_functions import PEOPLE


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


@pytest.mark.parametrize(
    ("options", "made"),
    [
        ({}, ["***", "*****", None, "***"]),
        ({"first": 1}, ["A**", "B****", None, "A**"]),
        ({"last": 2, "character": "x"}, ["xna", "xxxrn", None, "xna"]),
        ({"first": 2, "last": 1}, ["***", "Bj**n", None, "***"]),  # what would be shown whole is covered whole
        ({"first": 1, "length": False}, ["A***", "B***", None, "A***"]),
        ({"first": 9, "length": False}, ["***", "***", None, "***"]),
    ],
)
def test_characters_are_covered(options, made):
    assert _column(az.mask.mask(PEOPLE, "name", **options), "name") == made
