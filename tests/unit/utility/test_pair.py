"""People of a population under the labels of a release."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa

from antifaz.utility.pair import people_alike, read_pair

PEOPLE = pa.table({"age": [20, 21, 25, 31, 31, 40], "sex": ["m", "m", "f", "f", "m", "m"]})


def _alike(released: pa.Table) -> dict[tuple[str, str], int]:
    pair = read_pair(PEOPLE, released)
    found = people_alike(pair)
    of = pair.classes.of
    names = {}
    for i in np.flatnonzero(of >= 0):
        key = tuple(pair.released.values[c][pair.released.codes[c][i]] for c in range(2))
        names[key] = int(found[of[i]])
    return names  # type: ignore[return-value]


def test_people_are_counted_below_labels() -> None:
    released = pa.table({"age": ["[20, 30)", "[20, 30)", "[30, 40]"], "sex": ["m", "f", "m"]})
    assert _alike(released) == {("[20, 30)", "m"): 2, ("[20, 30)", "f"): 1, ("[30, 40]", "m"): 2}


def test_labels_may_overlap() -> None:
    released = pa.table({"age": ["[20, 31]", "[25, 40]", "*"], "sex": ["m", "*", "f"]})
    assert _alike(released) == {("[20, 31]", "m"): 3, ("[25, 40]", "*"): 4, ("*", "f"): 2}


def test_both_ways_agree() -> None:
    labels = ["[20, 25]", "[26, 40]"]
    rows = list(product(labels, ["m", "f"]))
    alone = pa.table({"age": [a for a, _ in rows], "sex": [s for _, s in rows]})
    more = pa.table({"age": [*(a for a, _ in rows), "*"], "sex": [*(s for _, s in rows), "m"]})
    found, wider = _alike(alone), _alike(more)
    assert {key: wider[key] for key in found} == found
    assert wider["*", "m"] == 4


def test_people_under_no_label_look_like_nobody() -> None:
    assert _alike(pa.table({"age": ["[20, 25]"], "sex": ["m"]})) == {("[20, 25]", "m"): 2}
