"""Applying a recoding on the local engine."""

from __future__ import annotations

import datetime

import duckdb
import pyarrow as pa
import pytest

from antifaz.core.recoding import ColumnRecoding, Recoding
from antifaz.engines.local.apply import LocalApplied, even_batches
from antifaz.engines.local.data import open_local


def _applied(table, recoding, key=7):
    with open_local(table) as data:
        return LocalApplied(data=data, recoding=recoding, key=key).collect()


def _column(name, mapping, keeps_type=False):
    return ColumnRecoding(column=name, values=tuple(mapping), labels=tuple(mapping.values()), keeps_type=keeps_type)


def _rows(table):
    return sorted(map(repr, zip(*table.to_pydict().values(), strict=True)))


def test_values_become_their_labels_and_missing_too():
    table = pa.table({"age": [21, 35, None, 22], "x": ["a", "b", "c", "d"]})
    recoding = Recoding(columns=(_column("age", {"21": "[20, 30)", "22": "[20, 30)", "35": "[30, 40)", None: "*"}),))
    released = _applied(table, recoding)
    assert _rows(released) == _rows(
        pa.table({"age": ["[20, 30)", "[30, 40)", "*", "[20, 30)"], "x": ["a", "b", "c", "d"]})
    )


@pytest.mark.parametrize("kind", ["TINYINT", "UBIGINT", "BIGINT", "HUGEINT", "DECIMAL(5,1)", "VARCHAR"])
def test_numbers_of_every_width_find_their_labels_and_their_classes(kind: str) -> None:
    most = {"UBIGINT": 2**64 - 1, "BIGINT": -(2**63), "HUGEINT": 2**100}.get(kind, 100)
    query = f"SELECT n::{kind} AS n, n % 2 = 0 AS even FROM (VALUES (7::HUGEINT), ({most}), (NULL)) t(n)"
    with duckdb.connect() as connection:
        numbers = connection.sql(query).to_arrow_table()
    with open_local(numbers) as data:
        told = [v for v in data.count(["n"]).values[0] if v is not None]
        labels = {v: f"about {v}" for v in told} | {None: "none"}
        gone = ((f"about {told[0]}",),)
        recoding = Recoding(columns=(_column("n", labels),), suppressed=gone)
        assert sorted(data.apply(recoding, 7).collect()["n"].to_pylist()) == sorted([f"about {told[1]}", "none"])
        same = Recoding(
            columns=(_column("n", {v: v for v in (*told, None)}, keeps_type=True),), suppressed=((told[0],),)
        )
        assert data.apply(same, 7).collect().num_rows == 2


def test_dropped_columns_are_gone_and_the_others_keep_their_order():
    table = pa.table({"id": [1], "b": ["x"], "name": ["n"], "a": ["y"]})
    recoding = Recoding(columns=(_column("b", {"x": "x"}, keeps_type=True),), dropped=("id", "name"))
    assert _applied(table, recoding).column_names == ["b", "a"]


def test_classes_left_out_are_left_out_whole():
    table = pa.table({"a": ["x", "x", "y", None], "b": [1, 2, 1, 1]})
    columns = (
        _column("a", {"x": "x", "y": "y", None: None}, keeps_type=True),
        _column("b", {"1": "1", "2": "2"}, keeps_type=True),
    )
    released = _applied(table, Recoding(columns=columns, suppressed=(("x", "1"), (None, "1"))))
    assert _rows(released) == _rows(pa.table({"a": ["x", "y"], "b": [2, 1]}))


@pytest.mark.parametrize("gone", [(), (("*", "x"),), (("**", "x"), ("*", "y"))])
def test_a_column_with_one_label_is_not_looked_up(gone: tuple[tuple[str, str], ...]) -> None:
    """The label is in the statement itself; a class with another label, which no row has, takes nobody along."""
    table = pa.table({"a": ["p", "q", None, "p"], "b": ["x", "y", "x", "z"]})
    columns = (_column("a", {"p": "*", "q": "*", None: "*"}), _column("b", {"x": "x", "y": "y", "z": "z"}, True))
    kept = [b for b in table["b"].to_pylist() if ("*", b) not in gone]
    with open_local(table) as data:
        applied = LocalApplied(data=data, recoding=Recoding(columns=columns, suppressed=gone), key=7)
        assert _rows(applied.collect()) == _rows(pa.table({"a": ["*"] * len(kept), "b": kept}))
        with applied._mapped() as (statement,):
            assert "_map" not in statement


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, None], pa.int64()),
        ([1.5, 2.0, None], pa.float64()),
        ([datetime.date(2020, 1, 1), None, None], pa.date32()),
        ([True, False, None], pa.bool_()),
        (["a", "b", None], pa.string()),
    ],
    ids=str,
)
def test_what_is_not_generalized_keeps_its_type(values, kind):
    table = pa.table({"q": pa.array(values, kind), "other": pa.array(values, kind)})
    with open_local(table) as data:
        spellings = data.count(["q"]).values[0]
        # 2.0 is counted and spelled as 2: that must not make the column text.
        labels = {text: text.removesuffix(".0") if text else text for text in spellings}
        recoding = Recoding(columns=(_column("q", labels, keeps_type=True),))
        released = LocalApplied(data=data, recoding=recoding, key=1).collect()
    assert released.schema.field("q").type == kind
    assert released.schema.field("other").type == kind
    assert _rows(released) == _rows(table)


def test_classes_are_left_out_by_their_spelling_also_where_the_type_is_kept():
    table = pa.table({"q": [2.0, 2.0, 3.5]})
    recoding = Recoding(columns=(_column("q", {"2.0": "2", "3.5": "3.5"}, keeps_type=True),), suppressed=(("2",),))
    assert _applied(table, recoding).to_pydict() == {"q": [3.5]}


def test_spellings_of_text_are_unified():
    table = pa.table({"q": [" a", "a", "a "]})
    recoding = Recoding(columns=(_column("q", {" a": "a", "a": "a", "a ": "a"}, keeps_type=True),))
    assert _applied(table, recoding).to_pydict() == {"q": ["a"] * 3}


def test_check_13_dictionaries_don_t_carry_values_of_rows_left_out():
    table = pa.table({"q": ["x", "y"], "d": pa.array(["CANARY", "kept"]).dictionary_encode()})
    recoding = Recoding(columns=(_column("q", {"x": "x", "y": "y"}, keeps_type=True),), suppressed=(("x",),))
    released = _applied(table, recoding)
    assert released.schema.field("d").type == pa.string()
    assert released.to_pydict() == {"q": ["y"], "d": ["kept"]}


def test_the_order_depends_on_the_key_only():
    table = pa.table({"q": ["x"] * 500, "i": range(500)})
    recoding = Recoding(columns=(_column("q", {"x": "*"}),))
    first, again, other = (_applied(table, recoding, key).column("i").to_pylist() for key in (1, 1, 2))
    assert first == again
    assert first != other
    assert first != sorted(first)
    assert sorted(first) == sorted(other) == list(range(500))


def test_the_digest_depends_on_the_rows_and_not_on_their_order():
    rows = pa.table({"a": [1, 2, None], "b": ["x", "y", "z"]})
    with (
        open_local(rows) as one,
        open_local(rows.take([2, 0, 1])) as other,
        open_local(rows.set_column(0, "a", pa.array([1, 2, 3]))) as third,
    ):
        assert one.digest() == other.digest() != third.digest()


@pytest.mark.parametrize("name", ['say "hi"', "s", "label", "value", "map_0", "suppressed", "source", "a'b"])
def test_any_name_of_a_column_will_do(name):
    table = pa.table({name: ["x", "y"], "i": [1, 2]})
    recoding = Recoding(columns=(_column(name, {"x": "*", "y": "*"}),), suppressed=(("nothing",),))
    assert _applied(table, recoding).column(name).to_pylist() == ["*", "*"]


def test_a_reader_given_up_half_way_leaves_the_data_usable():
    table = pa.table({"q": ["x"] * 300_000, "i": range(300_000)})
    with open_local(table) as data:
        applied = LocalApplied(data=data, recoding=Recoding(columns=(_column("q", {"x": "*"}),)), key=1)
        with pytest.raises(ValueError, match="enough"), applied.batches() as reader:
            reader.read_next_batch()
            raise ValueError("enough")
        assert applied.collect().num_rows == 300_000


def test_rows_sorted_in_pieces_come_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"a": list(range(5_000)), "b": [f"b{i % 7}" for i in range(5_000)]})
    recoding = Recoding(columns=())
    with open_local(table) as whole:
        expected = whole.apply(recoding, key=7).collect()
    with open_local(table, memory="1GB") as data:
        monkeypatch.setattr("antifaz.engines.local.apply.database_memory", lambda budget: 10_000)
        applied = data.apply(recoding, key=7)
        assert applied._ranges() > 3
        with applied.batches() as reader:
            assert reader.read_all().equals(expected)


@pytest.mark.parametrize("dropped", [(), ("who",)])
def test_keys_are_taken_off_the_rows_that_they_come_with(dropped: tuple[str, ...]) -> None:
    """They are those of the rows, in their order, and the rows are the same as without them."""
    table = pa.table({"who": [f"p{i % 7}" for i in range(50)], "q": ["x"] * 50, "i": range(50)})
    recoding = Recoding(columns=(_column("q", {"x": "*"}),), dropped=dropped)
    with open_local(table) as data:
        applied = LocalApplied(data=data, recoding=recoding, key=3)
        rows, keys = applied.collect_keyed(("who",))
        assert rows.equals(applied.collect()) and keys.equals(applied.keyed(("who",), rows))
        assert [f"p{i % 7}" for i in rows["i"].to_pylist()] == keys["who"].to_pylist()
        assert applied.collect_keyed(())[1] is None


@pytest.mark.parametrize("sizes", [[], [1], [5], [5, 5], [3, 3, 3], [0, 4, 1, 0, 5, 2], [12, 1]])
def test_batches_of_any_size_become_batches_of_one_size(sizes):
    rows = pa.record_batch({"text": [str(n) for n in range(sum(sizes))], "n": range(sum(sizes))})
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    even = list(even_batches((rows.slice(start, size) for start, size in zip(starts, sizes, strict=True)), 5))
    assert [batch.num_rows for batch in even[:-1]] == [5] * (len(even) - 1)
    assert all(batch.num_rows <= 5 for batch in even)
    assert pa.Table.from_batches(even, rows.schema).to_pydict() == rows.to_pydict()
