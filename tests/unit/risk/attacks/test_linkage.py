"""Whose a released record is: what searches found out before is what a new search would find."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antifaz.risk.attacks.linkage import SearchIndexes
from antifaz.risk.attacks.search import ONE
from antifaz.risk.attacks.tables import read_tables


def test_people_who_are_led_to_one_record_are_told_what_each_would_find_alone() -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        size = int(random.integers(1, 12))
        before = pa.table({"w": random.choice(["a", "b", "c"], size), "x": random.integers(0, 9, size).astype(str)})
        after = pa.table({"w": ["a", "*", "{a, b}", "b"], "x": ["3", "[2, 5)", "*", "[7-9]"]})
        stores = SearchIndexes(read_tables(before, after, {}))
        for row in range(after.num_rows):
            owners = stores.owners(row)
            for cost in random.permutation([0, 1, 2, ONE, 2 * ONE, *random.integers(0, 2 * ONE, 20)]):
                assert owners.equal(stores.people, int(cost)) == stores.people.rivals(owners.question, int(cost))
