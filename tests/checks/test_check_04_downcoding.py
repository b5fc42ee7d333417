"""Check 4: what those recover of quasi-identifiers who know that the method generalizes no more than it must.

Downcoding (A. Cohen, 2022): from a release, a more precise table that the original agrees with. Everybody has one of
four values with known chances, and nothing else is known. The attacker guesses the whole original table, up to the
order of its rows: the likeliest one that the method makes the release of. Those who don't know the method guess the
likeliest one that agrees with the labels. Refinement is the same with several rounds: what is released late was not
released early.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from math import factorial, prod
from typing import Any

import numpy as np
import pytest

import antifaz as az
from antifaz.counting.records import records, spread_out
from antifaz.methods import Task
from antifaz.privacy.hardening import margins, without_sensitive
from checks.knowing import parts
from oracles.counted import lattice_of, tuples_of

VALUES = ("a", "b", "c", "d")
TREE = {"a": ["a", "ab", "*"], "b": ["b", "ab", "*"], "c": ["c", "cd", "*"], "d": ["d", "cd", "*"]}
CHANCES = (Fraction(4, 10), Fraction(3, 10), Fraction(2, 10), Fraction(1, 10))
PEOPLE = 8
ASKED = (az.KAnonymity(2),)

Table = tuple[int, ...]


def labels(method: Any, models: Any, table: Table, seed: int) -> tuple[tuple[str, int], ...] | None:
    """Return the labels of a release and how often each is in it; None where it is refused."""
    rows = [{"value": value} for value, number in zip(VALUES, table, strict=True) for _ in range(number)]
    lattice = lattice_of(rows, {"value": TREE})
    held = None
    if method.needs_rows:
        ladders = {ladder.column: ladder for ladder in lattice.ladders}
        held = records(spread_out(tuples_of(rows, ["value"])), ["value"], ladders=ladders)
    task = Task(
        frequencies=lattice.frequencies,
        ladders=lattice.ladders,
        models=models,
        random=np.random.default_rng(seed),
        records=held,
    )
    try:
        recoding = method.decide(task).recoding
    except az.PrivacyNotReached:
        return None
    return tuple(sorted(Counter(_each(recoding, rows)).items()))


def _each(recoding: Any, rows: list[dict[str, str]]) -> list[str]:
    """The label of every row that is released."""
    if recoding.rows is not None:
        (words,), (places,) = recoding.rows.labels, recoding.rows.released
        return [words[places[group]] for group in recoding.rows.groups if group >= 0]
    if recoding.tuples is not None:
        own = recoding.tuples
        (words,), (places,), (tuples,) = own.labels, own.released, own.tuples
        (column,), (codes,) = recoding.columns, own.codes
        of = {code: words[place] for code, place in zip(tuples, places, strict=True)}
        became = {value: of[code] for value, code in zip(column.values, codes, strict=True) if code in of}
        return [became[row["value"]] for row in rows if row["value"] in became]
    (column,) = recoding.columns
    became = dict(zip(column.values, column.labels, strict=True))
    gone = {label for (label,) in recoding.suppressed}
    return [became[row["value"]] for row in rows if became[row["value"]] not in gone]


def tables() -> dict[Table, Fraction]:
    """Every table that there could have been, and how likely it is."""
    found = {}
    for table in parts(PEOPLE, (PEOPLE,) * len(VALUES)):
        ways = factorial(PEOPLE) // prod(map(factorial, table))
        found[table] = ways * prod(chance**number for chance, number in zip(CHANCES, table, strict=True))
    return found


def recovered(method: Any, *, hardened: bool = False) -> tuple[float, float]:
    """How often the original table is guessed from a release: by its labels alone, and by knowing the method."""
    prior = tables()
    asked = [without_sensitive(ASKED, margin) for margin in margins(ASKED)] if hardened else [ASKED]
    joint: dict[Any, Counter[Table]] = defaultdict(Counter)
    for table, chance in prior.items():
        for models in asked:
            seen = labels(method, models, table, seed=1)
            if seen is not None:
                joint[seen][table] += chance / len(asked)
    all_released = sum((sum(own.values()) for own in joint.values()), Fraction(0))
    by_method = sum((max(own.values()) for own in joint.values()), Fraction(0))
    by_labels = sum((own[_likeliest(seen, prior)] for seen, own in joint.items()), Fraction(0))
    return round(float(by_labels / all_released), 3), round(float(by_method / all_released), 3)


def _likeliest(seen: Any, prior: dict[Table, Fraction]) -> Table:
    """The likeliest table that agrees with the labels, each row by itself."""
    chances = dict(zip(VALUES, CHANCES, strict=True))
    likely = {(0,) * len(VALUES): Fraction(1)}
    for label, number in seen:
        allowed = [value for value in VALUES if label in TREE[value] or value in label.strip("{}").split(", ")]
        grown: Counter[Table] = Counter()
        for split in parts(number, (number,) * len(allowed)):
            weight = factorial(number) // prod(map(factorial, split))
            weight *= prod(chances[value] ** n for value, n in zip(allowed, split, strict=True))
            own = dict(zip(allowed, split, strict=True))
            for table, before in likely.items():
                grown[tuple(n + own.get(v, 0) for v, n in zip(VALUES, table, strict=True))] += before * weight
        likely = dict(grown)
    return max(likely, key=lambda table: (likely[table], table))


#: By labels and by knowing the method, then both in a hardened run; docs/theory/knowing-the-method.md has them too.
FIGURES: dict[str, tuple[Any, tuple[float, float], tuple[float, float]]] = {
    "full-domain": (az.FullDomain(), (0.392, 0.434), (0.124, 0.126)),
    "datafly": (az.Datafly(), (0.392, 0.434), (0.124, 0.126)),
    "specialization, subtree": (az.Specialization(cut="subtree"), (0.455, 0.697), (0.164, 0.166)),
    "mondrian": (az.Mondrian(), (0.416, 0.744), (0.126, 0.225)),
    "mondrian, relaxed": (az.Mondrian(mode="relaxed"), (0.296, 0.898), (0.094, 0.170)),
    "k-members": (az.KMembers(starts=2), (0.296, 0.787), (0.150, 0.280)),
    "full-domain, 3 rounds": (az.FullDomain(rounds=3, suppression=0.5), (0.287, 0.890), (0.085, 0.379)),
}


@pytest.mark.parametrize("name", FIGURES)
def test_check_04_downcoding_and_refinement_are_measured_and_hardened_runs_give_less_away(name: str) -> None:
    method, sighted, hardened = FIGURES[name]
    assert recovered(method) == sighted
    assert recovered(method, hardened=True) == hardened
    # Less, not nothing: nobody promises that quasi-identifiers can't be guessed more precisely than they were released.
    assert sighted[1] > sighted[0]
    assert hardened[1] - hardened[0] < sighted[1] - sighted[0]
    assert hardened[1] < sighted[1] / 2


def test_check_04_the_documentation_has_the_figures_that_are_measured() -> None:
    from pathlib import Path

    page = (Path(__file__).resolve().parents[2] / "docs/theory/knowing-the-method.md").read_text(encoding="utf-8")
    for name, (_, sighted, hardened) in FIGURES.items():
        told = " | ".join(f"{figure:.3f}" for figure in (*sighted, *hardened))
        assert f"| {name} | {told} |" in page
