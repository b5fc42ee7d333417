"""Data that cases share: Adult as ARX ships it, where it lies beside the repository, and made-up tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples, frequency_set
from antifaz.counting.lattice import Lattice
from antifaz.counting.records import Records, records
from antifaz.engines.local.data import LocalData, open_local
from antifaz.hierarchies import read_file
from antifaz.hierarchies.binding import bind
from bench.measure import Unavailable

ADULT = Path(__file__).parents[2] / "shared" / "data" / "adult-arx"
QIS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


def adult_file() -> Path:
    """Return the path of Adult in ARX's form: 30,162 complete records, nine columns."""
    path = ADULT / "adult.csv"
    if not path.exists():
        raise Unavailable("Adult in ARX's form is not beside the repository")
    return path


def adult(copies: int = 1) -> LocalData:
    """Open Adult, its rows repeated so many times."""
    table = open_local(adult_file(), delimiter=";", header=True).to_arrow()
    return open_local(pa.concat_tables([table] * copies) if copies > 1 else table)


def lattice(data: LocalData, sensitive: tuple[str, ...] = ()) -> Lattice:
    """Count Adult's quasi-identifiers and bind ARX's hierarchies."""
    frequencies = frequency_set(data.count((*QIS, *sensitive)), QIS, sensitive)
    hierarchies = (read_file(ADULT / f"adult_hierarchy_{name}.csv", delimiter=";") for name in QIS)
    return Lattice(frequencies, [bind(d, h) for d, h in zip(frequencies.domains, hierarchies, strict=True)])


@cache
def made_up(rows: int) -> pa.Table:
    """Return a table of six skewed text columns such as quasi-identifiers are, with 2 to 75 values each."""
    random = np.random.default_rng(1)
    columns = {}
    for i, size in enumerate((2, 75, 5, 7, 16, 41)):
        codes = random.choice(size, rows, p=random.dirichlet(np.full(size, 0.5))).astype(np.int32)
        values = pa.array([f"value {i} {j}" for j in range(size)])
        columns[f"q{i}"] = pa.DictionaryArray.from_arrays(pa.array(codes), values).cast(pa.string())
    return pa.table(columns)


def rows_of(data: LocalData, names: tuple[str, ...] = QIS) -> Records:
    """Read every row of some columns, as methods that group rows get them: no hierarchies."""
    types = {column.name: column.type for column in data.schema}
    return records(data.records(names), names, (), types)


def census(rows: int) -> Records:
    """Return the rows of six made-up columns: three numbers of 100 to 50,000 values, and 2, 16 and 41 categories."""
    random = np.random.default_rng(1)
    attributes = []
    kinds = ((100, True), (1_000, True), (50_000, True), (2, False), (16, False), (41, False))
    for i, (size, number) in enumerate(kinds):
        if number:
            codes = np.clip(random.normal(size / 2, size / 6, rows), 0, size - 1).astype(np.int32)
        else:
            codes = random.choice(size, rows, p=random.dirichlet(np.full(size, 0.5))).astype(np.int32)
        # One column at a time: making the data must not take more memory than what is measured with it.
        values = tuple(f"{j}" if number else f"value {j:02d}" for j in range(size))
        column = Tuples(columns=(f"q{i}",), values=(values,), codes=(codes,), counts=np.broadcast_to(np.int64(1), rows))
        kind = DataType.INTEGER if number else DataType.TEXT
        attributes += records(column, (f"q{i}",), (), {f"q{i}": kind}).attributes
    return Records(attributes=tuple(attributes), rows=rows)
