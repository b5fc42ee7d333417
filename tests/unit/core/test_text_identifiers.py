"""Identifiers planted in texts: all listed ones are found, harmless numbers stay, what is missed is written down."""

from __future__ import annotations

import pytest

from antifaz.core.text_identifiers import FINDERS, OWN, Span, count_marks, find_identifiers, redact

ALL = tuple(FINDERS)
#: What a row says elsewhere: name, document, town, age, date of birth, sex, and nothing.
ROW = ("María-José García Pérez", "12345678Z", "Sant Cugat del Vallès", "45", "1979-02-03", "F", None, "")

PLANTED = {
    "email": ["ana.b+x@mail.example.org", "JUAN@EXAMPLE.COM"],
    "url": ["https://example.org/a?b=1", "www.example.cat"],
    "handle": ["@pepa_1990"],
    "device": ["10.0.0.1", "00:1A:2B:3C:4D:5E", "123e4567-e89b-12d3-a456-426614174000"],
    "date": [
        "2024-03-01", "2024-03-01T10:00", "1/3/2024", "01.03.24", "12/31/1999", "3 de marzo de 2024", "3 març 1979",
        "March 3rd, 2024", "3 Mar 2024", "marzo de 2020", "15th of May", "1 d'abril de 2021",
    ],
    "iban": ["ES91 2100 0418 4502 0005 1332", "GB82WEST12345698765432"],
    "card": ["4111 1111 1111 1111", "5500-0000-0000-0004"],
    "national-id": ["87654321-X", "X1234567L", "RSSMRA85T10A562S", "123-45-6789", "12.345.678-5"],
    "phone": ["+34 600 123 456", "93 412 34 56", "(212) 555-0123", "600123456"],
    "number": ["00123456", "NHC1234567", "20-000451"],
    "name": ["Dra. Ixchel Rodamilans", "Anna van der Berg", "John Smith", "MARTA SOLER"],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in PLANTED.items() for value in values])
def test_what_patterns_know_is_found_wherever_it_stands(kind: str, value: str) -> None:
    for text in (value, f"visto: {value}, alta.", f"({value})", f"seen {value}; then home"):
        redacted = redact(text, ALL)
        left = [word for word in value.replace("Dra.", "").split() if word in redacted.split()]
        assert left == [], redacted
        assert f"[{kind}]" in redacted, redacted


@pytest.mark.parametrize(
    "text",
    [
        "TA 120/80 y 130/85, 500 mg cada 8 h, 36.6 ºC", "pH 7.35-7.45, HbA1c 7.5 %, B12, COVID19, 1000mg",
        "10-15 days, rooms 3-4, in 2019 and 2020", "cost 1,250,000.50 euros", "",
    ],
)  # fmt: skip
def test_harmless_numbers_stay(text: str) -> None:
    assert redact(text, ALL) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vive en Sant Cugat del Valles con su hija", f"vive en [{OWN}] con su hija"),
        ("GARCÍA, maria jose: dolor", f"[{OWN}], [{OWN}]: dolor"),
        ("DNI 12.345.678-z", f"DNI [{OWN}]"),
        ("Ve garci\u0301a de Cugat", f"Ve [{OWN}] de [{OWN}]"),
        ("té 45 anys; pH 7.45; sala 45-2", f"té [{OWN}] anys; pH 7.45; sala 45-2"),
        ("Garcías y Perezoso no son ella", "Garcías y Perezoso no son ella"),
        ("F de fiebre", "F de fiebre"),
        ("nacida el 1979-02-03", f"nacida el [{OWN}]"),
        ("Gar\u00adcía", f"[{OWN}]"),
    ],
)
def test_what_the_row_says_is_found_whatever_case_and_accents(text: str, expected: str) -> None:
    assert redact(text, (), ROW) == expected


def test_parts_that_overlap_become_one_of_the_longest_kind() -> None:
    text = "correo maria.garcia@example.org"
    assert find_identifiers(text, ALL, ROW) == [Span(7, len(text), "email")]
    assert redact(text, ALL, ROW) == "correo [email]"
    # Without patterns only the names in it go.
    assert redact(text, (), ROW) == f"correo [{OWN}].[{OWN}]@example.org"


def test_marks_are_counted_by_kind() -> None:
    texts = ["[email] y [email]", None, "[person] [other]"]
    assert count_marks(texts) == {OWN: 1, "email": 2}


@pytest.mark.parametrize(
    "missed",
    [
        "su vecina Ixchel la trajo",  # a rare name without a title
        "la Mariajo no vino",  # a nickname
        "la sra garzia llamó",  # a typing error, in lower case
        "la única alcaldesa del pueblo",  # what only a reader understands
        "el tres de marzo",  # a date in words
        "calle Mayor 3, bajos",  # an address that the row does not have
    ],
)
def test_what_is_missed_is_known(missed: str) -> None:
    """Not what should be: what the guide says of the limits must stay true."""
    assert redact(missed, ALL, ROW) == missed
