"""What mutation testing counts, and the list of mutants that change no answer."""

from typing import Any

import pytest
from mutants import equivalent, figures, scope
from mutants.changes import mutants


def test_every_mutant_that_is_judged_equivalent_still_exists() -> None:
    names = {mutant.name for path in scope.modules([]) for mutant in mutants(path)}
    gone = sorted(set(equivalent.judged()) - names)
    assert gone == [], "the line was changed: judge it again"


def test_names_of_mutants_are_unique() -> None:
    names = [mutant.name for path in scope.modules([]) for mutant in mutants(path)]
    assert len(names) == len(set(names)) > 5_000


def test_every_judgement_has_its_reason() -> None:
    assert all(len(why.split()) >= 5 for why in equivalent.judged().values())


def _found(name: str, by: str | None, *, covered: bool = True) -> dict[str, Any]:
    return {"name": name, "module": "privacy/risks.py", "by": by, "covered": covered}


def test_equivalent_mutants_are_left_out_of_the_second_share_only() -> None:
    found = [_found("a", "test"), _found("b", "test"), _found("c", None), _found("d", None, covered=False)]
    page = figures.page(found, {"c": "the same number by arithmetic"})
    assert "| **all** | 4 | 2 | 50.0 | 1 | 1 | 66.7 |" in page
    assert "- `d` (no test executes it)" in page
    assert "`c`" not in page


def test_a_killed_mutant_is_not_equivalent() -> None:
    found = [_found("a", "test"), _found("b", None)]
    judged = {"a": "a wrong judgement", "b": "a right one"}
    assert figures.misjudged(found, judged) == [found[0]]
    assert "Judged equivalent, and yet killed:\n\n- `a`" in figures.page(found, judged)


def test_an_interval_of_nothing_says_nothing() -> None:
    assert figures.interval(0, 0) == (0.0, 1.0)
    low, high = figures.interval(95, 100)
    assert low == pytest.approx(0.8883, abs=1e-4)
    assert high == pytest.approx(0.9785, abs=1e-4)
