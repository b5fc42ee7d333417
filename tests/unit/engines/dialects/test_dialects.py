"""A dialect says what every database has to say, or fails when its first address is read."""

import sys
from types import ModuleType

import pytest

from antifaz.core.errors import ParameterError
from antifaz.engines import dialects
from antifaz.engines.addresses import parse
from antifaz.engines.dialects.dialect import SQLDialect
from antifaz.engines.dialects.field import Field
from failing import failing


class Half(SQLDialect):
    name = "half"
    sum_of_hashes = "total({})"

    def text(self, field: Field, column: str) -> str:
        return column


class Whole(Half):
    keyed_hash = "hash({key}, {})"


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    module = ModuleType("made_up_dialects")
    module.Half, module.Whole = Half, Whole
    monkeypatch.setitem(sys.modules, "made_up_dialects", module)
    found = {"half": "made_up_dialects:Half", "whole": "made_up_dialects:Whole"}
    dialects.schemes.cache_clear()
    monkeypatch.setattr(dialects, "BUILTIN", dialects.BUILTIN | found)
    yield
    dialects.schemes.cache_clear()
    dialects.dialect_of.cache_clear()


def test_a_dialect_that_lacks_a_word_fails_before_anything_is_opened():
    with failing("database.dialect-incomplete", ParameterError, scheme="half", dialect="Half", lacking=["keyed_hash"]):
        parse("half:///people.db")
    assert parse("whole:///people.db").dialect.secret_order(["a"], 7) == "hash(7, a)"


@pytest.mark.parametrize("scheme", sorted(dialects.BUILTIN))
def test_ours_are_whole(scheme):
    assert "{}" in dialects.dialect_of(scheme).sum_of_hashes
