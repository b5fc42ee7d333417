"""What could be had where the privacy asked for can't, worked out by hand."""

from __future__ import annotations

import pytest

import antifaz as az
from antifaz.core.messages import Message
from antifaz.methods.method import nearest
from antifaz.privacy import PrivacyModel
from failing import like
from oracles.counted import lattice_of

#: One class of three records with two values.
ROWS: list[dict[str, str | None]] = [{"q": "x", "s": value} for value in ("a", "b", "a")]


def _nearest(model: PrivacyModel, allowed: int = 0) -> Message:
    return nearest(lattice_of(ROWS, {"q": {"x": ["x"]}}, ("s",)), (model,), allowed)


@pytest.mark.parametrize("allowed", [0, 2])
def test_a_smaller_k_is_said(allowed: int) -> None:
    message = _nearest(az.KAnonymity(4), allowed)
    assert message == like("method.not-reached-but", nearest=[like("method.nearest-k", k=3)])
    assert message.values["failure"] == like("method.no-generalization", rows=3, allowed=allowed)


def test_of_another_model_it_is_said_what_it_achieves() -> None:
    message = _nearest(az.LDiversity(3, attribute="s"))
    assert message == like("method.not-reached-but", nearest=[like("method.nearest-model", achieved="2")])
