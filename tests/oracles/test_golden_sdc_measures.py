"""Measures that sdcMicro computed for pairs of tables: ours find the same numbers."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest

import antifaz as az

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "sdc"

pytestmark = pytest.mark.skipif(not GOLDEN.is_dir(), reason="the recorded values are not beside this repository")

#: What was measured: the original and the released file of each entry.
PAIRS = {
    "ages": ("ages", "noisy20_ages"),
    "Tarragona": ("Tarragona", "noisy20_Tarragona"),
    "Tarragona_mdav_k5": ("Tarragona", "Tarragona_mdav_k5"),
    "ages_mdav_k5": ("ages", "ages_univ_mean_k5"),
}


def _table(name: str) -> pa.Table:
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    return pa.table({name: [float(row[i]) for row in rows] for i, name in enumerate(names)})


def _recorded(entry: str) -> dict[str, float]:
    return json.loads((GOLDEN / "numeric_measures.json").read_text(encoding="utf-8"))[entry]


def _same(found: float, golden: float) -> None:
    assert found == pytest.approx(golden, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("entry", PAIRS)
def test_information_loss_is_what_sdcmicro_finds(entry: str) -> None:
    original, released = map(_table, PAIRS[entry])
    recorded = _recorded(entry)
    _same(az.utility.il1s(original, released), recorded["IL1s"])
    _same(az.utility.il1s(original, released, mean=True), recorded["IL1old"])
    _same(az.utility.il1(original, released), recorded["IL1"])


@pytest.mark.parametrize("entry", PAIRS)
def test_interval_risk_is_what_sdcmicro_finds(entry: str) -> None:
    original, released = map(_table, PAIRS[entry])
    widths = {float(key[7:]): value for key, value in _recorded(entry).items() if key.startswith("dRisk_k")}
    assert len(widths) >= 2
    for k, value in widths.items():
        _same(az.risk.interval_risk(original, released, k=k), value)


@pytest.mark.parametrize("entry", PAIRS)
def test_eigenvalues_differ_as_sdcmicro_finds(entry: str) -> None:
    original, released = map(_table, PAIRS[entry])
    _same(az.utility.differences(original, released).eigen, _recorded(entry)["eigen"])


def test_inverse_correlations_differ_as_sdcmicro_finds() -> None:
    original, released = map(_table, PAIRS["Tarragona"])
    _same(az.utility.differences(original, released).il_correl, _recorded("Tarragona")["IL_correl"])
