"""Classes by their names, built in or from plug-ins."""

from __future__ import annotations

from typing import ClassVar

import pytest
from pydantic import Field

from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError
from antifaz.core.registry import Registry
from failing import failing


class Shaker(Declared):
    """Made for this test."""

    name: ClassVar[str] = "shaker"
    summary: ClassVar[str] = "Shakes."
    primary: ClassVar[str] = "times"

    times: int = Field(ge=1, description="How often.")


class Stirrer(Declared):
    """Made for this test."""

    name: ClassVar[str] = "stirrer"
    summary: ClassVar[str] = "Stirs."


def test_a_registry_finds_by_name_or_says_the_nearest() -> None:
    known: Registry[Declared] = Registry("drink", (Shaker, Stirrer), group="antifaz.tests.nothing")
    assert known.names == ("shaker", "stirrer")
    assert list(known) == [Shaker, Stirrer]
    assert known["shaker"] is Shaker
    assert known.make("shaker", {"times": 2}) == Shaker(2)
    with pytest.raises(ParameterError) as caught:
        known["shakre"]
    assert str(caught.value) == "There is no drink 'shakre' (did you mean 'shaker'?)."


def test_two_of_one_name_are_refused() -> None:
    known: Registry[Declared] = Registry("drink", (Shaker, Shaker), group="antifaz.tests.nothing")
    with failing("declared.name-used-twice", ParameterError, kind="drink", name="shaker"):
        known["shaker"]
