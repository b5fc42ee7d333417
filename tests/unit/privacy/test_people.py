"""Models asked about people: the table solved by hand, and brute force over all that an attacker may know."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.people import people_of
from antifaz.privacy.people import by_people, people_staying
from failing import failing
from oracles.people import by_class, distribution, fewest_by_columns, fewest_people, shares

#: Persons A, B, C and the classes of their rows.
BY_HAND = [("A", "x"), ("A", "x"), ("A", "y"), ("B", "x"), ("B", "y"), ("C", "x")]
MERGED = [(person, "z") for person, _ in BY_HAND]
SAMPLED = [("A", "z"), ("B", "z"), ("C", "z")]
VALUES = ("flu", "gout", "cold", "asthma")


def classes_of(rows):
    """Count rows of (person, class, value) as the methods do."""
    names = sorted({row[1] for row in rows})
    owners = np.array([names.index(row[1]) for row in rows], np.int64)
    people = sorted({row[0] for row in rows})
    persons = np.array([people.index(row[0]) for row in rows], np.int64)
    values = np.array([VALUES.index(row[2]) if len(row) > 2 else 0 for row in rows], np.int64)
    counted = people_of(owners, persons, np.ones_like(owners), len(names), {"d": (values, len(VALUES))})
    none = np.zeros(0, np.int64)
    table = SensitiveTable(
        offsets=none, values=none.astype(np.int32), counts=none, totals=np.bincount(values, minlength=len(VALUES)),
        labels=VALUES,
    )  # fmt: skip
    return ClassTable(sizes=np.bincount(owners), sensitive={"d": table}, count_people=lambda: counted)


def frame(rows):
    columns = zip(*(row if len(row) > 2 else (*row, "flu") for row in rows), strict=True)
    return pa.table(dict(zip(("person", "class", "d"), map(list, columns), strict=True)))


@pytest.mark.parametrize(
    ("rows", "known", "found"),
    [
        (BY_HAND, 1, 2), (BY_HAND, 2, 1), (BY_HAND, "all", 1),
        (MERGED, 1, 3), (MERGED, 2, 2), (MERGED, "all", 1),
        (SAMPLED, 1, 3), (SAMPLED, 2, 3), (SAMPLED, "all", 3),
    ],
)  # fmt: skip
def test_the_table_solved_by_hand(rows, known, found):
    model = az.KAnonymity(2, rows=known)
    assert fewest_people(rows, known) == found
    assert by_people(model).achieved(classes_of(rows)) == found
    (verdict,) = az.verify(frame(rows), ["class"], model, person="person")
    assert (verdict.achieved, verdict.holds) == (found, found >= 2)


def tables(number, people, classes, most):
    generator = random.Random(24)
    for _ in range(number):
        yield [
            (f"p{person}", f"c{generator.randrange(classes)}", generator.choice(VALUES))
            for person in range(generator.randint(1, people))
            for _ in range(generator.randint(1, most))
        ]


@pytest.mark.parametrize("known", [1, 2, 3, "all"])
def test_brute_force_over_all_attackers_choices_agrees(known):
    for rows in tables(60, people=7, classes=3, most=4):
        expected = fewest_people(rows, known)
        assert by_people(az.KAnonymity(2, rows=known)).achieved(classes_of(rows)) == expected
        (verdict,) = az.verify(frame(rows), ["class"], az.KAnonymity(2, rows=known), person="person")
        assert verdict.achieved == expected


@pytest.mark.parametrize("known", [2, 3, "all"])
def test_what_is_kept_holds_when_classes_are_left_out(known):
    for rows in tables(60, people=7, classes=4, most=3):
        table = classes_of(rows)
        kept = by_people(az.KAnonymity(2, rows=known)).keep(table, np.ones(table.sizes.size, np.bool_))
        names = sorted({row[1] for row in rows})
        left = [row for row in rows if kept[names.index(row[1])]]
        assert not left or fewest_people(left, known) >= 2


def test_shares_and_distributions_are_those_of_people():
    for rows in tables(40, people=6, classes=2, most=4):
        table, whole = classes_of(rows), distribution(rows)
        parts = by_class(rows)
        alpha = max(max(shares(part).values()) for part in parts.values())
        gain = max(q / shares(rows)[v] - 1 for part in parts.values() for v, q in shares(part).items())
        entropy = min(-sum(float(q) * math.log(q) for q in distribution(part).values()) for part in parts.values())
        moved = max(sum(max(distribution(part).get(v, 0) - p, 0) for v, p in whole.items()) for part in parts.values())
        wanted = [
            (az.AlphaK(alpha=1, k=1, attribute="d"), alpha), (az.BetaLikeness(1.0, attribute="d"), gain),
            (az.LDiversity(1, kind="entropy", attribute="d"), math.exp(entropy)),
            (az.TCloseness(1, attribute="d"), moved),
            (az.LDiversity(1, attribute="d"), min(len(shares(part)) for part in parts.values())),
        ]  # fmt: skip
        verdicts = az.verify(frame(rows), ["class"], [model for model, _ in wanted], person="person")
        for (model, expected), verdict in zip(wanted, verdicts, strict=True):
            assert by_people(model).achieved(table) == pytest.approx(float(expected), abs=1e-12)
            assert verdict.achieved == pytest.approx(float(expected), abs=1e-12)


def test_a_value_that_somebody_has_ten_times_is_one():
    rows = [("A", "x", "flu")] * 10 + [("B", "x", "gout")]
    assert by_people(az.AlphaK(alpha=0.5, k=2, attribute="d")).judge(classes_of(rows)).holds


def test_people_who_were_not_counted_are_not_guessed():
    with failing("people.not-counted"):
        by_people(az.KAnonymity(2)).passes(ClassTable(sizes=np.array([5])))


def test_few_people_of_each_tuple_are_enough_to_count_to_k():
    for rows in tables(30, people=9, classes=6, most=4):
        people = classes_of(rows).people
        place = np.arange(people.many) // 2
        for k in (1, 2, 3, 5):
            few = people.few(k).moved(place, people.many)
            assert np.array_equal(few.heads >= k, people.moved(place, people.many).heads >= k)


def test_columns_known_of_four_people_by_hand():
    rows = [("A", "30", "F"), ("B", "30", "M"), ("C", "40", "M"), ("D", "40", "F")]
    table = pa.table(dict(zip(("person", "age", "sex"), map(list, zip(*rows, strict=True)), strict=True)))
    for known, found in ((1, 2), (2, 1)):
        (verdict,) = az.verify(table, ["age", "sex"], az.KAnonymity(2, known=known), person="person")
        assert (verdict.achieved, verdict.holds) == (found, found == 2)
        assert fewest_by_columns([(who, (age, sex)) for who, age, sex in rows], known, 1) == found


@pytest.mark.parametrize("known", [1, 2])
@pytest.mark.parametrize("rows", [1, 2, "all"])
def test_columns_and_rows_known_agree_with_brute_force(known, rows):
    generator = random.Random(6)
    for _ in range(25):
        visits = [
            (f"p{person}", tuple(generator.randrange(2) for _ in range(3)))
            for person in range(generator.randint(1, 6))
            for _ in range(generator.randint(1, 3))
        ]
        names = sorted({of_class for _, of_class in visits})
        model, expected = az.KAnonymity(2, known=known, rows=rows), fewest_by_columns(visits, known, rows)
        codes = tuple(np.array(column, np.int32) for column in zip(*names, strict=True))
        table = replace(classes_of(visits), values=codes)
        assert by_people(model).achieved(table) == expected
        kept = by_people(model).keep(table, np.ones(table.sizes.size, np.bool_))
        left = [row for row in visits if kept[names.index(row[1])]]
        assert not left or fewest_by_columns(left, known, rows) >= 2
        columns = {"person": [row[0] for row in visits]} | {f"q{a}": [row[1][a] for row in visits] for a in range(3)}
        (verdict,) = az.verify(pa.table(columns), ["q0", "q1", "q2"], model, person="person")
        assert verdict.achieved == expected


@pytest.mark.parametrize("known", [1, 2, "all"])
def test_nobody_is_left_out_who_could_have_stayed(known):
    for rows in tables(40, people=6, classes=3, most=3):
        people = sorted({row[0] for row in rows})
        valid = [
            set(chosen)
            for size in range(1, len(people) + 1)
            for chosen in combinations(people, size)
            if fewest_people([row for row in rows if row[0] in chosen], known) >= 2
        ]
        largest = set().union(*valid)
        stay = people_staying(classes_of(rows), [by_people(az.KAnonymity(2, rows=known))], len(people), None)
        assert {people[i] for i in np.flatnonzero(stay)} == largest
        limit = len(people) - len(largest)
        if limit:
            few = people_staying(classes_of(rows), [by_people(az.KAnonymity(2, rows=known))], limit - 1, None)
            assert few is None


def test_who_stays_is_judged_again_by_sensitive_values():
    models = [by_people(az.KAnonymity(2)), by_people(az.AlphaK(alpha=0.6, k=1, attribute="d"))]
    for rows in tables(40, people=7, classes=3, most=3):
        people = sorted({row[0] for row in rows})
        stay = people_staying(classes_of(rows), models, len(people), None)
        left = [row for row in rows if stay[people.index(row[0])]]
        assert not left or fewest_people(left, 1) >= 2
        assert all(max(shares(part).values()) <= Fraction(6, 10) for part in by_class(left).values())
