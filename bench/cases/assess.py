"""Judging a release from two tables of a million rows and ten columns: in sorts, and in memory."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

import antifaz as az
from bench.measure import Work, case, peak_memory

QIS = ("age", "salary", "postcode", "sex", "work", "school", "country", "married")


@cache
def tables(rows: int) -> tuple[pa.Table, pa.Table]:
    """Return a made-up table of four numbers and six categories, and what somebody released of it in another order."""
    random = np.random.default_rng(1)
    age = np.clip(random.normal(45, 16, rows), 17, 91).astype(np.int64)
    salary = random.gamma(3, 9_000, rows).astype(np.int64)
    postcode = random.integers(10_000, 20_000, rows)
    hours = np.clip(random.normal(38, 10, rows), 1, 99).astype(np.int64)
    sizes = {"sex": 2, "work": 12, "school": 16, "country": 41, "married": 7, "illness": 40}
    codes = {name: random.choice(n, rows, p=random.dirichlet(np.full(n, 0.7))) for name, n in sizes.items()}
    words = {name: np.array([f"{name} {i:02d}" for i in range(n)], object) for name, n in sizes.items()}
    plain = {name: _text(words[name], codes[name]) for name in sizes}
    original = pa.table({"age": age, "salary": salary, "postcode": postcode, "hours": hours, **plain})
    order = random.permutation(rows)
    decades = np.array([f"[{10 * i}, {10 * i + 10})" for i in range(10)], object)
    bands = np.array([f"[{10_000 * i}, {10_000 * i + 10_000})" for i in range(100)], object)
    areas = np.array([f"{i}***" for i in range(10, 20)], object)
    groups = {
        name: np.array(["{" + ", ".join(words[name][i // 4 * 4 : i // 4 * 4 + 4]) + "}" for i in range(n)], object)
        for name, n in sizes.items()
    }
    coarse = {name: _text(groups[name], codes[name][order]) for name in ("work", "school", "country")}
    kept = {name: _text(words[name], codes[name][order]) for name in ("sex", "married", "illness")}
    released = pa.table(
        {
            "age": _text(decades, age[order] // 10),
            "salary": _text(bands, np.minimum(salary[order] // 10_000, 99)),
            "postcode": _text(areas, postcode[order] // 1_000 - 10),
            "hours": hours[order],
            **coarse,
            **kept,
        }
    ).select(original.column_names)
    return original, released


def _text(words: Any, codes: Any) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(list(words))).cast(pa.string())


def assess(rows: int, attacks: int) -> dict[str, Any]:
    """Judge the made-up release."""
    roles = {**dict.fromkeys(QIS, "quasi-identifier"), "illness": "sensitive"}
    return az.assess(*tables(rows), roles, attacks=attacks, population_size=10 * rows, seed=1)


@case(claim="assess 1 million × 10 columns, without attacks", limit=60, best_of=1)
def assess_million(quick: bool) -> Work:
    rows = 100_000 if quick else 1_000_000
    tables(rows)
    return lambda: assess(rows, 0)


@case(claim="assess 1 million × 10 columns, with 1,000 attacks of each kind", limit=60, best_of=1)
def assess_million_attacks(quick: bool) -> Work:
    rows = 100_000 if quick else 1_000_000
    tables(rows)
    return lambda: assess(rows, 1000)


@case(
    claim="the same in 2 GB, the tables and 1,000 attacks of each kind included",
    against="2 GB",
    limit=1,
    best_of=1,
    unit="bytes",
    slow=True,
)
def assess_million_memory(quick: bool) -> tuple[Work, Work]:
    rows = 100_000 if quick else 1_000_000
    command = [sys.executable, "-c", f"from bench.cases.assess import assess; assess({rows}, 1000)"]
    return lambda: float(peak_memory(command)), lambda: 2e9
