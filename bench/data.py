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
from antifaz.counting.rollup import Ladder
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


#: Columns of the shape of those of KDD Cup 98 in ARX's papers: how many values, and how many levels.
CUP = {
    "age": (94, 5), "gender": (6, 2), "income": (7, 3), "least gift": (120, 5), "gifts": (81, 5), "state": (53, 2),
    "zip": (19_910, 6), "all gifts": (814, 5),
}  # fmt: skip


def cup_shaped() -> Lattice:
    """Return the lattice of made-up records of the shape of KDD Cup 98: 63,441 records, 8 QIs, 45,000 nodes."""
    random, rows = np.random.default_rng(98), 63_441
    codes = [random.choice(size, rows, p=random.dirichlet(np.full(size, 0.5))) for size, _ in CUP.values()]
    for a in (3, 4, 7):  # most gifts are small and few
        codes[a] = np.minimum(random.geometric(8 / list(CUP.values())[a][0], rows), list(CUP.values())[a][0]) - 1
    counted = Tuples(
        columns=tuple(CUP),
        values=tuple(tuple(f"{value:05d}" for value in range(size)) for size, _ in CUP.values()),
        codes=tuple(column.astype(np.int32) for column in codes),
        counts=np.ones(rows, np.int64),
    )
    ladders = [_joined(name, *shape) for name, shape in CUP.items()]
    return Lattice(frequency_set(counted, tuple(CUP)), ladders)


def _joined(name: str, size: int, levels: int) -> Ladder:
    """Return a ladder in which every level joins as many neighbours, and the last all."""
    wide = max(2, round(size ** (1 / (levels - 1))))
    up = [np.arange(size) // wide**level for level in range(levels - 1)] + [np.zeros(size, np.int64)]
    return Ladder(
        column=name,
        labels=tuple(tuple(map(str, range(int(codes.max()) + 1))) for codes in up),
        up=tuple(codes.astype(np.int32) for codes in up),
        shares=tuple(np.bincount(codes) / size for codes in up),
        leaves=size,
    )
