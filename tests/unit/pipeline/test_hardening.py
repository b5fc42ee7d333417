"""The strategy of hardened runs, and the one that changes nothing."""

from __future__ import annotations

from array import array

import numpy as np

import antifaz as az
from antifaz.core.errors import PrivacyNotReached
from antifaz.core.recoding import Recoding, RowRecoding
from antifaz.pipeline.hardening import Hardening, restore_order
from failing import failing, like


def test_by_default_nothing_is_hidden():
    plain = Hardening(False, 1, "mondrian")
    models = (az.KAnonymity(3),)
    assert plain.raise_models(models) is models
    assert plain.random_ties(("a", "b")) == ("a", "b")
    assert plain.refusal is None
    with failing("method.nearest-k", PrivacyNotReached, k=5), plain.hide_sizes():
        raise PrivacyNotReached("method.nearest-k", k=5)


def test_a_hardened_run_asks_for_more_and_tells_less():
    secret = Hardening(True, 1, "mondrian")
    (asked,) = secret.raise_models((az.KAnonymity(3), az.LDiversity(2, attribute="ill")))
    assert asked.k > 3
    assert sorted(secret.random_ties(("a", "b", "c"))) == ["a", "b", "c"]
    assert secret.learnt_targets((("ill",),)) == ()
    with (
        failing(
            "plan.hardened-not-reached",
            PrivacyNotReached,
            what=like("hardened.larger-classes-not-reached", method="mondrian"),
        ) as caught,
        secret.hide_sizes(),
    ):
        raise PrivacyNotReached("method.nearest-k", k=5)
    assert "5" not in str(caught.value)


def test_rows_are_put_back_in_their_order():
    order = np.array([2, 0, 1])
    seen = Recoding(columns=(), rows=RowRecoding(groups=array("i", [7, 8, 9]), labels=(), released=()))
    found = restore_order(seen, order)
    assert found.rows is not None
    assert list(found.rows.groups) == [8, 9, 7]
    assert restore_order(seen, None) is seen
