"""Dates and numbers as people write them; expected spellings are written by hand."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import SchemaError
from antifaz.core.types import DataType
from antifaz.sources.written_forms import FORMS, forms_of
from failing import failing


@pytest.mark.parametrize(
    ("form", "text", "plain"),
    [
        ("date(d/m/Y)", "3/4/2020", "2020-04-03"),
        ("date(m/d/Y)", "3/4/2020", "2020-03-04"),
        ("date(d/m/Y)", "16-11-2016", "2016-11-16"),
        ("date(d/m/Y)", "16.11.2016 9:05", "2016-11-16T09:05"),
        ("date(d/m/Y)", "16/11/2016 09:05:30 +02:00", "2016-11-16T09:05:30+02:00"),
        ("date(d/m/Y)", "31/02/2016", None),
        ("date(d/m/Y)", "16/11.2016", None),
        ("date(d/m/Y)", "16/11/2016 25:00", None),
        ("date(Ymd)", "20161116", "2016-11-16"),
        ("date(Ymd)", "20161399", None),
        ("date(Ymd)", "2016116", None),
        ("date(d month Y)", "16 November 2016", "2016-11-16"),
        ("date(d month Y)", "16 de noviembre de 2016", "2016-11-16"),
        ("date(d month Y)", "1 d'agost de 2016", "2016-08-01"),
        ("date(d month Y)", "1er août 2016", "2016-08-01"),
        ("date(d month Y)", "3. März 2016", "2016-03-03"),
        ("date(d month Y)", "3 maggio 2016", "2016-05-03"),
        ("date(d month Y)", "3 de março de 2016", "2016-03-03"),
        ("date(d month Y)", "3 Dec 2016", "2016-12-03"),
        ("date(d month Y)", "3 juil. 2016", "2016-07-03"),
        ("date(d month Y)", "3 jui 2016", None),
        ("date(d month Y)", "3 Foo 2016", None),
        ("decimal(comma)", "24.868,29", "24868.29"),
        ("decimal(comma)", "1 234,5 €", "1234.5"),
        ("decimal(comma)", "-7", "-7"),
        ("decimal(comma)", "12,5 %", "12.5"),
        ("decimal(comma)", "24.86,29", None),
        ("decimal(point)", "$1,234.50", "1234.50"),
        ("decimal(point)", "83.70%", "83.70"),
        ("decimal(point)", "1,23", None),
    ],
)
def test_each_form_reads_what_it_is_for(form: str, text: str, plain: str | None) -> None:
    assert FORMS[form][1](text) == plain


@pytest.mark.parametrize(
    ("values", "forms"),
    [
        (["3/4/2020", "5/6/2020"], ["date(d/m/Y)", "date(m/d/Y)"]),
        (["3/4/2020", "13/6/2020", ""], ["date(d/m/Y)"]),
        (["3/4/2020", "6/13/2020"], ["date(m/d/Y)"]),
        (["13/6/2020", "6/13/2020"], []),
        (["1,061", "2,500"], ["decimal(comma)", "decimal(point)"]),
        (["1,061", "2,5"], ["decimal(comma)"]),
        (["red"], []),
        (["007", "010"], []),
        ([], []),
    ],
)
def test_where_two_forms_are_possible_both_are_told(values: list[str], forms: list[str]) -> None:
    assert forms_of(values) == forms


def test_a_told_form_gives_the_column_its_type_and_nothing_else_is_changed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("seen;also;paid\n3/4/2020;3/4/2020;1.234,5\n;;\n13/4/2020;x;7\n", "utf-8")
    with az.open(tmp_path / "t.csv", types={"seen": "date(d/m/Y)", "paid": "decimal(comma)"}) as data:
        assert data.to_arrow().to_pydict() == {
            "seen": ["2020-04-03", None, "2020-04-13"],
            "also": ["3/4/2020", None, "x"],
            "paid": ["1234.5", None, "7"],
        }
        assert [c.type for c in data.schema] == [DataType.DATE, DataType.TEXT, DataType.DECIMAL]
    with failing("column.not-written-so", SchemaError, name="seen", form="date(m/d/Y)", count=1):
        az.open(tmp_path / "t.csv", types={"seen": "date(m/d/Y)"})
    with az.open(pa.table({"seen": ["3/4/2020 10:00"]}), types={"seen": "date(m/d/Y)"}) as data:
        assert data.schema["seen"].type is DataType.DATETIME


def test_inspect_asks(tmp_path: Path) -> None:
    from antifaz.projects import actions

    (tmp_path / "t.csv").write_text("seen,age\n" + "3/4/2020,1\n5/6/2020,2\n" * 5, "utf-8")
    columns = actions.inspect(tmp_path / "t.csv")["columns"]
    assert [column["written"] for column in columns] == [["date(d/m/Y)", "date(m/d/Y)"], []]
    assert columns[0]["type"] == "text"
