"""What inspecting a table proposes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from antifaz.engines.local.data import open_local
from antifaz.proposals.quasi_identifiers import quasi_identifiers
from bench.measure import Work, case

#: Numbers of values such as columns about people have: yes or no, months, ages, jobs, postcodes, days.
SIZES = (2, 75, 5, 7, 16, 41, 300, 1000, 12, 2, 2, 3, 4, 9, 20, 52, 6, 8, 2, 2, 100, 366, 31, 12, 3, 5, 7, 10, 2, 4)


@cache
def thirty_columns(rows: int) -> pa.Table:
    """Return thirty skewed columns; each follows, nine times in ten, one of four things behind all of them."""
    random = np.random.default_rng(1)
    behind = [random.choice(size, rows, p=random.dirichlet(np.full(size, 0.7))) for size in (3000, 366, 75, 12)]
    columns = {}
    for i, size in enumerate(SIZES):
        follows = random.integers(0, size, 3000)[behind[i % 4]]
        codes = np.where(random.random(rows) < 0.1, random.integers(0, size, rows), follows).astype(np.int32)
        values = pa.array([f"{i}-{j}" for j in range(size)])
        columns[f"c{i}"] = pa.DictionaryArray.from_arrays(pa.array(codes), values).cast(pa.string())
    return pa.table(columns)


@case(
    claim="proposing quasi-identifiers among 30 columns of 1 million records, the fewest proven",
    limit=20,
    best_of=2,
)
def propose_quasi_identifiers(quick: bool) -> Work:
    table = thirty_columns(10**5 if quick else 10**6)
    data = open_local(table)
    quasi_identifiers(open_local(table.slice(0, 1000)), table.column_names)  # compiles the kernels

    def ours() -> None:
        found = quasi_identifiers(data, table.column_names)
        assert found.details["search"]["smallest"], "not proven"  # type: ignore[index]

    return ours
