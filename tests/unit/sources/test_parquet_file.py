"""Parquet in parts that are small when they are unfolded, exactly as it was, and what unfolds to too much refused."""

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import DataError
from antifaz.engines.local.data import open_local
from antifaz.sources import parquet_file
from antifaz.sources.file_format import ReadOptions
from failing import failing, like

CANARY = "Kanarienvogel"


@pytest.fixture
def table():
    words = ["a", "", None, "bb" * 40, "ñ" * 7, "x" * 900]
    return pa.table(
        {
            "text": pa.array([words[i % 6] for i in range(500)]),
            "large": pa.array([words[i % 5] for i in range(500)], pa.large_string()),
            "kept": pa.array([words[i % 4] for i in range(500)]).dictionary_encode(),
            "number": pa.array([None if i % 7 == 0 else i for i in range(500)], pa.int32()),
        }
    )


def parts(path):
    reader = parquet_file.open_parquet(path, ReadOptions())
    return reader.schema, list(reader.tables)


@pytest.mark.parametrize("most", [1, 100, 1000, 1 << 20])
@pytest.mark.parametrize("dictionary", [True, False])
def test_the_parts_are_the_whole_and_none_is_large(table, tmp_path, monkeypatch, most, dictionary):
    monkeypatch.setattr(parquet_file, "BYTES", most)
    pq.write_table(table, tmp_path / "t.parquet", use_dictionary=dictionary, row_group_size=200)
    schema, found = parts(tmp_path / "t.parquet")
    assert schema == table.schema
    assert pa.concat_tables(found).to_pylist() == table.to_pylist()
    text = [
        sum(len((row[name] or "").encode()) for row in part.to_pylist() for name in table.schema.names[:3])
        for part in found
    ]
    assert all(length <= most or part.num_rows == 1 for length, part in zip(text, found, strict=True))


def test_a_table_without_text_and_one_without_rows(tmp_path):
    for table in (pa.table({"a": [1, 2, 3]}), pa.table({"a": pa.array([], pa.string())})):
        pq.write_table(table, tmp_path / "t.parquet")
        schema, found = parts(tmp_path / "t.parquet")
        assert sum(part.num_rows for part in found) == table.num_rows
        assert schema == table.schema


def test_what_unfolds_to_many_times_its_size_is_refused_and_quotes_nothing(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": ["CANARY" * 100] * 20_000}), tmp_path / "t.parquet")
    assert open_local(tmp_path / "t.parquet").rows == 20_000  # 12 MB do no harm
    monkeypatch.setattr(parquet_file, "HARMLESS", 1 << 20)
    with failing("parquet.mostly-repetition", DataError, times=1000) as told:
        open_local(tmp_path / "t.parquet")
    assert "CANARY" not in str(told.value)


def test_what_there_is_no_room_for_is_refused_before_it_is_unfolded(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": list(range(100_000))}), tmp_path / "t.parquet")
    monkeypatch.setattr(parquet_file, "available_memory", lambda: 700_000)
    with failing("parquet.no-room", DataError):
        open_local(tmp_path / "t.parquet")


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i": pa.array([1, None, 3], pa.int16()),
            "s": ["NA", None, "?"],
            "d": pa.array([datetime.date(2020, 1, 1), None, None]),
            "c": pa.array(["u", "v", "u"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    with open_local(tmp_path / "t.parquet") as data:
        assert data.to_arrow().equals(table)
    with open_local(tmp_path / "t.parquet", missing=["?"]) as data:
        assert data.to_arrow().column("s").to_pylist() == ["NA", None, None]


def test_parquet_refused(tmp_path: Path) -> None:
    with failing("source.failed", DataError, what=like("source.not-read")) as caught:
        (tmp_path / "t.parquet").write_text(f"PAR1{CANARY}PAR1")
        open_local(tmp_path / "t.parquet")
    assert CANARY not in str(caught.value)
    pq.write_table(pa.table({"a": [[1]]}), tmp_path / "n.parquet")
    with failing("column.holds-no-single-values", DataError, column="a"):
        open_local(tmp_path / "n.parquet")


@pytest.mark.parametrize("sizes", [[], [1], [5], [5, 5], [3, 3, 3], [0, 4, 1, 0, 5, 2], [12, 1]])
def test_batches_of_any_size_become_batches_of_one_size(sizes):
    rows = pa.record_batch({"text": [str(n) for n in range(sum(sizes))], "n": range(sum(sizes))})
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    even = list(
        parquet_file.even_batches((rows.slice(start, size) for start, size in zip(starts, sizes, strict=True)), 5)
    )
    assert [batch.num_rows for batch in even[:-1]] == [5] * (len(even) - 1)
    assert all(batch.num_rows <= 5 for batch in even)
    assert pa.Table.from_batches(even, rows.schema).to_pydict() == rows.to_pydict()
