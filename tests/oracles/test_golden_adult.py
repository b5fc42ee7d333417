"""Adult as ARX ships it: the same optimum, score, classes and rows as ARX 3.9.2 found."""

from __future__ import annotations

import csv
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import antifaz as az
from antifaz.core.types import DataType
from antifaz.counting.frequencies import frequency_set
from antifaz.counting.lattice import Lattice
from antifaz.hierarchies.binding import bind
from antifaz.methods import Task
from antifaz.methods.recoding.search import LatticeSearch
from antifaz.utility import Loss
from oracles.counted import tuples_of

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA, GOLDEN = SHARED / "data" / "adult-arx", SHARED / "golden"

pytestmark = pytest.mark.skipif(
    not (DATA.is_dir() and GOLDEN.is_dir()), reason="the results of ARX are not beside this repository"
)


def _json(name: str) -> Any:
    path = GOLDEN / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _plain_cases() -> list[dict[str, Any]]:
    """The cases that ask for k-anonymity alone and for ARX's loss as it comes (no factor, no weights)."""
    return [
        case
        for case in _json("arx_adult.json").get("cases", [])
        if all(model.startswith("k:") for model in case["models"])
        and case["quality"] == "loss"
        and not {"agg", "gs", "weights"} & case.keys()
    ]


CASES = _plain_cases()
NODES = _json("arx_adult_nodes.json")


@cache
def _rows() -> list[dict[str, str | None]]:
    with (DATA / "adult.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@cache
def _lattice(quasi_identifiers: tuple[str, ...]) -> Lattice:
    frequencies = frequency_set(tuples_of(_rows(), quasi_identifiers), quasi_identifiers)
    ladders = [bind(domain, _file(domain.column).build((), DataType.TEXT)) for domain in frequencies.domains]
    return Lattice(frequencies, ladders)


def _file(column: str) -> Any:
    return az.hierarchy.from_file(DATA / f"adult_hierarchy_{column}.csv")


def test_there_are_cases() -> None:
    assert len(CASES) >= 36
    assert len(NODES) == 2


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_optimum_is_that_of_arx(case: dict[str, Any]) -> None:
    lattice = _lattice(tuple(case["quasi_identifiers"]))
    assert lattice.size == case["lattice_size"]
    task = Task(
        frequencies=lattice.frequencies,
        ladders=lattice.ladders,
        models=tuple(az.KAnonymity(int(model.removeprefix("k:"))) for model in case["models"]),
        random=np.random.default_rng(1),
    )
    decision = az.FullDomain(suppression=case["suppression_limit"]).decide(task)
    found, expected = decision.table, case["classes"]
    assert list(found.levels) == case["optimum"]
    assert decision.details["score"] == pytest.approx(case["score"], abs=1e-9)
    assert found.suppressed == expected["suppressed"]
    assert found.rows == case["rows"]
    assert found.sizes.size == expected["num"]
    assert found.sizes.min() == expected["min"]
    assert found.sizes.max() == expected["max"]


@pytest.mark.parametrize("name", NODES)
def test_all_anonymous_nodes_are_found_and_no_others(name: str) -> None:
    known = NODES[name]
    lattice = _lattice(tuple(known["quasi_identifiers"]))
    found = LatticeSearch(lattice, (az.KAnonymity(known["k"]),), Loss(), 0).find_all()
    assert sorted(list(solution.levels) for solution in found) == sorted(known["anonymous_nodes"])
    assert [solution.order for solution in found] == sorted(solution.order for solution in found)


def test_the_released_rows_are_those_of_arx() -> None:
    quasi_identifiers = next(case["quasi_identifiers"] for case in CASES if case["id"] == "adult8-k5-s0.02-loss")
    release = az.anonymize(
        DATA / "adult.csv",
        roles=dict.fromkeys(quasi_identifiers, "quasi-identifier") | {"salary-class": "insensitive"},
        hierarchies={name: _file(name) for name in quasi_identifiers},
        privacy=az.KAnonymity(5),
        method=az.FullDomain(suppression=0.02),
        seed=1,
    )
    with (GOLDEN / "arx_output_adult8_k5_s0.02.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter=";"))
    header, rows = lines[0], lines[1:]
    suppressed = [row for row in rows if set(row[:8]) == {"*"}]
    assert release.frame.column_names == header
    assert release.evidence["rows"]["suppressed"] == len(suppressed)
    kept = Counter(tuple(row) for row in rows) - Counter(tuple(row) for row in suppressed)
    assert Counter(zip(*(map(str, column) for column in release.frame.to_pydict().values()), strict=True)) == kept
