"""Counting distinct tuples on the local engine."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from antifaz.core.errors import SchemaError
from antifaz.engines.local.data import open_local
from failing import failing, near


def _counted(table, names, **options):
    with open_local(table, **options) as data:
        found = data.count(names)
    columns = [[values[code] for code in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    return dict(zip(zip(*columns, strict=True), found.counts.tolist(), strict=True))


def test_tuples_are_counted_with_missing_as_a_value():
    table = pa.table({"a": ["x", "x", None, None, ""], "b": [1, 1, 1, None, 2]})
    assert _counted(table, ["a", "b"]) == {("x", "1"): 2, (None, "1"): 1, (None, None): 1, ("", "2"): 1}
    assert _counted(table, ["a"]) == {("x",): 2, (None,): 2, ("",): 1}


def test_without_columns_there_is_one_tuple_of_all_rows():
    with open_local(pa.table({"a": [1, 2, 3]})) as data:
        found = data.count([])
    assert (found.columns, found.rows, found.counts.tolist()) == ((), 3, [3])


def test_values_are_spelled_as_the_database_spells_their_type():
    table = pa.table(
        {
            "day": [datetime.date(2020, 1, 2)] * 2,
            "yes": [True, True],
            "number": [1.5, 1.5],
            "text": ["01", "01"],
        }
    )
    assert _counted(table, table.column_names) == {("2020-01-02", "true", "1.5", "01"): 2}


@pytest.mark.parametrize("name", ['say "hi"', "select", "n", "c0", "s", "source", "a b", "ñ", "a'b", "x;--"])
def test_any_name_of_a_column_will_do(name):
    assert _counted(pa.table({name: ["u", "u"], "other": ["v", "w"]}), [name]) == {("u",): 2}


def test_a_table_without_rows_has_no_tuples():
    with open_local(pa.table({"a": pa.array([], pa.string())})) as data:
        found = data.count(["a"])
    assert (found.rows, found.values, found.counts.size) == (0, ((),), 0)


def test_an_unknown_column_is_named():
    with open_local(pa.table({"age": [1]})) as data, failing("column.unknown", SchemaError, hint=near("age")):
        data.count(["agee"])


def test_rows_are_the_sum_of_the_counts():
    with open_local(pa.table({"a": [i % 7 for i in range(1000)]}), threads=2) as data:
        assert data.count(["a"]).rows == 1000
