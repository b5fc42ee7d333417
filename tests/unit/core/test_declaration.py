"""Declare once: parameters with bounds, and one sentence for every error."""

from __future__ import annotations

from typing import ClassVar

import pytest
from pydantic import Field

from antifaz.core.declaration import Declared
from antifaz.core.errors import InputError, ParameterError
from failing import failing


class Shaker(Declared):
    """Made for this test."""

    name: ClassVar[str] = "shaker"
    summary: ClassVar[str] = "Shakes."
    primary: ClassVar[str] = "times"

    times: int = Field(ge=1, description="How often.")
    gently: bool = Field(default=False, description="How.")
    note: str | None = Field(default=None, description="Why.")


class Stirrer(Declared):
    """Made for this test; nothing may be given without a name."""

    name: ClassVar[str] = "stirrer"
    summary: ClassVar[str] = "Stirs."


def test_the_primary_parameter_needs_no_name() -> None:
    assert Shaker(3) == Shaker(times=3)
    assert Shaker(3, gently=True).gently


@pytest.mark.parametrize(
    ("args", "named", "said"),
    [
        ((), {}, "shaker: 'times' is needed."),
        ((0,), {}, "shaker: times should be greater than or equal to 1 (got 0)."),
        ((1, 2), {}, "shaker: only 'times' may be given without a name."),
        ((1,), {"times": 2}, "shaker: only 'times' may be given without a name."),
        ((1,), {"gentle": True}, "shaker: there is no parameter 'gentle' (did you mean 'gently'?)."),
        ((1,), {"xyzzy": 1}, "shaker: there is no parameter 'xyzzy' (known: gently, note, times)."),
    ],
)
def test_one_sentence_says_what_is_wrong(args: tuple[int, ...], named: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Shaker(*args, **named)
    assert str(caught.value) == said
    assert isinstance(caught.value, InputError)
    assert caught.value.exit_code == 2


def test_without_a_primary_nothing_may_be_given_without_a_name() -> None:
    with failing("declared.parameter-without-name", ParameterError, name="stirrer", allowed="nothing"):
        Stirrer(1)


def test_parameters_are_plain_data_without_what_was_left_out() -> None:
    assert Shaker(3).parameters() == {"times": 3, "gently": False}
    assert Shaker(3, note="x").parameters() == {"times": 3, "gently": False, "note": "x"}
    assert Shaker.parse(Shaker(3, note="x").parameters()) == Shaker(3, note="x")


def test_what_was_declared_can_not_be_changed() -> None:
    shaker = Shaker(3)
    with pytest.raises(Exception, match="frozen"):
        shaker.times = 4
    assert shaker.times == 3
    assert hash(shaker) == hash(Shaker(3))
