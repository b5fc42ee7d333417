"""What counts as one value when released rows are counted again."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antifaz.core.folding import number, persons
from antifaz.counting.people import person_codes


def test_numbers_with_hundreds_of_zeros_keep_their_exponent() -> None:
    assert number("1e400") == "1" + "0" * 400
    assert number("1e401") == "1e401"
    assert number("1e-400") == "0." + "0" * 399 + "1"
    assert number("1e-401") == "1e-401"
    assert number("25e399") == "25" + "0" * 399
    assert number("25e400") == "25e400"


def test_plain_keys_are_told_apart_as_odd_ones_are() -> None:
    """Printed ASCII is folded all at once; one key with a blank or an accent, and each is folded by itself."""
    plain = ["A1", "a1", None, "", "B-2", "b-2", "c", "A1"]
    same = [0, 0, 1, 1, 2, 2, 3, 0]
    for more in ([], [" a1 "], ["ﬁn"], ["x y"]):
        keys = plain + more
        told = persons(pa.table({"k": pa.array(keys, pa.string())})).tolist()
        codes = person_codes([(keys, np.arange(len(keys)))]).tolist()
        assert told[: len(plain)] == codes[: len(plain)] == same
        assert (told[-1] == 0) == (codes[-1] == 0) == (keys[-1] in ("A1", " a1 "))
