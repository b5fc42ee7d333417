"""Key risk, special uniques and local suppression, against sdcMicro's recorded times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import antifaz as az
from bench.measure import Unavailable, Work, case
from bench.recorded import FOLDER, recorded, sdc_micro

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def _survey() -> pa.Table:
    from pyarrow import csv

    path = FOLDER / "sdc" / "testdata.csv"
    if not path.exists():
        raise Unavailable("not measured: the survey of sdcMicro is not beside the repository")
    return csv.read_csv(path)


def _made_up() -> pa.Table:
    """10,000 records with six categories, as many values each as a census has."""
    random = np.random.default_rng(1)
    sizes = {"region": 20, "sex": 2, "age": 80, "marital": 6, "work": 12, "school": 8}
    columns: dict[str, Any] = {name: random.integers(0, size, 10_000) for name, size in sizes.items()}
    return pa.table({**columns, "weight": random.uniform(5, 50, 10_000)})


def _against(work: Work, task: str, quick: bool) -> tuple[Work, Work]:
    work()
    return work, recorded(sdc_micro(task), quick)


@case(claim="key frequencies of a survey, 7 keys", against="sdcMicro's, recorded in sorts", limit=1, best_of=5)
def key_frequencies(quick: bool) -> tuple[Work, Work]:
    frame = _survey()
    return _against(
        lambda: az.risk.frequencies(frame, KEYS, weights="sampling_weight"), "freqCalc_7keys_w/testdata", quick
    )


@case(claim="individual and household risk, 7 keys", against="sdcMicro's, recorded in sorts", limit=1, best_of=5)
def individual_risk(quick: bool) -> tuple[Work, Work]:
    frame = _survey()
    return _against(
        lambda: az.risk.individual_risk(frame, KEYS, weights="sampling_weight", household="ori_hid"),
        "measure_risk_7keys_w_hid/testdata",
        quick,
    )


@case(claim="SUDA of a survey, 8 keys", against="sdcMicro's C++, recorded in sorts", limit=1, best_of=5)
def suda_survey(quick: bool) -> tuple[Work, Work]:
    frame = _survey()
    return _against(lambda: az.risk.suda(frame, [*KEYS, "age"]), "suda2_8keys_age/testdata", quick)


@case(
    claim="SUDA of 10,000 × 6", against="sdcMicro's C++ on a table of that size, recorded in sorts", limit=1, best_of=5
)
def suda_ten_thousand(quick: bool) -> tuple[Work, Work]:
    frame = _made_up()
    return _against(lambda: az.risk.suda(frame, frame.column_names[:6]), "suda2_6keys/bigcat", quick)


@case(claim="local suppression of a survey, 8 keys, k=3, 20 times faster", against="sdcMicro's", limit=0.05)
def suppression_k3(quick: bool) -> tuple[Work, Work]:
    return _suppression(3, "match", quick)


@case(claim="local suppression of a survey, 8 keys, k=5, 20 times faster", against="sdcMicro's", limit=0.05)
def suppression_k5(quick: bool) -> tuple[Work, Work]:
    return _suppression(5, "match", quick)


@case(claim="the same where a blank is a value of its own", against="sdcMicro's", limit=0.05)
def suppression_strict(quick: bool) -> tuple[Work, Work]:
    return _suppression(5, "strict", quick)


def _suppression(k: int, reading: Any, quick: bool) -> tuple[Work, Work]:
    from antifaz.methods.suppression import suppress_locally

    frame = _survey()
    return _against(
        lambda: suppress_locally(frame, [*KEYS, "age"], k, reading=reading, seed=1),
        f"kAnon_k{k}_8keys_age/testdata",
        quick,
    )


@case(
    claim="cells blanked in a survey, 7 keys, k=3, no more", against="sdcMicro's 293 cells", limit=1, best_of=1,
    unit="cells",
)  # fmt: skip
def suppression_cells(quick: bool) -> tuple[Work, Work]:
    from antifaz.methods.suppression import suppress_locally

    frame = _survey()
    return lambda: float(suppress_locally(frame, KEYS, 3, reading="match").total), lambda: 293.0
