"""The cases of the documents that asked for this system, through the lattice and through the whole pipeline."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.counting.lattice import Lattice
from antifaz.methods.recoding.search import LatticeSearch
from antifaz.utility import Loss
from oracles import brute
from oracles.counted import lattice_of
from oracles.tables import (
    NINETEEN_K3,
    NINETEEN_PEOPLE,
    NINETEEN_TREES,
    SIX_K2,
    SIX_PEOPLE,
    SIX_TREES,
    TEN_K3_CLASSES,
    TEN_PATIENTS,
    TEN_TREES,
)


def table_of(rows: Sequence[Mapping[str, str | None]]) -> pa.Table:
    """Return plain rows as an Arrow table of texts."""
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]})


def all_nodes(lattice: Lattice, k: int) -> list[tuple[int, ...]]:
    """Return every node that is k-anonymous with nobody left out, in lexicographic order."""
    found = LatticeSearch(lattice, (az.KAnonymity(k),), Loss(), 0).find_all()
    return sorted(solution.levels for solution in found)


# -- the documents


def test_six_people_have_exactly_these_generalizations() -> None:
    assert all_nodes(lattice_of(SIX_PEOPLE, SIX_TREES), 2) == SIX_K2
    assert SIX_K2 == [(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]


def test_six_people_released_from_end_to_end() -> None:
    release = az.anonymize(
        table_of(SIX_PEOPLE),
        roles={"fnac": "quasi-identifier", "cod_postal": "quasi-identifier", "sexo": "insensitive"}
        | {"dolencia": "sensitive"},
        hierarchies={name: az.hierarchy.table(list(tree.values())) for name, tree in SIX_TREES.items()},
        privacy=az.KAnonymity(2),
        seed=1,
    )
    # [0, 2] and [2, 0] lose the same (√2 − 1) at the same sum of levels; the first in lexicographic order is taken.
    assert release.evidence["method"]["levels"] == {"fnac": 0, "cod_postal": 2}
    assert release.evidence["utility"]["loss"] == pytest.approx(2**0.5 - 1, abs=1e-9)
    assert Counter(zip(*release.frame.to_pydict().values(), strict=True)) == Counter(
        [
            ("1986", "M", "537**", "gripe"),
            ("1996", "F", "537**", "neumonía"),
            ("1986", "M", "537**", "bronquitis"),
            ("1986", "M", "537**", "fractura brazo"),
            ("1996", "F", "537**", "apendicitis"),
            ("1986", "F", "537**", "fractura pierna"),
        ]
    )


def test_nineteen_people_have_exactly_these_generalizations() -> None:
    assert all_nodes(lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES), 3) == NINETEEN_K3
    assert NINETEEN_K3 == [(1, 1, 3), (2, 1, 3), (3, 0, 3), (3, 1, 2), (3, 1, 3)]


def test_ten_patients_are_released_as_the_document_prints_them() -> None:
    # The document's postcodes end in two labels; '*' above them makes one root.
    postcodes = {leaf: [*labels, "*"] for leaf, labels in TEN_TREES["cod_postal"].items()}
    trees = {"edad": TEN_TREES["edad"], "cod_postal": postcodes}
    release = az.anonymize(
        table_of(TEN_PATIENTS),
        roles={"edad": "quasi-identifier", "cod_postal": "quasi-identifier", "diagnostico": "sensitive"}
        | {"sexo": "insensitive", "estado_civil": "insensitive"},
        hierarchies={name: az.hierarchy.table(list(tree.values())) for name, tree in trees.items()},
        privacy=[az.KAnonymity(3), az.LDiversity(2)],
        seed=1,
    )
    assert release.evidence["method"]["levels"] == {"edad": 1, "cod_postal": 1}
    assert release.evidence["rows"] == {"read": 10, "released": 10, "suppressed": 0}
    printed = {0: ("[20 - 29]", "12***"), 1: ("[40 - 50]", "11***"), 2: ("[30 - 39]", "11***")}
    expected = Counter(
        (row["sexo"], *printed[number], row["estado_civil"], row["diagnostico"])
        for number, members in enumerate(TEN_K3_CLASSES)
        for row in (TEN_PATIENTS[i] for i in members)
    )
    assert Counter(zip(*release.frame.to_pydict().values(), strict=True)) == expected


def test_ten_patients_are_specialized_from_the_roots_down_as_the_document_does() -> None:
    """Both attributes start at their roots and go down once; then no step is valid."""
    postcodes = {leaf: [*labels, "1****"] for leaf, labels in TEN_TREES["cod_postal"].items()}
    trees = {"edad": TEN_TREES["edad"], "cod_postal": postcodes}
    release = az.anonymize(
        table_of([{name: row[name] for name in ("edad", "cod_postal", "diagnostico")} for row in TEN_PATIENTS]),
        roles={"edad": "quasi-identifier", "cod_postal": "quasi-identifier", "diagnostico": "sensitive"},
        hierarchies={name: az.hierarchy.table(list(tree.values())) for name, tree in trees.items()},
        privacy=az.KAnonymity(3),
        method=az.Specialization(score="igpl"),
        seed=1,
    )
    method = release.evidence["method"]
    assert method["levels"] == {"edad": 1, "cod_postal": 1}
    assert {step["column"] for step in method["trace"]} == {"edad", "cod_postal"} and method["specializations"] == 2
    for levels in ((0, 1), (1, 0)):
        classes = Counter(
            (trees["edad"][row["edad"]][levels[0]], postcodes[row["cod_postal"]][levels[1]]) for row in TEN_PATIENTS
        )
        assert min(classes.values()) < 3


def test_a_large_random_table_at_k_200() -> None:
    # 6,000 people: 300 per year, 150 per year and sex, 375 per decade, sex and postcode.
    draw = random.Random(8)
    rows: list[dict[str, str | None]] = [
        {"year": str(draw.randrange(1970, 1990)), "sex": draw.choice("MF"), "post": draw.choice(POSTCODES)}
        for _ in range(6_000)
    ]
    trees: dict[str, Any] = {
        "year": {str(year): [str(year), f"{str(year)[:3]}*", "19**"] for year in range(1970, 1990)},
        "sex": {"M": ["M", "P"], "F": ["F", "P"]},
        "post": {code: [code, f"{code[:4]}*", "537**"] for code in POSTCODES},
    }
    above = [levels for levels in brute.lattice([2, 1, 2]) if levels[0] >= 1]
    assert all_nodes(lattice_of(rows, trees), 200) == [(0, 1, 2), *above]


POSTCODES = ("53703", "53706", "53710", "53715")
