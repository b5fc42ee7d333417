"""People, not rows: what a person key costs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import antifaz as az
from bench.data import made_up
from bench.measure import Work, case


@case(
    claim="k = 10 people in every class: 10 million rows of 1 million people × 6 quasi-identifiers, counted again too",
    against="the same without a person key",
    limit=3,
    best_of=2,
)
def people(quick: bool) -> tuple[Work, Work]:
    rows = 10**6 if quick else 10**7
    table = made_up(rows)
    who = np.random.default_rng(2).integers(0, rows // 10, rows).astype(np.int32)
    names = pa.array([f"P{i:07d}" for i in range(rows // 10)])
    keys = pa.DictionaryArray.from_arrays(pa.array(who), names).cast(pa.string())
    qis = table.column_names
    table = table.append_column("who", keys)

    def run(role: str) -> None:
        release = az.anonymize(
            table,
            roles=dict.fromkeys(qis, "quasi-identifier") | {"who": role},
            hierarchies=dict.fromkeys(qis, az.hierarchy.flat()),
            privacy=az.KAnonymity(10),
            method=az.FullDomain(suppression=0.02),
            seed=1,
        )
        assert release.evidence["privacy"][0]["holds"]

    return lambda: run("person"), lambda: run("identifier")
