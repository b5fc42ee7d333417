"""Applying a recoding of whole combinations of values on the local engine."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.recoding import ColumnRecoding, Recoding, TupleRecoding
from antifaz.engines.local.apply import LocalApplied
from antifaz.engines.local.data import open_local

#: One tuple as (codes, labels).
Listed = tuple[tuple[int, ...], tuple[str | None, ...]]


def recoding(columns: dict[str, dict[str | None, int]], listed: list[Listed], **said: Any) -> Recoding:
    """Make a recoding from plain words: per column the code of each value, and what becomes of each tuple."""
    typed = said.pop("typed", ())
    labels = [tuple(dict.fromkeys(to[a] for _, to in listed)) for a in range(len(columns))]
    return Recoding(
        columns=tuple(
            ColumnRecoding(column=name, values=tuple(codes), labels=tuple(codes), keeps_type=name in typed)
            for name, codes in columns.items()
        ),
        tuples=TupleRecoding(
            codes=tuple(array("i", codes.values()) for codes in columns.values()),
            tuples=tuple(array("i", [codes[a] for codes, _ in listed]) for a in range(len(columns))),
            labels=tuple(labels),
            released=tuple(array("i", [labels[a].index(to[a]) for _, to in listed]) for a in range(len(columns))),
        ),
        **said,
    )


def applied(table: Any, decided: Recoding, key: int = 7) -> pa.Table:
    with open_local(table) as data:
        return LocalApplied(data=data, recoding=decided, key=key).collect()


def rows(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


PEOPLE = pa.table(
    {
        "name": ["n0", "n1", "n2", "n3", "n4", "n5"],
        "age": [31, 31, 32, 45, 46, None],
        "town": ["Wien", " wien", "Graz", "Graz", None, "Linz"],
        "note": [1.5, 2.5, 3.5, 4.5, 5.5, None],
    }
)
AGES: dict[str | None, int] = {"31": 0, "32": 1, "45": 2, "46": 3, None: 4}
TOWNS: dict[str | None, int] = {"Wien": 0, " wien": 0, "Graz": 1, "Linz": 2, None: 3}


def test_one_value_may_be_released_in_several_ways() -> None:
    listed: list[Listed] = [
        ((0, 0), ("31", "Wien")),
        ((1, 1), ("[30, 40)", "Graz")),
        ((2, 1), ("45", "*")),
        ((3, 3), ("*", None)),
        ((4, 2), (None, "Linz")),
    ]
    found = applied(PEOPLE, recoding({"age": AGES, "town": TOWNS}, listed, dropped=("name",)))
    assert found.column_names == ["age", "town", "note"]
    assert rows(found) == {
        ("31", "Wien", 1.5): 1,
        ("31", "Wien", 2.5): 1,  # another spelling of the same code
        ("[30, 40)", "Graz", 3.5): 1,
        ("45", "*", 4.5): 1,
        ("*", None, 5.5): 1,  # a missing value is found like any other
        (None, "Linz", None): 1,
    }
    assert found.schema.field("age").type == pa.string()
    assert found.schema.field("note").type == pa.float64()


def test_what_is_not_listed_is_left_out() -> None:
    listed: list[Listed] = [((0, 0), ("31", "Wien")), ((4, 2), ("*", "*"))]
    found = applied(PEOPLE, recoding({"age": AGES, "town": TOWNS}, listed))
    assert rows(found.select(["name", "age", "town"])) == {
        ("n0", "31", "Wien"): 1,
        ("n1", "31", "Wien"): 1,
        ("n5", "*", "*"): 1,
    }


def test_a_tuple_is_more_than_its_values() -> None:
    # Both codes are listed, but not together.
    listed: list[Listed] = [((0, 1), ("31", "Graz")), ((1, 0), ("32", "Wien"))]
    assert applied(PEOPLE, recoding({"age": AGES, "town": TOWNS}, listed)).num_rows == 0


def test_a_column_that_is_never_generalized_keeps_its_type() -> None:
    listed: list[Listed] = [((0, 0), ("31", "*")), ((1, 1), ("32", "Graz")), ((4, 2), (None, "*"))]
    found = applied(PEOPLE, recoding({"age": AGES, "town": TOWNS}, listed, typed=("age",)))
    assert found.schema.field("age").type == pa.int64()
    assert rows(found.select(["age", "town"])) == {(31, "*"): 2, (32, "Graz"): 1, (None, "*"): 1}


def test_text_that_is_never_generalized_is_still_released_in_one_spelling() -> None:
    listed: list[Listed] = [((0, 0), ("*", "Wien"))]
    found = applied(PEOPLE, recoding({"age": AGES, "town": TOWNS}, listed, typed=("town",)))
    assert found.column("town").to_pylist() == ["Wien", "Wien"]


def test_rows_come_in_an_order_that_follows_from_the_key_alone() -> None:
    many = pa.table({"q": ["a", "b"] * 50, "row": list(range(100))})
    decided = recoding({"q": {"a": 0, "b": 1}}, [((0,), ("x",)), ((1,), ("y",))])
    one, same, other = (applied(many, decided, key).column("row").to_pylist() for key in (1, 1, 2))
    assert one == same
    assert sorted(one) == sorted(other) == list(range(100))
    assert one != other != list(range(100))


def test_names_that_need_quoting() -> None:
    odd = pa.table({'my "q"': ["a", None], "tuples": ["x", "y"], "map_0": [1, 2]})
    decided = recoding(
        {'my "q"': {"a": 0, None: 1}, "tuples": {"x": 0, "y": 1}}, [((0, 0), ("A", "x")), ((1, 1), (None, "*"))]
    )
    assert rows(applied(odd, decided)) == {("A", "x", 1): 1, (None, "*", 2): 1}


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_native_types_and_text_through_the_gate(tmp_path: Any, format: str) -> None:
    table = pa.table({"n": [1, 1, 1, 2, 2, 2, 3, 4, None], "t": ["a", "a", "a", "b", "b", "b", "a", "a", "a"]})
    release = az.anonymize(
        table,
        roles={"n": "quasi-identifier", "t": "quasi-identifier"},
        hierarchies={"n": az.hierarchy.flat(), "t": az.hierarchy.flat()},
        privacy=az.KAnonymity(3),
        method=az.methods.FullDomain(rounds=3),
        seed=1,
    )
    assert rows(release.frame) == {("1", "a"): 3, ("2", "b"): 3, ("*", "a"): 3}
    release.save(tmp_path / "out", format)
    assert release.evidence["released"]["rows"] == 9
