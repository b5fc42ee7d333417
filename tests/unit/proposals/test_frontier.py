"""Which k, and which method, is recommended of those that were tried."""

from antifaz.proposals.frontier import _knee, recommended


def test_without_numbers_the_knee_is_taken():
    assert _knee([2, 3, 4, 5], [0.0, 0.0, 0.0, 1.0]) == 4
    assert _knee([2, 3, 4], [0.5, 0.5, 0.5]) == 4


def _curve(method, gcps, ps):
    return [
        {"method": method, "k": k + 2, "gcp": g, "ks_min": p} for k, (g, p) in enumerate(zip(gcps, ps, strict=True))
    ]


def test_of_several_methods_the_one_that_keeps_more_or_loses_less():
    one, other = _curve("a", [0.1, 0.2, 0.3], [1, 0.96, 0.5]), _curve("b", [0.2, 0.3, 0.4], [1, 0.99, 0.97])
    chosen = recommended({"a": one, "b": other})
    assert (chosen["method"], chosen["k"]) == ("b", 4)
    assert chosen["reason"].endswith("; b keeps them at a larger k than a")
    # As large a k: then who loses less.
    chosen = recommended({"a": one, "b": other[:2]})
    assert (chosen["method"], chosen["k"]) == ("a", 3)
    assert chosen["reason"].endswith("; a loses no more at that k than b")
    # None keeps them: the smallest k, and who loses less.
    chosen = recommended({"a": _curve("a", [0.3], [0.1]), "b": _curve("b", [0.2], [0.0])})
    assert (chosen["method"], chosen["k"], chosen["preserves"]) == ("b", 2, False)
    # Alone nothing is compared.
    assert " a " not in recommended({"a": one})["reason"]
