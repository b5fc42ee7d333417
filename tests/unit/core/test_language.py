"""Numbers as a language writes them, whatever the machine's locale is."""

from __future__ import annotations

import locale
import subprocess
import sys

import pytest

from antifaz.core.errors import checked_language
from antifaz.core.language import LANGUAGES, Words
from antifaz.core.language import words as words_of
from failing import failing

MESSAGES = {"yes": "yes", "no": "no", "percent.below": "below {share}", "percent.above": "above {share}",
            "hello": "Hello {name}"}  # fmt: skip
SPANISH = MESSAGES | {"yes": "sí", "percent.below": "menos del {share}"}  # fmt: skip


def made(language: str) -> Words:
    return Words(checked_language(language), MESSAGES if language == "en" else SPANISH)


@pytest.mark.parametrize(
    ("value", "english", "spanish", "catalan"),
    [
        (1234, "1,234", "1234", "1.234"),
        (12345, "12,345", "12.345", "12.345"),
        (-9999, "-9,999", "-9999", "-9.999"),
        (0.5, "0.5", "0,5", "0,5"),
        (12345.6, "12,346", "12.346", "12.346"),
        (1e-9, "1.0e-09", "1,0e-09", "1,0e-09"),
        (2.0, "2", "2", "2"),
        (None, "—", "—", "—"),
    ],
)
def test_numbers(value: object, english: str, spanish: str, catalan: str) -> None:
    assert [made(language).number(value) for language in LANGUAGES] == [english, spanish, catalan]


def test_shares_and_sizes() -> None:
    assert made("es").percent(0.3123) == "31,2\u00a0%"
    assert made("es").percent(0.00001) == "menos del 0,01\u00a0%"
    assert made("ca").size(5_400_000_000) == "5,4 GB"
    assert made("es").fixed(12345.678, 2) == "12.345,68"
    assert made("es").number(True) == "sí"


def test_a_language_that_nobody_wrote_is_refused() -> None:
    with failing("language.unknown"):
        checked_language("fr")


def test_check_24_the_locale_of_the_machine_changes_nothing() -> None:
    known = [name for name in ("de_DE.UTF-8", "es_ES.UTF-8", "C.UTF-8", "C") if _there(name)]
    code = "from antifaz.core.language import words; w = words('reports', 'ca'); print(w.number(1234.5))"
    said = {
        subprocess.run([sys.executable, "-c", code], env={"LC_ALL": name}, capture_output=True, check=True).stdout
        for name in known
    }
    assert len(known) >= 1
    assert said == {b"1.234\n"}


def _there(name: str) -> bool:
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return True


def test_words_are_read_once() -> None:
    assert words_of("reports", "es") is words_of("reports", "es")
