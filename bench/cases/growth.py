"""How the whole run grows: with rows, with quasi-identifiers, with k; and what it holds in memory.

The run is from rows in memory to the verified file: count, decide, apply, write, count the file again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

import antifaz as az
from antifaz.engines.local.data import open_local
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from bench.data import made_up
from bench.measure import WHOLE_RUN, Work, case, peak_memory


def release(table: pa.Table, k: int = 5) -> None:
    """Release a table all of whose columns are quasi-identifiers, into a folder that is thrown away."""
    names = table.column_names
    with TemporaryDirectory(prefix="antifaz-bench-") as folder, open_local(table) as data:
        plan = make_plan(
            data.schema, roles=dict.fromkeys(names, "quasi-identifier"),
            hierarchies={name: az.hierarchy.flat() for name in names}, privacy=[az.KAnonymity(k)],
            method=az.FullDomain(suppression=0.05), seed=1,
        )  # fmt: skip
        Release(start_run(plan, data)).save(Path(folder) / "out", attacks=0)


def _rows(power: int) -> Callable[[bool], tuple[Work, Work]]:
    def prepare(quick: bool) -> tuple[Work, Work]:
        many = 10 ** (power - 1 if quick else power)
        release(made_up(10**4))  # compiles the kernels
        less = made_up(many).slice(0, many // 10)

        def tenfold() -> float:
            began = perf_counter()
            release(less)
            return 10 * (perf_counter() - began)

        return lambda: release(made_up(many)), tenfold

    prepare.__name__ = f"growth_rows_1e{power}"
    return prepare


for _power in (5, 6, 7):
    case(
        claim=f"the whole run, 6 QIs, with 10^{_power} rows: it does not grow faster than the rows",
        against=f"ten times the whole run with 10^{_power - 1} rows",
        limit=1.3,
        best_of=1 if _power == 7 else 2,
        least=WHOLE_RUN,
    )(_rows(_power))


@cache
def wide(rows: int, columns: int = 12) -> pa.Table:
    """Return a table of text columns with two to seven values each, one much more frequent than the others."""
    random = np.random.default_rng(2)
    made = {}
    for i in range(columns):
        size = 2 + i % 6
        codes = random.choice(size, rows, p=[0.8, *[0.2 / (size - 1)] * (size - 1)]).astype(np.int32)
        words = pa.array([f"value {j}" for j in range(size)])
        made[f"q{i}"] = pa.DictionaryArray.from_arrays(pa.array(codes), words).cast(pa.string())
    return pa.table(made)


def _columns(many: int) -> Callable[[bool], tuple[Work, Work]]:
    def prepare(quick: bool) -> tuple[Work, Work]:
        return _beside_least(wide(10**5 if quick else 10**6).select([f"q{i}" for i in range(many)]))

    prepare.__name__ = f"growth_columns_{many}"
    return prepare


def _beside_least(table: pa.Table) -> tuple[Work, Work]:
    """Return the whole run of a table, and the least that it could do."""
    data = open_local(table)
    names = ", ".join(table.column_names)
    sql = f"SELECT {names}, count(*) AS n FROM {data.table} GROUP BY ALL"

    def plain() -> None:
        with TemporaryDirectory(prefix="antifaz-bench-") as folder:
            data.db.sql(sql).to_arrow_table()
            csv.write_csv(table, Path(folder) / "copy.csv")
            csv.read_csv(Path(folder) / "copy.csv")

    return lambda: release(table), plain


_LEAST = "the least it could do: one GROUP BY, one write and one read of the same columns"


for _many in (2, 4, 6, 8, 10, 12):
    case(
        claim=f"the whole run, 10^6 rows × {_many} QIs, 2^{_many} generalizations",
        against=_LEAST,
        limit=10,
        best_of=1,
        least=WHOLE_RUN,
    )(_columns(_many))


def with_tuples(rows: int, tuples: int) -> pa.Table:
    """Return a table of six text columns with ten values each, in so many different tuples."""
    random = np.random.default_rng(3)
    chosen = random.choice(10**6, tuples, replace=False)
    whole = random.permutation(np.concatenate([chosen, chosen[random.integers(tuples, size=rows - tuples)]]))
    words = pa.array([f"value {j}" for j in range(10)])
    digits = (pa.array((whole // 10**i % 10).astype(np.int32)) for i in range(6))
    columns = [pa.DictionaryArray.from_arrays(codes, words).cast(pa.string()) for codes in digits]
    return pa.table(columns, [f"q{i}" for i in range(6)])


def _tuples(power: int) -> Callable[[bool], tuple[Work, Work]]:
    def prepare(quick: bool) -> tuple[Work, Work]:
        table = with_tuples(10**5 if quick else 10**6, 10 ** (power - 1 if quick else power))
        release(table.slice(0, 10**4))  # compiles the kernels
        return _beside_least(table)

    prepare.__name__ = f"growth_tuples_1e{power}"
    return prepare


for _power in (2, 3, 4, 5, 6):
    case(
        claim=f"the whole run, 10^6 rows × 6 QIs, in 10^{_power} different tuples",
        against=_LEAST,
        limit=10,
        best_of=1,
        least=WHOLE_RUN,
    )(_tuples(_power))


def _k(k: int) -> Callable[[bool], tuple[Work, Work]]:
    def prepare(quick: bool) -> tuple[Work, Work]:
        table = made_up(10**5 if quick else 10**6)
        return lambda: release(table, k), lambda: release(table, 5)

    prepare.__name__ = f"growth_k_{k}"
    return prepare


for _asked in (2, 50, 1000):
    case(claim=f"the whole run, 10^6 rows × 6 QIs, k = {_asked}", against="the same with k = 5", limit=1.5, best_of=2)(
        _k(_asked)
    )


@case(
    claim="reading a CSV file of 10^6 rows × 6 columns exactly, or refusing it",
    against="pyarrow's reader, which guesses types",
    limit=8,
    least="one read",
)
def read_csv(quick: bool) -> tuple[Work, Work]:
    folder = TemporaryDirectory(prefix="antifaz-bench-")
    place = Path(folder.name) / "people.csv"
    csv.write_csv(made_up(10**5 if quick else 10**6), place)

    def ours(keep: Any = folder) -> None:
        open_local(place).close()

    return ours, lambda: csv.read_csv(place)


@case(
    claim="the most memory that the whole run holds, 10^7 rows × 6 QIs, the table included; less with `memory` set",
    against="the table",
    limit=6,
    best_of=1,
    unit="MB",
)
def whole_run_memory(quick: bool) -> tuple[Work, Work]:
    rows = 10**6 if quick else 10**7
    script = f"from bench.cases.growth import release, made_up; release(made_up({rows}))"
    table = made_up(rows).nbytes / 1e6
    return lambda: peak_memory([sys.executable, "-c", script]) / 1e6, lambda: table
