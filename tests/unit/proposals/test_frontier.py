"""Which k, and which method, is recommended of those that were tried."""

import pytest

from antifaz.proposals.frontier import recommended
from failing import failing


@pytest.mark.parametrize(("audience", "k"), [("known", 3), ("many", 5), ("public", 11)])
def test_the_k_is_the_audiences_whatever_smaller_ones_cost(audience, k):
    points = [{"method": "a", "k": each, "gcp": each / 100, "ks_min": None} for each in range(2, 21)]
    chosen = recommended({"a": points}, audience)
    assert chosen["k"] == k
    assert f"k = {k}" in chosen["reason"]
    # Numbers that no k keeps are no reason for the smallest one.
    lost = [point | {"ks_min": 0.1} for point in points]
    assert recommended({"a": lost}, audience)["k"] == k
    # Where so large a k is not reached, the largest that is.
    assert recommended({"a": points[:1]}, audience)["k"] == 2
    assert recommended({"a": [p for p in points if p["k"] < k]}, audience)["k"] == k - 1


def test_there_are_three_audiences():
    with failing("proposal.unknown-audience"):
        recommended({"a": []}, "friends")


def _curve(method, gcps, ps):
    return [
        {"method": method, "k": k + 5, "gcp": g, "ks_min": p} for k, (g, p) in enumerate(zip(gcps, ps, strict=True))
    ]


def test_of_several_methods_the_one_that_keeps_more_or_loses_less():
    one, other = _curve("a", [0.1, 0.2, 0.3], [1, 0.96, 0.5]), _curve("b", [0.2, 0.3, 0.4], [1, 0.99, 0.97])
    chosen = recommended({"a": one, "b": other})
    assert (chosen["method"], chosen["k"]) == ("b", 7)
    assert chosen["reason"].endswith("; b keeps them at a larger k than a")
    # As large a k: then who loses less.
    chosen = recommended({"a": one, "b": other[:2]})
    assert (chosen["method"], chosen["k"]) == ("a", 6)
    assert chosen["reason"].endswith("; a loses no more at that k than b")
    # None keeps them: the k of the audience, and who loses less.
    chosen = recommended({"a": _curve("a", [0.3], [0.1]), "b": _curve("b", [0.2], [0.0])})
    assert (chosen["method"], chosen["k"], chosen["preserves"]) == ("b", 5, False)
    # Alone nothing is compared.
    assert " a " not in recommended({"a": one})["reason"]
