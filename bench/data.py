"""Data that cases share: Adult as ARX ships it, where it lies beside the repository, and made-up tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from antifaz.counting.frequencies import frequency_set
from antifaz.counting.lattice import Lattice
from antifaz.engines.local.count import count
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
    frequencies = frequency_set(count(data, (*QIS, *sensitive)), QIS, sensitive)
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
