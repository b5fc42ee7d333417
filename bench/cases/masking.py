"""Masking: each operation on ten million values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import antifaz as az
from bench.measure import Unavailable, Work, case

KEY = bytes(range(64))
ROWS = 10_000_000


@cache
def _table(distinct: int) -> pa.Table:
    """Ten million rows: a number, a date, and a code of nine characters with so many distinct values."""
    random = np.random.default_rng(1)
    codes = pa.array([f"{i:08d}Z" for i in random.permutation(10 * distinct)[:distinct].tolist()])
    return pa.table(
        {
            "number": random.lognormal(10, 1, ROWS),
            "day": pc.cast(pa.array(random.integers(10_000, 20_000, ROWS), pa.int32()), pa.date32()),
            "code": codes.take(pa.array(random.integers(0, distinct, ROWS))),
        }
    )


def _case(
    function: str, column: str, distinct: int = 100_000, limit: float = 3, words: str = "", **options: Any
) -> Any:
    """Register one operation as a case."""
    said = f" with {distinct:,} distinct" if column == "code" else ""

    def prepare(quick: bool) -> Work:
        table, operation = _table(distinct), getattr(az.mask, function)
        few = table.slice(0, 1000)

        def ours() -> None:
            operation(table, column, **options)

        try:
            operation(few, column, **options)
        except az.MissingExtra as missing:
            raise Unavailable(str(missing)) from None
        return ours

    prepare.__name__ = f"mask_{words.replace(' ', '_') or function}"
    return case(claim=f"{words or function} on 10 million values{said}", limit=limit, best_of=2)(prepare)


CASES: list[Callable[..., Any]] = [
    _case("suppress", "code", words="suppress where", where={"column": "number", "above": 100_000}),
    _case("substitute", "code", words="substitute made", made=True, key=KEY),
    _case("substitute", "code", words="substitute by table", table={"00000000Z": "x"}, others="keep"),
    _case("encrypt", "code", key=KEY),
    _case("encrypt", "code", distinct=1_000_000, limit=10, words="encrypt a million", key=KEY),
    _case("pseudonymize", "code", key=KEY),
    _case("mask", "code", first=2),
    _case("round", "number", base=1000),
    _case("top_code", "number", words="top code", at=100_000),
    _case("bottom_code", "number", words="bottom code by percentile", percentile=1),
    _case("shift_dates", "day", words="shift dates", person="code", key=KEY),
]


@case(claim="sample of a tenth of 10 million rows", limit=3, best_of=2)
def mask_sample(quick: bool) -> Work:
    table = _table(100_000)
    return lambda: az.mask.sample(table, share=0.1, seed=1)
