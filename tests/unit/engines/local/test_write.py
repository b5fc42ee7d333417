"""Writing released rows: exactly, harmlessly, and with a fingerprint."""

from __future__ import annotations

import csv
import datetime
import decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import DataError, ParameterError, SchemaError
from antifaz.core.recoding import ColumnRecoding, Recoding
from antifaz.engines.local.apply import LocalApplied
from antifaz.engines.local.data import open_local
from antifaz.engines.local.recount import recount
from antifaz.engines.local.write import may_run, write
from antifaz.sources.formulas import FORMULA
from failing import failing, like, near

FORMATS = ("csv", "tsv", "parquet")


def _written(table, folder, format="csv", **options):
    with open_local(table) as data:
        name = table.column_names[0]
        values = tuple({None if value is None else str(value) for value in table.column(name).to_pylist()})
        column = ColumnRecoding(column=name, values=values, labels=values, keeps_type=True)
        return write(LocalApplied(data=data, recoding=Recoding(columns=(column,)), key=3), folder, format, **options)


def _cells(path, delimiter=","):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


ODD = ["plain", 'quo"te', "com,ma", "tab\tin", "line\nbreak", "CR\rhere", " blank ", "", "ñ€", "'", "a;b", "\\", "NULL"]


@pytest.mark.parametrize("format", FORMATS)
def test_odd_text_is_written_exactly(tmp_path, format):
    table = pa.table({"q": ["x"] * len(ODD), "text": ODD})
    written = _written(table, tmp_path, format)
    assert written.path == tmp_path / f"release.{format}"
    if format == "parquet":
        found = pq.read_table(written.path).column("text").to_pylist()
    else:
        found = [row[1] for row in _cells(written.path, "\t" if format == "tsv" else ",")[1:]]
    assert sorted(found) == sorted(ODD)


@pytest.mark.parametrize("format", FORMATS)
def test_the_fingerprint_is_that_of_the_file(tmp_path, format):
    table = pa.table(
        {
            "q": ["x", "x", None],
            "integer": pa.array([1, None, -3], pa.int32()),
            "large": pa.array([9007199254740993, 0, 1], pa.int64()),
            "number": [0.1, float("nan"), float("inf")],
            "single": pa.array([0.1, None, 2.5], pa.float32()),
            "exact": [decimal.Decimal("1.10"), None, decimal.Decimal("-0.01")],
            "day": [datetime.date(2020, 2, 29), None, datetime.date(1800, 1, 1)],
            "moment": [datetime.datetime(2020, 2, 29, 1, 2, 3, 4), None, datetime.datetime(1800, 1, 1)],
            "there": pa.array([datetime.datetime(2020, 1, 1), None, None], pa.timestamp("us", tz="UTC")),
            "nano": pa.array([1, None, 10**18 + 1], pa.timestamp("ns")),
            "hour": [datetime.time(1, 2, 3), None, datetime.time(0)],
            "yes": [True, False, None],
            "text": ["", None, "=1+1"],
        }
    )
    written = _written(table, tmp_path, format)
    assert recount(written.path, (), fingerprint=True).fingerprint == written.fingerprint


def test_parquet_of_plain_types_is_read_by_another_program_as_it_was(tmp_path):
    columns = {
        "q": ["x", "x", None],
        "small": pa.array([-128, None, 127], pa.int8()),
        "unsigned": pa.array([2**64 - 1, None, 0], pa.uint64()),
        "number": [0.1, float("nan"), float("-inf")],
        "single": pa.array([0.1, None, 2.5], pa.float32()),
        "day": [datetime.date(2020, 2, 29), None, datetime.date(1, 1, 1)],
        "moment": [datetime.datetime(2020, 2, 29, 1, 2, 3, 4), None, datetime.datetime(9999, 12, 31)],
        "yes": [True, False, None],
        "text": ["", None, "ñ"],
    }
    written = _written(pa.table(columns), tmp_path, "parquet")
    assert "arrow" in pq.read_metadata(written.path).created_by
    assert recount(written.path, (), fingerprint=True).fingerprint == written.fingerprint
    with duckdb.connect() as db:
        kinds = dict(db.execute(f"SELECT column_name, column_type FROM (DESCRIBE FROM '{written.path}')").fetchall())
    assert kinds == {
        "q": "VARCHAR", "small": "TINYINT", "unsigned": "UBIGINT", "number": "DOUBLE", "single": "FLOAT",
        "day": "DATE", "moment": "TIMESTAMP", "yes": "BOOLEAN", "text": "VARCHAR",
    }  # fmt: skip


@pytest.mark.parametrize("exact", [False, True])
def test_parquet_has_the_same_bytes_in_however_many_ranges_rows_were_sorted(tmp_path, monkeypatch, exact):
    number = pa.array(range(300_000)).cast(pa.decimal128(20, 0) if exact else pa.int64())  # two programs write them
    table = pa.table({"q": ["x"] * 300_000, "n": number, "text": [f"t{i % 1000}" for i in range(300_000)]})
    written = []
    for memory in (None, "1GB"):
        monkeypatch.setattr("antifaz.engines.local.apply.database_memory", lambda budget: 8_000_000)
        with open_local(table, memory=memory) as data:
            applied = data.apply(Recoding(columns=()), key=3)
            assert (applied._ranges() > 1) == (memory is not None)
            (tmp_path / str(memory)).mkdir()
            written.append(write(applied, tmp_path / str(memory), "parquet").path)
    assert written[0].read_bytes() == written[1].read_bytes()
    assert pq.read_metadata(written[0]).row_group(0).num_rows == 122_880


def test_missing_and_empty_are_different(tmp_path):
    table = pa.table({"q": ["x", "x"], "text": ["", None]})
    written = _written(table, tmp_path)
    assert sorted(written.path.read_bytes().splitlines()) == [b"q,text", b"x,", b'x,""']


@pytest.mark.parametrize("format", FORMATS)
def test_a_single_column_with_missing_values(tmp_path, format):
    written = _written(pa.table({"q": ["x", None, "y", None]}), tmp_path, format)
    assert recount(written.path, (), fingerprint=True).fingerprint == written.fingerprint


FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "+SUM(A1)", "-2+3", "@now", "\t=1", "\r=1", "\n=1", " =1", "＝1", "+1 2"]
HARMLESS = ["-5", "+5", "-1.5", "-.5", "-1,5", "-1e-9", "-12%", "a=b", "5", "", "[-5, 5)", "-", "--", "−5"]


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_check_37_formulas_get_an_apostrophe_and_numbers_don_t(tmp_path, format):
    for text in [*FORMULAS, *HARMLESS]:
        written = _written(pa.table({"q": ["x"], "text": [text]}), tmp_path, format)
        cell = _cells(written.path, "\t" if format == "tsv" else ",")[1][1]
        assert cell == (text if text in HARMLESS else f"'{text}"), text


def test_check_37_a_formula_is_not_passed_over_by_the_quick_comparison():
    with duckdb.connect() as db:
        firsts = "SELECT chr(i::INTEGER) AS first FROM range(0, 55296) AS a(i) UNION ALL FROM (VALUES ('＝'), ('＠'))"
        texts = f"SELECT first, first || rest AS text FROM ({firsts}), (VALUES ('=1'), ('')) AS b(rest)"
        matching = f"SELECT DISTINCT first, {may_run('text')} FROM ({texts}) WHERE regexp_matches(text, '{FORMULA}')"
        found = dict(db.execute(matching).fetchall())
        (quick,) = db.execute(f"SELECT count(*) FILTER ({may_run('text')}) FROM ({texts})").fetchone()
    assert all(found.values()) and set("\0\t\n\r =+-@＝＠") <= set(found)
    assert quick < 200


def test_parquet_is_opened_by_no_spreadsheet_and_stays_as_it_is(tmp_path):
    written = _written(pa.table({"q": ["x"], "text": ["=1+1"]}), tmp_path, "parquet")
    assert pq.read_table(written.path).to_pydict() == {"q": ["x"], "text": ["=1+1"]}


@pytest.mark.parametrize("name", ["=cmd()", "@x", "+a", " =b"])
def test_a_column_name_that_would_run_is_refused(tmp_path, name):
    table = pa.table({"q": ["x"], name: ["y"]})
    with failing("release.column-name-is-a-formula", SchemaError):
        _written(table, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert _written(table, tmp_path, "parquet").path.exists()


def test_an_unknown_format_is_refused(tmp_path):
    with failing("release.unknown-format", ParameterError, hint=near("csv")):
        _written(pa.table({"q": ["x"]}), tmp_path, "cvs")


def test_a_place_that_can_not_be_written_is_said_in_words(tmp_path):
    with failing("source.failed", DataError, what=like("table.release-not-written")):
        _written(pa.table({"q": ["x"]}), tmp_path / "nowhere")


@pytest.mark.parametrize("folder", ["with 'quote", "star*", "[set]", "what?"])
@pytest.mark.parametrize("format", FORMATS)
def test_odd_folders(tmp_path, folder, format):
    (tmp_path / folder).mkdir()
    written = _written(pa.table({"q": ["x", "y"]}), tmp_path / folder, format, memory="200MB", threads=1)
    assert recount(written.path, (), fingerprint=True).fingerprint == written.fingerprint


def test_many_batches_have_one_fingerprint(tmp_path):
    rows = 250_000
    written = _written(pa.table({"q": ["x"] * rows, "i": range(rows)}), tmp_path, threads=2)
    assert recount(written.path, (), fingerprint=True).fingerprint == written.fingerprint
