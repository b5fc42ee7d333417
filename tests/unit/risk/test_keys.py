"""Key frequencies, individual risk and diversity, solved by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from failing import failing, like

#: a and b are complete; the third lacks y, the fourth both.
TABLE = pa.table({"x": ["a", "a", "a", None, "b"], "y": [1, 2, None, None, 2], "w": [10.0, 20, 30, 40, 50]})


def test_a_blank_is_a_value_of_its_own_or_matches_anything():
    strict = az.risk.frequencies(TABLE, ["x", "y"], weights="w")
    assert strict.sample.tolist() == [1, 1, 1, 1, 1]
    assert strict.population.tolist() == [10, 20, 30, 40, 50]
    match = az.risk.frequencies(TABLE, ["x", "y"], weights="w", missing="match")
    # (a, 1): itself, (a, -), (-, -). (a, -): all but (b, 2). (-, -): everyone.
    assert match.sample.tolist() == [3, 3, 4, 5, 2]
    assert match.population.tolist() == [80, 90, 100, 150, 90]
    assert (match.below(3), match.below(4), strict.below(2)) == (1, 3, 5)


def test_matching_is_what_comparing_all_pairs_finds():
    random = np.random.default_rng(1)
    codes = random.integers(-1, 3, (60, 4))
    table = pa.table({f"c{a}": pa.array(column, mask=column < 0) for a, column in enumerate(codes.T)})
    pairs = (codes[:, None] == codes[None]) | (codes[:, None] < 0) | (codes[None] < 0)
    found = az.risk.frequencies(table, table.column_names, missing="match").sample
    assert found.tolist() == pairs.all(axis=2).sum(axis=1).tolist()


def test_weights_may_be_given_as_numbers_and_columns_as_categories():
    frame = TABLE.set_column(0, "x", TABLE["x"].dictionary_encode())
    given = az.risk.frequencies(frame, "x", weights=[10, 20, 30, 40, 50])
    assert given.population.tolist() == [60, 60, 60, 40, 50]


def test_tables_without_rows_and_of_one_row_are_fine():
    none = TABLE.slice(0, 0)
    assert az.risk.frequencies(none, ["x"], missing="match").sample.size == 0
    found = az.risk.individual_risk(none, ["x"], weights="w")
    assert (found.expected, found.share, found.at_risk) == (0, 0, 0)
    assert az.risk.l_diversity(none, ["x"], "y").distinct.size == 0
    assert az.risk.suda(none, ["x", "y"]).scores.size == 0
    assert az.risk.individual_risk(TABLE.slice(0, 1), ["x"]).risks.tolist() == [1]
    assert az.risk.l_diversity(TABLE.slice(0, 1), ["x"], "y").entropy.tolist() == [1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: az.risk.frequencies(TABLE, ["z"]),
            az.SchemaError,
            like("column.unknown", name="z", hint=like("hint.known", names=["w", "x", "y"])),
        ),
        (lambda: az.risk.frequencies(TABLE, []), az.ParameterError, "columns.none-named"),
        (lambda: az.risk.frequencies(TABLE, ["x", "x"]), az.ParameterError, "columns.one-twice"),
        (lambda: az.risk.frequencies(TABLE, 3), az.ParameterError, "columns.not-names"),
        (lambda: az.risk.frequencies(TABLE, "x", weights="v"), az.SchemaError, like("column.unknown", name="v")),
        (
            lambda: az.risk.frequencies(TABLE, "x", weights=[1, 2]),
            az.DataError,
            like("risk.weights-of-other-length", rows=5),
        ),
        (
            lambda: az.risk.frequencies(TABLE, "x", weights=[1, 0, -1, np.nan, 2]),
            az.DataError,
            like("risk.weights-not-positive", bad=3),
        ),
        (lambda: az.risk.frequencies(TABLE, "x", weights="x"), az.DataError, "risk.weights-not-numbers"),
        (
            lambda: az.risk.frequencies(TABLE, "x", missing="any"),
            az.ParameterError,
            like("parameter.not-one-of", parameter="missing", value="any"),
        ),
        (lambda: az.risk.frequencies(TABLE, "x").below(0), az.ParameterError, "parameter.k-below-1"),
        (
            lambda: az.risk.individual_risk(TABLE, "x").threshold(0),
            az.ParameterError,
            "individual-risk.share-out-of-bounds",
        ),
        (lambda: az.risk.individual_risk(TABLE, "x", household="z"), az.SchemaError, like("column.unknown", name="z")),
        (lambda: az.risk.l_diversity(TABLE, "x", "y", c=0), az.ParameterError, "l-diversity.c-not-positive"),
        (lambda: az.risk.suda(TABLE, "x", fraction=1), az.ParameterError, "suda.fraction-out-of-bounds"),
        (lambda: az.risk.suda(TABLE, "x", largest=0), az.ParameterError, "suda.largest-below-1"),
        (lambda: az.risk.frequencies([1], "x"), az.DataError, "frame.not-a-table"),
    ],
)
def test_bad_input_is_said_in_one_sentence(call, error, words):
    with failing(words, error) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_column_of_lists_is_no_key():
    with failing("risk.column-holds-no-single-values", az.SchemaError):
        az.risk.frequencies(pa.table({"x": [[1], [2]]}), "x")
