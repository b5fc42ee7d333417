"""The page of promises names tests that exist, and every number has one or a line among the limitations."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/checks.md").read_text("utf-8")
LIMITATIONS = (ROOT / "docs/limitations.md").read_text("utf-8")
NUMBERS = {*range(1, 10), 12, 13, 15, *range(17, 41)}
TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^ *def (test_check_\d\d_\w+)\(", path.read_text("utf-8"), re.MULTILINE)
}
ROWS = {int(number): row for number, row in re.findall(r"^\| (\d+) \| (.+) \|$", PAGE, re.MULTILINE)}


def test_every_number_is_on_the_page_and_has_a_test_or_a_limitation() -> None:
    assert set(ROWS) == NUMBERS
    tested = {int(name.split("_")[2]) for name in TESTS}
    assert tested <= NUMBERS
    said = {int(number) for number in re.findall(r"\bcheck (\d+)\b", LIMITATIONS)}
    assert NUMBERS - tested <= said


def test_tests_that_the_page_names_exist_and_belong_to_their_number() -> None:
    for number, row in ROWS.items():
        for name in re.findall(r"`(test_\w+)`", row):
            assert name in TESTS
            assert name.startswith(f"test_check_{number:02}_")
