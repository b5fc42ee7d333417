"""The verifier's half of the game: worked out by hand, from labels as they were written."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.recount import Recount
from antifaz.engines.local.recount import recount
from antifaz.releases.verifier.models import verify
from failing import failing

#: Four values and the missing one, in two pairs below a star.
PATHS = {"q": [("a", "ab", "*"), ("b", "ab", "*"), ("=c", "=cd", "*"), ("d", "=cd", "*"), (None, None, "*")]}
GAME = {"model": "profitability", "benefit": 100, "loss": 60, "gain": 30, "cost": 10}


def _judged(values: list[str | None], paths: Any = PATHS, **other: float) -> tuple[bool, float | None, int]:
    counted: Recount = recount(pa.table({"q": values}), ["q"], classes=True)
    (verdict,) = verify(counted, [GAME | other], paths=paths)
    return verdict.holds, verdict.achieved, verdict.failing


def test_by_hand() -> None:
    # log 2 / log 5 of the bits are lost under ab, all under the star; three alike are not attacked, and two are.
    kept = 100 * (1 - 0.4306765580733931)
    assert _judged(["ab"] * 3) == (True, pytest.approx(kept), 0)
    assert _judged(["ab"] * 2) == (True, pytest.approx(kept - 30), 0)
    assert _judged(["ab"]) == (False, pytest.approx(kept - 60), 1)
    assert _judged(["*"] * 3) == (True, pytest.approx(0), 0)
    assert _judged(["a", "a", "a", "ab", "d"]) == (False, pytest.approx(kept - 60), 1)
    assert _judged([None, "a"]) == (True, pytest.approx(40), 0)


def test_labels_written_otherwise_are_found() -> None:
    written = _judged(["'=cd"] * 3)
    assert written == _judged(["=cd"] * 3) == _judged([" =CD "] * 3)
    # What no hierarchy knows tells nothing.
    assert _judged(["zebra"] * 3) == (True, pytest.approx(0), 0)
    assert _judged(["zebra"] * 2) == (False, pytest.approx(-30), 2)


def test_a_label_at_several_levels_covers_the_most() -> None:
    paths = {"q": [("a", "a"), ("b", "a")]}
    assert _judged(["a"] * 3, paths) == (True, pytest.approx(0), 0)


def test_without_hierarchies_or_values_nothing_is_said() -> None:
    with failing("verifier.values-not-counted", az.ParameterError, model="profitability"):
        _judged(["a"], {})
    with failing("verifier.values-not-counted", az.ParameterError):
        verify(recount(pa.table({"q": ["a"]}), ["q"]), [GAME], paths=PATHS)


def test_amounts_are_compared_by_their_decimals() -> None:
    counted = recount(pa.table({"q": ["a"] * 3}), ["q"])
    (verdict,) = verify(counted, [{"model": "no-attack", "gain": 0.9, "cost": 0.3}])
    assert (verdict.holds, verdict.achieved) == (True, 3)
    (verdict,) = verify(counted, [{"model": "no-attack", "gain": 0.91, "cost": 0.3}])
    assert (verdict.holds, verdict.failing) == (False, 3)
