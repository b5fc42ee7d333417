"""Several sensitive attributes taken together; groups of tuples at levels of their own."""

from __future__ import annotations

from antifaz.core.errors import ParameterError
from antifaz.counting.targets import TupleCells, cross, target_of, together
from failing import failing
from oracles.counted import frequencies_of, tuples_of

ROWS = [
    {"a": "1", "b": "x", "s": "p", "t": "u"},
    {"a": "1", "b": "x", "s": "p", "t": "v"},
    {"a": "1", "b": "x", "s": "P", "t": "u"},
    {"a": "2", "b": "x", "s": "q", "t": "u"},
    {"a": "3", "b": "y", "s": "q", "t": None},
    {"a": "3", "b": "y", "s": "q", "t": None},
]


def test_combinations_of_sensitive_values_are_counted_per_tuple() -> None:
    frequencies = frequencies_of(ROWS, ["a", "b"], ["s", "t"])
    both = together(frequencies, tuples_of(ROWS, ["a", "b", "s", "t"]), ["s", "t"])
    cells = both.cells["(s, t)"]
    assert isinstance(cells, TupleCells)
    held = [
        (tuple(d.labels[c[t]] for d, c in zip(both.domains, both.codes, strict=True)), cells.domain.labels[v], int(n))
        for t, v, n in zip(cells.tuples, cells.values, cells.counts, strict=True)
    ]
    assert sorted(held) == [
        (("1", "x"), '["p", "u"]', 2),
        (("1", "x"), '["p", "v"]', 1),
        (("2", "x"), '["q", "u"]', 1),
        (("3", "y"), '["q", null]', 2),
    ]
    senses = [
        [both.cells[name].domain.labels[code] for code in part] for name, part in zip("st", cells.parts, strict=True)
    ]
    assert sorted(zip(*senses, strict=True), key=str) == [("p", "u"), ("p", "v"), ("q", "u"), ("q", None)]
    assert (cells.totals.sum(), cells.domain.size, cells.domain.has_missing) == (6, 4, False)
    assert target_of(both, ["t", "s"], "m") is cells
    assert target_of(both, [], "m") is cells
    assert target_of(both, ["s"], "m") is both.cells["s"]


def test_a_combination_is_spelled_as_its_values_are() -> None:
    rows = [{"a": "1", "s": "é", "t": "u"}]
    both = together(frequencies_of(rows, ["a"], ["s", "t"]), tuples_of(rows, ["a", "s", "t"]), ["s", "t"])
    assert both.cells["(s, t)"].domain.labels == ('["é", "u"]',)


def test_what_was_not_counted_can_not_be_a_target() -> None:
    one, none = frequencies_of(ROWS, ["a"], ["s"]), frequencies_of(ROWS, ["a"])
    assert target_of(one, [], "m") is one.cells["s"]
    assert target_of(none, [], "m") is None
    with failing("method.target-not-counted", ParameterError, name="t"):
        target_of(one, ["t"], "m")
    with failing("method.targets-not-counted-together", ParameterError):
        target_of(frequencies_of(ROWS, ["a"], ["s", "t"]), [], "m")


def test_a_quasi_identifier_is_counted_against_a_sensitive_attribute() -> None:
    frequencies = frequencies_of(ROWS, ["b", "a"], ["s"])
    assert cross(frequencies, "a", frequencies.cells["s"]).tolist() == [[3, 0], [0, 1], [0, 2]]
    assert cross(frequencies, "b", frequencies.cells["s"]).tolist() == [[3, 1], [0, 2]]
