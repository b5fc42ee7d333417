"""Counting rows, and counting a whole lattice."""

from __future__ import annotations

from antifaz.counting.frequencies import frequency_set
from antifaz.engines.local.data import open_local
from bench.data import adult, lattice, made_up
from bench.measure import Work, case


@case(
    claim="counting 10 million rows × 6 quasi-identifiers into a frequency set",
    against="DuckDB's own GROUP BY of the same columns",
    limit=3,
    least="one hash pass",
)
def counting(quick: bool) -> tuple[Work, Work]:
    table = made_up(10**6 if quick else 10**7)
    data = open_local(table)
    names = table.column_names
    sql = f"SELECT {', '.join(names)}, count(*) AS n FROM {data.table} GROUP BY ALL"

    def ours() -> None:
        frequency_set(data.count(names), names)

    return ours, lambda: data.db.sql(sql).to_arrow_table()


@case(claim="the class sizes of all 6,480 generalizations of Adult's 8 quasi-identifiers, from the rows", limit=0.5)
def whole_lattice(quick: bool) -> Work:
    data = adult()

    def ours() -> None:
        nodes = lattice(data)
        for rank in nodes.ranks():
            for levels in rank:
                nodes.sizes(levels)

    ours()  # compiles the kernels
    return ours
