"""Names that a spreadsheet would run are refused."""

from __future__ import annotations

import re

import pytest

from antifaz.core.errors import SchemaError
from antifaz.sources.formulas import FORMULA, JAVA_FORMULA, JAVA_NUMBER, NUMBER, refuse_formulas
from failing import failing

RUN = ["=1+1", "+cmd", "-x", "@sum", " =1", "\t=1", "＝1", "\tx", "--1"]
HARMLESS = ["age", "-1", "+1.5", "-1,5", "1e5", "-", "--", "-3 %", "a=b", ""]


@pytest.mark.parametrize("name", RUN)
def test_what_would_run_is_refused(name: str) -> None:
    with failing("release.column-name-is-a-formula", SchemaError):
        refuse_formulas(["fine", name])


@pytest.mark.parametrize("name", HARMLESS)
def test_numbers_and_plain_text_are_not(name: str) -> None:
    refuse_formulas([name])


@pytest.mark.parametrize("text", [*RUN, *HARMLESS])
def test_the_expressions_for_java_say_the_same(text: str) -> None:
    java = JAVA_NUMBER.replace(r"\z", r"\Z")
    assert bool(re.search(FORMULA, text)) == bool(re.search(JAVA_FORMULA, text))
    assert bool(re.search(NUMBER, text)) == bool(re.search(java, text))
