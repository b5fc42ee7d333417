"""Windows of rows: the right rows, in the right order, as text, on every engine that shows rows."""

import sqlite3

import pyarrow as pa
import pytest

from antifaz.core.errors import SchemaError
from antifaz.datasets import people
from antifaz.engines.registry import open_data
from failing import failing

CSV = 'name,age,born\n"Ana, M.",30,1990-05-01\nBea,9,\nCai,,2001-01-31\nDan,100,1999-12-31\n'


@pytest.fixture
def local(tmp_path):
    (tmp_path / "four.csv").write_text(CSV, encoding="utf-8")
    with open_data(tmp_path / "four.csv") as data:
        yield data


@pytest.fixture
def database(tmp_path):
    link = sqlite3.connect(tmp_path / "four.db")
    link.execute("CREATE TABLE four (name TEXT, age INTEGER, born DATE)")
    rows = [("Ana, M.", 30, "1990-05-01"), ("Bea", 9, None), ("Cai", None, "2001-01-31"), ("Dan", 100, "1999-12-31")]
    link.executemany("INSERT INTO four VALUES (?, ?, ?)", rows)
    link.commit()
    link.close()
    with open_data(f"sqlite:///{tmp_path}/four.db", table="four") as data:
        yield data


@pytest.fixture(params=["local", "database"])
def four(request):
    return request.getfixturevalue(request.param)


def names(rows):
    return [row[0] for row in rows]


def test_a_window_has_the_rows_from_its_start(four):
    assert four.window(1, 2) == [["Bea", "9", None], ["Cai", None, "2001-01-31"]]


def test_a_window_at_the_end_has_fewer_rows_and_one_beyond_it_none(four):
    assert names(four.window(3, 5)) == ["Dan"]
    assert four.window(4, 5) == []


@pytest.mark.parametrize(
    ("column", "descending", "expected"),
    [
        # As numbers, not as text; missing last in both directions.
        ("age", False, ["Bea", "Ana, M.", "Dan", "Cai"]),
        ("age", True, ["Dan", "Ana, M.", "Bea", "Cai"]),
        ("born", False, ["Ana, M.", "Dan", "Cai", "Bea"]),
        ("name", True, ["Dan", "Cai", "Bea", "Ana, M."]),
    ],
)
def test_rows_are_sorted_as_their_type_is(four, column, descending, expected):
    assert names(four.window(0, 10, sort=column, descending=descending)) == expected
    assert names(four.window(1, 2, sort=column, descending=descending)) == expected[1:3]


def test_a_column_that_is_not_there_is_named(four):
    with failing("column.unknown", SchemaError, name="agee"):
        four.window(0, 1, sort="agee")


def test_windows_of_a_large_table_put_together_are_the_table():
    made = people(30_000, seed=4).select(["id_number", "age"])
    with open_data(made) as data:
        found = [row for start in range(0, 30_000, 999) for row in data.window(start, 999)]
    assert [row[0] for row in found] == made.column("id_number").to_pylist()


def test_a_column_called_rowid_is_a_column(tmp_path):
    (tmp_path / "odd.csv").write_text("rowid,r\nc,1\na,2\nb,3\n", encoding="utf-8")
    with open_data(tmp_path / "odd.csv") as data:
        assert names(data.window(1, 1)) == ["a"]
        assert names(data.window(0, 3, sort="rowid")) == ["a", "b", "c"]
        assert data.profile()["rowid"].distinct == 3


def test_equal_cells_keep_the_order_of_the_table():
    table = pa.table({"group": ["b", "a"] * 50, "place": [str(i) for i in range(100)]})
    with open_data(table) as data:
        places = [int(row[1]) for row in data.window(0, 100, sort="group")]
    assert places == [*range(1, 100, 2), *range(0, 100, 2)]
