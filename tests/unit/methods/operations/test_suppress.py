"""Cells are taken away: all of a column, or by a condition."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from unit.methods.operations.test_frame_functions import PEOPLE


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


def test_a_whole_column_becomes_missing_and_keeps_its_type():
    made = az.mask.suppress(PEOPLE, ["age"])
    assert made.column("age").type == pa.int16()
    assert _column(made, "age") == [None] * 4


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ({"column": "age", "above": 61}, ["Ana", None, None, "Ana"]),
        ({"column": "age", "below": 61}, [None, "Björn", None, "Ana"]),
        ({"column": "age", "missing": True}, ["Ana", "Björn", None, None]),
        ({"column": "age", "in": [34, 95]}, [None, None, None, "Ana"]),
        ({"column": "born", "below": "1930-01-01"}, ["Ana", None, None, "Ana"]),
        ({"column": "age", "above": 30, "below": 40}, [None, "Björn", None, "Ana"]),
        ({"equals": "Ana"}, [None, "Björn", None, None]),
    ],
)
def test_cells_go_by_a_condition(where, kept):
    assert _column(az.mask.suppress(PEOPLE, "name", where=where), "name") == kept
