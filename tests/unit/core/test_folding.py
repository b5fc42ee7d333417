"""How numbers are spelled when released rows are counted again."""

from __future__ import annotations

from antifaz.core.folding import number


def test_numbers_with_hundreds_of_zeros_keep_their_exponent() -> None:
    assert number("1e400") == "1" + "0" * 400
    assert number("1e401") == "1e401"
    assert number("1e-400") == "0." + "0" * 399 + "1"
    assert number("1e-401") == "1e-401"
    assert number("25e399") == "25" + "0" * 399
    assert number("25e400") == "25e400"
