"""Classes by their names, built in or from plug-ins."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest
from pydantic import Field

from antifaz import methods
from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError
from antifaz.core.registry import Registry
from antifaz.methods import METHODS
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


def test_a_class_that_is_told_by_its_place_is_loaded_when_it_is_asked_for() -> None:
    group = "antifaz.tests.nothing"
    places = (EntryPoint("shaker", f"{__name__}:Shaker", group), EntryPoint("nowhere", "antifaz.nowhere:Class", group))
    known: Registry[Declared] = Registry("drink", (*places, Stirrer), group=group)
    assert known.names == ("shaker", "nowhere", "stirrer")
    assert known["shaker"] is Shaker
    assert known.make("shaker", {"times": 2}) == Shaker(2)
    with pytest.raises(ModuleNotFoundError):
        list(known)


def test_methods_have_the_names_under_which_they_are_loaded() -> None:
    assert [method.name for method in METHODS] == list(METHODS.names)
    assert {getattr(methods, point.attr) for point in methods.BUILTIN if point.attr in methods.__all__} < set(METHODS)
    with pytest.raises(AttributeError):
        methods.Auto  # noqa: B018 - it is above them


def test_two_of_one_name_are_refused() -> None:
    known: Registry[Declared] = Registry("drink", (Shaker, Shaker), group="antifaz.tests.nothing")
    with failing("declared.name-used-twice", ParameterError, kind="drink", name="shaker"):
        known["shaker"]
