"""Which of HIPAA's eighteen identifiers the name of a column points to."""

from __future__ import annotations

import pytest

from antifaz.proposals.hipaa import IDENTIFIERS, hipaa_identifier, hipaa_number


@pytest.mark.parametrize(
    ("column", "letter"),
    [
        ("patient_name", "A"),
        ("zip", "B"),
        ("fecha_nacimiento", "C"),
        ("telèfon", "D"),
        ("e-mail address", "F"),
        ("SSN", "G"),
        ("historia_clinica", "H"),
        ("IBAN", "J"),
        ("licencePlate", "L"),
        ("driving_licence", "K"),
        ("mac_address", "M"),
        ("ip", "O"),
        ("foto", "Q"),
        ("customer number", "R"),
    ],
)
def test_letters_of_the_rule(column: str, letter: str) -> None:
    assert hipaa_number(column) == "ABCDEFGHIJKLMNOPQR".index(letter) + 1


def test_a_column_that_names_none() -> None:
    assert hipaa_identifier("diagnosis") is None
    assert hipaa_number("diagnosis") is None


def test_there_are_eighteen() -> None:
    assert len(IDENTIFIERS) == 18
