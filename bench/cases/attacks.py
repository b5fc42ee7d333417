"""Simulated attackers on a million people: a raw copy, which takes longest, and a generalized table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import antifaz as az
from antifaz.risk.attacks import run_attacks
from bench.measure import Work, case

KNOWN = ["age", "sex", "postcode", "education", "marital_status", "occupation", "country"]
COLUMNS = [*KNOWN, "income", "diagnosis", "birth_date"]
ROLES = {**dict.fromkeys(KNOWN, "quasi-identifier"), "income": "sensitive", "diagnosis": "sensitive"}


def _people(quick: bool) -> pa.Table:
    return az.datasets.people(100_000 if quick else 1_000_000, seed=1).select(COLUMNS)


def _against(people: pa.Table, released: pa.Table) -> Work:
    shuffled = released.take(np.random.default_rng(1).permutation(released.num_rows))
    run_attacks(people.slice(0, 100), released.slice(0, 100), ROLES, attacks=10, seed=1)
    return lambda: run_attacks(people, shuffled, ROLES, attacks=1000, seed=1)


@case(claim="1,000 attempts of each attack on a raw copy of 1 million × 10", limit=60, best_of=1)
def attacks_on_a_copy(quick: bool) -> Work:
    people = _people(quick)
    return _against(people, people)


@case(claim="1,000 attempts of each attack on a generalized table of 1 million × 10", limit=60, best_of=1)
def attacks_on_classes(quick: bool) -> Work:
    people = _people(quick)
    decades = np.asarray(people["age"]) // 10 * 10
    labels = np.array([f"[{low}, {low + 10})" for low in range(0, 200, 10)])
    regions = pc.binary_join_element_wise(pc.utf8_slice_codeunits(people["postcode"], 0, 2), "***", "")
    anything = pa.array(["*"] * people.num_rows)
    released = people.set_column(0, "age", pa.array(labels[decades // 10])).set_column(2, "postcode", regions)
    return _against(people, released.set_column(3, "education", anything).set_column(6, "country", anything))
