"""Specialization by hand: formulas, ties, parameters, phases, several sensitive attributes."""

from __future__ import annotations

from collections import Counter
from math import log2
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import HierarchyError, ParameterError, PrivacyNotReached
from antifaz.counting.frequencies import frequency_set
from antifaz.counting.targets import TupleCells, together
from antifaz.methods import Decision, Specialization, Task
from antifaz.methods.specialization.partition import Forest
from antifaz.methods.specialization.two_phases import partition_records
from antifaz.privacy import KAnonymity, KMap, LDiversity, PrivacyModel, TCloseness
from antifaz.testing import check_declaration, check_method
from failing import Like, failing, like
from oracles import brute
from oracles.counted import lattice_of, tuples_of

Rows = list[dict[str, str | None]]

COLOURS: brute.Tree = {
    "blue": ["blue", "cold", "any"],
    "green": ["green", "cold", "any"],
    "orange": ["orange", "warm", "any"],
    "red": ["red", "warm", "any"],
}
LETTERS: brute.Tree = {"x": ["x", "all"], "y": ["y", "all"]}
TREES: dict[str, brute.Tree] = {"colour": COLOURS, "letter": LETTERS}


def rows_of(*groups: tuple[int, str, str, str]) -> Rows:
    """So many records of a colour, a letter and a sensitive value."""
    return [{"colour": c, "letter": x, "s": s} for n, c, x, s in groups for _ in range(n)]


#: Warm colours have one disease, cold ones the other; letters say nothing.
PEOPLE = rows_of(
    (3, "blue", "x", "flu"), (3, "blue", "y", "flu"), (2, "green", "x", "flu"), (2, "green", "y", "flu"),
    (4, "red", "x", "gout"), (4, "red", "y", "gout"), (1, "orange", "x", "gout"), (1, "orange", "y", "gout"),
)  # fmt: skip


def task(rows: Rows, *models: PrivacyModel, sensitive: tuple[str, ...] = ("s",), seed: int = 1) -> Task:
    lattice = lattice_of(rows, TREES, sensitive)
    random = np.random.default_rng(seed)
    return Task(frequencies=lattice.frequencies, ladders=lattice.ladders, models=models, random=random)


def becomes(decision: Decision) -> dict[str, dict[str | None, str | None]]:
    return {c.column: dict(zip(c.values, c.labels, strict=True)) for c in decision.recoding.columns}


def steps(details: dict[str, Any]) -> list[tuple[str, Any, float]]:
    return [(each["column"], each.get("node", each.get("level")), each["score"]) for each in details["trace"]]


# -- by hand


def test_level_cuts_by_hand() -> None:
    decision = Specialization(score="igpl").decide(task(PEOPLE, KAnonymity(5)))
    # any → cold, warm tells all of one bit, and the smallest class goes from 20 to 10; then the letter, for nothing.
    first, second = steps(decision.details)
    assert first == ("colour", "any", pytest.approx(1 / 11))
    assert second == ("letter", "all", 0.0)
    assert decision.details["levels"] == {"colour": 1, "letter": 0}
    assert decision.details["cuts"]["colour"] == {"labels": ["cold", "warm"], "size": 2}
    assert decision.details["specializations"] == 2 and decision.details["scored_by"] == "igpl"
    assert decision.details["height"] == pytest.approx(0.5)
    assert sorted(decision.table.sizes) == [5, 5, 5, 5]


def test_sub_tree_cuts_by_hand() -> None:
    decision = Specialization(cut="subtree", score="igpl").decide(task(PEOPLE, KAnonymity(2)))
    # After the first step nothing gains: of equal ones the first column's first value, while classes stay of two.
    # orange and red would leave a class of two (orange), and then the letter one of one.
    assert steps(decision.details)[0] == ("colour", "any", pytest.approx(1 / 11))
    assert [(column, node) for column, node, _ in steps(decision.details)[1:]] == [
        ("colour", "cold"),
        ("colour", "warm"),
    ]
    assert decision.details["cuts"]["colour"]["labels"] == ["blue", "green", "orange", "red"]
    assert "levels" not in decision.details
    assert sorted(decision.table.sizes) == [2, 4, 6, 8]
    three = Specialization(cut="subtree", score="igpl").decide(task(PEOPLE, KAnonymity(3)))
    assert three.details["cuts"]["colour"]["labels"] == ["blue", "green", "warm"]
    assert becomes(three)["colour"] == {"blue": "blue", "green": "green", "orange": "warm", "red": "warm"}


def test_the_gain_of_a_node_is_that_of_its_records_alone() -> None:
    rows = rows_of(
        (3, "blue", "x", "flu"), (1, "green", "x", "gout"), (4, "red", "x", "gout"), (4, "orange", "x", "gout")
    )
    decision = Specialization(cut="subtree", score="information-gain").decide(task(rows, KAnonymity(1)))
    entropy = -(1 / 4 * log2(1 / 4) + 3 / 4 * log2(3 / 4))
    whole = -(3 / 12 * log2(3 / 12) + 9 / 12 * log2(9 / 12))
    assert steps(decision.details)[:2] == [
        ("colour", "any", pytest.approx(whole - 4 / 12 * entropy)),
        ("colour", "cold", pytest.approx(entropy)),
    ]


def test_without_a_sensitive_attribute_loss_decides() -> None:
    given = task(PEOPLE, KAnonymity(5), sensitive=())
    decision = Specialization(score="igpl").decide(given)
    assert decision.details["scored_by"] == "loss"
    # The letter takes all of its loss away, a colour's first step two thirds of its own; both halve the table.
    assert steps(decision.details)[0] == ("letter", "all", pytest.approx(1 / 11))
    assert decision.details["trace"] == Specialization(score="loss").decide(given).details["trace"]


# -- what is refused


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"partitions": 0}, like("declared.parameter-wrong", where="partitions")),
        ({"phases": 3}, like("declared.parameter-wrong", where="phases")),
        ({"partitions": 2}, "method.partitions-need-two-phases"),
        ({"k_first": 5}, "method.partitions-need-two-phases"),
        ({"ways": "two"}, "method.ways-need-subtree-cut"),
        ({"score": "best"}, like("declared.parameter-wrong", where="score")),
        ({"cut": "node"}, like("declared.parameter-wrong", where="cut")),
    ],
)
def test_parameters_out_of_bounds_are_refused(parameters: dict[str, Any], expected: str | Like) -> None:
    with failing(expected, ParameterError) as caught:
        Specialization(**parameters)
    assert caught.value.message.values["name"] == "specialization"


def test_a_smaller_k_in_the_first_phase_is_refused() -> None:
    with failing("method.k-first-below-k", ParameterError, k=5):
        Specialization(phases=2, partitions=2, k_first=4).decide(task(PEOPLE, KAnonymity(5)))


@pytest.mark.parametrize("phases", [1, 2])
def test_more_than_all_records_can_not_be_asked_for(phases: int) -> None:
    with failing("method.not-reached-but", PrivacyNotReached, nearest=[like("method.nearest-k", k=20)]):
        Specialization(phases=phases).decide(task(PEOPLE, KAnonymity(21)))


def test_no_records_are_no_release() -> None:
    with failing("method.not-reached-without-records", PrivacyNotReached):
        Specialization().decide(task([], KAnonymity(1)))


def test_a_target_that_was_not_counted_is_named() -> None:
    with failing("method.target-not-counted", ParameterError, name="t"):
        Specialization(target=("t",)).decide(task(PEOPLE, KAnonymity(2)))


def test_a_label_in_two_branches_is_refused_for_sub_trees_only() -> None:
    # "other" is a group of its own and a value under another group.
    trees: brute.Tree = {"a": ["a", "other", "*"], "b": ["b", "other", "*"], "other": ["other", "rest", "*"]}
    rows: Rows = [{"q": value, "s": "1"} for value in ("a", "b", "other") for _ in range(3)]
    lattice = lattice_of(rows, {"q": trees}, ("s",))
    given = Task(
        frequencies=lattice.frequencies,
        ladders=lattice.ladders,
        models=(KAnonymity(3),),
        random=np.random.default_rng(1),
    )
    with failing("method.label-in-two-branches", HierarchyError) as error:
        Specialization(cut="subtree").decide(given)
    assert error.value.values == ("other",)
    assert Specialization().decide(given).details["levels"] == {"q": 0}
    # The same text on one way up is one and the same to the reader.
    chain = {"a": ["a", "a", "*"], "b": ["b", "c", "*"]}
    Forest(lattice_of([{"q": "a"}, {"q": "b"}], {"q": chain}).ladders).check_labels()


# -- phases


def test_partitions_hold_every_record_once_whatever_the_order() -> None:
    rows = PEOPLE * 5
    frequencies = task(rows, KAnonymity(1)).frequencies
    shuffled = rows.copy()
    Random(3).shuffle(shuffled)
    again = task(shuffled, KAnonymity(1)).frequencies

    def parts(of: Any) -> list[Counter[tuple[Any, ...]]]:
        found = []
        for part in partition_records(of, "s", 3, 7):
            cells = part.cells["s"]
            labels = [
                [domain.labels[code] for code in codes] for domain, codes in zip(part.domains, part.codes, strict=True)
            ]
            values = [cells.domain.labels[value] for value in cells.values]
            found.append(Counter())
            for t, value, n in zip(cells.tuples, values, cells.counts, strict=True):
                found[-1][(*(column[t] for column in labels), value)] += int(n)
            assert part.rows == found[-1].total()
        return found

    first = parts(frequencies)
    assert first == parts(again)
    assert sum(first, Counter()) == Counter((row["colour"], row["letter"], row["s"]) for row in rows)
    assert all(20 < part.total() < 47 for part in first)


def test_the_seed_decides_about_partitions_and_nothing_else_does() -> None:
    method = Specialization(cut="subtree", phases=2, partitions=3, k_first=6)
    shuffled = PEOPLE * 3
    Random(5).shuffle(shuffled)
    one = method.decide(task(PEOPLE * 3, KAnonymity(6)))
    assert becomes(one) == becomes(method.decide(task(shuffled, KAnonymity(6))))
    assert one.details["k_first"] == 6


def test_a_model_that_the_partitions_can_not_keep_sends_the_second_phase_back_to_the_roots() -> None:
    models = (KAnonymity(1), TCloseness(0.2, attribute="s"))
    in_one = Specialization().decide(task(PEOPLE, *models))
    in_two = Specialization(phases=2, partitions=2).decide(task(PEOPLE, *models))
    # Partitions go down to single colours, at which classes hold one disease only.
    assert in_two.recoding == in_one.recoding
    assert in_two.details["levels"] == {"colour": 2, "letter": 0}


def test_partitions_keep_the_models_that_unions_keep() -> None:
    models = (KAnonymity(1), LDiversity(2, attribute="s"))
    in_two = Specialization(phases=2, partitions=2).decide(task(PEOPLE, *models))
    # Within partitions no colour is told, which would tell the disease; so the whole table starts where it must end.
    assert in_two.details["specializations"] == 0
    assert in_two.details["levels"] == {"colour": 2, "letter": 0}


# -- several sensitive attributes


def two_sensitive(seed: int) -> Rows:
    random = Random(seed)
    return [
        {"colour": random.choice(list(COLOURS)), "letter": random.choice("xy"), "s": a, "t": b}
        for a, b in random.choices([("1", "1"), ("1", "2"), ("2", "2"), (None, "1")], k=60)
    ]


def test_several_sensitive_attributes_are_one_tuple() -> None:
    rows = two_sensitive(4)
    counted = tuples_of(rows, ("colour", "letter", "s", "t"))
    frequencies = together(frequency_set(counted, ("colour", "letter"), ("s", "t")), counted, ("s", "t"))
    cells = frequencies.cells["(s, t)"]
    assert isinstance(cells, TupleCells)
    labels = {(None, "1"): '[null, "1"]', **{(a, b): f'["{a}", "{b}"]' for a, b in ("11", "12", "22")}}
    assert sorted(cells.domain.labels) == sorted(labels.values())
    found = dict(zip(cells.domain.labels, cells.totals.tolist(), strict=True))
    assert found == {labels[key]: n for key, n in Counter((row["s"], row["t"]) for row in rows).items()}
    # The same by folding the two into one column first.
    folded: Rows = [{**row, "s": f"{row['s']} {row['t']}"} for row in rows]
    for cut in ("level", "subtree"):
        for phases in ({}, {"phases": 2, "partitions": 2}):
            method = Specialization(cut=cut, score="igpl", **phases)
            models: tuple[PrivacyModel, ...] = (KAnonymity(4), LDiversity(2, attribute="t"))
            ladders = lattice_of(rows, TREES, ("s", "t")).ladders
            made = Task(frequencies=frequencies, ladders=ladders, models=models, random=np.random.default_rng(1))
            decision = method.decide(made)
            if not phases:
                only = method.decide(task(folded, KAnonymity(4)))
                assert steps(decision.details)[0] == steps(only.details)[0]
            classes: dict[tuple[Any, ...], list[str | None]] = {}
            for row in rows:
                labelled = tuple(own[row[name]] for name, own in becomes(decision).items())
                classes.setdefault(labelled, []).append(row["t"])
            assert all(len(members) >= 4 and len(set(members)) >= 2 for members in classes.values())


def test_attributes_that_were_counted_one_by_one_are_no_tuple() -> None:
    rows = two_sensitive(4)
    with failing("method.targets-not-counted-together", ParameterError):
        Specialization().decide(task(rows, KAnonymity(4), sensitive=("s", "t")))
    assert (
        Specialization(target=("t",)).decide(task(rows, KAnonymity(4), sensitive=("s", "t"))).details["scored_by"]
        == "height"
    )


# -- as a method among others


def test_it_is_declared_as_it_should_be() -> None:
    check_declaration(Specialization)


@pytest.mark.parametrize(
    "method",
    [
        Specialization(),
        Specialization(score="height"),
        Specialization(cut="subtree"),
        Specialization(cut="subtree", score="igpl"),
        Specialization(cut="subtree", phases=2, partitions=3),
        Specialization(phases=2, partitions=20),
    ],
    ids=repr,
)
def test_it_does_what_every_method_must(method: Specialization) -> None:
    check_method(Specialization, [method])


def test_a_population_is_compared_with_at_every_step(tmp_path: Any) -> None:
    """k-map with a population of everybody twice: the classes of the data may be half as large."""
    people = pa.table({name: [row[name] for row in PEOPLE] for name in ("colour", "letter", "s")})
    twice = pa.concat_tables([people] * 2).select(["colour", "letter"])
    place = tmp_path / "people.csv"
    place.write_text("\n".join(["colour,letter", *(f"{r['colour']},{r['letter']}" for r in twice.to_pylist())]) + "\n")
    options: dict[str, Any] = {
        "roles": {"colour": "quasi-identifier", "letter": "quasi-identifier", "s": "sensitive"},
        "hierarchies": {name: az.hierarchy.table(list(tree.values())) for name, tree in TREES.items()},
        "seed": 1,
    }
    for cut in ("level", "subtree"):
        mapped = az.anonymize(
            people, privacy=[KMap(8, population=str(place))], method=Specialization(cut=cut), **options
        )
        alone = az.anonymize(people, privacy=[KAnonymity(4)], method=Specialization(cut=cut), **options)
        assert mapped.evidence["method"]["cuts"] == alone.evidence["method"]["cuts"]
        coarser = az.anonymize(people, privacy=[KAnonymity(8)], method=Specialization(cut=cut), **options)
        assert mapped.evidence["method"]["cuts"] != coarser.evidence["method"]["cuts"]
