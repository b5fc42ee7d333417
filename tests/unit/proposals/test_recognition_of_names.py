"""Names of people, told from other texts by the given name in them."""

from __future__ import annotations

import pytest

from antifaz.proposals.recognition import share_of_people


@pytest.mark.parametrize("name", ["Ana", "Ana Pérez", "PÉREZ RUIZ, José", "Björn O'Neill", "María del Mar G."])
def test_a_given_name_in_front_or_behind_a_comma(name: str) -> None:
    assert share_of_people([name]) == 1


@pytest.mark.parametrize("text", ["Pérez Ana", "Madrid", "Ana 7", "Ana, ", ",", "Ana b c d e f g", "gripe"])
def test_what_is_no_name(text: str) -> None:
    assert share_of_people([text]) == 0


def test_the_share_is_of_the_values_present() -> None:
    assert share_of_people(["Ana", None, "", "Madrid", "Jordi", "Laura"]) == 0.75
    assert share_of_people([None, ""]) == 0
    assert share_of_people([]) == 0
