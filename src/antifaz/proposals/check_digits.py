"""Numbers that name a person and carry their own check: whether a text is one can be worked out from it alone."""

import re
from collections.abc import Callable, Iterable

_MARKS = re.compile(r"[\s./-]")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def share_right(pattern: str, values: Iterable[str]) -> float | None:
    """Return the share of the values whose check is right; None where that kind of number has none."""
    check = CHECKS.get(pattern)
    if check is None:
        return None
    answers = [check(_MARKS.sub("", value).upper()) for value in values]
    return sum(answers) / len(answers) if answers else None


def iban(text: str) -> bool:
    """ISO 13616: the country and its check digits put last, letters as 10 to 35, leave 1 modulo 97."""
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", text):
        return False
    return int("".join(str(int(mark, 36)) for mark in text[4:] + text[:4])) % 97 == 1


def dni(text: str) -> bool:
    """Spanish DNI and NIE: the letter follows from the number modulo 23; X, Y, Z stand for 0, 1, 2."""
    if not re.fullmatch(r"[0-9XYZ][0-9]{7}[A-Z]", text):
        return False
    number = int(text[:-1].translate(str.maketrans("XYZ", "012")))
    return _DNI_LETTERS[number % 23] == text[-1]


def rut(text: str) -> bool:
    """Chilean RUT: digits from the right times 2 to 7, over and over, and the check digit modulo 11; K is ten."""
    if not re.fullmatch(r"[0-9]{6,9}[0-9K]", text):
        return False
    total = sum(int(digit) * (2 + place % 6) for place, digit in enumerate(reversed(text[:-1])))
    return "0123456789K"[-total % 11] == text[-1]


def cedula(text: str) -> bool:
    """Uruguayan identity card: seven digits times 2, 9, 8, 7, 6, 3, 4, and the check digit modulo 10."""
    if not re.fullmatch(r"[0-9]{7,8}", text):
        return False
    digits = [int(digit) for digit in text.zfill(8)]
    return sum(a * b for a, b in zip(digits, (2, 9, 8, 7, 6, 3, 4, 1), strict=True)) % 10 == 0


def luhn(text: str) -> bool:
    """Payment cards (ISO 7812): every second digit from the right doubled, digits added up, a multiple of ten."""
    if not re.fullmatch(r"[0-9]{13,19}", text):
        return False
    return sum(sum(divmod(int(digit) * (1 + place % 2), 10)) for place, digit in enumerate(reversed(text))) % 10 == 0


def ssn(text: str) -> bool:
    """US social security numbers have no check digit; some ranges are never given out."""
    return bool(re.fullmatch(r"[0-8][0-9]{8}", text)) and not (
        text[:3] in ("000", "666") or text[3:5] == "00" or text[5:] == "0000"
    )


#: RUT and cédula are written alike.
CHECKS: dict[str, Callable[[str], bool]] = {
    "iban": iban, "dni": dni, "rut": lambda text: rut(text) or cedula(text), "card": luhn, "ssn": ssn,
}  # fmt: skip
