"""Check 2: numbers at the ends of what a computer holds end in a release or in a worded error, on every road."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import antifaz as az

LEVELS = {"x": az.hierarchy.intervals(1000), "z": az.hierarchy.masking()}
METHODS: list[tuple[Any, dict[str, Any]]] = [
    (az.FullDomain(), LEVELS),
    (az.Specialization(), LEVELS),
    (az.Mondrian(), {}),
    (az.LocalSuppression(), {}),
]
COLUMNS = {
    "1e300 and small ones": [1e300, -1e300, *range(22)],
    "1e300 as text": ["1e300", "2"] * 12,
    "minus zero": [-0.0, 0.0] * 12,
    "the least number": [5e-324, 1.0] * 12,
    "infinite": [float("inf"), 1.0] * 12,
    "beyond 1e300": [1e308] * 12 + [-1e308] * 12,
}
ROLES = {"x": "quasi-identifier", "z": "quasi-identifier", "s": "sensitive"}


@pytest.mark.parametrize("numbers", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize(("method", "hierarchies"), METHODS, ids=[method.name for method, _ in METHODS])
@pytest.mark.parametrize("form", ["frame", "file"])
def test_check_02_extreme_numbers(
    method: Any, hierarchies: dict[str, Any], numbers: list[Any], form: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"x": numbers, "z": [0, 1, 2] * 8, "s": ["=a", "-b", "@c", "+d"] * 6})
    data: Any = frame
    if form == "file":
        data = tmp_path / "in.csv"
        frame.to_csv(data, index=False)
    privacy = [az.KAnonymity(2), az.LDiversity(2, attribute="s")]
    try:
        release = az.anonymize(data, roles=ROLES, hierarchies=hierarchies, privacy=privacy, method=method, seed=1)
    except az.AntifazError as error:
        assert error.code in ("column.number-beyond-1e300", "plan.hierarchy-of-column")
        return
    release.save(tmp_path / "out")
    written = pd.read_csv(tmp_path / "out" / "release.csv", dtype=str, keep_default_na=False)
    assert written.groupby(["x", "z"]).size().min() >= 2
    assert written.groupby(["x", "z"])["s"].nunique().min() >= 2
    assert not written["x"].str.startswith("-0").any()
