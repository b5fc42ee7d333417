"""Check digits, against numbers that issuers and standards print as examples."""

from __future__ import annotations

import pytest

from antifaz.proposals.recognition import reaches_people, share_right

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


def _card(i: int) -> str:
    digits = [int(digit) for digit in f"4{i * 7919 % 10**14:014d}"]
    total = sum(sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits))
    return "".join(map(str, digits)) + str(-total % 10)


_NAMES = ["Ana Ruiz", "Jordi Pons", "Laura Gil", "Marta Vila", "Pedro Sanz", "John Brown", "Marie Blanc"]
FORMS = {
    "card": [_card(i) for i in range(1, 60)],
    "phone": [f"+34 6{i % 10}{i * 37 % 10} {i * 7919 % 1000:03d} {i:03d}" for i in range(100, 140)],
    "plain phone": [f"6{i * 7919 % 10**8:08d}" for i in range(1, 60)],
    "name": _NAMES,
}
OTHERS = {
    "dates": [f"2020-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(80)],
    "days first": [f"{i % 28 + 1:02d}/{i % 12 + 1:02d}/2020" for i in range(80)],
    "pay": [f"{i * 7919 % 90000 + 10000}.{i % 90 + 10}" for i in range(80)],
    "amounts": [str(i * 7919 % 900000 + 1000000) for i in range(80)],
    "running numbers": [f"{i:09d}" for i in range(80)],
    "sixteen digits": [str(10**15 + i * 7919) for i in range(80)],
    "postcodes": [f"{8000 + i:05d}" for i in range(80)],
    "towns": ["Madrid", "Barcelona", "Girona", "Reus", "Vic", "Lleida", "Sitges"],
    "illnesses": ["flu", "asthma", "gripe", "cancer", "diabetes", "angina"],
    "few": _NAMES[:4],
}


@pytest.mark.parametrize("kind", FORMS)
def test_values_reach_people_by_what_they_are(kind: str) -> None:
    assert reaches_people(FORMS[kind]) == kind.removeprefix("plain ")


@pytest.mark.parametrize("kind", OTHERS)
def test_values_that_only_look_alike_reach_nobody(kind: str) -> None:
    assert reaches_people(OTHERS[kind]) is None
