"""Key frequencies, individual risk and diversity, solved by hand."""

from __future__ import annotations

import math
import re

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az

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


def test_risks_follow_the_formula():
    # f = 1 of 10: p = 0.1. f = 2 of 4: p = 0.5. f = 3 of 12: p = 0.25.
    table = pa.table({"x": [1, 2, 2, 3, 3, 3], "w": [10, 1, 3, 2, 4, 6], "h": ["p", "p", "q", "q", "q", None]})
    found = az.risk.individual_risk(table, "x", weights="w", household="h")
    one, two, three = math.log(10) / 9, 1 - math.log(2), 0.25 / 2.25
    assert found.risks == pytest.approx([one, two, two, three, three, three], rel=1e-12)
    p, q = 1 - (1 - one) * (1 - two), 1 - (1 - two) * (1 - three) ** 2
    assert found.household == pytest.approx([p, p, q, q, q, three], rel=1e-12)
    assert found.expected == pytest.approx(one + 2 * two + 3 * three)
    assert found.share == pytest.approx(found.expected / 6)
    assert found.household_share == pytest.approx((2 * p + 3 * q + three) / 6)


@pytest.mark.parametrize("f", [1, 2, 3, 10, 51, 400])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.995, 0.9999999])
def test_the_exact_risk_is_the_mean_over_all_numbers_of_people(f, p):
    # People beyond the f of the table: negative binomial.
    beyond = np.arange(200_000)
    logs = [math.lgamma(f + n) - math.lgamma(f) - math.lgamma(n + 1) for n in range(20_000 if p > 0.2 else 200_000)]
    chance = np.exp(np.array(logs) + f * math.log(p) + beyond[: len(logs)] * math.log1p(-p))
    table = pa.table({"x": [0] * f, "w": [1 / p] * f})
    found = az.risk.individual_risk(table, "x", weights="w", method="exact").risks[0]
    assert found == pytest.approx(float((chance / (f + beyond[: len(logs)])).sum()), rel=1e-7)


def test_a_person_found_for_certain_gives_the_household_away():
    found = az.risk.individual_risk(pa.table({"x": [1, 2, 2], "h": [7, 7, 8]}), "x", household="h")
    assert found.household.tolist() == pytest.approx([1, 1, 0.5])
    assert found.risks.tolist() == [1, 0.5, 0.5]


def test_who_stands_out_and_how_far_risks_must_come_down():
    found = az.risk.individual_risk(pa.table({"x": [0] * 97 + [1, 2, 2]}), "x")
    assert found.at_risk == 3
    # The most people are at 1/97; with all brought down to it the global risk is that.
    assert found.threshold(0.011) == pytest.approx(1 / 97)
    assert found.threshold(0.03) == pytest.approx(0.5)
    assert found.threshold(0.5) is None


def test_diversity_by_hand():
    table = pa.table({"x": [1] * 6 + [2] * 2, "s": ["a", "a", "a", "b", "b", "c", "a", None]})
    found = az.risk.l_diversity(table, "x", "s", c=2)
    entropy = math.exp(-(0.5 * math.log(0.5) + 1 / 3 * math.log(1 / 3) + 1 / 6 * math.log(1 / 6)))
    assert found.distinct.tolist() == [3] * 6 + [2] * 2
    assert found.entropy == pytest.approx([entropy] * 6 + [2] * 2)
    # 3 < 2·(2 + 1), but not 3 < 2·1. And 1 < 2·1.
    assert found.recursive.tolist() == [2] * 8


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
        (lambda: az.risk.frequencies(TABLE, ["z"]), az.SchemaError, "There is no column 'z' (known: w, x, y)."),
        (lambda: az.risk.frequencies(TABLE, []), az.ParameterError, "name at least one column"),
        (lambda: az.risk.frequencies(TABLE, ["x", "x"]), az.ParameterError, "names a column twice"),
        (lambda: az.risk.frequencies(TABLE, 3), az.ParameterError, "a column's name, or a list of names"),
        (lambda: az.risk.frequencies(TABLE, "x", weights="v"), az.SchemaError, "There is no column 'v'"),
        (lambda: az.risk.frequencies(TABLE, "x", weights=[1, 2]), az.DataError, "one weight for each of the 5"),
        (lambda: az.risk.frequencies(TABLE, "x", weights=[1, 0, -1, np.nan, 2]), az.DataError, "3 are not"),
        (lambda: az.risk.frequencies(TABLE, "x", weights="x"), az.DataError, "weights should be numbers"),
        (lambda: az.risk.frequencies(TABLE, "x", missing="any"), az.ParameterError, "missing can't be 'any'"),
        (lambda: az.risk.frequencies(TABLE, "x").below(0), az.ParameterError, "k should be a whole number"),
        (lambda: az.risk.individual_risk(TABLE, "x").threshold(0), az.ParameterError, "share should be above 0"),
        (lambda: az.risk.individual_risk(TABLE, "x", household="z"), az.SchemaError, "There is no column 'z'"),
        (lambda: az.risk.l_diversity(TABLE, "x", "y", c=0), az.ParameterError, "c should be greater than 0"),
        (lambda: az.risk.suda(TABLE, "x", fraction=1), az.ParameterError, "fraction should be between 0 and 1"),
        (lambda: az.risk.suda(TABLE, "x", largest=0), az.ParameterError, "largest should be at least 1"),
        (lambda: az.risk.frequencies([1], "x"), az.DataError, "is not a table"),
    ],
)
def test_bad_input_is_said_in_one_sentence(call, error, words):
    with pytest.raises(error, match=re.escape(words)) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_column_of_lists_is_no_key():
    with pytest.raises(az.SchemaError, match="does not hold single values"):
        az.risk.frequencies(pa.table({"x": [[1], [2]]}), "x")
