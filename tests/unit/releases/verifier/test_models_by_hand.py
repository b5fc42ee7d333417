"""The verifier where it compares with a population, matches blanks, or must refuse what it is told; by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import poisson

from antifaz.core.errors import CheckFailed, ParameterError
from antifaz.core.recount import coded
from antifaz.core.verdicts import Verdict
from antifaz.counting.classes import ClassTable
from antifaz.engines.local.auditor import LocalAuditor
from antifaz.engines.local.recount import recount
from antifaz.privacy import KAnonymity, LDiversity
from antifaz.privacy.model import PrivacyModel
from antifaz.releases import gate
from antifaz.releases.verifier import blanks as verifier_blanks
from antifaz.releases.verifier.blanks import agreeing
from antifaz.releases.verifier.models import verify
from failing import Like, failing, like
from unit.releases.verifier.test_models import Counted, counted


def beside(*pairs: tuple[int, int]) -> Counted:
    """Count released rows and people per class, together."""
    return counted(*({"released": r, "person": p} for r, p in pairs))


def verdict(model: str, released: list[int], pairs: list[tuple[int, int]], **parameters: Any) -> Verdict:
    sizes = np.array(released, np.int64)
    table = Counted(int(sizes.sum()), sizes, {})
    asked = {"model": model, "population": "people.csv", **parameters}
    return verify(table, [asked], population=beside(*pairs))[0]


def test_a_record_may_be_as_many_people_as_look_like_it() -> None:
    pairs = [(2, 5), (3, 4), (0, 9)]
    found = verdict("k-map", [3, 2], pairs, k=5)
    assert (found.holds, found.failing, found.achieved) == (False, 3, 4)
    assert verdict("k-map", [3, 2], pairs, k=4).holds
    alone = verdict("k-map", [1, 2], [(1, 3), (2, 9)], k=4)
    assert (alone.failing, alone.achieved) == (1, 3)


@pytest.mark.parametrize(
    ("low", "high", "failing"),
    [(0.0, 0.75, 0), (0.4, 0.75, 0), (0.41, 0.75, 2), (0.0, 0.74, 3), (0.41, 0.74, 5)],
)
def test_presence_lies_between_two_bounds(low: float, high: float, failing: int) -> None:
    found = verdict("delta-presence", [2, 3], [(2, 5), (3, 4)], low=low, high=high)
    assert (found.failing, found.holds, found.achieved) == (failing, failing == 0, 0.75)


def test_people_like_whom_nobody_is_released_break_a_lower_bound() -> None:
    pairs = [(2, 5), (3, 4), (0, 1)]
    assert verdict("delta-presence", [2, 3], pairs, low=0.0, high=1.0).holds
    assert verdict("delta-presence", [2, 3], pairs, low=0.1, high=1.0).failing == 5


def test_whoever_is_not_in_the_population_is_surely_present() -> None:
    found = verdict("delta-presence", [2, 3], [(2, 0), (3, 4)], low=0.0, high=1.0)
    assert (found.failing, found.achieved) == (2, None)
    assert "No parameter would do." in found.note


def test_rows_that_were_not_released_are_not_compared() -> None:
    with failing("verifier.rows-differ-beside-population", CheckFailed):
        verdict("k-map", [2, 2], [(2, 5), (3, 4)], k=2)
    with failing("verifier.population-not-counted", ParameterError):
        verify(Counted(1, np.ones(1, np.int64), {}), [{"model": "k-map", "k": 1, "population": "p"}])


def test_an_estimate_asks_for_larger_classes() -> None:
    def asked(k: int, fraction: float, rare: float, smallest: int) -> Verdict:
        table = Counted(50, np.array([50 - smallest, smallest]), {})
        said = {"model": "k-map", "k": k, "fraction": fraction, "significance": rare}
        return verify(table, [said])[0]

    for (k, fraction), rare in product(((1, 0.5), (5, 0.1), (20, 0.3)), (0.5, 0.2, 0.1, 0.05, 0.01, 0.001)):
        rate = k * fraction
        chance = [math.exp(-rate) * rate**n / math.factorial(n) / -math.expm1(-rate) for n in range(60)]
        needed = next(n for n in range(1, 60) if sum(chance[n:]) <= rare)
        assert asked(k, fraction, rare, needed).holds
        failed = asked(k, fraction, rare, needed - 1)
        assert (failed.failing, failed.achieved) == (needed - 1, needed - 1)
    # So many that the draws near their mean have to be added up, however far from 1 that is.
    rate = 5000 * 0.9
    needed = int(poisson.isf(-0.01 * math.expm1(-rate), rate)) + 1
    for smallest, holds in ((needed, True), (needed - 1, False)):
        table = Counted(20_000, np.array([20_000 - smallest, smallest]), {})
        said = {"model": "k-map", "k": 5000, "fraction": 0.9, "significance": 0.01}
        assert verify(table, [said])[0].holds == holds
    # And so rare that they have to be added up far beyond the mean.
    needed = int(poisson.isf(1e-12, 50_000)) + 1
    for smallest, holds in ((needed, True), (needed - 1, False)):
        table = Counted(200_000, np.array([200_000 - smallest, smallest]), {})
        said = {"model": "k-map", "k": 100_000, "fraction": 0.5, "significance": 1e-12}
        assert verify(table, [said])[0].holds == holds
    # What must never happen is not reached by a class of a few.
    assert asked(5, 0.1, 0, 25).failing == 50


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"model": "k-anonymity", "k": 0}, like("verifier.not-a-number", bounds=like("verifier.number-from", least=1))),
        ({"model": "k-anonymity", "k": 1.5}, "verifier.not-a-whole-number"),
        ({"model": "k-anonymity", "k": True}, "verifier.not-a-number"),
        (
            {"model": "k-anonymity", "k": 1e301},
            like("verifier.not-a-number", bounds=like("verifier.number-from", least=1)),
        ),
        (
            {"model": "highest-risk", "threshold": 1.01},
            like("verifier.not-a-number", bounds=like("verifier.number-between", least=0, most=1)),
        ),
        (
            {"model": "highest-risk", "threshold": -0.01},
            like("verifier.not-a-number", bounds=like("verifier.number-between", least=0, most=1)),
        ),
        ({"model": "k-anonymity", "k": 2, "blanks": "match"}, "verifier.blanks-not-counted"),
        ({"model": "l-diversity", "l": 2, "attribute": "s"}, "verifier.not-one-of"),
    ],
)
def test_what_is_out_of_bounds_is_refused(parameters: dict[str, Any], words: str | Like) -> None:
    table = counted({"a": 2}, {"b": 3})
    table.classes = None  # type: ignore[attr-defined]
    with failing(words, ParameterError):
        verify(table, [parameters])


#: Every parameter that is a number, with values that do; and its bounds.
NUMBERS: list[tuple[str, dict[str, Any], str, float, float | None]] = [
    ("highest-risk", {"threshold": 0.5}, "threshold", 0, 1),
    ("average-risk", {"threshold": 0.5}, "threshold", 0, 1),
    ("sample-uniqueness", {"threshold": 0.5}, "threshold", 0, 1),
    ("population-uniqueness", {"threshold": 0.5, "country": "ES", "estimator": "zayatz"}, "threshold", 0, 1),
    ("alpha-k", {"attribute": "s", "alpha": 0.5, "k": 2}, "alpha", 0, 1),
    ("alpha-k", {"attribute": "s", "alpha": 0.5, "k": 2}, "k", 1, None),
    ("l-diversity", {"attribute": "s", "kind": "distinct", "l": 2}, "l", 1, None),
    ("l-diversity", {"attribute": "s", "kind": "entropy", "l": 2}, "l", 1, None),
    ("l-diversity", {"attribute": "s", "kind": "recursive", "l": 2, "c": 1}, "c", 0, None),
    ("t-closeness", {"attribute": "s", "distance": "equal", "t": 0.5}, "t", 0, 1),
    ("delta-disclosure", {"attribute": "s", "delta": 0.5}, "delta", 0, None),
    ("beta-likeness", {"attribute": "s", "enhanced": False, "beta": 0.5}, "beta", 0, None),
    ("k-map", {"k": 2, "fraction": 0.5, "significance": 0.5}, "fraction", 0, 1),
    ("k-map", {"k": 2, "fraction": 0.5, "significance": 0.5}, "significance", 0, 1),
    ("delta-presence", {"population": "people.csv", "low": 0.5, "high": 0.5}, "low", 0, 1),
    ("delta-presence", {"population": "people.csv", "low": 0.5, "high": 0.5}, "high", 0, 1),
]


@pytest.mark.parametrize(("model", "parameters", "name", "least", "most"), NUMBERS)
def test_numbers_are_taken_between_their_bounds_only(
    model: str, parameters: dict[str, Any], name: str, least: float, most: float | None
) -> None:
    table, people = counted({"a": 2}, {"b": 2, "a": 1}), beside((2, 4), (3, 3))

    def asked(value: object) -> Verdict:
        return verify(table, [{"model": model, **parameters, name: value}], population=people)[0]

    # No draw of a population of which nothing was drawn can be judged.
    allowed = [least] if name != "fraction" else []
    for value in (*allowed, 10 if most is None else most):
        assert asked(value).model == model
    for value in (least - 0.001, "1", None, True, *([] if most is None else [most + 0.001])):
        with failing("verifier.not-a-number", ParameterError):
            asked(value)


def test_bounds_themselves_are_allowed() -> None:
    table = counted({"a": 1}, {"b": 3})
    assert verify(table, [{"model": "highest-risk", "threshold": 1}])[0].holds
    assert verify(table, [{"model": "k-anonymity", "k": 1}])[0].holds
    assert not verify(table, [{"model": "average-risk", "threshold": 0}])[0].holds
    assert verify(table, [{"model": "average-risk", "threshold": 0.5}])[0].holds
    # One of eight records is alone in its class.
    table = counted({"a": 1}, {"b": 3}, {"b": 4})
    assert verify(table, [{"model": "sample-uniqueness", "threshold": 0.125}])[0].holds
    assert verify(table, [{"model": "sample-uniqueness", "threshold": 0.124}])[0].failing == 8


def test_values_that_do_not_add_up_to_their_classes_are_refused() -> None:
    table = counted({"a": 2}, {"b": 3})
    asked = [{"model": "l-diversity", "kind": "distinct", "l": 1, "attribute": "s"}]
    assert verify(table, asked)[0].holds
    table.sizes[1] = 4
    with failing("verifier.fewer-values-than-records", CheckFailed):
        verify(table, asked)


def test_what_only_the_reference_holds_is_a_value_too() -> None:
    asked = [{"model": "t-closeness", "distance": "equal", "t": 0.5, "attribute": "s"}]
    found = verify(counted({"a": 2}), asked, reference={"s": {"a": 1, "b": 1, "c": 0}})[0]
    assert (found.achieved, found.holds) == (0.5, True)
    ordered = [{"model": "t-closeness", "distance": "ordered", "t": 1, "attribute": "s"}]
    assert verify(counted({"1": 2}), ordered, reference={"s": {"1": 1, "2": 1, "10": 2}})[0].achieved == 0.625
    # One that is no number puts all of them in the order of text: 10, 9, flu.
    mixed = {"s": {"9": 1, "10": 1, "flu": 2}}
    assert verify(counted({"10": 2}), ordered, reference=mixed)[0].achieved == 0.625
    with failing("verifier.reference-counts-hold-no-records", ParameterError):
        verify(counted({"a": 2}), asked, reference={"s": {"a": 0}})


def test_a_small_class_is_noted_beside_its_share() -> None:
    asked = [{"model": "alpha-k", "alpha": 0.5, "k": 4, "attribute": "s"}]
    found = verify(counted({"a": 1, "b": 1}, {"a": 2, "b": 2}), asked)[0]
    assert (found.failing, found.note) == (2, "The smallest class has 2 records.")
    assert verify(counted({"a": 2, "b": 2}), asked)[0].note == ""


def brute_force(codes: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[int]:
    agree = ((codes[:, None] == codes[None]) | (codes[:, None] < 0) | (codes[None] < 0)).all(axis=2)
    return (agree * sizes).sum(axis=1).tolist()


@pytest.mark.parametrize("lookup", [0, 2**14])
@pytest.mark.parametrize("much", [17, 2**30 - 1, 2**40])
def test_records_agree_where_neither_is_blank(monkeypatch: pytest.MonkeyPatch, lookup: int, much: int) -> None:
    monkeypatch.setattr(verifier_blanks, "_LOOKUP", lookup)
    # Keys of three columns of 30 bits would wrap around: values 16 apart in the first are the same in 64 bits.
    codes = np.array(list(product((-1, 0, 16, much), repeat=3)))
    sizes = np.arange(1, 65)
    assert agreeing(list(codes.T), sizes).tolist() == brute_force(codes, sizes)


def test_what_is_looked_up_may_lie_before_between_and_after_what_is_known() -> None:
    codes, sizes = np.array([0, 1, 2, 3, 4, 3]), np.array([1, 2, 4, 8, 16, 32])
    found = verifier_blanks._looked_up([codes, codes * 0], sizes, np.array([0, 2, 3, 4]), np.array([1, 3, 5]))
    assert found.tolist() == [0, 0, 40, 0]
    # Keys of three columns of 32 bits: what differs in the first only would be lost beyond 64 bits.
    most = 2**32 - 1
    wide = [np.array([0, most, 0, most]), np.array([5, 5, most, 5]), np.array([5, 5, most, 5])]
    assert verifier_blanks._looked_up(wide, sizes[:4], np.array([0, 1]), np.array([1, 2, 3])).tolist() == [0, 10]
    # And where nine values of the first are numbered anew, the ninth would be lost beyond 64 bits.
    first, second, third = np.array([*range(8), most, 0]), np.full(10, 5), np.full(10, 5)
    second[9], third[9] = most, 2**29 - 1
    one = verifier_blanks._looked_up([first, second, third], np.arange(1, 11), np.array([0]), np.arange(1, 10))
    assert one.tolist() == [0]
    # And where all are the same once they are numbered anew, what differs after that.
    same, bit = np.full(2, most), np.array([0, 1])
    apart = verifier_blanks._looked_up([same, same, bit, same, same], sizes[:2], np.array([0]), np.array([1]))
    assert apart.tolist() == [0]
    # Without columns all have the same values.
    assert verifier_blanks._looked_up([], sizes, np.array([0, 2]), np.array([1, 3])).tolist() == [10, 10]


def test_without_blanks_a_class_agrees_with_itself() -> None:
    sizes = np.array([2, 3])
    assert agreeing([np.array([0, 1])], sizes).tolist() == [2, 3]
    assert agreeing([], sizes).tolist() == [2, 3]


def test_blanks_that_match_are_judged_and_noted() -> None:
    table = recount(pa.table({"a": ["x", "x", None], "b": ["p", "q", "p"]}), ["a", "b"], classes=True)
    assert table.classes is not None
    asked = {"model": "k-anonymity", "k": 2, "blanks": "match"}
    found = verify(table, [asked])[0]
    # (x, p) and (-, p) agree; (x, q) is alone.
    assert (found.achieved, found.failing) == (1, 1)
    assert "3 of 3 records look like fewer than 2." in found.note
    assert verify(table, [{**asked, "blanks": "value"}])[0].failing == 3
    # A class of k is not small.
    two = recount(pa.table({"a": ["x", "x", None], "b": ["p", "p", "p"]}), ["a", "b"], classes=True)
    assert "1 of 3 records look like fewer than 2." in verify(two, [asked])[0].note
    with failing("verifier.fewer-values-than-classes", CheckFailed):
        verify(replace(table, classes={"a": np.array([0])}), [asked])
    with failing("verifier.fewer-values-than-classes", CheckFailed):
        verify(replace(table, classes=dict(table.classes) | {"b": np.array([0])}), [asked])


def test_the_gate_has_the_values_of_classes_counted_where_blanks_match() -> None:
    table = pa.table({"a": ["x", None, "y", "y"]})
    counted_again, (found,) = gate.examine(LocalAuditor(), table, [KAnonymity(2, blanks="match")], ["a"])
    assert (found.holds, found.achieved) == (True, 2)
    assert counted_again.classes is not None
    # One model that compares values is enough for them to be counted.
    both, verdicts = gate.examine(LocalAuditor(), table, [KAnonymity(2), KAnonymity(2, blanks="match")], ["a"])
    assert ([verdict.holds for verdict in verdicts], both.classes is None) == ([False, True], False)
    plain, (strict,) = gate.examine(LocalAuditor(), table, [KAnonymity(2)], ["a"])
    assert (strict.holds, strict.failing, plain.classes) == (False, 2, None)


def test_values_of_classes_are_numbered_alike_and_missing_is_below_zero() -> None:
    table = recount(pa.table({"a": ["y", None, "x", "y"], "b": [1, 2, 1, 1]}), ["a", "b"], classes=True)
    assert table.classes is not None
    pairs = dict(zip(zip(*(codes.tolist() for codes in table.classes.values()), strict=True), table.sizes, strict=True))
    assert pairs == {(2, 1): 2, (1, 1): 1, (-1, 2): 1}
    assert recount(pa.table({"a": ["y"]}), ["a"]).classes is None
    assert coded(pa.chunked_array([["b", None, "a"], ["b"]])).tolist() == [2, -1, 1, 2]


def test_released_rows_and_people_are_counted_together() -> None:
    released = pa.table({"z": [1, 1, 2], "a": ["x", "x", None]})
    people = pa.table({"a": ["x", "y", None, None], "z": ["1", "1", "2", "2"]})
    found = recount(released, ["a", "z"], population=people).population
    assert found is not None
    (cells,) = found.cells.values()
    assert (found.rows, sorted(found.sizes.tolist())) == (7, [1, 3, 3])
    held = sorted(
        (int(found.sizes[c]), cells.labels[v], int(n))
        for c, v, n in zip(cells.classes, cells.values, cells.counts, strict=True)
    )
    assert held == [(1, "person", 1), (3, "person", 1), (3, "person", 2), (3, "released", 1), (3, "released", 2)]


#: The classes that the plug-in's model was shown.
SHOWN: list[ClassTable] = []


class _Plugin(LDiversity):
    """A model that the verifier does not know."""

    name: ClassVar[str] = "plug-in"

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        SHOWN.append(classes)
        return super().passes(classes)


def test_a_model_of_a_plug_in_judges_what_was_counted_again() -> None:
    model: PrivacyModel = _Plugin(2, attribute="s")
    table = pa.table({"a": ["x", "x", "y", "y", "y"], "s": ["p", "q", "q", "Q", "p"]})
    known = gate.Reference(counts={"s": {"p": 7, "q": 1, "r": 5}})
    counted_again, (found,) = gate.examine(LocalAuditor(), table, [model], ["a"], known)
    assert (found.holds, found.achieved, counted_again.rows) == (True, 2, 5)
    assert found.note == "Counted from the released rows, and judged by the model's own code."
    held = SHOWN[-1].sensitive["s"]
    assert (held.offsets.tolist(), held.values.tolist(), held.counts.tolist()) == (
        [0, 2, 4],
        [0, 1, 0, 1],
        [1, 1, 1, 2],
    )
    assert (held.labels, held.totals.tolist()) == (("p", "q"), [7, 1])
    gate.examine(LocalAuditor(), table, [model], ["a"], gate.Reference(counts={"s": {"p": 7}}))
    assert SHOWN[-1].sensitive["s"].totals.tolist() == [7, 0]
    gate.examine(LocalAuditor(), table, [model], ["a"])
    assert SHOWN[-1].sensitive["s"].totals.tolist() == [2, 3]
