"""Parquet, workbooks and statistical files within compressed files: unpacked into memory, never to the disk."""

import gzip
import io
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antifaz as az
from antifaz.sources import reading
from failing import failing

TABLE = pa.table({"age": [31, 42], "city": ["Sevilla", None]})


def parquet() -> bytes:
    made = io.BytesIO()
    pq.write_table(TABLE, made)
    return made.getvalue()


def workbook() -> bytes:
    book, made = openpyxl.Workbook(), io.BytesIO()
    for row in (["age", "city"], [31, "Sevilla"], [42, None]):
        book.active.append(row)
    book.save(made)
    return made.getvalue()


@pytest.mark.parametrize(("name", "content"), [("people.parquet", parquet), ("people.xlsx", workbook)])
def test_a_table_in_an_archive_opens(tmp_path: Path, name: str, content: object) -> None:
    with zipfile.ZipFile(tmp_path / "people.zip", "w") as archive:
        archive.writestr(name, content())  # type: ignore[operator]
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content()))  # type: ignore[operator]
    for path in (tmp_path / "people.zip", tmp_path / f"{name}.gz"):
        with az.open(path) as data:
            found = data.to_arrow()
            assert (data.rows, found.column_names) == (2, ["age", "city"])
            assert [int(age) for age in found.column("age").to_pylist()] == [31, 42]


def test_an_spss_file_in_an_archive_opens(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_sav(pd.DataFrame({"age": [31, 42]}), tmp_path / "people.sav")
    (tmp_path / "people.sav.gz").write_bytes(gzip.compress((tmp_path / "people.sav").read_bytes()))
    with az.open(tmp_path / "people.sav.gz") as data:
        assert data.rows == 2


def test_what_does_not_fit_and_what_is_damaged_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.parquet.gz").write_bytes(gzip.compress(parquet()[:50]))
    with pytest.raises(az.DataError, match=r"people\.parquet\.gz"):
        az.open(tmp_path / "people.parquet.gz")
    (tmp_path / "people.parquet.gz").write_bytes(gzip.compress(parquet()))
    monkeypatch.setattr(reading, "_MOST_UNPACKED", 40)
    with failing("compressed.too-large-for-memory", az.DataError, file="people.parquet.gz"):
        az.open(tmp_path / "people.parquet.gz")


@pytest.mark.parametrize("place", ["s3a://bucket/people.csv", "abfs://b@c/p.parquet", "ftp://host/p.csv"])
def test_a_place_elsewhere_is_refused_on_this_machine(place: str) -> None:
    with failing("file.elsewhere", az.DataError, scheme=place.partition(":")[0]):
        az.open(place, engine="local")
