"""Proposed quasi-identifiers: the document's method, its counts, and how well columns tell people apart."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from failing import failing

SIX = pa.table(
    {
        "fnac": [1986, 1996, 1986, 1986, 1996, 1986],
        "sexo": ["M", "F", "M", "M", "F", "F"],
        "cod_postal": ["53715", "53715", "53703", "53703", "53706", "53706"],
        "dolencia": ["gripe", "neumonía", "bronquitis", "fractura brazo", "apendicitis", "fractura pierna"],
    }
)


def test_six_people_by_hand() -> None:
    found = az.propose.quasi_identifiers(SIX)
    assert found.value == "fnac, cod_postal"
    assert found.details["columns"] == ["fnac", "cod_postal"]
    assert (found.details["distinct"], found.details["most"], found.details["wanted"]) == (5, 5, 5)
    counts = {tuple(one["columns"]): one["distinct"] for one in found.details["counts"]}  # type: ignore[attr-defined]
    assert counts == {
        ("fnac",): 2,
        ("sexo",): 2,
        ("cod_postal",): 3,
        ("fnac", "sexo"): 3,
        ("fnac", "cod_postal"): 5,
        ("sexo", "cod_postal"): 4,
        ("fnac", "sexo", "cod_postal"): 5,
    }


def test_distinction_and_separation_by_hand() -> None:
    details = az.propose.quasi_identifiers(SIX).details
    alone = {tuple(one["columns"]): one for one in details["counts"]}  # type: ignore[attr-defined]
    # Of 15 pairs, 1986 four times makes 6 alike and 1996 twice 1; three postcodes twice make 3; both together 1.
    assert alone["fnac",]["separation"] == pytest.approx(8 / 15)
    assert alone["cod_postal",]["separation"] == pytest.approx(12 / 15)
    assert details["separation"] == pytest.approx(14 / 15)
    assert details["distinction"] == pytest.approx(5 / 6)
    assert details["singled_out"] == 4


def test_tolerance_and_candidates_are_the_users() -> None:
    all_four = az.propose.quasi_identifiers(SIX, candidates=["sexo", "fnac", "cod_postal", "dolencia"])
    assert all_four.value == "dolencia"
    assert az.propose.quasi_identifiers(SIX, candidates=["fnac", "sexo"], tolerance=0.4).value == "fnac"
    assert az.propose.quasi_identifiers(SIX, candidates=["sexo", "sexo"]).value == "sexo"
    for wrong in (-0.1, 1.0):
        with failing("proposal.tolerance-out-of-bounds"):
            az.propose.quasi_identifiers(SIX, tolerance=wrong)
    with failing("column.unknown", name="fnax"):
        az.propose.quasi_identifiers(SIX, candidates=["fnax"])


def test_spellings_of_one_value_are_one_value() -> None:
    table = pa.table({"city": ["Reus", " Reus ", "Valls", "Valls"], "number": ["1", "1.0", "1.00", "2.5"]})
    counts = az.propose.quasi_identifiers(table, candidates=["city", "number"]).details["counts"]
    by_columns = {tuple(one["columns"]): one["distinct"] for one in counts}  # type: ignore[attr-defined]
    assert by_columns["city",] == 2
    assert by_columns["number",] == 2


def test_nothing_to_propose_says_so() -> None:
    empty = pa.table({"age": pa.array([], pa.int64())})
    for found in (az.propose.quasi_identifiers(empty, ["age"]), az.propose.quasi_identifiers(SIX, [])):
        assert (found.value, found.details["columns"]) == ("", [])
        assert found.reason.endswith(".")


def test_the_reason_shows_no_value_of_the_data() -> None:
    found = az.propose.quasi_identifiers(SIX)
    assert "53" not in found.reason and "1986" not in found.reason
