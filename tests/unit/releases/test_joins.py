"""Joins still hold, counted in the sources and in the releases."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from antifaz.core.errors import CheckFailed
from antifaz.releases.joins import JoinedColumn, check_join
from failing import failing


def _side(table: str, before: dict[str | None, int], after: dict[str | None, int]) -> JoinedColumn:
    return JoinedColumn(table=table, before=before, after=after)


def test_a_renaming_holds_and_a_swap_between_tables_does_not():
    one = _side("one", {"a": 1, "b": 2, None: 4}, {"x": 1, "y": 2, None: 4})
    held = check_join("key", one, _side("other", {"a": 5, "b": 3}, {"x": 5, "y": 3}), one_to_one=True)
    assert held["matching_values"] == {"before": 2, "after": 2}
    assert held["matching_rows"] == {"before": 11, "after": 11}
    # The same numbers of values match, but the wrong ones: 1·3 + 2·5 pairs.
    with failing("gate.repeated-attribute-matches-differ", CheckFailed, number=2, rows=11, number2=2, rows2=13):
        check_join("key", one, _side("other", {"a": 5, "b": 3}, {"x": 3, "y": 5}), one_to_one=True)


def test_two_values_that_become_one_are_no_renaming():
    one, other = {"a": 1, "b": 1}, {"a": 1, "b": 1}
    sides = _side("one", one, {"x": 2}), _side("other", other, {"x": 2})
    assert check_join("key", *sides, one_to_one=False)["matching_rows"] == {"before": 2, "after": 4}
    with pytest.raises(CheckFailed):
        check_join("key", *sides, one_to_one=True)


def test_a_match_that_is_lost_is_found_also_where_values_were_made_coarser():
    one = _side("one", {"a": 1, "b": 1}, {"a": 1, "b": 1})
    with pytest.raises(CheckFailed):
        check_join("key", one, _side("other", {"a": 1, "b": 1}, {"a": 1, "c": 1}), one_to_one=False)


@pytest.mark.parametrize("coarse", [False, True])
def test_every_true_mapping_holds_and_most_false_ones_do_not(coarse):
    """Random tables, mapped alike with records left out: always admitted. Mapped differently: refused."""
    draw = random.Random(7)
    refused = 0
    for _ in range(200):
        names = [f"v{i}" for i in range(draw.randint(2, 8))]
        rows = [[draw.choice(names) for _ in range(draw.randint(1, 12))] for _ in range(2)]
        new = {name: f"w{i // 2 if coarse else i}" for i, name in enumerate(names)}
        kept = [[row for row in table if draw.random() > 0.1] if draw.random() < 0.5 else table for table in rows]
        sides = [
            _side(str(i), Counter(table), Counter(new[row] for row in left))
            for i, (table, left) in enumerate(zip(rows, kept, strict=True))
        ]
        check_join("key", *sides, one_to_one=not coarse)
        apart = _side("1", Counter(rows[1]), Counter(f"z{row}" for row in rows[1]))
        if set(rows[0]) & set(rows[1]) and kept[0] == rows[0]:
            with pytest.raises(CheckFailed):
                check_join("key", sides[0], apart, one_to_one=not coarse)
            refused += 1
    assert refused > 50
