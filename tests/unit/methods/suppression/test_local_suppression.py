"""Local suppression: what holds afterwards, counted here, and how little is blanked."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.methods.suppression import suppress_locally
from antifaz.testing import check
from failing import failing, like


def rows_of(frame, names):
    return list(zip(*(frame[name].to_pylist() for name in names), strict=True))


def test_it_keeps_what_every_method_promises():
    check(az.LocalSuppression)


def test_a_record_may_be_left_out_where_hiding_it_costs_more_than_it_has():
    people = pa.table({"p": [1] * 6 + [2] * 6 + [3], "q": [1] * 6 + [2] * 6 + [3]})
    roles = {"p": "quasi-identifier", "q": "quasi-identifier"}
    for share, left_out, blanked in ((0.0, 0, 6), (0.1, 1, 0)):
        method = az.LocalSuppression(suppression=share)
        told = az.anonymize(people, roles=roles, privacy=az.KAnonymity(3), method=method, seed=1)
        assert told.frame.num_rows == 13 - left_out
        assert told.evidence["rows"]["suppressed"] == left_out
        assert sum(told.evidence["method"]["blanked"].values()) == blanked


def test_a_release_keeps_types_and_is_checked_by_the_gate():
    random = np.random.default_rng(1)
    days = np.array(["2020-01-01", "2020-01-02", "2021-05-05"], "datetime64[D]")
    table = pa.table(
        {
            "age": random.integers(20, 24, 60),
            "height": random.choice([1.5, 1.75], 60),
            "day": random.choice(days, 60),
            "vote": random.choice([True, False], 60),
            "word": pa.array(random.choice(["a", "b"], 60)).dictionary_encode(),
        }
    )
    roles = dict.fromkeys(table.column_names, "quasi-identifier")
    release = az.anonymize(table, roles=roles, privacy=az.KAnonymity(3), method=az.LocalSuppression(), seed=1)
    rows = rows_of(release.frame, table.column_names)
    assert min(Counter(rows).values()) >= 3
    assert release.frame.schema.types[:4] == table.schema.types[:4]
    blanked = release.evidence["method"]["blanked"]
    assert blanked == {name: release.frame[name].null_count for name in table.column_names}
    assert sum(blanked.values()) > 0
    # A blank says nothing: at least the share of cells that are blank is lost.
    assert release.evidence["utility"]["loss"] == pytest.approx(sum(blanked.values()) / (60 * 5))
    (verdict,) = az.verify(release.frame, table.column_names, az.KAnonymity(3))
    assert verdict.holds


TABLE = pa.table({"x": [1, 2, 3], "y": [1, 1, 2]})


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: suppress_locally(TABLE, ["x"], 4),
            az.PrivacyNotReached,
            like("operation.k-above-records", k=4, rows=3),
        ),
        (lambda: suppress_locally(TABLE, ["x"], 0), az.ParameterError, "parameter.k-below-1"),
        (lambda: suppress_locally(TABLE, ["z"], 2), az.SchemaError, like("column.unknown", name="z")),
        (lambda: suppress_locally(TABLE, ["x"]), az.ParameterError, "method.neither-k-nor-combinations"),
        (
            lambda: suppress_locally(TABLE, ["x"], 2, reading="loose"),
            az.ParameterError,
            like("parameter.not-one-of", parameter="reading", value="loose"),
        ),
        (
            lambda: suppress_locally(TABLE, ["x"], 2, importance=["y"]),
            az.ParameterError,
            like("method.importance-names-unknown-column", name="y"),
        ),
        (
            lambda: suppress_locally(TABLE, ["x", "y"], 2, importance=["y", "y"]),
            az.ParameterError,
            "method.importance-names-column-twice",
        ),
        (
            lambda: suppress_locally(TABLE, ["x"], combinations={2: 2}),
            az.ParameterError,
            like("method.combinations-out-of-bounds", width=1),
        ),
        (
            lambda: suppress_locally(TABLE, ["x"], 2, combinations={1: 2}),
            az.ParameterError,
            "method.combinations-and-k",
        ),
        (
            lambda: suppress_locally(TABLE.slice(0, 0), ["x"], 1),
            az.PrivacyNotReached,
            like("operation.k-above-records", rows=0),
        ),
        (
            lambda: suppress_locally(TABLE, ["x"], 2, importance={"x": "a"}),
            az.ParameterError,
            "method.importance-not-a-number",
        ),
        (lambda: suppress_locally(TABLE, ["x"], 2, importance=3), az.ParameterError, "method.importance-not-a-list"),
        (
            lambda: suppress_locally(TABLE, ["x"], combinations=[3]),
            az.ParameterError,
            "method.combinations-not-a-mapping",
        ),
        (lambda: suppress_locally(TABLE, ["x"], 2, seed=-1), az.ParameterError, "parameter.seed-not-a-whole-number"),
        (
            lambda: az.LocalSuppression(importance=3),
            az.ParameterError,
            like("declared.parameter-wrong", where="importance"),
        ),
    ],
)
def test_bad_input_is_said_in_one_sentence(call, error, words):
    with failing(words, error) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("models", [[], [az.LDiversity(2, attribute="d")]], ids=["k", "l"])
def test_where_rows_can_not_be_told_apart_equal_records_are_blanked_alike(monkeypatch, models):
    from antifaz.engines.local.data import LocalData

    monkeypatch.setattr(LocalData, "by_row", False)
    random = np.random.default_rng(3)
    columns = {name: np.minimum(random.geometric(p, 150), 5) for name, p in (("a", 0.5), ("b", 0.6), ("c", 0.4))}
    table = pa.table({**columns, "d": random.choice(["x", "y", "z"], 150), "row": np.arange(150)})
    roles = {**dict.fromkeys("abc", "quasi-identifier"), "d": "sensitive", "row": "insensitive"}
    method = az.LocalSuppression(suppression=0.05)
    frame = az.anonymize(table, roles=roles, privacy=[az.KAnonymity(3), *models], method=method, seed=1).frame
    assert min(Counter(rows_of(frame, "abc")).values()) >= 3
    assert frame.num_rows >= 143
    before = rows_of(table, "abc")
    became = {}
    for row, new in zip(frame["row"].to_pylist(), rows_of(frame, "abc"), strict=True):
        assert all(y in (None, x) for x, y in zip(before[row], new, strict=True))
        assert became.setdefault(before[row], new) == new
    assert frame.schema.types == table.schema.types
