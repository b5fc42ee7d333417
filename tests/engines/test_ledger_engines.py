"""The ledger on every engine: cells are hashed where the rows are, and come out as the local engine's."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antifaz as az
from antifaz.ledger.check import LedgerCheck
from engines.conftest import server

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

NAMES = [
    "Ana Pérez",
    "ana pe\u0301rez ",
    "JOSÉ",
    "Li  Wei",
    "O'Neill",
    "x\\y",
    "Straße",
    "Q",
    None,
    " Bo",
    "a b c",
    "ﬁn",
]
N = 24
TABLE = pa.table(
    {
        "ssn": [f"{i * 7919 % 1000:03d}-{i:02d}-{i * 104729 % 10000:04d}-AbC" for i in range(N)],
        "name": [NAMES[i % len(NAMES)] for i in range(N)],
        "code": [f"0{i % 7}001" for i in range(N)],
        "number": pa.array([None if i == 5 else i * 10**9 for i in range(N)], pa.int64()),
        "weight": pa.array([50 + i / 8 for i in range(N)], pa.float64()),
        "seen": [datetime.date(2020, 1 + i % 12, 1 + i) for i in range(N)],
        "smokes": [i % 3 == 0 for i in range(N)],
        "age": pa.array([20 + i % 4 for i in range(N)], pa.int64()),
        "town": [("Berga", "Vic", "Reus")[i % 3] for i in range(N)],
    }
)
ROLES = {
    "ssn": "identifier", "name": "identifier", "code": "insensitive", "number": "insensitive",
    "weight": "insensitive", "seen": "insensitive", "smokes": "sensitive", "age": "quasi-identifier",
    "town": "quasi-identifier",
}  # fmt: skip
HIERARCHIES = {"age": az.hierarchy.intervals(4), "town": az.hierarchy.flat()}
BY_AGE, BY_TOWN = {"age": 0, "town": 1}, {"age": 1, "town": 0}
DATABASES = ("PostgreSQL", "MariaDB", "SQLite", "DuckDB")


def released(data: Any, levels: dict[str, int]) -> Any:
    found = az.candidates(
        data, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(4), method=az.FullDomain(), seed=1
    )
    return next(candidate for candidate in found if candidate.levels == levels).apply()


def cells(release: Any, ledger: az.Ledger) -> dict[str, list[int]]:
    """Per column the hashes of all cells, whatever their order."""
    check = LedgerCheck(ledger=ledger)
    evidence = check.examine(release.new_release())
    assert evidence["checked"], evidence["notes"]
    entry = check._entry
    assert entry is not None and len(set(entry.order.tolist())) == N
    return {name: sorted(column.cells.tolist()) for name, column in entry.columns.items()} | {
        "classes": sorted(entry.labels[entry.classes].tolist())
    }


@pytest.fixture
def ledger(tmp_path: Path) -> az.Ledger:
    return az.Ledger(tmp_path / "ledger" / "ledger.sqlite")


@pytest.mark.parametrize("kind", DATABASES)
def test_check_07_tables_of_databases_are_checked_as_files_are(kind: str, ledger: az.Ledger, tmp_path: Path) -> None:
    place = server(kind, tmp_path)
    try:
        name = place.load(TABLE)
        with az.open(place.url, table=name) as data:
            there = released(data, BY_AGE)
            assert cells(there, ledger) == cells(released(TABLE, BY_AGE), ledger)
            there.save(tmp_path / "one", ledger=ledger, to="one")
            assert there.evidence["ledger"]["checked"]
        # What a file releases of them, and what the database does, is refused after that.
        for second in (TABLE, (place.url, name)):
            opened = az.open(second) if second is TABLE else az.open(second[0], table=second[1])
            with opened as data, pytest.raises(az.LedgerRefused):
                released(data, BY_TOWN).save(tmp_path / "two", ledger=ledger, to="two")
    finally:
        place.clean()


def test_check_07_tables_on_spark_are_checked_as_files_are(spark: Any, ledger: az.Ledger, tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "people.parquet")
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    there = released(frame, BY_AGE)
    assert cells(there, ledger) == cells(released(TABLE, BY_AGE), ledger)
    released(TABLE, BY_AGE).save(tmp_path / "one", ledger=ledger, to="one")
    with pytest.raises(az.LedgerRefused):
        released(frame, BY_TOWN).save(tmp_path / "two", ledger=ledger, to="two")


#: Long numbers that follow each other, such codes, and long numbers that don't.
SERIES = pa.table(
    {
        "ssn": pa.array([3_000_000_000 + 3 * i for i in range(N)], pa.int64()),
        "name": [f"{'AB'[i % 2]}-{7_000_000_100 + i}" for i in range(N)],
        "code": [f"{10**9 + i * 7919**2}" for i in range(N)],
        **{name: TABLE[name] for name in TABLE.column_names[3:]},
    }
)
SERIES_ROLES = ROLES | {"code": "identifier"}


def series_of(data: Any, ledger: az.Ledger) -> list[str]:
    """Name the identifiers that are taken for a running series, which proves nothing by itself."""
    found = az.candidates(
        data, roles=SERIES_ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(4), method=az.FullDomain(), seed=1
    )
    check = LedgerCheck(ledger=ledger)
    release = next(candidate for candidate in found if candidate.levels == BY_AGE).apply()
    assert check.examine(release.new_release())["checked"]
    assert check._entry is not None
    return list(check._entry.series)


@pytest.mark.parametrize("kind", DATABASES)
def test_check_07_long_running_numbers_prove_nothing_in_databases_as_in_files(
    kind: str, ledger: az.Ledger, tmp_path: Path
) -> None:
    place = server(kind, tmp_path)
    try:
        with az.open(place.url, table=place.load(SERIES)) as data:
            assert series_of(data, ledger) == series_of(SERIES, ledger) == ["ssn", "name"]
    finally:
        place.clean()


def test_check_07_long_running_numbers_prove_nothing_on_spark_as_in_files(
    spark: Any, ledger: az.Ledger, tmp_path: Path
) -> None:
    pq.write_table(SERIES, tmp_path / "people.parquet")
    assert series_of(spark.read.parquet(str(tmp_path / "people.parquet")), ledger) == ["ssn", "name"]


def test_a_server_hashes_what_is_plain_text(tmp_path: Path) -> None:
    place = server("PostgreSQL", tmp_path)
    try:
        name = place.load(TABLE)
        with az.open(place.url, table=name) as data:
            release = released(data, BY_AGE)
            with release.new_release().applied.traced(("age", "town"), bytes(16), ("ssn",)) as rows:
                traced = pa.Table.from_batches(list(rows))
        ssn, names = (traced.column(i).to_pylist() for i in (0, 1))
        assert all(cell.startswith("h") and len(cell) == 17 for cell in ssn)
        # Letters beyond ASCII, and blanks that are to be taken away, are left to this process.
        assert {"tAna Pérez", "tLi  Wei", "t Bo"} < set(names) and "tO'Neill" not in names
    finally:
        place.clean()
