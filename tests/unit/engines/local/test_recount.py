"""Counting again from the written bytes, and the policy on equal values."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import CheckFailed, DataError, HierarchyError, ParameterError, SchemaError
from antifaz.core.folding import fold, fold_tree
from antifaz.core.recount import GroupedRows, Recount
from antifaz.core.values import sense
from antifaz.engines.local.recount import _collect, _line_named, recount
from antifaz.sources import duckdb_connection as duck
from failing import failing, near
from oracles import brute


def csv_file(folder: Path, text: str | bytes, name: str = "release.csv") -> Path:
    place = folder / name
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return place


def contents(counted: Recount, attribute: str) -> list[dict[str | None, int]]:
    cells = counted.cells[attribute]
    found: list[dict[str | None, int]] = [{} for _ in counted.sizes]
    for group, value, count in zip(cells.classes, cells.values, cells.counts, strict=True):
        found[group][cells.labels[value]] = int(count)
    return found


def test_counts_classes_and_values(tmp_path: Path) -> None:
    place = csv_file(tmp_path, "zip,age,disease\n130**,<30,flu\n130**,<30,Flu\n148*,>40,cancer\n130**,<30,cancer\n")
    counted = recount(place, ["zip", "age"], ["disease"])
    assert counted.rows == 4
    assert counted.columns == ("zip", "age", "disease")
    assert counted.sizes.tolist() == [3, 1]
    assert counted.sizes.dtype == np.int64
    assert counted.classes is None
    assert contents(counted, "disease") == [{"flu": 2, "cancer": 1}, {"cancer": 1}]
    assert counted.cells["disease"].totals == {"cancer": 2, "flu": 2}
    assert not counted.cells["disease"].numeric


def test_rows_that_a_server_grouped_count_as_the_rows_themselves(tmp_path: Path) -> None:
    rows = [("a", "1", "flu"), ("a", "1", "Flu"), (None, "1", "cold"), ("a", None, "flu"), (None, "1", None)] * 3
    whole = pa.table(dict(zip(("zip", "age", "disease"), map(list, zip(*rows, strict=True)), strict=True)))
    grouped = whole.rename_columns(["q0", "q1", "s0"]).group_by(["q0", "q1", "s0"]).aggregate([([], "count_all")])
    given = GroupedRows(("zip", "age", "disease"), grouped.rename_columns(["q0", "q1", "s0", "n"]))
    asked = ["zip", "age"], ["disease"]
    people = pa.table({"zip": ["a", "b"], "age": [1.0, 1.0]})
    counted, expected = recount(given, *asked, classes=True, population=people), recount(whole, *asked, classes=True)
    assert (counted.rows, counted.columns, counted.values) == (expected.rows, expected.columns, expected.values)
    assert counted.sizes.tolist() == expected.sizes.tolist() == [6, 3, 6]
    assert contents(counted, "disease") == contents(expected, "disease")
    assert {name: codes.tolist() for name, codes in counted.classes.items()} == {"zip": [1, 1, -1], "age": [1, -1, 1]}
    # A server spells the number 1 as `1`, and so are the people's.
    assert contents(counted.population, "antifaz side")[0] == {"released": 6, "person": 1}


def test_quasi_identifiers_are_compared_byte_by_byte(tmp_path: Path) -> None:
    # Missing, empty, blank, NA, composed or not, case, outer blanks, spellings of a number: all can be told apart.
    values = ["", '""', '" "', "NA", "é", "e\u0301", "É", "é ", "1", "1.0", "01", "NULL", "nan"]
    place = csv_file(tmp_path, "q,s\n" + "".join(f"{value},x\n" for value in values))
    counted = recount(place, ["q"], ["s"])
    assert counted.sizes.tolist() == [1] * len(values)
    assert len(counted.cells["s"].counts) == len(values)


def test_check_02_a_missing_quasi_identifier_is_never_dropped(tmp_path: Path) -> None:
    place = csv_file(tmp_path, "q,r,s\n,a,1\n,a,2\n,,3\n,,4\nb,,5\n")
    counted = recount(place, ["q", "r"], ["s"])
    assert sorted(counted.sizes.tolist()) == [1, 2, 2]
    assert int(counted.cells["s"].counts.sum()) == 5


def test_a_column_alone_with_missing_values(tmp_path: Path) -> None:
    counted = recount(csv_file(tmp_path, 'q\na\n\n""\n\na\n'), ["q"])
    assert sorted(counted.sizes.tolist()) == [1, 2, 2]


def test_check_02_sensitive_values_are_folded(tmp_path: Path) -> None:
    flu = ["Gripe", "gripe", " GRIPE ", "ｇｒｉｐｅ"]
    cold = ["Constipación", "constipacio\u0301n"]
    nothing = ["", '""', '"  "']
    rows = "".join(f"a,{value}\n" for value in flu + cold + nothing)
    counted = recount(csv_file(tmp_path, "q,s\n" + rows), ["q"], ["s"])
    assert contents(counted, "s") == [{"gripe": 4, "constipación": 2, None: 3}]
    # In the order of text, and missing last: a model that asks for an order finds one.
    assert counted.cells["s"].labels == ("constipación", "gripe", None)


def test_numbers_in_text_are_folded_by_value(tmp_path: Path) -> None:
    rows = "".join(f"a,{value}\n" for value in ["1", "1.0", "01", "+1", "10e-1", "2", "-0", "0.00"])
    cells = recount(csv_file(tmp_path, "q,s\n" + rows), ["q"], ["s"]).cells["s"]
    assert cells.totals == {"1": 5, "2": 1, "0": 2}
    assert cells.numeric


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (None, None),
        ("\u00a0\t", None),
        ("NA", "na"),
        ("Straße", "strasse"),
        ("1,5", "1,5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-1.50", "-1.5"),
        ("1e3", "1000"),
        ("1E-2", "0.01"),
        ("٣", "3"),
        ("1_000", "1_000"),
        (".", "."),
        ("-", "-"),
        ("e5", "e5"),
        ("1e9999999", "1e9999999"),
        ("10e500", "1e501"),
        ("9007199254740993", "9007199254740993"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("+34 600", "+34 600"),
    ],
)
def test_fold(text: str | None, meaning: str | None) -> None:
    assert fold(text) == meaning


@given(st.text(max_size=8))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


_WORDS = st.sampled_from(["flu", "Flu ", " FLU", "ﬂu", "é", "e\u0301", "ß", "SS", "", " ", "NA", "na", "x"])
_NUMBERS = st.from_regex(r"[+-]?[0-9]{0,3}(\.[0-9]{0,3})?(e[+-]?[0-9]{1,2})?", fullmatch=True)


@given(st.lists(st.one_of(_WORDS, _NUMBERS, st.none()), min_size=2, max_size=2))
def test_check_02_both_writings_of_the_policy_agree(pair: list[str | None]) -> None:
    one, other = pair
    assert (fold(one) == fold(other)) == (sense(one) == sense(other))


def test_native_numbers_are_compared_by_value() -> None:
    table = pa.table({"q": pa.array([1.0, 1.0, -0.0, 0.0, None]), "s": pa.array([1.5, 1.50, 2.0, 2.0, None])})
    counted = recount(table, ["q"], ["s"])
    assert counted.sizes.tolist() == [2, 2, 1]
    assert counted.cells["s"].totals == {"1.5": 2, "2": 2, None: 1}
    assert counted.cells["s"].numeric


def test_not_a_number_is_missing_to_a_reader_and_not_to_a_linker() -> None:
    table = pa.table({"x": pa.array([float("nan"), None, 1.0])})
    counted = recount(table, ["x"], ["x"])
    assert counted.sizes.tolist() == [1, 1, 1]
    assert counted.cells["x"].totals == {"1": 1, None: 2}


def test_parquet_and_frames_agree(tmp_path: Path) -> None:
    table = pa.table({"age": [30, 30, 40], "Age": ["x", "y", "x"], "s": ["a", "A", None]})
    pq.write_table(table, tmp_path / "release.parquet")
    for place in (
        tmp_path / "release.parquet",
        table,
        table.to_pandas(),
        pl.from_arrow(table),
        str(tmp_path / "release.parquet"),
    ):
        counted = recount(place, ["age"], ["s"])
        assert counted.columns[:2] == ("age", "Age")
        assert counted.sizes.tolist() == [2, 1]
        assert contents(counted, "s") == [{"a": 2}, {None: 1}]
        assert recount(place, ["Age"]).sizes.tolist() == [2, 1]


def test_categories_are_compared_by_what_they_say() -> None:
    frame = pd.DataFrame({"q": pd.Categorical(["b", "a", "b"]), "s": pd.Categorical(["x", None, "X"])})
    counted = recount(frame, ["q"], ["s"])
    assert counted.sizes.tolist() == [1, 2]
    assert contents(counted, "s") == [{None: 1}, {"x": 2}]


def test_no_quasi_identifiers_is_one_class(tmp_path: Path) -> None:
    place = csv_file(tmp_path, "q,s\na,x\nb,y\nc,x\n")
    assert recount(place, []).sizes.tolist() == [3]
    assert contents(recount(place, [], ["s"]), "s") == [{"x": 2, "y": 1}]


@pytest.mark.parametrize("qis", [[], ["q"]])
def test_no_rows_is_no_class(tmp_path: Path, qis: list[str]) -> None:
    counted = recount(csv_file(tmp_path, "q,s\n"), qis, ["s"])
    assert counted.rows == 0
    assert counted.sizes.tolist() == []
    assert counted.cells["s"].counts.tolist() == []
    assert recount(csv_file(tmp_path, "q,s\n"), qis).sizes.tolist() == []


def test_a_column_may_be_both(tmp_path: Path) -> None:
    counted = recount(csv_file(tmp_path, "q\nA\na\n"), ["q"], ["q"])
    assert counted.sizes.tolist() == [1, 1]
    assert counted.cells["q"].totals == {"a": 2}


def test_odd_cells_survive(tmp_path: Path) -> None:
    place = csv_file(tmp_path, 'q,s\n"a ""b"", c\nd",1\n"a ""b"", c\nd",1\nx\x00y,2\n')
    assert recount(place, ["q"]).sizes.tolist() == [2, 1]


def test_other_delimiters(tmp_path: Path) -> None:
    assert recount(csv_file(tmp_path, "a\tb\n1\t2\n", "release.tsv"), ["b"]).columns == ("a", "b")
    assert recount(csv_file(tmp_path, "a,b\n1,2\n", "release.txt"), ["b"]).columns == ("a", "b")


def test_names_that_look_like_patterns_or_sql(tmp_path: Path) -> None:
    csv_file(tmp_path, "a\n1\n2\n", "b1x.csv")
    folder = tmp_path / "d[1]"
    folder.mkdir()
    for place in (tmp_path / "b[1]*.csv", folder / "it's?.csv"):
        place.write_text('a,"x"" y; DROP"\n1,2\n', encoding="utf-8")
        assert recount(place, ["a", 'x" y; DROP']).rows == 1


def test_unknown_columns_are_named(tmp_path: Path) -> None:
    place = csv_file(tmp_path, "zip,age\n1,2\n")
    with failing("table.checked-lacks-column", SchemaError, name="agee", hint=near("age")):
        recount(place, ["agee"])
    with failing("table.checked-lacks-column", SchemaError, name="AGE"):
        recount(place, ["zip"], ["AGE"])
    with failing("table.checked-lacks-column", SchemaError, name="agee", hint=near("age")):
        recount(place, ["agee"], population=pa.table({"agee": ["2"]}))


def test_nothing_is_left_behind_on_the_disk(tmp_path: Path) -> None:
    place, before = csv_file(tmp_path, "zip,age\n1,2\n"), set(duck._folders)
    recount(place, ["zip"])
    recount(place, ["zip"], population=pa.table({"zip": ["1"]}), fingerprint=True)
    assert duck._folders == before


def test_the_database_is_closed_whatever_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr("antifaz.sources.duckdb_connection.connect", lambda **said: "a database")
    monkeypatch.setattr("antifaz.sources.duckdb_connection.close", closed.append)
    with failing("table.no-file-to-check", DataError):
        recount(tmp_path / "none.csv", [])
    assert closed == ["a database"]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\nSECRET,2,3\n",
        "a,b\n1,2\nSECRET\n",
        'a,b\n1,2\nSECRET,"2\n',
        b"a,b\n1,2\nSECRET\xff\xfe,2\n",
        'a,b\n1,2\n"SECRET"x,2\n',
    ],
)
def test_a_malformed_file_is_refused_without_quoting_it(tmp_path: Path, text: str | bytes) -> None:
    with failing("table.checked-not-readable-exactly", DataError, line="3") as caught:
        recount(csv_file(tmp_path, text), ["a"])
    assert "SECRET" not in str(caught.value)
    assert "SECRET" not in str(caught.value.__context__ or "")


def test_an_error_without_a_line_stays_an_error() -> None:
    with pytest.raises(duckdb.InvalidInputException, match="no line"), _line_named():
        raise duckdb.InvalidInputException("no line to name")


@pytest.mark.parametrize("text", ["", "a,a\n1,2\n", "\n", b"\xff\n"])
def test_a_header_that_names_nothing_is_refused(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(DataError):
        recount(csv_file(tmp_path, text), [])


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    with failing("table.no-file-to-check", DataError, file="none.csv"):
        recount(tmp_path / "none.csv", [])
    with failing("table.unknown-format-of-file", ParameterError):
        recount(csv_file(tmp_path, "a\n1\n", "release.xyz"), [])
    with failing("table.checked-not-arrow", DataError):
        recount(object(), [])
    with pytest.raises(DataError):
        recount(csv_file(tmp_path, "not parquet", "release.parquet"), [])


def test_a_tree_is_folded_as_its_values_are() -> None:
    assert fold_tree({"Flu": ["lungs", "*"], "FLU ": ["lungs", "*"], "": ["none", "*"]}) == {
        "flu": ("lungs", "*"),
        None: ("none", "*"),
    }
    with pytest.raises(HierarchyError):
        fold_tree({"Flu": ["lungs"], "flu": ["nose"]})


_CELLS = st.sampled_from([None, "", "a", "A", "b"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(_CELLS, _CELLS, _CELLS), max_size=12))
def test_counts_as_brute_force_does(rows: list[tuple[str | None, ...]]) -> None:
    table = [dict(zip("qrs", row, strict=True)) for row in rows]
    arrow = pa.table({name: pa.array([row[name] for row in table], pa.string()) for name in "qrs"})
    counted = recount(arrow, ["q", "r"], ["s"])
    groups = brute.classes(table, ["q", "r"])
    assert sorted(counted.sizes) == sorted(map(len, groups))
    expected = []
    for group in groups:
        found: dict[str | None, int] = {}
        for number in group:
            meaning = fold(table[number]["s"])
            found[meaning] = found.get(meaning, 0) + 1
        expected.append(found)
    for found in contents(counted, "s"):
        expected.remove(found)
    assert not expected


def test_the_answer_does_not_depend_on_threads_or_order() -> None:
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 30, (5000, 3)).astype(str)
    table = pa.table({name: codes[:, i] for i, name in enumerate("qrs")})
    first = recount(table, ["q", "r"], ["s"], threads=1)
    other = recount(table.take(pa.array(rng.permutation(5000))), ["q", "r"], ["s"], threads=4)
    assert np.array_equal(first.sizes, other.sizes)
    for part in ("classes", "values", "counts"):
        assert np.array_equal(getattr(first.cells["s"], part), getattr(other.cells["s"], part))


@pytest.mark.parametrize("many", [2, 4])
def test_groups_counted_part_by_part_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    random = np.random.default_rng(1)
    rows = [f"{a},{'' if b == 3 else b},{c}" for a, b, c in random.integers(0, [5, 7, 3], (500, 3))]
    place = csv_file(tmp_path, "a,b,s\n" + "\n".join(rows) + "\n")
    once = recount(place, ["a", "b"], ["s"], classes=True)
    bounds: list[int] = []

    def parts(*known: Any) -> int:
        bounds.append(known[-1])
        return many

    monkeypatch.setattr("antifaz.engines.local.recount._parts", parts)
    parted = recount(place, ["a", "b"], ["s"], classes=True, memory="200MB")
    assert parted.sizes.tolist() == once.sizes.tolist() and parted.values == once.values
    assert contents(parted, "s") == contents(once, "s")
    assert {name: codes.tolist() for name, codes in parted.classes.items()} == {
        name: codes.tolist() for name, codes in once.classes.items()
    }
    alone = recount(place, ["a", "b"], memory="200MB")
    assert alone.sizes.tolist() == once.sizes.tolist()
    # Rows and then classes, and rows alone: never without a bound.
    assert bounds == [200_000_000] * 3


def test_the_sizes_of_very_many_classes_are_put_together_from_pieces() -> None:
    values = np.concatenate([np.arange(250_000), np.arange(0, 250_000, 1000)])
    counted = recount(pa.table({"a": values}), ["a"])
    assert counted.sizes.size == 250_000
    assert np.array_equal(np.flatnonzero(counted.sizes == 2), np.arange(0, 250_000, 1000))
    assert counted.rows == values.size


def test_pieces_are_put_together_in_their_order() -> None:
    connection = duck.connect()
    connection.execute("CREATE TABLE classes AS SELECT i AS size FROM range(250_000) AS t(i)")
    assert np.array_equal(_collect(connection, (), (), ()).sizes, np.arange(250_000))
    duck.close(connection)


def test_the_parts_follow_from_rows_and_memory(tmp_path: Path) -> None:
    from antifaz.engines.local.recount import _parts
    from antifaz.sources.duckdb_connection import close, connect

    connection = connect()
    connection.execute("CREATE TABLE rows AS SELECT i FROM range(1000) AS t(i)")
    assert [_parts(connection, "rows", 3, bound) for bound in (8000, 7999, 100)] == [1, 2, 80]
    connection.execute("DELETE FROM rows")
    assert _parts(connection, "rows", 3, 100) == 1
    close(connection)


def test_spellings_of_a_key_are_one_person_in_rows_and_in_groups_of_rows() -> None:
    """With and without sensitive values; missing and blank keys are one person, and `01` is not `1`."""
    keys = ["STRASSE", "straße", " Strasse", "İ", "i̇", None, "", " ", "01", "1"]
    table = pa.table({"age": [30] * 10, "ill": ["flu"] * 10, "key": keys})
    atoms = pa.table({"q0": ["30"] * 10, "p0": keys, "n": [1] * 10})
    for sensitive in ([], ["ill"]):
        given = atoms.append_column("s0", table["ill"]) if sensitive else atoms
        grouped = GroupedRows(("age", "ill"), given)
        for place, people in ((table, ["key"]), (table, table.select(["key"])), (grouped, ["key"])):
            counted = recount(place, ["age"], sensitive, people=people).people
            assert counted is not None
            assert (counted.number, counted.heads.tolist()) == (5, [5])
            assert sorted(counted.rows.tolist()) == [1, 1, 2, 3, 3]


@pytest.mark.parametrize("memory", [None, "200MB"])
@pytest.mark.parametrize("sensitive", [[], ["s"]])
def test_people_are_those_of_brute_force_in_frames_and_files_and_part_by_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str | None, sensitive: list[str]
) -> None:
    """Rows of a file get keys by their place; the key has two columns, and some are missing."""
    monkeypatch.setattr("antifaz.engines.local.recount._parts", lambda *_: 3)
    random = np.random.default_rng(3)
    numbers = random.integers(0, [4, 3, 3, 5, 4], (300, 5)).tolist()
    rows = [[None if (i, cell) in ((1, 2), (3, 4)) else f"v{cell}" for i, cell in enumerate(row)] for row in numbers]
    table = pa.table(dict(zip("absxy", map(list, zip(*rows, strict=True)), strict=True)))
    place = csv_file(tmp_path, "a,b,s\n" + "".join(",".join(cell or "" for cell in row[:3]) + "\n" for row in rows))
    keys, classes = table.select(["x", "y"]), sorted({tuple(row[:2]) for row in rows}, key=lambda own: repr(own))
    expected = [Counter((tuple(row[3:])) for row in rows if tuple(row[:2]) == own) for own in classes]
    for data, people in ((table, ["x", "y"]), (table.select(["a", "b", "s"]), keys), (place, keys)):
        counted = recount(data, ["a", "b"], sensitive, people=people, fingerprint=True, memory=memory, threads=2)
        found = counted.people
        assert found is not None
        assert counted.fingerprint == recount(table.select(["a", "b", "s"]), (), fingerprint=True).fingerprint
        own = [sorted(found.rows[found.classes == i].tolist()) for i in range(counted.sizes.size)]
        assert sorted(own) == sorted(sorted(each.values()) for each in expected)
        assert found.number == len({tuple(row[3:]) for row in rows})
        assert found.below(12) == len({key for each in expected if len(each) < 12 for key in each})
        if sensitive:
            triples = {tuple(row) for row in rows}
            assert found.values["s"][0].size == len(triples)


def test_keys_that_are_not_as_many_as_the_rows_are_refused(tmp_path: Path) -> None:
    keys = pa.table({"key": ["x", "y"]})
    for place in (csv_file(tmp_path, "a\n1\n2\n3\n"), pa.table({"a": [1, 2, 3]})):
        with failing("gate.people-differ-from-rows", CheckFailed):
            recount(place, ["a"], people=keys)
