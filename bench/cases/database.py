"""The whole run inside a database, against the server's own grouping and one copy of the table."""

from __future__ import annotations

import atexit
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.csv as pacsv

import antifaz as az
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from bench.measure import WHOLE_RUN, Unavailable, Work, case

QIS = ("age", "sex", "postcode", "education", "marital_status", "occupation", "country")
ROLES = {
    **dict.fromkeys(QIS, "quasi-identifier"), "id_number": "identifier", "name": "identifier",
    "birth_date": "identifier", "diagnosis": "sensitive", "income": "insensitive",
}  # fmt: skip
_COLUMNS = {
    "id_number": "varchar(40)", "name": "varchar(80)", "birth_date": "date", "age": "int", "sex": "varchar(10)",
    "postcode": "varchar(10)", "education": "varchar(40)", "marital_status": "varchar(40)",
    "occupation": "varchar(60)", "country": "varchar(40)", "income": "int", "diagnosis": "varchar(60)",
}  # fmt: skip
_TABLE, _RELEASED, _COPY, _FEW = "bench_people", "bench_released", "bench_copy", "bench_few"
_PLAIN = "the server's own GROUP BY of the QIs plus one CREATE TABLE AS SELECT of the table"


def _hierarchies() -> dict[str, Any]:
    flat = {name: az.hierarchy.flat() for name in QIS}
    return {**flat, "age": az.hierarchy.intervals(5, 10, 20, 40), "postcode": az.hierarchy.masking(1)}


def _release(url: str, table: str = _TABLE) -> None:
    """Open, count, decide, apply, write as a table, count that again, and rename it."""
    folder = Path(tempfile.mkdtemp(prefix="antifaz-bench-"))
    try:
        with az.open(url, table=table) as data:
            plan = make_plan(
                data.schema, roles=ROLES, hierarchies=_hierarchies(), privacy=[az.KAnonymity(10)],
                method=az.FullDomain(suppression=0.02), seed=1,
            )  # fmt: skip
            Release(start_run(plan, data)).save(folder, table=_RELEASED, replace=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _both(url: str, run: Any) -> tuple[Work, Work]:
    names = ", ".join(QIS)

    def ours(table: str = _TABLE) -> None:
        _release(url, table)

    def plain(table: str = _TABLE) -> None:
        run(f"SELECT count(*) FROM (SELECT {names}, count(*) AS n FROM {table} GROUP BY {names}) AS g")
        run(f"DROP TABLE IF EXISTS {_COPY}")
        run(f"CREATE TABLE {_COPY} AS SELECT * FROM {table}")

    for name in (_TABLE, _RELEASED, _COPY, _FEW):
        atexit.register(run, f"DROP TABLE IF EXISTS {name}")
    # Both on some rows before, so that our kernels are compiled; on all of them MariaDB would take minutes.
    run(f"DROP TABLE IF EXISTS {_FEW}")
    run(f"CREATE TABLE {_FEW} AS SELECT * FROM {_TABLE} LIMIT 50000")
    ours(_FEW)
    plain(_FEW)
    return ours, plain


def _people(quick: bool) -> Any:
    return az.datasets.people(100_000 if quick else 2_000_000, seed=1).select(list(_COLUMNS))


def _declared() -> str:
    return ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())


@case(
    claim="PostgreSQL, 2 million people × 7 QIs, full-domain k=10, from opening to the verified table",
    against=_PLAIN,
    limit=1.5,
    best_of=2,
    least=WHOLE_RUN,
)
def database_postgresql(quick: bool) -> tuple[Work, Work]:
    try:
        import psycopg

        link = psycopg.connect("host=127.0.0.1 user=postgres dbname=test", autocommit=True)
    except Exception as error:
        raise Unavailable(f"PostgreSQL does not answer: {type(error).__name__}") from None
    text = io.BytesIO()
    pacsv.write_csv(_people(quick), text, pacsv.WriteOptions(include_header=False))
    link.execute(f"DROP TABLE IF EXISTS {_TABLE}")
    link.execute(f"CREATE TABLE {_TABLE} ({_declared()})")
    with link.cursor().copy(f"COPY {_TABLE} FROM STDIN (FORMAT csv)") as copy:
        copy.write(text.getvalue())
    link.execute(f"ANALYZE {_TABLE}")
    return _both("postgresql://postgres@127.0.0.1/test", link.execute)


@case(
    claim="MariaDB, 2 million people × 7 QIs, full-domain k=10, from opening to the verified table",
    against=_PLAIN,
    limit=1.5,
    best_of=1,
    least=WHOLE_RUN,
)
def database_mariadb(quick: bool) -> tuple[Work, Work]:
    try:
        import pymysql

        link = pymysql.connect(host="127.0.0.1", user="root", database="test", autocommit=True, local_infile=True)
    except Exception as error:
        raise Unavailable(f"MariaDB does not answer: {type(error).__name__}") from None
    cursor = link.cursor()
    cursor.execute(f"DROP TABLE IF EXISTS {_TABLE}")
    cursor.execute(f"CREATE TABLE {_TABLE} ({_declared()}) CHARACTER SET utf8mb4")
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        pacsv.write_csv(_people(quick), file, pacsv.WriteOptions(include_header=False))
        file.flush()
        fields = "CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'"
        cursor.execute(f"LOAD DATA LOCAL INFILE '{file.name}' INTO TABLE {_TABLE} {fields}")
    return _both("mariadb://root@127.0.0.1/test", cursor.execute)
