"""Check digits, against numbers that issuers and standards print as examples."""

from __future__ import annotations

import pytest

from antifaz.proposals.recognition import share_right

EXAMPLES = [
    ("iban", "GB82 WEST 1234 5698 7654 32"),
    ("iban", "ES91 2100 0418 4502 0005 1332"),
    ("iban", "DE89370400440532013000"),
    ("dni", "12345678Z"),
    ("dni", "X1234567L"),
    ("rut", "12.345.678-5"),
    ("rut", "1.234.567-2"),  # an Uruguayan card
    ("card", "4111 1111 1111 1111"),
    ("card", "378282246310005"),
    ("ssn", "123-45-6789"),
]


@pytest.mark.parametrize(("kind", "number"), EXAMPLES)
def test_right_numbers_are_right(kind: str, number: str) -> None:
    assert share_right(kind, [number]) == 1


@pytest.mark.parametrize(("kind", "number"), [one for one in EXAMPLES if one[0] != "ssn"])
def test_one_digit_changed_is_found_out(kind: str, number: str) -> None:
    place = next(i for i in range(len(number) // 2, len(number)) if number[i].isdigit())
    changed = number[:place] + str((int(number[place]) + 1) % 10) + number[place + 1 :]
    assert share_right(kind, [changed]) == 0


def test_numbers_never_given_out_and_texts_are_wrong() -> None:
    assert share_right("ssn", ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000"]) == 0
    for kind in ("iban", "dni", "rut", "card", "ssn"):
        assert share_right(kind, ["", "hello", "١٢٣٤٥٦٧٨Z"]) == 0
    assert share_right("dni", []) is None
    assert share_right("email", ["a@b.org"]) is None
